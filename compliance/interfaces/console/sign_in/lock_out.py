"""The lock-out against guessing (issue 8, part 4), exact under any number of simultaneous guesses.

A guess is counted *before* it is checked and taken back when it was right, in one statement each. Numbers: five
wrong passwords for one name in fifteen minutes, five wrong codes for one account, fifty wrong ones from one address;
then the name, the account or the address waits for the window to end. The database counts, not Redis: sign-in needs
the database anyway, so the lock-out never fails open and holds across processes and restarts (docs/adr/console.md).
"""

import hashlib
from datetime import datetime, timedelta

from compliance.tenancy import sql

WINDOW = timedelta(minutes=15)
GUESSES_FOR_ONE_NAME = 5
GUESSES_FROM_ONE_ADDRESS = 50


def count(subject: str, limit: int, now: datetime) -> bool:
    """Counts a guess for `subject`. False when it is one too many: then nothing must be checked."""
    ((tries,),) = sql.fetch(
        "INSERT INTO console_guess AS g (subject, tries, window_ends_at) VALUES (%(subject)s, 1, %(end)s)"
        " ON CONFLICT (subject) DO UPDATE SET"
        " tries = CASE WHEN g.window_ends_at <= %(now)s THEN 1 ELSE least(g.tries + 1, 1000000) END,"
        " window_ends_at = CASE WHEN g.window_ends_at <= %(now)s THEN %(end)s ELSE g.window_ends_at END"
        " RETURNING tries",
        {"subject": subject, "now": now, "end": now + WINDOW},
    )
    return bool(tries <= limit)


def forgive(subject: str) -> None:
    """Forgets the guesses for `subject`: it signed in."""
    sql.execute("DELETE FROM console_guess WHERE subject = %s", [subject])


def take_back(subject: str) -> None:
    """Takes back the guess just counted, so that a right one does not wipe out the wrong ones before it."""
    sql.execute("UPDATE console_guess SET tries = tries - 1 WHERE subject = %s AND tries > 0", [subject])


def name_subject(username: str) -> str:
    """The subject of a typed name. Only a digest: people type passwords into the wrong field."""
    return "name:" + hashlib.sha256(username.strip().casefold().encode()).hexdigest()


def address_subject(address: str) -> str:
    """The subject of a network address."""
    return f"address:{address}"


def account_subject(user_id: int) -> str:
    """The subject of an account that is asked for its second factor."""
    return f"code:{user_id}"
