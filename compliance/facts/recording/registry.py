"""The recorder and the validator of each kind of line, as the classes of the lines declare them.

A recorder is a function of a `Batch`. For a kind with a validator it yields once: it checks before, and writes
afterwards. Both are declared by name and not imported: the rooms of facts import this room, and a console action of one
kind need not load the others.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from django.utils.module_loading import import_string

from compliance.facts.lines.kinds import KINDS
from compliance.facts.recording.batch import Batch

Recorder = Callable[[Batch[Any]], Iterator[None] | None]
Validator = Callable[[dict[str, list[Batch[Any]]]], None]

VALIDATED: dict[str, list[str]] = defaultdict(list)
"""The kinds that each validator validates together, in the order in which they are recorded."""
for _kind, _line in KINDS.items():
    if _line.validator:
        VALIDATED[_line.validator].append(_kind)

_SPEAKS_OF = (
    "learner_profile_id", "course_id", "person_id", "share_id", "course_release_id", "completion_receipt_id",
    "certificate_id", "live_session_id", "trainer_profile_id", "invitation_id", "team_id", "absence_id",
)  # fmt: skip
ABOUT: dict[str, str] = {
    kind: next(name for name in _SPEAKS_OF if name in line.model_fields) for kind, line in KINDS.items()
}
"""The field under which the ledger keeps a fact of each kind: the first of these fields that its line has."""


@cache
def recorder(kind: str) -> Recorder:
    """The recorder of a kind of line."""
    return import_string(f"compliance.facts.{KINDS[kind].recorders}.record_{kind}")


@cache
def validator(name: str) -> Validator:
    """The validator of this name: a function of the batches of its kinds, by kind.

    It validates the new lines together with the recorded facts and refuses those that break a rule. It runs once:
    after the last of its kinds is checked, and before the first of them is written.
    """
    return import_string(f"compliance.facts.{name}")


def load() -> None:
    """Imports all recorders and validators before an import of facts, which needs them all."""
    for kind in KINDS:
        recorder(kind)
    for name in VALIDATED:
        validator(name)
