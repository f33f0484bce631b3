"""Settings of the staff console: sign-in, sessions, the look of the accounts' admin. Taken over whole by `settings`."""

from typing import Any

from config import environment

__all__ = [
    "ACCOUNT_ADAPTER",
    "ACCOUNT_EMAIL_VERIFICATION",
    "ACCOUNT_LOGIN_METHODS",
    "ACCOUNT_LOGOUT_ON_GET",
    "ACCOUNT_RATE_LIMITS",
    "ACCOUNT_SESSION_REMEMBER",
    "CONSOLE_SECOND_FACTOR_REQUIRED",
    "CONSOLE_SESSION_IDLE_SECONDS",
    "CONSOLE_SESSION_SECONDS",
    "LOGIN_REDIRECT_URL",
    "LOGIN_URL",
    "MFA_ALLOW_UNVERIFIED_EMAIL",
    "MFA_FORMS",
    "MFA_RECOVERY_CODES_SHOW_ONCE",
    "MFA_SUPPORTED_TYPES",
    "MFA_TOTP_ISSUER",
    "MFA_TOTP_TOLERANCE",
    "SESSION_COOKIE_AGE",
    "UNFOLD",
]

LOGIN_URL = "/console/sign-in/"
LOGIN_REDIRECT_URL = "/console/"

# Staff sign in by name; accounts are made in the staff admin, never by visitors.
ACCOUNT_ADAPTER = "compliance.interfaces.console.sign_in.adapter.StaffAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
# The lock-out is ours: allauth counts in a cache, which forgets and which each process keeps for itself.
ACCOUNT_RATE_LIMITS = False

MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Compliance records"
MFA_TOTP_TOLERANCE = 1
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_FORMS = {
    "authenticate": "compliance.interfaces.console.sign_in.forms.SecondFactorForm",
    "reauthenticate": "compliance.interfaces.console.sign_in.forms.SecondFactorAgainForm",
}

CONSOLE_SECOND_FACTOR_REQUIRED = environment.text("ENVIRONMENT", "test") == "live"
CONSOLE_SESSION_IDLE_SECONDS = 30 * 60
CONSOLE_SESSION_SECONDS = 12 * 60 * 60
SESSION_COOKIE_AGE = CONSOLE_SESSION_SECONDS

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Staff accounts",
    "SITE_HEADER": "Staff accounts",
    "SITE_SUBHEADER": "Compliance records",
    "SITE_URL": "/console/",
    "SITE_SYMBOL": "shield_person",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": "/static/console/icon.svg"}],
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "BORDER_RADIUS": "6px",
    "COLORS": {
        "primary": {
            "50": "#eef6f5",
            "100": "#d5eae7",
            "200": "#aed6d1",
            "300": "#7dbab4",
            "400": "#4c9a94",
            "500": "#2f7f79",
            "600": "#1f6661",
            "700": "#1b524f",
            "800": "#194240",
            "900": "#173735",
            "950": "#091f1e",
        }
    },
}
