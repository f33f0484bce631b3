"""SQL of the version in force at (T, S), for every room that reads the history.

A record `r` is read in the version `v` that is in force at a moment T as known at a sequence S: the one with the
greatest `valid_from <= T`, and of these the one with the greatest `sequence <= S`. An empty body means that the record
is absent. The statements take the parameter `organization`, a UUID. It is in a sub-select because the planner assumes
that a constant company which is not in its statistics yet has no rows.
"""

PRESENT = "v.body <> ''"

RECORDS = "history_historyrecord r WHERE r.organization_id = (SELECT %(organization)s::uuid)"
ROWS = "history_historyrow v WHERE v.organization_id = (SELECT %(organization)s::uuid)"
VERSIONS = f"{ROWS} AND v.birth = r.birth"
"""The SQL after FROM: the company's records; all its rows; all versions of `r`. Append conditions with AND."""

BEHIND_RECORDS = """EXISTS (SELECT FROM history_recordsource s
    WHERE s.organization_id = (SELECT %(organization)s::uuid) AND s.row_id = r.record_id
      AND s.sequence <= %(sequence)s)"""
"""Whether the course version `r` is behind a training record that was known at `sequence`."""


def version(columns: str, *, moment: str = "%(moment)s", sequence: str | None = "%(sequence)s") -> str:
    """The sub-select, to be joined laterally, of these columns of `v`; `sequence` None: as known now.

    `sequence + 0` keeps a planner without statistics from the primary key; row_in_force is the right index.
    """
    known = f" AND v.sequence + 0 <= {sequence}" if sequence is not None else ""
    return f"""(
    SELECT {columns} FROM {VERSIONS} AND v.valid_from <= {moment}{known}
    ORDER BY v.valid_from DESC, v.sequence DESC LIMIT 1)"""  # noqa: S608


def records(columns: str = "v.*", *, moment: str = "%(moment)s", sequence: str | None = "%(sequence)s") -> str:
    """The SQL after FROM: the company's present records `r` with their version `v`. Append conditions with AND."""
    found = version(f"{columns}, v.body" if columns != "v.*" else columns, moment=moment, sequence=sequence)
    return f"""history_historyrecord r CROSS JOIN LATERAL {found} v
    WHERE r.organization_id = (SELECT %(organization)s::uuid) AND {PRESENT}"""


def periods(columns: str, *, sequence: str = "%(sequence)s") -> str:
    """The SQL after FROM: every version `v` of each record `r` as known at `sequence`. Append conditions with AND.

    `until` is when the next version takes effect (null: there is none). Of versions with the same `valid_from`, only
    the last one written is included.
    """
    return f"""history_historyrecord r CROSS JOIN LATERAL (
        SELECT d.*, lead(d.valid_from) OVER (ORDER BY d.valid_from) AS until FROM (
            SELECT DISTINCT ON (v.valid_from) v.valid_from, {columns} FROM {VERSIONS} AND v.sequence + 0 <= {sequence}
            ORDER BY v.valid_from DESC, v.sequence DESC) d) v
    WHERE r.organization_id = (SELECT %(organization)s::uuid)"""  # noqa: S608
