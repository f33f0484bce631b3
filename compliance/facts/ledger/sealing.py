"""The ledger's chain: the SHA-256 of each line covers its fields and the line before; one chain for each company.

Recorders do not wait for each other and write facts in any order. A capture holds the lock of the company's head and
seals the facts that are committed by then, in an order that is final. The ledger itself is never changed: seals are
separate rows.
"""

import uuid
from collections.abc import Iterator
from typing import Any, NamedTuple

from compliance.facts.rows import append
from compliance.proofs.digests import ZERO_DIGEST
from compliance.proofs.ledger import line_hasher
from compliance.tenancy import context, sql

LINES_IN_A_SEAL = 1_000
SEALED_AT_ONCE = 20_000
"""Takes a fraction of a second under the head's lock."""
ORIGINS_AT_ONCE = 2_000
DIGEST_BYTES = 32
_SEAL = {"first_line": "bigint", "facts": "bigint[]", "digests": "bytea"}
_PAGE = 10
_DIGESTS_PAGE = 100

# The fields as the text that is hashed; PostgreSQL formats it several times as fast as Python. It has no text for an
# infinite moment, which nothing writes.
_HASHED_INSTANT = """coalesce(to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '')"""
_FIELDS = (
    f"f.fact_id::text, f.kind, {_HASHED_INSTANT.format('f.at')}, {_HASHED_INSTANT.format('f.recorded_at')},"
    " encode(f.digest, 'hex'), coalesce(f.about::text, ''), coalesce(o.channel, ''), coalesce(o.name, ''),"
    " coalesce(f.actor_id::text, ''), coalesce(o.confirmed_by::text, '')"
)
_WAITING = f"""
SELECT u.id, f.id, concat_ws(E'\\n', {_FIELDS}) FROM (
    SELECT id, origin, after FROM pending_unsealed WHERE organization_id = (SELECT %(company)s::uuid)
    AND id = ANY(%(unsealed)s)
) u
LEFT JOIN pending_origin o ON o.organization_id = (SELECT %(company)s::uuid) AND o.id = u.origin
CROSS JOIN LATERAL (
    SELECT * FROM pending_fact f WHERE f.organization_id = (SELECT %(company)s::uuid) AND f.origin = u.origin
    AND f.id > u.after ORDER BY f.organization_id, f.origin, f.id LIMIT %(lines)s
) f
ORDER BY u.id, f.id LIMIT %(lines)s
"""  # noqa: S608 - constants
_SEALED = f"""
SELECT s.first_line, s.digests, array_length(s.facts, 1), w.place, f.id, {_FIELDS} FROM (
    SELECT * FROM pending_seal WHERE organization_id = (SELECT %(company)s::uuid) AND first_line >= %(from)s
    AND first_line <= %(last)s ORDER BY first_line LIMIT {_PAGE}
) s
CROSS JOIN LATERAL unnest(s.facts) WITH ORDINALITY AS w (id, place)
LEFT JOIN pending_fact f ON f.id = w.id AND f.organization_id = (SELECT %(company)s::uuid)
LEFT JOIN pending_origin o ON o.organization_id = (SELECT %(company)s::uuid) AND o.id = f.origin
ORDER BY s.first_line, w.place
"""  # noqa: S608 - constants
_DIGESTS = f"""
SELECT first_line, digests FROM pending_seal WHERE organization_id = (SELECT %s::uuid) AND first_line >= %s
ORDER BY first_line LIMIT {_DIGESTS_PAGE}
"""  # noqa: S608 - constants
_LINE_OF = f"""
SELECT first_line + (position(%s::bytea IN digests) - 1) / {DIGEST_BYTES}, first_line FROM pending_seal
WHERE organization_id = (SELECT %s::uuid) AND position(%s::bytea IN digests) %% {DIGEST_BYTES} = 1
ORDER BY organization_id DESC, first_line DESC LIMIT 1
"""  # noqa: S608 - constants
_COUNTS = """
SELECT coalesce(h.lines, 0), coalesce(h.head, ''),
    (SELECT count(*) FROM pending_fact WHERE organization_id = (SELECT %(company)s::uuid)),
    (SELECT count(*) FROM pending_unsealed u JOIN pending_fact f ON f.organization_id = u.organization_id
        AND f.origin = u.origin AND f.id > u.after WHERE u.organization_id = (SELECT %(company)s::uuid)),
    (SELECT count(*) FROM pending_seal WHERE organization_id = (SELECT %(company)s::uuid))
FROM (SELECT 1) one LEFT JOIN pending_ledgerhead h ON h.organization_id = (SELECT %(company)s::uuid)
"""


class Checked(NamedTuple):
    """The result of verifying the ledger: lines recomputed, lines not sealed yet, and the first fault, if any."""

    lines: int
    unsealed: int
    fault: str


def any_wait(organization_id: uuid.UUID) -> bool:
    """Whether some facts are not sealed yet. Within the company's context."""
    return bool(sql.fetch("SELECT 1 FROM pending_unsealed WHERE organization_id = %s LIMIT 1", [organization_id]))


def seal(organization_id: uuid.UUID) -> int:
    """Seals the next facts, SEALED_AT_ONCE at most; returns how many. Needs the lock of the company's head."""
    unsealed = [
        row[0]
        for row in sql.fetch(
            "SELECT id FROM pending_unsealed WHERE organization_id = %s ORDER BY id LIMIT %s",
            [organization_id, ORIGINS_AT_ONCE],
        )
    ]
    if not unsealed:
        return 0
    known = sql.fetch("SELECT lines, head FROM pending_ledgerhead WHERE organization_id = %s", [organization_id])
    number, previous = known[0] if known else (0, ZERO_DIGEST)
    waiting = sql.fetch(_WAITING, {"company": organization_id, "lines": SEALED_AT_ONCE, "unsealed": unsealed})
    seals: list[tuple[int, list[int], bytes]] = []
    hasher = line_hasher(str(organization_id))
    for start in range(0, len(waiting), LINES_IN_A_SEAL):
        chosen = waiting[start : start + LINES_IN_A_SEAL]
        digests = []
        for place, (_, _, fields) in enumerate(chosen, number + 1):
            digest = hasher(str(place), previous, fields)
            previous = digest.hex()
            digests.append(digest)
        seals.append((number + 1, [row[1] for row in chosen], b"".join(digests)))
        number += len(chosen)
    append("pending_seal", organization_id, _SEAL, seals)
    _remove_sealed(organization_id, unsealed, waiting)
    if waiting:
        sql.execute(
            "INSERT INTO pending_ledgerhead (organization_id, lines, head) VALUES (%s, %s, %s)"
            " ON CONFLICT (organization_id) DO UPDATE SET lines = excluded.lines, head = excluded.head",
            [organization_id, number, previous],
        )
    return len(waiting)


def _remove_sealed(organization_id: uuid.UUID, unsealed: list[int], waiting: list[sql.Row]) -> None:
    """Deletes the origins that are sealed completely; for one that is not, keeps up to which fact it is sealed."""
    done = unsealed
    if len(waiting) == SEALED_AT_ONCE:
        done = [each for each in unsealed if each < waiting[-1][0]]
        sql.execute(
            "UPDATE pending_unsealed SET after = %s WHERE organization_id = (SELECT %s::uuid) AND id = %s",
            [waiting[-1][1], organization_id, waiting[-1][0]],
        )
    sql.execute(
        "DELETE FROM pending_unsealed WHERE organization_id = (SELECT %s::uuid) AND id = ANY(%s)",
        [organization_id, done],
    )


def head(organization_id: uuid.UUID) -> bytes:
    """The digest of the last sealed line, in the company's context; 32 zero bytes before the first."""
    known = sql.fetch("SELECT head FROM pending_ledgerhead WHERE organization_id = %s", [organization_id])
    return bytes.fromhex(known[0][0] if known else ZERO_DIGEST)


def digests_after(organization_id: uuid.UUID, known: bytes) -> Iterator[bytes]:
    """The stored digests of the lines after the one with the digest `known`, in order, in the company's context.

    All lines if `known` is 32 zero bytes, none if no line has that digest. Searches from the end.
    """
    line, seal = 0, 1
    if known != bytes.fromhex(ZERO_DIGEST):
        found = sql.fetch(_LINE_OF, [known, organization_id, known])
        if not found:
            return
        line, seal = found[0]
    while page := sql.fetch(_DIGESTS, [organization_id, seal]):
        for seal, digests in page:
            for number in range(max(line + 1 - seal, 0), len(digests) // DIGEST_BYTES):
                yield bytes(digests[number * DIGEST_BYTES : (number + 1) * DIGEST_BYTES])
        seal += 1


def verify_ledger(organization_id: uuid.UUID) -> Checked:
    """Recomputes every sealed line, in the company's context; the fault names the first line that differs."""
    with context.company(organization_id):
        ((lines, head, facts, unsealed, seals),) = sql.fetch(_COUNTS, {"company": organization_id})
        previous, number = ZERO_DIGEST, 0
        hasher = line_hasher(str(organization_id))
        for number, row, stored in _lines(organization_id, lines):
            place = f"Line {number} of the ledger"
            if row[0] is None:
                return Checked(number, unsealed, f"{place} is missing: its fact is gone.")
            digest = hasher(str(number), previous, *row[1:])
            if digest != stored:
                return Checked(number, unsealed, f"{place} (fact {row[1]}) is not what was recorded.")
            previous = digest.hex()
        if number != lines:
            return Checked(number, unsealed, f"Line {number + 1} of the ledger is missing: it has {lines} lines.")
        if lines and previous != head:
            return Checked(number, unsealed, "The head of the ledger is not the digest of its last line.")
        if not lines and seals:
            return Checked(number, unsealed, "The ledger has seals and no head.")
        if facts != lines + unsealed:
            return Checked(
                number, unsealed, f"The ledger holds {facts} facts, of which {lines + unsealed} were recorded as such."
            )
    return Checked(number, unsealed, "")


def _lines(organization_id: uuid.UUID, last: int) -> Iterator[tuple[int, tuple[Any, ...], bytes]]:
    """The sealed lines up to `last`: number, the fact's columns, the stored digest. Ends where a seal is missing."""
    number = 0
    while number < last:
        page = sql.fetch(_SEALED, {"company": organization_id, "from": number + 1, "last": last})
        if not page:
            return
        for first_line, digests, _, place, *row in page:
            if first_line + place - 1 != number + 1:
                return
            number += 1
            yield number, tuple(row), bytes(digests[(place - 1) * DIGEST_BYTES : place * DIGEST_BYTES])
