"""Codes of authenticator apps (RFC 6238): each is accepted once, by whichever process.

Section 5.2 of the RFC forbids accepting a code twice. The newest accepted counter is in the database and raised by one
statement, so one of two simultaneous uses fails; codes older than the newest are refused as well.
"""

from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time

from compliance.interfaces.console.sign_in import sealing
from compliance.tenancy import sql


def matching_counter(secret: str, code: str) -> int | None:
    """The counter, at most one step from now, whose code this is; None if there is none."""
    for counter in yield_hotp_counters_from_time():
        if compare_user_code(actual=code, expected=format_hotp_value(hotp_value(secret, counter))):
            return counter
    return None


def use(authenticator: Authenticator, code: str) -> bool:
    """Whether `code` is right and was not used before. If so, marks it as used."""
    counter = matching_counter(sealing.unseal(authenticator.data["secret"]), code)
    return counter is not None and spend(authenticator, counter)


def spend(authenticator: Authenticator, counter: int) -> bool:
    """Marks `counter` and all before it as used. False if it was used already."""
    return bool(
        sql.fetch(
            "INSERT INTO sign_in_usedcode AS u (authenticator_id, counter) VALUES (%s, %s)"
            " ON CONFLICT (authenticator_id) DO UPDATE SET counter = EXCLUDED.counter"
            " WHERE u.counter < EXCLUDED.counter RETURNING counter",
            [authenticator.pk, counter],
        )
    )
