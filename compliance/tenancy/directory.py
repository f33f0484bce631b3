"""The directory tables: the only ones that are read without a company context.

Each is needed before the company is known (a key), or to find which companies have work. Django's own tables
(staff accounts, sessions, migrations) hold nothing of a company. Every other table has row-level security.
"""

DIRECTORY_TABLES = frozenset(
    {
        "tenancy_deployment",
        "tenancy_organization",
        "access_apikey",
        "access_source",
        "webhooks_webhook",
        "history_historyhead",
        "operations_companystanding",
        "log_leaf",
        "log_tile",
        "log_checkpoint",
        "log_witness",
        "evidence_manifestrequest",
        "console_standingmark",
        "learning_linkrequest",
        # Of the staff, not of a company: who may come in, who saw what, guesses at passwords.
        "console_staffaccess",
        "console_accesslog",
        "console_accesschain",
        "console_guess",
        "sign_in_staffsession",
        "sign_in_device",
        "sign_in_invitation",
        "sign_in_usedcode",
        "sign_in_letter",
        "sign_in_companyaccount",
    }
)
