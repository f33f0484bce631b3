"""SQL of the versions of a company in the order in which they were written: what the feed of changes reads."""

from compliance.history.in_force import ROWS

_OF_ALL = f"""SELECT v.* FROM {ROWS} AND v.sequence >= %(after)s AND v.sequence <= %(sequence)s
    ORDER BY v.sequence LIMIT %(most)s"""  # noqa: S608 - names and SQL of our own


def _of_one(register: str) -> str:
    """What follows FROM: the first versions of a register.

    Registers and sequences are compared as pairs, which only the index row_by_register holds in this order: with
    `register = ...`, a planner without statistics may take the primary key and throw away the versions
    of all other registers.
    """
    return f"""{ROWS} AND (v.register, v.sequence) >= ({register}, %(after)s)
        AND (v.register, v.sequence) <= ({register}, %(sequence)s)
        ORDER BY v.register, v.sequence LIMIT %(most)s"""


_OF_ONE = f"SELECT v.* FROM {_of_one('%(register)s::smallint')}"  # noqa: S608 - names and SQL of our own
# Of each register the first ones by an index, and of these the first: the others are never fetched. They are fetched by
# register and sequence: by the sequence alone, a planner without statistics may look through all of row_by_register.
_OF_SEVERAL = f"""
SELECT v.* FROM (
    SELECT s.register, s.sequence FROM unnest(%(registers)s::smallint[]) AS w (register) CROSS JOIN LATERAL (
        SELECT v.register, v.sequence FROM {_of_one("w.register")}) s
    ORDER BY s.sequence LIMIT %(most)s) s
CROSS JOIN LATERAL (SELECT v.* FROM {ROWS} AND v.register = s.register AND v.sequence = s.sequence LIMIT 1) v"""  # noqa: S608
RECORD_OF_REMOVED = """CASE WHEN v.body = '' THEN (SELECT r.record_id::text FROM history_historyrecord r
    WHERE r.organization_id = (SELECT %(organization)s::uuid) AND r.register = v.register AND r.birth = v.birth) END"""
"""Column of the record of a version that says that it is absent; the stored text of any other names it."""


def following(columns: str, *, registers: int | None) -> str:
    """The statement that reads, in the order of `sequence`, columns of versions `v`, and their stored texts.

    Of all registers of the company (`registers` None), of the one that the parameter `register` names (1), or of those
    in the array `registers`. It begins with the version `after` itself, without its text, so that the reader sees
    whether the history is still the one in which it stopped. It gives `most` versions up to `sequence`. A text of more
    than `share` bytes is null: a policy may have two million, and then `following_within` is asked instead.
    """
    return f"""
SELECT {columns}, CASE WHEN v.sequence <= %(after)s THEN '' WHEN octet_length(v.body) <= %(share)s THEN v.body END
FROM ({_found(registers)}) v ORDER BY v.sequence"""  # noqa: S608 - names and SQL of our own


def following_within(columns: str, *, registers: int | None) -> str:
    """As `following`, with every text, but no version behind more than `bytes` bytes of them.

    To add them up takes three times as long as to read two hundred versions.
    """
    # ROWS: over a range, which would be the default, the sums take as long as all the rest.
    return f"""
SELECT {columns}, CASE WHEN v.sequence > %(after)s THEN v.body ELSE '' END FROM (
    SELECT v.*, sum(v.size) OVER (ORDER BY v.sequence ROWS UNBOUNDED PRECEDING) - v.size AS before FROM (
        SELECT v.*, CASE WHEN v.sequence > %(after)s THEN octet_length(v.body) ELSE 0 END AS size
        FROM ({_found(registers)}) v) v) v
WHERE v.before <= %(bytes)s ORDER BY v.sequence"""  # noqa: S608


def _found(registers: int | None) -> str:
    return _OF_ALL if registers is None else _OF_SEVERAL if registers > 1 else _OF_ONE
