"""SQL of the versions of a company in the order of `sequence`, for the feed of changes."""

from compliance.history.in_force import ROWS

_OF_ALL = f"""SELECT v.* FROM {ROWS} AND v.sequence >= %(after)s AND v.sequence <= %(sequence)s
    ORDER BY v.sequence LIMIT %(most)s"""  # noqa: S608 - names and SQL of our own


def _of_one(register: str) -> str:
    """The SQL after FROM: the first versions of a register.

    Register and sequence are compared as a pair, which only the index row_by_register has in this order. With
    `register = ...`, a planner without statistics may take the primary key and discard the versions of all other
    registers.
    """
    return f"""{ROWS} AND (v.register, v.sequence) >= ({register}, %(after)s)
        AND (v.register, v.sequence) <= ({register}, %(sequence)s)
        ORDER BY v.register, v.sequence LIMIT %(most)s"""


_OF_ONE = f"SELECT v.* FROM {_of_one('%(register)s::smallint')}"  # noqa: S608 - names and SQL of our own
# The first versions of each register are found by an index, then the first among these; only these are fetched. They
# are fetched by register and sequence: by the sequence alone, a planner without statistics may scan row_by_register.
_OF_SEVERAL = f"""
SELECT v.* FROM (
    SELECT s.register, s.sequence FROM unnest(%(registers)s::smallint[]) AS w (register) CROSS JOIN LATERAL (
        SELECT v.register, v.sequence FROM {_of_one("w.register")}) s
    ORDER BY s.sequence LIMIT %(most)s) s
CROSS JOIN LATERAL (SELECT v.* FROM {ROWS} AND v.register = s.register AND v.sequence = s.sequence LIMIT 1) v"""  # noqa: S608
RECORD_OF_REMOVED = """CASE WHEN v.body = '' THEN (SELECT r.record_id::text FROM history_historyrecord r
    WHERE r.organization_id = (SELECT %(organization)s::uuid) AND r.register = v.register AND r.birth = v.birth) END"""
"""Column with the record of a version that is an absence; the stored text of any other version names its record."""


def following(columns: str, *, registers: int | None) -> str:
    """The statement that reads columns of versions `v` and their stored texts in the order of `sequence`.

    The versions are of all registers of the company (`registers` None), of the one that the parameter `register` names
    (1), or of those in the array `registers`. The first is the version `after` itself, without its text, so that the
    reader sees whether this is still the history in which it stopped. There are at most `most` versions up to
    `sequence`. A text of more than `share` bytes is null, because a policy may have two million; the caller then uses
    `following_within` instead.
    """
    return f"""
SELECT {columns}, CASE WHEN v.sequence <= %(after)s THEN '' WHEN octet_length(v.body) <= %(share)s THEN v.body END
FROM ({_found(registers)}) v ORDER BY v.sequence"""  # noqa: S608 - names and SQL of our own


def following_within(columns: str, *, registers: int | None) -> str:
    """As `following`, with every text, but ends once the texts before a version have more than `bytes` bytes.

    The sums take three times as long as reading two hundred versions.
    """
    # ROWS: with the default, RANGE, the sums would take as long as all the rest.
    return f"""
SELECT {columns}, CASE WHEN v.sequence > %(after)s THEN v.body ELSE '' END FROM (
    SELECT v.*, sum(v.size) OVER (ORDER BY v.sequence ROWS UNBOUNDED PRECEDING) - v.size AS before FROM (
        SELECT v.*, CASE WHEN v.sequence > %(after)s THEN octet_length(v.body) ELSE 0 END AS size
        FROM ({_found(registers)}) v) v) v
WHERE v.before <= %(bytes)s ORDER BY v.sequence"""  # noqa: S608


def _found(registers: int | None) -> str:
    return _OF_ALL if registers is None else _OF_SEVERAL if registers > 1 else _OF_ONE
