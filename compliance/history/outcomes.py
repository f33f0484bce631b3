"""SQL conditions for what follows from the clock and a version's columns: "open", "overdue", "expired".

`rules` decides the same in Python; `tests/history/test_outcomes.py` compares the two on PostgreSQL. A condition is
about the version `v` in force at the parameter `moment`. At exactly `due_at` nothing is late yet.
"""

from compliance.history import in_force
from compliance.rules.vocabulary import AccessState, CertificateStatus, Requirement

UNDONE = "v.done_at IS NULL AND v.waived_at IS NULL"
"""A training record that is neither completed nor waived."""

TO_DO = f"{UNDONE} AND v.ends_at IS NULL"
"""A training record that its person can still complete, required or not."""

OPEN = f"v.state = '{Requirement.REQUIRED}' AND {UNDONE}"
"""A listed training record whose outcome is `not_due_yet` or `overdue`."""

OPTIONAL_UNDONE = f"v.state = '{Requirement.OPTIONAL}' AND {UNDONE}"
COMPLETED = "v.done_at IS NOT NULL AND v.done_at <= %(moment)s"
WAIVED = "v.waived_at IS NOT NULL AND v.done_at IS NULL"
REQUIRED = f"v.state = '{Requirement.REQUIRED}' AND (v.waived_at IS NULL OR v.done_at IS NOT NULL)"
"""A training record that counts as required in a rate of completion; waived ones count only if completed."""

SIGNED = "v.done_at IS NOT NULL"
UNSIGNED = "v.done_at IS NULL"
"""A policy with and without a receipt of the person."""


def listed(moment: str = "%(moment)s") -> str:
    """A training record that applies at `moment`."""
    return f"v.begins_at <= {moment} AND (v.ends_at IS NULL OR v.ends_at > {moment})"


def past(column: str = "v.due_at", moment: str = "%(moment)s") -> str:
    """A deadline, or the end of a certificate's validity, that has passed."""
    return f"{column} < {moment}"


def ahead(column: str = "v.due_at", moment: str = "%(moment)s") -> str:
    """A deadline, or an end of validity, that has not passed or does not exist."""
    return f"({column} IS NULL OR {column} >= {moment})"


OVERDUE = f"{OPEN} AND {past()}"
NOT_DUE_YET = f"{OPEN} AND {ahead()}"
COMPLETED_BEFORE = f"{COMPLETED} AND v.done_at < v.begins_at"
COMPLETED_ON_TIME = f"{COMPLETED} AND v.done_at >= v.begins_at AND (v.due_at IS NULL OR v.done_at <= v.due_at)"
COMPLETED_LATE = f"{COMPLETED} AND v.done_at >= v.begins_at AND v.done_at > v.due_at"
SIGNATURE_OVERDUE = f"{UNSIGNED} AND {past()}"
SIGNATURE_TO_DO = f"{UNSIGNED} AND {ahead()}"
VALID = f"v.state = '{CertificateStatus.VALID}' AND {ahead()}"
EXPIRED = f"v.state = '{CertificateStatus.VALID}' AND {past()}"

_IN_90_DAYS = "%(moment)s + interval '90 days'"
EXPIRING = f"{VALID} AND {past(moment=_IN_90_DAYS)}"
"""A certificate that is valid and will have expired in 90 days."""


def invitation_expired(moment: str = "%(moment)s") -> str:
    """A people row of an invitation that has expired by `moment`; at exactly its expiry it is expired."""
    return f"(v.state = '{AccessState.INVITED}' AND v.due_at IS NOT NULL AND v.due_at <= {moment})"


_NOBODY_JOINED = """position('"joined_at":null' in v.body) > 0"""


def invitation_over(moment: str = "%(moment)s") -> str:
    """A people row of an invitation that nobody has accepted and that had expired, or was ended, by `moment`.

    `v` may be in force at a later moment. Its column `ends_at` is its own `valid_from`, which is too late for an
    invitation that was erased after its revocation. So the version of the record `r` in force at `moment` counts too.
    """
    ended = f"('{AccessState.ENDED}', '{AccessState.ERASED}')"
    before = in_force.version("v.state", moment=moment)
    return (
        f"({invitation_expired(moment)} OR (v.state IN {ended} AND {_NOBODY_JOINED}"
        f" AND (coalesce(v.due_at <= {moment}, false) OR coalesce({before} IN {ended}, false))))"
    )
