"""Keeps exact totals: the rows of a whole pull are counted once, and after that only what has changed.

After the latest moment in any stored row, the number of rows depends on the history alone and not on the clock. So one
number per register is kept in Redis with the sequence that it was counted at, and updated to a later pin from the
records that have a version in between. It is trusted only if the history still has the chain hash under which it was
counted (a restored backup has another one), and counted again whenever anything is missing.
"""

import hashlib
import logging
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

import orjson
import redis

from compliance.history import in_force
from compliance.history.records import CHAIN_HASH
from compliance.redis_client import client
from compliance.registers import pages
from compliance.registers.pages import Listing
from compliance.registers.questions import Pin, Question
from compliance.tenancy import reading

log = logging.getLogger(__name__)

MOST_CHANGES = 20_000
"""With more rows between the kept number and the pin, counting again is as fast."""

KEPT_SECONDS = 30 * 24 * 3600
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Kept(NamedTuple):
    """The number of rows listed from `settled` on (microseconds since 1970), as known at `sequence`."""

    sequence: int
    capture_sequence: int
    chain_hash: str
    settled: int
    total: int


def total(listing: Listing, question: Question) -> int:
    """How many rows the whole pull returns, exactly."""
    if not listing.settles or question.narrowed or question.start is not None:
        return pages.count(listing, question)
    name = _name(listing, question)
    before = _read(name)
    kept = _current(listing, question, before)
    if kept is None:
        kept = _counted(listing, question)
    if kept is None or _micros(question.moment) < kept.settled:
        return pages.count(listing, question)
    if kept != before:
        _write(name, kept)
    return kept.total


def _current(listing: Listing, question: Question, kept: Kept | None) -> Kept | None:
    """The kept number, updated to the pin; None when that is not possible."""
    pin = question.pin
    if kept is None or not 0 <= pin.sequence - kept.sequence <= MOST_CHANGES or not _same_history(question, kept):
        return None
    if kept.sequence == pin.sequence:
        return kept
    values = pages.parameters(listing, question) | {"before": kept.sequence}
    ((settled, change),) = reading.fetch(_changes(listing.condition), values)
    settled = kept.settled if settled is None else max(kept.settled, _micros(settled))
    if _micros(question.moment) < settled:
        return None
    return _at(pin, settled, kept.total + int(change))


def _counted(listing: Listing, question: Question) -> Kept | None:
    """Counts again, if the moment is so late that the answer no longer depends on it; otherwise returns None."""
    ((settled,),) = reading.fetch(_SETTLED, pages.parameters(listing, question))
    settled = 0 if settled is None else _micros(settled)
    if _micros(question.moment) < settled:
        return None
    return _at(question.pin, settled, pages.count(listing, question))


_LATEST = "max(greatest(v.valid_from, v.begins_at, v.ends_at))"
_SETTLED = f"""
SELECT {_LATEST} FROM {in_force.ROWS} AND v.register = %(register)s AND v.sequence <= %(sequence)s
"""  # noqa: S608


@lru_cache(maxsize=16)
def _changes(condition: str) -> str:
    """SQL over the records with a version after `before`: their latest moment, and the change in listed rows."""
    holds = [
        f"EXISTS (SELECT FROM {in_force.version('v.*', sequence=upper)} v WHERE {in_force.PRESENT} AND {condition})"
        for upper in ("%(sequence)s", "%(before)s")
    ]
    return f"""
SELECT max(r.latest), coalesce(sum({holds[0]}::int - {holds[1]}::int), 0) FROM (
    SELECT v.birth, {_LATEST} AS latest FROM {in_force.ROWS}
      AND v.sequence > %(before)s AND v.sequence <= %(sequence)s AND v.register = %(register)s
    GROUP BY v.birth) r"""  # noqa: S608


def _same_history(question: Question, kept: Kept) -> bool:
    if kept.capture_sequence == question.pin.capture_sequence:
        return kept.chain_hash == question.pin.chain_hash
    found = reading.fetch(
        CHAIN_HASH,
        {"organization": question.company.organization_id, "capture_sequence": kept.capture_sequence},
    )
    return found == [(kept.chain_hash,)]


def _at(pin: Pin, settled: int, number: int) -> Kept:
    return Kept(pin.sequence, pin.capture_sequence, pin.chain_hash, settled, number)


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def _name(listing: Listing, question: Question) -> str:
    rule = hashlib.sha256(listing.condition.encode()).hexdigest()[:12]
    return f"svc:totals:{question.company.organization_id}:{listing.register.number}:{rule}"


def _read(name: str) -> Kept | None:
    try:
        kept = client().getex(name, ex=KEPT_SECONDS)
    except redis.RedisError:
        return None
    return None if kept is None else Kept(*orjson.loads(kept))


def _write(name: str, kept: Kept) -> None:
    try:
        client().set(name, orjson.dumps(list(kept)), ex=KEPT_SECONDS)
    except redis.RedisError:
        log.warning("total_not_kept")
