"""Settings of the staff console: accounts, passwords, second factors, sessions. `settings` imports all of them."""

from typing import Any

from config.environment import read

__all__ = [
    "ACCOUNT_ADAPTER",
    "ACCOUNT_EMAIL_VERIFICATION",
    "ACCOUNT_FORMS",
    "ACCOUNT_LOGIN_METHODS",
    "ACCOUNT_LOGOUT_ON_GET",
    "ACCOUNT_LOGOUT_REDIRECT_URL",
    "ACCOUNT_RATE_LIMITS",
    "ACCOUNT_REAUTHENTICATION_TIMEOUT",
    "ACCOUNT_SESSION_REMEMBER",
    "AUTH_PASSWORD_VALIDATORS",
    "CONSOLE_RECENT_SECONDS",
    "CONSOLE_SECOND_FACTOR_REQUIRED",
    "CONSOLE_SESSION_IDLE_SECONDS",
    "CONSOLE_SESSION_SECONDS",
    "FOUR_EYES",
    "LOGIN_REDIRECT_URL",
    "LOGIN_URL",
    "MFA_ADAPTER",
    "MFA_ALLOW_UNVERIFIED_EMAIL",
    "MFA_FORMS",
    "MFA_RECOVERY_CODES_SHOW_ONCE",
    "MFA_SUPPORTED_TYPES",
    "MFA_TOTP_ISSUER",
    "MFA_TOTP_TOLERANCE",
    "MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN",
    "OIDC_ISSUER",
    "OIDC_NAME",
    "OIDC_SECOND_FACTOR_AMR",
    "SECOND_FACTOR_KEYS",
    "SECRET_KEY_FALLBACKS",
    "SESSION_COOKIE_AGE",
    "SOCIALACCOUNT_ADAPTER",
    "SOCIALACCOUNT_LOGIN_ON_GET",
    "SOCIALACCOUNT_PROVIDERS",
    "SOCIALACCOUNT_STORE_TOKENS",
]

environment = read()
_ROOM = "compliance.interfaces.console.sign_in"
_LIVE = environment.ENVIRONMENT == "live"

LOGIN_URL = "/console/sign-in/"
LOGIN_REDIRECT_URL = "/console/"

# What an earlier SECRET_KEY signed or sealed stays valid: sessions of staff, secrets of webhooks.
SECRET_KEY_FALLBACKS = environment.SECRET_KEY_FALLBACKS
SECOND_FACTOR_KEYS = environment.SECOND_FACTOR_KEYS  # newest first: the others still open

# Staff sign in by name; accounts are made in the staff admin, never by visitors.
ACCOUNT_ADAPTER = f"{_ROOM}.adapter.StaffAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_LOGOUT_REDIRECT_URL = LOGIN_URL
ACCOUNT_SESSION_REMEMBER = True
# The lock-out is ours: allauth counts in a cache, which may lose entries and which each process keeps for itself.
ACCOUNT_RATE_LIMITS = False
ACCOUNT_FORMS = {"change_password": f"{_ROOM}.forms.PasswordForm", "reauthenticate": f"{_ROOM}.forms.PasswordAgainForm"}
# Length counts, composition rules do not (NIST SP 800-63B, 3.1.1.2).
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 15}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": f"{_ROOM}.passwords.GuessablePasswordValidator"},
]

MFA_ADAPTER = f"{_ROOM}.second_factor.StaffSecondFactors"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_TOTP_ISSUER = "Compliance records"
MFA_TOTP_TOLERANCE = 1
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = False
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_FORMS = {
    "authenticate": f"{_ROOM}.forms.SecondFactorForm",
    "reauthenticate": f"{_ROOM}.forms.SecondFactorAgainForm",
    "reauthenticate_webauthn": f"{_ROOM}.forms.PasskeyAgainForm",
    "activate_totp": f"{_ROOM}.forms.EnrolAppForm",
    "add_webauthn": f"{_ROOM}.forms.AddPasskeyForm",
}

CONSOLE_SECOND_FACTOR_REQUIRED = _LIVE
# Erasing, waiving many, facts files and keys with names need a second person (acting/four_eyes.py).
FOUR_EYES = environment.FOUR_EYES == "on"
CONSOLE_SESSION_IDLE_SECONDS = 30 * 60
CONSOLE_SESSION_SECONDS = 12 * 60 * 60
CONSOLE_RECENT_SECONDS = 10 * 60
ACCOUNT_REAUTHENTICATION_TIMEOUT = CONSOLE_RECENT_SECONDS
SESSION_COOKIE_AGE = CONSOLE_SESSION_SECONDS

# The company's own sign-in by OpenID Connect, where the deployment names one (docs/operations.md).
OIDC_ISSUER = environment.OIDC_ISSUER
OIDC_NAME = environment.OIDC_NAME
OIDC_SECOND_FACTOR_AMR = environment.OIDC_SECOND_FACTOR_AMR
SOCIALACCOUNT_ADAPTER = f"{_ROOM}.company.CompanySignIn"
SOCIALACCOUNT_STORE_TOKENS = False
# A link, not a form: the content security policy forbids forms that lead to other hosts.
SOCIALACCOUNT_LOGIN_ON_GET = True
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {}
if OIDC_ISSUER:
    SOCIALACCOUNT_PROVIDERS["openid_connect"] = {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "company",
                "name": OIDC_NAME,
                "client_id": environment.OIDC_CLIENT_ID,
                "secret": environment.OIDC_CLIENT_SECRET,
                "settings": {"server_url": OIDC_ISSUER},
            }
        ],
    }
