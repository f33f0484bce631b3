"""What the proof of a row starts from, in two statements: what was signed last, and the version in force.

Each room gives the SQL of its own part. A statement that reads three rows costs little more than one that reads a row:
most of it is the way to PostgreSQL and back (docs/benchmarks.md, "Proofs of rows"). The log and the company may be on
different servers, so each has a statement of its own.
"""

import uuid
from datetime import datetime
from typing import NamedTuple

from compliance.catalogue.declaration import Register
from compliance.history import captures
from compliance.history.records import Provable, provable, provable_parameters, read_provable
from compliance.log.queries import Published, newest_signed
from compliance.tenancy import reading


class Signed(NamedTuple):
    """A company's newest capture under the log's newest checkpoint."""

    index: int  # type: ignore[assignment] # a tuple's method of this name is not used
    """The place of its entry in the log."""
    lines: dict[str, str]
    """The lines of `svc.capture/2` by name."""
    size: int
    """The size of the company's tree after it."""
    checkpoint: Published


def signed_version(
    organization_id: uuid.UUID, register: Register, record_id: uuid.UUID, moment: datetime
) -> tuple[Provable, Signed | None] | None:
    """The version of a record in force at `moment`, and what the log's signer signed last of the company.

    In the company's context. None where the register lists no such version; without what is signed while nothing of the
    company is, or a capture without a tree is the newest.
    """
    newest = newest_signed(organization_id)
    parameters = provable_parameters(organization_id, register, record_id, moment) | {
        "capture_sequence": None if newest is None else newest.capture_sequence
    }
    for row in reading.fetch(_statement(register), parameters):
        version, capture = read_provable(register, row[_VERSION]), row[_CAPTURE]
        if newest is None or capture[0] is None:  # nothing is signed, or a capture without a tree
            return version, None
        lines = captures.lines_of(organization_id, newest.capture_sequence, capture)
        return version, Signed(newest.leaf, lines, int(lines["tree_size"]), newest.checkpoint)
    return None


_VERSION, _CAPTURE = slice(8), slice(8, 14)
"""The columns of each part of the statement."""


def _statement(register: Register) -> str:
    return f"""SELECT version.*, capture.* FROM ({provable(register)}) version
        LEFT JOIN LATERAL ({captures.with_tree("%(capture_sequence)s::bigint")}) capture ON true"""  # noqa: S608 - names and SQL of our own
