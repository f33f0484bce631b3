"""What a checkpoint says: how far one company's history reached, and its chain hash there (design 11).

Four lines, each ending in a line feed: `svc.checkpoint/1`, `organization_id`, `capture_sequence`, `chain_hash`. Signed
as a C2SP note and kept outside the database, it holds the history to what it once said.
"""

import re
from dataclasses import dataclass
from uuid import UUID

from .errors import NoteMalformed

CHECKPOINT_CONSTANT = "svc.checkpoint/1"

_CHECKPOINT = re.compile(
    CHECKPOINT_CONSTANT + r"\n([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\n(0|[1-9][0-9]{0,18})\n([0-9a-f]{64})\n"
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One company's chain at one capture."""

    organization_id: UUID
    capture_sequence: int
    chain_hash: str

    def text(self) -> str:
        """Return the text that is signed."""
        return f"{CHECKPOINT_CONSTANT}\n{self.organization_id}\n{self.capture_sequence}\n{self.chain_hash}\n"


def parse_checkpoint(text: str) -> Checkpoint:
    """Return the checkpoint that a note's text states. Raises NoteMalformed for any other text."""
    match = _CHECKPOINT.fullmatch(text)
    if match is None:
        raise NoteMalformed(f"The text is not a {CHECKPOINT_CONSTANT} checkpoint.")
    return Checkpoint(UUID(match[1]), int(match[2]), match[3])


def split_notes(content: str) -> list[str]:
    """Return the signed notes of a checkpoint file, which holds one after the other."""
    starts = [match.start() for match in re.finditer(rf"^{re.escape(CHECKPOINT_CONSTANT)}$", content, re.MULTILINE)]
    if not starts:
        if content.strip():
            raise NoteMalformed("The file holds no checkpoint.")
        return []
    if starts[0] != 0:
        raise NoteMalformed("The file holds something before its first checkpoint.")
    return [content[start:end] for start, end in zip(starts, [*starts[1:], len(content)], strict=True)]
