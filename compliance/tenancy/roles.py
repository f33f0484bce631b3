"""The database's runtime roles and what each may do with which table: least privilege, declared once.

A process connects as the role of its kind. `app` has all privileges that they need together, for one-machine
installations, for commands that an operator runs by hand, and for the tests. None owns anything, is a member of
anything, or may bypass row-level security. The schema's owner may have any name; it migrates and makes backups.

Roles that may do less than `app`:

- `app_web`, which answers requests from outside, creates no companies, records no verification runs, and does not write
  the log.
- `app_worker`, which processes what others send in, sees no second factor, creates no company, account, invitation,
  role, API key or source, changes keys and sources only to end them, and does not write the log.
- `app_signer` reads the histories, the digests of the lines of ledgers and of the access log, and the companies. It
  records how far it has signed, and may close a company.
"""

from typing import Final, NamedTuple

APP: Final = "app"
WEB: Final = "app_web"
WORKER: Final = "app_worker"
SIGNER: Final = "app_signer"
RUNTIME_ROLES: Final = (APP, WEB, WORKER, SIGNER)

READ: Final = frozenset({"SELECT"})
APPEND: Final = READ | {"INSERT"}
WRITE: Final = APPEND | {"UPDATE", "DELETE"}
NOTHING: Final[frozenset[str]] = frozenset()

_ACCOUNTS = ("auth_", "account_", "socialaccount_", "console_staffaccess")


class Granted(NamedTuple):
    """Privileges on a whole table, and UPDATE or SELECT on some of its columns alone."""

    table: frozenset[str]
    updates: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()


_SIGNER: Final = {
    "tenancy_deployment": Granted(READ),
    "tenancy_organization": Granted(READ),
    "django_migrations": Granted(READ),
    "history_capture": Granted(READ),
    "history_historyrecord": Granted(READ),
    "history_historyrow": Granted(READ),
    "history_subtree": Granted(READ),
    "pending_seal": Granted(READ),
    "history_historyhead": Granted(READ, ("available", "unavailable_reason")),
    "console_accesschain": Granted(READ),
    "console_accesslog": Granted(NOTHING, reads=("chain", "number", "digest")),
    "log_leaf": Granted(APPEND),
    "log_tile": Granted(APPEND | {"UPDATE"}),
    "log_checkpoint": Granted(WRITE),
    "log_witness": Granted(WRITE),
    "evidence_manifestrequest": Granted(READ, ("note", "refused")),
}

# The columns of a webhook that the worker updates; its URL and its secrets are changed by web and by commands only.
_MOVED_BY_SENDING: Final = (
    "capture_sequence", "failures", "failing_since", "next_try_at", "acknowledged_at", "paused_at", "paused_because",
    "test_id", "test_asked_at", "claim", "claimed_until",
)  # fmt: skip

# The columns by which the worker ends what has expired. With others it could make an existing key one of its own.
_ENDED: Final = {
    "access_apikey": Granted(READ, ("revoked_at", "revoked_reason")),
    "access_source": Granted(READ, ("revoked_at", "revoked_reason", "former_until")),
}

# In learners' tables the worker makes links for letters, erases personal data, and tidies; learners act through web.
_LEARNERS: Final = {
    "learning_linkrequest": Granted(frozenset({"SELECT", "DELETE"})),
    "learning_personallink": Granted(WRITE),
    "learning_learnersession": Granted(READ | {"DELETE"}, ("device",)),
    "learning_learnerpreference": Granted(READ | {"DELETE"}, ("language",)),
    "learning_take": Granted(READ),
    "learning_pageread": Granted(READ),
    "learning_answer": Granted(READ, ("choices",)),
    "learning_moreattempts": Granted(READ),
}


def granted(role: str, table: str, *, append_only: bool) -> Granted:
    """What `role` may do with `table`."""
    if role == SIGNER:
        return _SIGNER.get(table, Granted(NOTHING))
    if table == "django_migrations":
        return Granted(READ)
    everything = APPEND if append_only else WRITE
    if role in (WEB, WORKER) and (table.startswith("log_") or table == "tenancy_organization"):
        return Granted(READ)
    if role == WEB:
        if table == "learning_linkrequest":  # it takes requests in and does not see earlier ones
            return Granted(frozenset({"INSERT"}))
        if table.startswith("learning_"):  # only the hourly tidying removes rows of learners
            return Granted(APPEND | {"UPDATE"})
        if table == "letters_lettersread":
            return Granted(READ)
        if table in ("operations_verificationrun", "operations_companystanding"):
            return Granted(READ)
        if table == "webhooks_attempt":  # the worker makes them; they go with their webhook
            return Granted(READ | {"DELETE"})
        if table == "history_historyhead":  # a preview makes a capture and rolls it back
            return Granted(everything - {"DELETE"})
    if role == WORKER:
        if table == "operations_companystanding":
            return Granted(APPEND, ("verified_at", "verified_well"))
        if table.startswith("mfa_"):
            return Granted(NOTHING)
        if table.startswith(_ACCOUNTS):
            return Granted(READ)
        if table in ("sign_in_usedcode", "sign_in_companyaccount"):
            return Granted(NOTHING)
        if table == "sign_in_letter":  # it sends them
            return Granted(frozenset({"SELECT", "UPDATE", "DELETE"}))
        if table.startswith("sign_in_"):  # the hourly tidying; it invites nobody
            return Granted(frozenset({"SELECT", "DELETE"}))
        if table in _ENDED:
            return _ENDED[table]
        if table == "webhooks_webhook":
            return Granted(READ, _MOVED_BY_SENDING)
        if table in _LEARNERS:
            return _LEARNERS[table]
        if table == "django_session":  # the hourly tidying
            return Granted(frozenset({"SELECT", "DELETE"}))
    return Granted(everything)
