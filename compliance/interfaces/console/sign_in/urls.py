"""The URLs of sign-in: only those of allauth that staff need (no sign-up, no password reset by mail)."""

from allauth.account import views as account
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.webauthn import views as passkeys
from allauth.socialaccount import views as company
from allauth.socialaccount.providers.openid_connect import views as openid_connect
from django.contrib.auth.decorators import login_required
from django.urls import path
from django.views.generic import RedirectView

from compliance.interfaces.console import languages
from compliance.interfaces.console.sign_in import views

urlpatterns = [
    path("", views.SignIn.as_view(), name="account_login"),
    path("out/", account.logout, name="account_logout"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("invitation/", views.invitation, name="sign_in_invitation"),
    path("invitation/<str:code>/", views.invitation, name="sign_in_invitation_link"),
    path("again/", account.reauthenticate, name="account_reauthenticate"),
    path("password/", login_required(views.ChangePassword.as_view()), name="account_change_password"),
    path("code/", views.SecondFactor.as_view(), name="mfa_authenticate"),
    path("code/again/", second_factor.reauthenticate, name="mfa_reauthenticate"),
    path("sessions/", views.end_session, name="sign_in_sessions"),
    path("language/", languages.choose, name="console_language"),
    path("second-factor/", views.Account.as_view(), name="mfa_index"),
    path("second-factor/first/", views.first_factor, name="sign_in_first_factor"),
    path("second-factor/on/", views.EnrolApp.as_view(), name="mfa_activate_totp"),
    path("second-factor/off/", views.RemoveApp.as_view(), name="mfa_deactivate_totp"),
    path("second-factor/codes/", recovery_codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("second-factor/codes/new/", views.MakeRecoveryCodes.as_view(), name="mfa_generate_recovery_codes"),
    path("second-factor/codes/file/", recovery_codes.download_recovery_codes, name="mfa_download_recovery_codes"),
    path("passkeys/", RedirectView.as_view(pattern_name="mfa_index"), name="mfa_list_webauthn"),
    path("passkeys/add/", views.AddPasskey.as_view(), name="mfa_add_webauthn"),
    path("passkeys/again/", passkeys.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("passkeys/<int:pk>/name/", views.RenamePasskey.as_view(), name="mfa_edit_webauthn"),
    path("passkeys/<int:pk>/remove/", views.RemovePasskey.as_view(), name="mfa_remove_webauthn"),
    path("with/<slug:provider_id>/", openid_connect.login, name="openid_connect_login"),
    path("with/<slug:provider_id>/back/", openid_connect.callback, name="openid_connect_callback"),
    path("with/stopped/by-you/", company.login_cancelled, name="socialaccount_login_cancelled"),
    path("with/stopped/by-an-error/", company.login_error, name="socialaccount_login_error"),
]
