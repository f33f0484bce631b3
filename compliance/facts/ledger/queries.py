"""Reads of the ledger of facts, and of the subjects that wait for the writer."""

import uuid
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, Max, Min, Q
from django.db.models.functions import Greatest

from compliance.facts.ledger.models import OF_MANY_PEOPLE, PendingSubject, SubjectKind
from compliance.tenancy import nodes, sql


class FactOrigin(NamedTuple):
    """The origin of a fact as the ledger keeps it: the way in, who recorded it, and who confirmed it."""

    at: datetime
    channel: str
    name: str
    actor_id: uuid.UUID | None
    confirmed_by: uuid.UUID | None


class Waiting(NamedTuple):
    """How many subjects wait for the writer, how many were set aside, and since when the oldest waits, if any does.

    A subject with a moment of its own waits from that moment on.
    """

    waiting: int
    set_aside: int
    oldest: datetime | None

    def lag(self, now: datetime) -> timedelta:
        """How long the oldest subject has waited, those set aside included; zero when nothing waits."""
        return max(now - (self.oldest or now), timedelta(0))


NOTHING_WAITS = Waiting(0, 0, None)
OLDEST = "SELECT min(greatest(recorded_at, waits_until)) FROM pending_pendingsubject WHERE organization_id = %s"
"""SQL of since when the oldest subject of a company waits; null if nothing waits."""


def waiting(organization_id: uuid.UUID) -> Waiting:
    """The subjects that wait for the company's writer, in the company's context."""
    found = PendingSubject.objects.filter(organization_id=organization_id).aggregate(
        waiting=Count("id", filter=Q(set_aside_at=None)),
        set_aside=Count("set_aside_at"),
        oldest=Min(Greatest("recorded_at", "waits_until")),
    )
    return Waiting(**found)


def whose_rows_wait(organization_id: uuid.UUID, ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Those of the profiles and invitations that have a pending subject, so their rows of people may still change."""
    wide = PendingSubject.objects.filter(organization_id=organization_id, kind=SubjectKind.COMPANY)
    if wide.exists():
        return set(ids)
    kinds = (SubjectKind.PERSON, SubjectKind.INVITATION, SubjectKind.EVERYTHING_OF_PERSON)
    found = PendingSubject.objects.filter(organization_id=organization_id, kind__in=kinds, first__in=ids)
    return {first for first in found.values_list("first", flat=True) if first is not None}


class Backlog(NamedTuple):
    """How many subjects are pending, failing (to be tried again) or set aside; since when an untried one waits."""

    pending: int
    failing: int
    set_aside: int
    untried_since: datetime | None


def waiting_of(organization_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, Waiting]:
    """What waits for the writer of each of many companies, in one statement and outside any company's context."""
    rows = nodes.fetch(
        "SELECT organization_id, waiting, set_aside, oldest FROM pending_of_companies(%(companies)s::uuid[])",
        only=organization_ids,
    )
    found = {organization_id: Waiting(*waiting) for organization_id, *waiting in rows}
    return {each: found.get(each, NOTHING_WAITS) for each in organization_ids}


def backlogs() -> dict[uuid.UUID, Backlog]:
    """What the writer has to do in all companies that have pending subjects, in one statement for each node."""
    rows = nodes.fetch(
        "SELECT organization_id, waiting + set_aside, failing, set_aside, untried_since"
        " FROM pending_of_companies(%(companies)s::uuid[])"
    )
    return {organization_id: Backlog(*found) for organization_id, *found in rows}


def kinds_waiting(organization_id: uuid.UUID, most: int) -> list[str]:
    """The kinds of the first `most` subjects that wait and were not set aside, in the company's context."""
    found = PendingSubject.objects.filter(organization_id=organization_id, set_aside_at=None)
    return list(found.values_list("kind", flat=True)[:most])


def newest(organization_id: uuid.UUID) -> int:
    """The greatest row id of a pending subject, 0 if there is none, in the company's context."""
    return PendingSubject.objects.filter(organization_id=organization_id).aggregate(newest=Max("id"))["newest"] or 0


def concern_many_people(kinds: Collection[str]) -> bool:
    """Whether the writer replaces a subject of one of these kinds by those of many people."""
    return not set(OF_MANY_PEOPLE).isdisjoint(kinds)


def is_wide(organization_id: uuid.UUID, after: int) -> bool:
    """Whether a subject of many people with a row id greater than `after` is pending, in the company's context."""
    found = PendingSubject.objects.filter(organization_id=organization_id, id__gt=after)
    return found.filter(kind__in=OF_MANY_PEOPLE).exists()


def newest_about(organization_id: uuid.UUID, identifiers: Collection[uuid.UUID]) -> int:
    """The row id of the newest fact about any of these identifiers; 0 for none. One statement, by an index."""
    ((found,),) = sql.fetch(
        "SELECT coalesce(max(id), 0) FROM pending_fact WHERE organization_id = (SELECT %s::uuid)"
        " AND about = ANY(%s::uuid[])",
        [organization_id, list(identifiers)],
    )
    return int(found)


def attempts(organization_id: uuid.UUID, recorded_at: datetime) -> list[int]:
    """How often the writer has tried the subjects recorded at that moment that are still pending, each number once."""
    found = PendingSubject.objects.filter(organization_id=organization_id, recorded_at=recorded_at)
    return list(found.order_by("attempts").values_list("attempts", flat=True).distinct())


def joined(alias: str) -> str:
    """SQL that joins the fact of `alias`.fact_id as `f`: all null if the ledger has none."""
    return f" LEFT JOIN pending_fact f ON f.organization_id = {alias}.organization_id AND f.fact_id = {alias}.fact_id"


_UNDECIDED = """
SELECT count(*), max(greatest(waits_until, retry_after)), count(set_aside_at) FROM pending_pendingsubject
WHERE organization_id = (SELECT %(organization)s::uuid)
  AND (recorded_at = ANY(%(moments)s) OR (recorded_at <= %(latest)s AND attempts = 0 AND waits_until IS NULL))
"""


class Undecided(NamedTuple):
    """How many subjects the writer still has to decide, when it may decide the last, and how many it gave up."""

    waiting: int
    until: datetime | None
    set_aside: int


def undecided(organization_id: uuid.UUID, moments: Collection[datetime]) -> Undecided:
    """What is still to be decided for the facts that were recorded at these moments, in the company's context.

    A subject that is put back may get the age of an older one claimed with it, so older untried subjects count too.
    """
    asked = {"organization": organization_id, "moments": list(moments), "latest": max(moments)}
    return Undecided(*sql.fetch(_UNDECIDED, asked)[0])


def origins(moments: Collection[datetime], about: str, values: dict[str, Any], most: int) -> list[FactOrigin]:
    """The origins of the facts at these moments that are about what `about` selects, oldest first, at most `most`.

    `about` is SQL of identifiers, with the parameters `values`, which include %(organization)s.
    """
    rows = sql.fetch(
        f"""
        SELECT DISTINCT f.at, o.channel, o.name, f.actor_id, o.confirmed_by FROM pending_fact f
        JOIN pending_origin o ON o.organization_id = f.organization_id AND o.id = f.origin
        WHERE f.organization_id = (SELECT %(organization)s::uuid) AND f.at = ANY(%(moments)s)
          AND f.about = ANY(ARRAY({about})) ORDER BY f.at LIMIT %(most)s""",  # noqa: S608
        values | {"moments": list(set(moments)), "most": most},
    )
    return [FactOrigin(*row) for row in rows]
