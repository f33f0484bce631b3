"""The addresses of signing in: those of allauth that staff need, and no other (no sign-up, no password by mail)."""

from allauth.account import views as account
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from django.urls import path

urlpatterns = [
    path("", account.login, name="account_login"),
    path("out/", account.logout, name="account_logout"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("again/", account.reauthenticate, name="account_reauthenticate"),
    path("password/", account.password_change, name="account_change_password"),
    path("code/", second_factor.authenticate, name="mfa_authenticate"),
    path("code/again/", second_factor.reauthenticate, name="mfa_reauthenticate"),
    path("second-factor/", second_factor.index, name="mfa_index"),
    path("second-factor/on/", totp.activate_totp, name="mfa_activate_totp"),
    path("second-factor/off/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("second-factor/codes/", recovery_codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("second-factor/codes/new/", recovery_codes.generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("second-factor/codes/file/", recovery_codes.download_recovery_codes, name="mfa_download_recovery_codes"),
]
