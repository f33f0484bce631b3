"""One write path for all facts: `act` and `record` for actions, `Recording` for imports.

A new kind of fact is a line class in `facts.lines`, which names the module of its recorder (see `FactLine`), and that
recorder, `record_<kind>(batch)`. `registry` finds both by the class.
"""

from compliance.facts.recording.acting import act
from compliance.facts.recording.batch import Batch, Refused, Staged
from compliance.facts.recording.recording import Recording, check_moment, enqueue_capture, record
from compliance.facts.recording.telling import Channel, Teller, telling
from compliance.facts.refusal_reasons import RefusalReason

__all__ = [
    "Batch",
    "Channel",
    "Recording",
    "RefusalReason",
    "Refused",
    "Staged",
    "Teller",
    "act",
    "check_moment",
    "enqueue_capture",
    "record",
    "telling",
]  # fmt: skip
