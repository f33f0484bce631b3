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
    whether the history is still the one in which it stopped. It gives `most` versions up to `sequence`, but none behind
    more than `bytes` bytes of stored text: a policy may have two million.
    """
    found = _OF_ALL if registers is None else _OF_SEVERAL if registers > 1 else _OF_ONE
    # ROWS: over a range, which would be the default, the sums take as long as all the rest.
    return f"""
SELECT {columns}, CASE WHEN v.sequence > %(after)s THEN v.body ELSE '' END FROM (
    SELECT v.*, sum(v.size) OVER (ORDER BY v.sequence ROWS UNBOUNDED PRECEDING) - v.size AS before FROM (
        SELECT v.*, CASE WHEN v.sequence > %(after)s THEN octet_length(v.body) ELSE 0 END AS size FROM ({found}) v) v) v
WHERE v.before <= %(bytes)s ORDER BY v.sequence"""  # noqa: S608
