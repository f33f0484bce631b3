"""Reads the registers of a company for an export: at one moment, all at one pin, in pages of bounded size."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from django.utils.translation import gettext

from compliance.catalogue import REGISTERS
from compliance.catalogue.declaration import Register, Window
from compliance.catalogue.fields import OfPerson
from compliance.history import queries as history
from compliance.interfaces.console.exports.errors import CannotExportError
from compliance.interfaces.console.moments import company_of
from compliance.registers import pages
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Pin, Position, Question
from compliance.tenancy import context
from compliance.tenancy.models import Organization

EVERY = "all"
NAMES: tuple[str, ...] = tuple(register.name for register in REGISTERS.values())
"""The registers that can be exported, as /v1 calls them."""

_ROWS_A_READ = 1000
_UNCOUNTED = 2**31


@dataclass(frozen=True)
class Extract:
    """Registers of a company as at a moment; `personal` says whether names and addresses are read."""

    organization: Organization
    pin: Pin
    as_at: datetime
    personal: bool

    @property
    def organization_id(self) -> uuid.UUID:
        """The company whose registers these are."""
        return self.organization.organization_id

    def pages(self, register: Register) -> Iterator[list[dict[str, Any]]]:
        """The rows of a register as /v1 gives them, a page at a time, each read in a transaction of its own."""
        # A register over a period is read from the beginning, so that it includes people who have left, with the day.
        start = self.organization.history_complete_from if register.window is Window.PERIOD else None
        question = Question(company_of(self.organization), self.pin, self.as_at, start, None, personal=self.personal)
        listing, after = LISTINGS[register.page], Position()
        while True:
            with context.company(self.organization_id):
                page = pages.page(listing, question, after, _ROWS_A_READ, _UNCOUNTED)
            yield orjson.loads(b"[" + page.content + b"]")
            if page.position is None:
                return
            after = page.position


def extract(organization: Organization, as_at: datetime, now: datetime, *, personal: bool) -> Extract:
    """An extract at the newest capture. Raises CannotExportError, NoHistoryError."""
    if not organization.history_complete_from <= as_at <= now:
        begin = organization.history_complete_from.isoformat(timespec="seconds")
        raise CannotExportError(
            gettext("The moment lies between %(begin)s, when the company's records begin, and now.") % {"begin": begin}
        )
    with context.company(organization.organization_id):
        head = history.head(organization.organization_id)
    if not head.available:
        raise CannotExportError(
            gettext("The history of this company is closed. %(unavailable_reason)s")
            % {"unavailable_reason": head.unavailable_reason}
        )
    pin = Pin(head.sequence, head.capture_sequence, head.chain_hash, head.captured_at, head.logic_version)
    return Extract(organization, pin, as_at, personal)


def registers(name: str) -> list[Register]:
    """The register of this name, or every one. Raises CannotExportError."""
    found = [register for register in REGISTERS.values() if name in (EVERY, register.name)]
    if not found:
        raise CannotExportError(
            gettext("There is no register %(name)s. Choose from %(EVERY)s.")
            % {"name": repr(name), "EVERY": ", ".join((*NAMES, EVERY))}
        )
    return found


def fields(register: Register, *, personal: bool) -> list[str]:
    """The fields of a register's rows; those that name a person only if `personal`."""
    return [
        name
        for name, field in register.row.model_fields.items()
        if personal or not any(isinstance(each, OfPerson) for each in field.metadata)
    ]
