"""Statistics that mislead the planner."""

import psycopg


def say_that_nothing_is_there(administration: psycopg.Connection, *tables: str) -> None:
    """Writes the statistics that ANALYZE makes of tables whose rows are all dead: pages, but no row in them."""
    of_both = (
        "SELECT '{table}'::regclass UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid = '{table}'::regclass"
    )
    for table in tables:
        administration.execute(
            f"UPDATE pg_class SET reltuples = 0, relpages = greatest(relpages, 10)"
            f" WHERE oid IN ({of_both.format(table=table)})"
        )
        administration.execute(f"DELETE FROM pg_statistic WHERE starelid = '{table}'::regclass")
