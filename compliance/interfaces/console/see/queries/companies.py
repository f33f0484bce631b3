"""Companies with their history's head, and one company's health."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from compliance.interfaces.console.keyset import PAGE
from compliance.interfaces.operations.models import CompanyStanding, VerificationRun
from compliance.tenancy import sql
from compliance.tenancy.models import Organization


@dataclass(frozen=True)
class CompanyLine:
    """A company in the list."""

    organization_id: uuid.UUID
    name: str
    time_zone: str
    history_complete_from: datetime
    sequence: int | None
    capture_sequence: int | None
    captured_at: datetime | None
    available: bool | None
    unavailable_reason: str | None
    keys: int
    verified_at: datetime | None
    verified_well: bool | None
    checkpoint_sequence: int | None
    waiting: int = 0
    set_aside: int = 0
    lag: timedelta = timedelta()

    @property
    def writer_is_late(self) -> bool:
        """Whether the API answers 503 `writer_unavailable` (design 7)."""
        return self.lag.total_seconds() > settings.WRITER_LAG_SECONDS


def companies(
    allowed: frozenset[uuid.UUID] | None, wanted: str, after: tuple[Any, ...] | None, now: datetime
) -> tuple[list[CompanyLine], tuple[Any, ...] | None]:
    """A page of companies by name with what waits for their writers, and where the next page begins."""
    last_name, last_id = after or ("", "00000000-0000-0000-0000-000000000000")
    rows = sql.fetch(
        """
        SELECT o.organization_id, o.name, o.time_zone, o.history_complete_from, h.sequence, h.capture_sequence,
               h.captured_at, h.available, h.unavailable_reason,
               (SELECT count(*) FROM access_apikey k
                WHERE k.organization_id = o.organization_id AND k.revoked_at IS NULL),
               s.verified_at, s.verified_well, s.checkpoint_sequence
        FROM tenancy_organization o LEFT JOIN history_historyhead h USING (organization_id)
        LEFT JOIN operations_companystanding s USING (organization_id)
        WHERE (%(everything)s OR o.organization_id = ANY(%(allowed)s))
          AND (o.name, o.organization_id) > (%(name)s, %(id)s::text::uuid)
          AND (%(wanted)s = '' OR o.name ILIKE %(pattern)s OR o.organization_id::text = lower(%(wanted)s))
        ORDER BY o.name, o.organization_id LIMIT %(limit)s
        """,
        {
            "everything": allowed is None,
            "allowed": list(allowed or ()),
            "name": last_name,
            "id": str(last_id),
            "wanted": wanted,
            "pattern": f"%{escaped(wanted)}%",
            "limit": PAGE + 1,
        },
    )
    with transaction.atomic():
        waiting = {
            company: (count, aside, max(now - oldest, timedelta()) if oldest else timedelta())
            for company, count, aside, oldest in sql.fetch(
                "SELECT company, waiting, aside, oldest FROM console_waiting_of(%s::uuid[])",
                [[row[0] for row in rows[:PAGE]]],
            )
        }
    lines = [CompanyLine(*(*row, *waiting[row[0]])) for row in rows[:PAGE]]
    return lines, (lines[-1].name, lines[-1].organization_id) if len(rows) > PAGE else None


def escaped(text: str) -> str:
    """`text` for LIKE, taken literally."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


@dataclass(frozen=True)
class Health:
    """How a company's history stands at a moment."""

    sequence: int
    capture_sequence: int
    chain_hash: str
    captured_at: datetime | None
    logic_version: int
    next_change_at: datetime | None
    available: bool
    unavailable_reason: str
    pending: int
    set_aside: int
    oldest_pending_at: datetime | None
    lag: timedelta
    standing: CompanyStanding | None
    runs: list[VerificationRun]

    @property
    def writer_is_late(self) -> bool:
        """Whether the API answers 503 `writer_unavailable` (design 7)."""
        return self.lag.total_seconds() > settings.WRITER_LAG_SECONDS


def health(organization: Organization, now: datetime) -> Health:
    """The company's head, what waits for its writer, and what was last verified."""
    heads = sql.fetch(
        "SELECT sequence, capture_sequence, chain_hash, captured_at, logic_version, next_change_at, available,"
        " unavailable_reason FROM history_historyhead WHERE organization_id = %s",
        [organization.organization_id],
    )
    head: tuple[Any, ...] = heads[0] if heads else (0, 0, "0" * 64, None, 0, None, False, "No history has been begun.")
    ((pending, set_aside, oldest),) = sql.fetch(
        "SELECT count(*) FILTER (WHERE set_aside_at IS NULL), count(*) FILTER (WHERE set_aside_at IS NOT NULL),"
        " min(recorded_at) FROM pending_pendingsubject WHERE organization_id = %s",
        [organization.organization_id],
    )
    lag = max(now - oldest, timedelta()) if oldest else timedelta()
    standing = CompanyStanding.objects.filter(organization_id=organization.organization_id).first()
    runs = VerificationRun.objects.filter(organization_id=organization.organization_id)
    newest = list(runs.order_by("-finished_at")[: len(VerificationRun.Kind)])
    return Health(*(*head, pending, set_aside, oldest, lag, standing, newest))


COUNTED_AT_ONCE = 300_000
"""Row versions of a history whose records are counted while a reader waits; of a larger one the last count is shown."""


def records_by_register(organization_id: uuid.UUID, sequence: int) -> dict[int, int]:
    """How many records each register has ever held. `sequence`: the head's."""
    statement = "SELECT register, count(*) FROM history_historyrecord WHERE organization_id = %s GROUP BY register"
    if sequence > COUNTED_AT_ONCE:
        statement = "SELECT bucket::int, number FROM console_tally WHERE organization_id = %s AND kind = 'records'"
    return dict(sql.fetch(statement, [organization_id]))
