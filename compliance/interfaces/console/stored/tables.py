"""The tables whose rows are listed as stored, each declared once: addresses, lists and pages follow from it."""

import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db.models import Field, Model
from django.utils.translation import gettext, gettext_lazy

from compliance.catalogue import REGISTERS
from compliance.facts.ledger.models import PendingSubject
from compliance.facts.personal_columns import PERSONAL_COLUMNS
from compliance.facts.policies.models import Receipt
from compliance.history.models import Capture, HistoryRow
from compliance.interfaces.console.keyset import PAGE
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.page import Words
from compliance.interfaces.console.wording import written_day
from compliance.interfaces.operations.models import VerificationRun


@dataclass(frozen=True)
class Table:
    """A table of a company's rows, listed by `key`: a column of whole numbers that counts up within the company."""

    name: str
    model: type[Model]
    title: Words
    key: str
    listed: tuple[str, ...]
    withheld: tuple[str, ...] = ()  # may hold what people typed: never displayed here

    def page(self, organization_id: uuid.UUID, highest: int | None) -> tuple[list[Any], int | None]:
        """The newest rows up to the key `highest`, and the key at which the next page begins. Nothing is counted."""
        wanted = self.model._default_manager.filter(organization_id=organization_id).only(self.key, *self.listed)
        if highest is not None:
            wanted = wanted.filter(**{f"{self.key}__lte": highest})
        rows = list(wanted.order_by(f"-{self.key}")[: PAGE + 1])
        return rows[:PAGE], getattr(rows[PAGE], self.key) if len(rows) > PAGE else None

    def row(self, organization_id: uuid.UUID, number: int) -> Any:
        """The row of this key, None when there is none."""
        wanted = self.model._default_manager.defer(*self.withheld)
        return wanted.filter(organization_id=organization_id, **{self.key: number}).first()

    def headings(self) -> list[str]:
        """The headings of the list's columns."""
        return [heading(self.model._meta.get_field(name)) for name in (self.key, *self.listed)]


TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        Table(
            "captures",
            Capture,
            gettext_lazy("Captures"),
            "capture_sequence",
            ("captured_at", "first_sequence", "last_sequence", "why", "chain_hash"),
        ),
        Table(
            "rows",
            HistoryRow,
            gettext_lazy("History rows"),
            "sequence",
            ("register", "birth", "valid_from", "state", "capture_sequence", "row_sha256"),
        ),
        Table(
            "receipts",
            Receipt,
            gettext_lazy("Receipts"),
            "number",
            ("receipt_id", "learner_profile_id", "act", "signed_at", "receipt_sha256"),
        ),
        Table(
            "waiting",
            PendingSubject,
            gettext_lazy("Waiting for the writer"),
            "id",
            ("kind", "first", "second", "recorded_at", "waits_until", "attempts", "set_aside_at"),
        ),
        Table(
            "jobs",
            Job,
            gettext_lazy("Jobs"),
            "id",
            ("act", "state", "username", "asked_at", "finished_at"),
            withheld=("told", "message", "findings", "upload_name", "upload", "upload_file_id"),
        ),
        Table(
            "verifications",
            VerificationRun,
            gettext_lazy("Verification runs"),
            "id",
            ("kind", "finished_at", "well", "checked", "fault"),
        ),
    )
}


class NamedValue(NamedTuple):
    """A heading and a value as text (None: there is none), with the address that the value links to."""

    heading: str
    value: str | None
    address: str = ""


def columns(row: Model, withheld: Iterable[str] = ()) -> list[NamedValue]:
    """Every column of a row, except those withheld and those with personal data."""
    without = {*withheld, *PERSONAL_COLUMNS.get(row._meta.db_table, ())}
    return [
        NamedValue(heading(field), value(row, field.name))
        for field in row._meta.concrete_fields
        if field.name not in without
    ]


def heading(field: Any) -> str:
    """The name of a column, as a heading: `row_sha256` is `Row SHA-256`, and `birth` is what the glossary calls it."""
    words = str(field.verbose_name).replace("sha256", "SHA-256").replace(" id", " ID")
    words = words.replace("birth", gettext("record number"))
    return words[:1].upper() + words[1:]


def value(row: Model, name: str) -> str | None:
    """The exact value of a column as text: moments in UTC to the microsecond, bytes as hexadecimal digits."""
    held = getattr(row, name)
    if held is None or held == "":
        return None
    if isinstance(row, HistoryRow) and name == "register":
        return REGISTERS[held].name if held in REGISTERS else str(held)
    if isinstance(held, bool):
        return gettext("yes") if held else gettext("no")
    if isinstance(held, datetime):
        return moment(held)
    if isinstance(held, bytes | memoryview):
        return bytes(held).hex()
    field = row._meta.get_field(name)
    return str(dict(field.flatchoices).get(held, held) if isinstance(field, Field) else held)


def moment(instant: datetime) -> str:
    """A moment as it is stored: `22 November 2026, 14:05:07.250000 UTC`, without a fraction that is zero."""
    utc = instant.astimezone(UTC)
    return f"{written_day(utc.date())}, {utc:%H:%M:%S}{f'.{utc:%f}' if utc.microsecond else ''} UTC"


def brief(text: str | None) -> str | None:
    """A value shortened for a list: the first 12 digits of a digest, a moment to the second."""
    if text is None:
        return None
    return f"{text[:12]}…" if _DIGEST.fullmatch(text) else _FRACTION.sub(" UTC", text)


_DIGEST = re.compile(r"[0-9a-f]{64}")
_FRACTION = re.compile(r"\.\d{6} UTC$")
