"""Companies with the heads of their histories, and the status of one company."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from compliance.access import queries as access
from compliance.facts.ledger import queries as ledger
from compliance.facts.ledger.queries import Waiting
from compliance.facts.people import searching
from compliance.history import queries as history
from compliance.history.models import HistoryHead
from compliance.history.queries import Head
from compliance.interfaces.console.keyset import PAGE
from compliance.interfaces.console.understand import queries as counts
from compliance.interfaces.operations import company_status
from compliance.interfaces.operations.models import CompanyStanding, VerificationRun
from compliance.log.queries import joined_signed, newest_signed_capture
from compliance.tenancy import queries as tenancy
from compliance.tenancy import sql
from compliance.tenancy.models import Organization


class _Waits:
    """The pending subjects of a company at a moment."""

    waits: Waiting
    now: datetime

    @property
    def lag(self) -> timedelta:
        """How long the oldest subject has waited."""
        return self.waits.lag(self.now)

    @property
    def writer_is_late(self) -> bool:
        """Whether the API answers 503 `writer_unavailable`."""
        return self.lag.total_seconds() > settings.WRITER_LAG_SECONDS


@dataclass(frozen=True)
class CompanyLine(_Waits):
    """A company in the list."""

    organization_id: uuid.UUID
    name: str
    time_zone: str
    history_complete_from: datetime
    keys: int
    verified_at: datetime | None
    verified_well: bool | None
    signed_capture: int | None
    head: Head | None
    waits: Waiting
    answers: bool
    now: datetime


def companies(
    allowed: frozenset[uuid.UUID] | None, wanted: str, after: tuple[Any, ...] | None, now: datetime
) -> tuple[list[CompanyLine], tuple[Any, ...] | None]:
    """A page of companies in order of name, with their pending subjects, and where the next page begins.

    On a cluster each node is asked about its companies; those of a node that does not answer are listed too.
    """
    last_name, last_id = after or ("", "00000000-0000-0000-0000-000000000000")
    rows = sql.fetch(
        f"""
        WITH wanted AS MATERIALIZED ({searching.PATTERNS})
        SELECT o.organization_id, o.name, o.time_zone, o.history_complete_from,
               {access.keys_of("o")}, s.verified_at, s.verified_well, g.signed
        {tenancy.EACH} {company_status.joined("o")} {joined_signed("o")}
        WHERE (%(everything)s OR o.organization_id = ANY(%(allowed)s))
          AND (o.name, o.organization_id) > (%(name)s, %(id)s::text::uuid)
          AND (%(wanted)s = '' OR {searching.folded("o.name")} LIKE ALL ((SELECT * FROM wanted)::text[])
            OR o.organization_id::text = lower(%(wanted)s))
        ORDER BY o.name, o.organization_id LIMIT %(limit)s
        """,  # noqa: S608 - an expression of our own
        {
            "everything": allowed is None,
            "allowed": list(allowed or ()),
            "name": last_name,
            "id": str(last_id),
            "wanted": wanted,
            "words": wanted.split(),
            "limit": PAGE + 1,
        },
    )
    listed = [row[0] for row in rows[:PAGE]]
    away: set[uuid.UUID] = set()
    heads = history.heads_of(listed, away)
    waiting = ledger.waiting_of(listed)
    lines = [CompanyLine(*(*row, heads.get(row[0]), waiting[row[0]], row[0] not in away, now)) for row in rows[:PAGE]]
    return lines, (lines[-1].name, lines[-1].organization_id) if len(rows) > PAGE else None


@dataclass(frozen=True)
class Health(_Waits):
    """The status of a company's history at a moment."""

    head: HistoryHead
    waits: Waiting
    now: datetime
    verification: CompanyStanding | None
    signed_capture: int | None
    runs: list[VerificationRun]


def health(organization: Organization, now: datetime) -> Health:
    """The head of the company's history, its pending subjects, and its last verifications."""
    head = HistoryHead.objects.filter(organization_id=organization.organization_id).first() or HistoryHead(
        organization_id=organization.organization_id,
        logic_version=0,
        available=False,
        unavailable_reason=gettext("No history has been begun."),
    )
    waits = ledger.waiting(organization.organization_id)
    verification = CompanyStanding.objects.filter(organization_id=organization.organization_id).first()
    runs = VerificationRun.objects.filter(organization_id=organization.organization_id)
    newest = list(runs.order_by("-finished_at")[: len(VerificationRun.Kind)])
    signed = newest_signed_capture(organization.organization_id)
    return Health(head, waits, now, verification, signed[0] if signed else None, newest)


COUNTED_AT_ONCE = 300_000
"""A history of at most so many versions has its records counted in the request; a larger one has the last count."""


def records_by_register(organization_id: uuid.UUID, sequence: int) -> dict[int, int]:
    """How many records each register has ever held. `sequence`: the head's."""
    if sequence <= COUNTED_AT_ONCE:
        return history.records_by_register(organization_id)
    return {int(register): number for register, number in counts.tallies(organization_id, None)["records"].items()}
