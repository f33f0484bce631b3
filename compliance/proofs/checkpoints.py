"""What a checkpoint says: how far one company's history reached, and its chain hash there.

Four lines, each ending in a line feed: `svc.checkpoint/1`, `organization_id`, `capture_sequence`, `chain_hash`. Then,
where there are such lines, `access_log` and `deployment_access_log`, each followed by the number and the digest of the
last line of the access log of the company, and of what belongs to none, parted by spaces. Signed as a C2SP note and
kept outside the database, it proves that the history and the access log are still those of that moment.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from .errors import NoteMalformed

CHECKPOINT_CONSTANT = "svc.checkpoint/1"

_CHECKPOINT = re.compile(
    CHECKPOINT_CONSTANT + r"\n([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\n(0|[1-9][0-9]{0,18})\n([0-9a-f]{64})\n"
    r"(?:access_log ([1-9][0-9]{0,18}) ([0-9a-f]{64})\n)?(?:deployment_access_log ([1-9][0-9]{0,18}) ([0-9a-f]{64})\n)?"
)


class ChainEnd(NamedTuple):
    """The last line of a chain: its number, from 1, and its digest."""

    number: int
    digest: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One company's chain at one capture."""

    organization_id: UUID
    capture_sequence: int
    chain_hash: str
    access_log: ChainEnd | None = None
    deployment_access_log: ChainEnd | None = None

    def text(self) -> str:
        """Return the text that is signed."""
        text = f"{CHECKPOINT_CONSTANT}\n{self.organization_id}\n{self.capture_sequence}\n{self.chain_hash}\n"
        for name, end in (("access_log", self.access_log), ("deployment_access_log", self.deployment_access_log)):
            if end is not None:
                text += f"{name} {end.number} {end.digest}\n"
        return text


def parse_checkpoint(text: str) -> Checkpoint:
    """Return the checkpoint that a note's text states. Raises NoteMalformed for any other text."""
    match = _CHECKPOINT.fullmatch(text)
    if match is None:
        raise NoteMalformed(f"The text is not a {CHECKPOINT_CONSTANT} checkpoint.")
    company, deployment = (ChainEnd(int(match[at]), match[at + 1]) if match[at] else None for at in (4, 6))
    return Checkpoint(UUID(match[1]), int(match[2]), match[3], company, deployment)
