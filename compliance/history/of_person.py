"""Reads one person's records now, in one statement: a thousand people may open such a page at once.

As known now means up to the newest capture; a capture is seen whole or not at all. Registers are named by what their
declaration calls a person's rows (`Register.of_person`).
"""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from compliance.catalogue import REGISTERS
from compliance.history import in_force
from compliance.proofs.history import visible_text
from compliance.tenancy import sql


class Held(NamedTuple):
    """The version of a record that is in force: its fields, and the columns that are compared with the clock.

    `of` is the register's `of_person`: training, policies, certificates, receipts, employments. `lesson_share_id` is
    set on training records of a lesson that was shared alone.
    """

    of: str
    record_id: uuid.UUID
    course_id: uuid.UUID | None
    state: str | None
    state_before_end: str | None
    begins_at: datetime | None
    due_at: datetime | None
    done_at: datetime | None
    waived_at: datetime | None
    ends_at: datetime | None
    lesson_share_id: uuid.UUID | None
    fields: dict[str, Any]


_OF = {register.number: register.of_person for register in REGISTERS.values() if register.of_person}
_COLUMNS = "v.state, v.state_before_end, v.begins_at, v.due_at, v.done_at, v.waived_at, v.ends_at, v.lesson_share_id"


def held(
    organization_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    now: datetime,
    of: Collection[str],
    record_id: uuid.UUID | None = None,
) -> list[Held]:
    """The person's records in these registers that have begun by `now`, ended ones included, by record number.

    With `record_id`, only that record. Needs the company's context.
    """
    one = " AND r.record_id = %(record)s" if record_id else ""
    rows = sql.fetch(
        f"SELECT r.register, r.record_id, r.course_id, {_COLUMNS}, v.body"  # noqa: S608 - constants of our own
        f" FROM {in_force.records(_COLUMNS, sequence=None)} AND r.learner_profile_id = %(learner)s"
        f" AND r.register = ANY(%(registers)s)"
        f" AND (v.begins_at IS NULL OR v.begins_at <= %(moment)s){one} ORDER BY r.birth",
        {
            "organization": organization_id,
            "learner": learner_profile_id,
            "moment": now,
            "registers": [number for number, name in _OF.items() if name in of],
            "record": record_id,
        },
    )
    return [
        Held._make([_OF[register], *columns, orjson.loads(visible_text(body))]) for register, *columns, body in rows
    ]
