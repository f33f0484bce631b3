"""The deployment's log in C2SP's forms: checkpoints, paths of tiles, and bundles of entries.

https://c2sp.org/tlog-checkpoint and https://c2sp.org/tlog-tiles. An entry is the 32 bytes of a capture's `chain_hash`:
opaque, so that the log reveals nothing of a company except that something was captured.
"""

import base64
import binascii
import re
import struct
from collections.abc import Iterable
from typing import NamedTuple

from .errors import NoteMalformed, TilePathRefused

TILE_HEIGHT = 8
TILE_WIDTH = 1 << TILE_HEIGHT
MOST_TILE_LEVEL = 63

_CHECKPOINT = re.compile(r"([^\n]+)\n(0|[1-9][0-9]{0,18})\n([A-Za-z0-9+/]{43}=)\n((?:[^\n]+\n)*)")
_TILE = re.compile(
    r"tile/(entries|0|[1-9][0-9]?)/((?:x[0-9]{3}/)*[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?",
    re.ASCII,
)


class LogCheckpoint(NamedTuple):
    """The content of a signed checkpoint: the log's origin, its number of entries, and the root of their tree."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the text that is signed."""
        root = base64.b64encode(self.root).decode()
        return "".join(f"{line}\n" for line in (self.origin, str(self.size), root, *self.extensions))


def parse_log_checkpoint(text: str) -> LogCheckpoint:
    """Return the checkpoint in the text of a note. Raises NoteMalformed for a text that is not a log's checkpoint."""
    match = _CHECKPOINT.fullmatch(text)
    if match is None:
        raise NoteMalformed("The text is not a checkpoint of a log: origin, size and root, a line each.")
    try:
        root = base64.b64decode(match[3], validate=True)
    except binascii.Error as fault:
        raise NoteMalformed("The root of a checkpoint is not base64.") from fault
    if base64.b64encode(root).decode() != match[3]:
        raise NoteMalformed("The root of a checkpoint is not base64.")
    return LogCheckpoint(match[1], int(match[2]), root, tuple(match[4].splitlines()))


class TilePath(NamedTuple):
    """The tile that a path names: its level (None: a bundle of entries), its index, and its number of hashes."""

    level: int | None
    index: int  # type: ignore[assignment] # a tuple's method of this name is not used
    width: int = TILE_WIDTH

    def text(self) -> str:
        """Return the path that clients request, below the log's own address."""
        groups = [f"{self.index % 1000:03}"]
        rest = self.index // 1000
        while rest:
            groups.append(f"x{rest % 1000:03}")
            rest //= 1000
        part = "" if self.width == TILE_WIDTH else f".p/{self.width}"
        return f"tile/{'entries' if self.level is None else self.level}/{'/'.join(reversed(groups))}{part}"


def parse_tile_path(path: str) -> TilePath:
    """Return the tile that a path names. Raises TilePathRefused for any spelling but the one of the specification."""
    match = _TILE.fullmatch(path)
    if match is None or len(match[2]) > 30:
        raise TilePathRefused("This is no path of a tile.")
    level = None if match[1] == "entries" else int(match[1])
    width = TILE_WIDTH if match[3] is None else int(match[3])
    found = TilePath(level, int(match[2].replace("/", "").replace("x", "")), width)
    if found.text() != path or width > TILE_WIDTH or (level is not None and level > MOST_TILE_LEVEL):
        raise TilePathRefused("This is no path of a tile.")
    return found


def tile_width(path: TilePath, size: int) -> int:
    """Return how many hashes or entries the tile at this level and index has in a log of `size` entries."""
    whole = size >> (TILE_HEIGHT * (path.level or 0))
    return max(0, min(TILE_WIDTH, whole - path.index * TILE_WIDTH))


def entry_bundle(entries: Iterable[bytes]) -> bytes:
    """Return the bundle of entries: each follows its length in two bytes, big-endian."""
    return b"".join(struct.pack(">H", len(entry)) + entry for entry in entries)
