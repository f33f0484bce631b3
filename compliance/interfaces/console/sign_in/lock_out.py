"""The lock-out against guessing. It is exact under any number of simultaneous guesses, and cannot lock out the owner.

A guess is counted *before* it is checked, and the count is taken back if it was right, in one statement each. It is
counted for the name *and* the network together (IPv6 by /64, which is one subscriber), so that guessing at a name locks
out only the guesser's network; for the network; and for the name everywhere. A browser in which the account signed in
before (`devices.py`) has a count of its own instead, so the owner can always sign in. The limit for a name everywhere
is the 100 of NIST SP 800-63B, 3.2.2.

The counts are in the database, not in Redis: sign-in needs the database anyway, so the lock-out never fails open, and
it holds across processes and restarts (docs/adr/0020-console-pages-without-scripts.md).
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from compliance.interfaces.api import networks
from compliance.interfaces.console.sign_in import devices
from compliance.tenancy import sql

WINDOW = timedelta(minutes=15)
DAY = timedelta(days=1)
GUESSES_FOR_ONE_NAME = 5
GUESSES_FROM_ONE_NETWORK = 50
GUESSES_FROM_ANYWHERE = 100
CODES_FROM_ANYWHERE = 30


class Count(NamedTuple):
    """Guesses that are counted together, at most `limit` in `window`. `kept`: a right guess does not reset them."""

    subject: str
    limit: int
    window: timedelta = WINDOW
    kept: bool = False


def at_password(request: HttpRequest, username: str, now: datetime) -> list[Count]:
    """The counts to which a guess at the password of `username` adds."""
    name = username.strip().casefold()
    if devices.is_known(request, username, now):
        return [Count(_subject("device", devices.mark(request), name), GUESSES_FOR_ONE_NAME)]
    network = network_of(request)
    return [
        Count(_subject("name", name, network), GUESSES_FOR_ONE_NAME),
        Count(_subject("network", network), GUESSES_FROM_ONE_NETWORK, kept=True),
        Count(_subject("anywhere", name), GUESSES_FROM_ANYWHERE, kept=True),
    ]


def at_code(request: HttpRequest, user: User, now: datetime) -> list[Count]:
    """The counts to which a guess at the second factor of `user` adds, after a right password."""
    account = str(user.pk)
    if devices.is_known(request, user.username, now):
        return [Count(_subject("device code", devices.mark(request), account), GUESSES_FOR_ONE_NAME)]
    return [
        Count(_subject("code", account, network_of(request)), GUESSES_FOR_ONE_NAME),
        Count(_subject("codes anywhere", account), CODES_FROM_ANYWHERE, DAY, kept=True),
    ]


def in_session(session_id: str) -> list[Count]:
    """The count of guesses at a password or a code made within a session, which affects only that session."""
    return [Count(_subject("session", session_id), GUESSES_FOR_ONE_NAME)]


def at_invitation(request: HttpRequest) -> list[Count]:
    """The count to which a guess at the code of an invitation adds."""
    return [Count(_subject("invitation", network_of(request)), GUESSES_FROM_ONE_NETWORK, kept=True)]


def network_of(request: HttpRequest) -> str:
    """The network from which a request comes: an IPv4 address, an IPv6 /64."""
    return networks.bucket(networks.client_address(request.META, settings.TRUSTED_PROXIES))


def count(counts: Sequence[Count], now: datetime) -> bool:
    """Counts a guess. False if it is one too many: then it must not be checked."""
    counted = [_count(each, now) for each in counts]  # all of them, even if one is over its limit
    return all(counted)


def was_right(counts: Sequence[Count]) -> None:
    """Resets the counts after a right guess; a `kept` count only loses this guess."""
    for each in counts:
        if each.kept:
            sql.execute("UPDATE console_guess SET tries = tries - 1 WHERE subject = %s AND tries > 0", [each.subject])
        else:
            sql.execute("DELETE FROM console_guess WHERE subject = %s", [each.subject])


def forget_old(now: datetime) -> int:
    """Removes counts whose window has ended. Returns how many."""
    return sql.execute("DELETE FROM console_guess WHERE window_ends_at <= %s", [now])


def _count(each: Count, now: datetime) -> bool:
    ((tries,),) = sql.fetch(
        "INSERT INTO console_guess AS g (subject, tries, window_ends_at) VALUES (%(subject)s, 1, %(end)s)"
        " ON CONFLICT (subject) DO UPDATE SET"
        " tries = CASE WHEN g.window_ends_at <= %(now)s THEN 1 ELSE least(g.tries + 1, 1000000) END,"
        " window_ends_at = CASE WHEN g.window_ends_at <= %(now)s THEN %(end)s ELSE g.window_ends_at END"
        " RETURNING tries",
        {"subject": each.subject, "now": now, "end": now + each.window},
    )
    return bool(tries <= each.limit)


def _subject(kind: str, *parts: str) -> str:
    """A keyed digest, because people type passwords into the wrong field, and an address is personal data."""
    return salted_hmac("compliance.sign_in.lock_out", "\0".join((kind, *parts)), algorithm="sha256").hexdigest()
