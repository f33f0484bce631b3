"""The directory tables: the only ones that are read without a company context (design 11).

Each is needed before the company is known (a key, a code), or to find which companies have work. Django's own tables
(staff accounts, sessions, migrations) hold nothing of a company. Every other table has row-level security.
"""

DIRECTORY_TABLES = frozenset(
    {
        "tenancy_deployment",
        "tenancy_organization",
        "access_apikey",
        "history_historyhead",
        "certificates_checkcode",
        "operations_companystanding",
        "console_standingmark",
        # Of the staff, not of a company: who may come in, who saw what, guesses at passwords.
        "console_staffaccess",
        "console_accesslog",
        "console_guess",
    }
)
