"""The state of a record at a moment as one word: its outcome, status, state or access; empty where it is not listed."""

from collections.abc import Callable
from datetime import datetime

from compliance.catalogue import REGISTERS, owed
from compliance.history.comparing import HERE, OF_PEOPLE, Held
from compliance.rules.owed_learning.outcome import certificate_status, outcome_at
from compliance.rules.policies.state import state_at
from compliance.rules.vocabulary import Requirement

TRAINING, SIGNING = owed("course").number, owed("policy").number
CERTIFIED = next(register.number for register in REGISTERS.values() if register.of_person == "certificates")
COMPARED = (TRAINING, SIGNING, CERTIFIED, OF_PEOPLE)
"""The registers whose records are compared, in the order in which a report names them."""


def state_of(register: int, held: Held | None, moment: datetime) -> str:
    """The state of a record of this register in the version in force at `moment`; empty where none is listed."""
    return "" if held is None else _STATES[register](held, moment)


def required_at(register: int, held: Held | None, moment: datetime) -> bool:
    """Whether the record counts in the completion rate: training by `outcomes.REQUIRED`, and any policy owed."""
    if held is None or not state_of(register, held, moment):
        return False
    if register == SIGNING:
        return True
    return held.state == Requirement.REQUIRED and (held.waived_at is None or held.done_at is not None)


def _training(held: Held, moment: datetime) -> str:
    if held.begins_at is None or held.begins_at > moment or (held.ends_at is not None and held.ends_at <= moment):
        return ""
    outcome, _ = outcome_at(
        moment,
        requirement_before_end=held.state_before_end or "",
        assigned_at=held.begins_at,
        due_at=held.due_at,
        completed_at=held.done_at,
        ended_at=None,
        waived_at=held.waived_at,
    )
    return outcome.value


def _policy(held: Held, moment: datetime) -> str:
    return state_at(held.receipt_id, held.due_at, moment).value


def _certificate(held: Held, moment: datetime) -> str:
    if held.begins_at is None or held.begins_at > moment:
        return ""
    return certificate_status(held.state or "", held.due_at, moment).value


def _person(held: Held, moment: datetime) -> str:
    return held.state if held.state in HERE else ""


_STATES: dict[int, Callable[[Held, datetime], str]] = {
    TRAINING: _training,
    SIGNING: _policy,
    CERTIFIED: _certificate,
    OF_PEOPLE: _person,
}
