"""One write path for all facts (design 3): `act` and `record` for actions, `Recording` for imports.

For whoever adds a kind of fact: write `record_<kind>(batch)` in the `recorders.py` of its noun, name it in `registry`.
"""

from compliance.facts.recording.acting import act
from compliance.facts.recording.batch import Batch, Refused, Staged, Why
from compliance.facts.recording.recording import Recording, check_moment, enqueue_capture, record

__all__ = ["Batch", "Recording", "Refused", "Staged", "Why", "act", "check_moment", "enqueue_capture", "record"]
