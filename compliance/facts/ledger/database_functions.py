"""Reads of pending rows outside any company, for callers that would otherwise enter every company each minute.

`pending_work` returns which companies have rows (for the sweep), `pending_of_companies` how many and since when (for
the console's list of companies, and metrics). They run as the owner, and return only organization ids, which the
directory tables list anyway, numbers and moments.
"""

from compliance.tenancy.functions import EVERYONE_BUT_THE_SIGNER, DatabaseFunction

FUNCTIONS = (
    DatabaseFunction(
        name="pending_of_companies",
        arguments="companies uuid[]",
        returns=(
            "TABLE(organization_id uuid, waiting bigint, failing bigint, set_aside bigint,"
            " oldest timestamp with time zone, untried_since timestamp with time zone)"
        ),
        language="plpgsql",
        volatility="STABLE",
        as_owner=True,
        callers=EVERYONE_BUT_THE_SIGNER,
        body="""
BEGIN
    RETURN QUERY EXECUTE 'SELECT p.organization_id, count(*) FILTER (WHERE p.set_aside_at IS NULL),
            count(*) FILTER (WHERE p.attempts > 0 AND p.set_aside_at IS NULL), count(p.set_aside_at),
            min(greatest(p.recorded_at, p.waits_until)),
            min(greatest(p.recorded_at, p.waits_until)) FILTER (WHERE p.attempts = 0)
        FROM public.pending_pendingsubject p WHERE $1 IS NULL OR p.organization_id = ANY($1) GROUP BY 1'
        USING companies;
END """,
    ),
    DatabaseFunction(
        name="pending_work",
        arguments="at timestamp with time zone, companies uuid[]",
        returns="SETOF uuid",
        language="plpgsql",
        volatility="STABLE",
        as_owner=True,
        callers=EVERYONE_BUT_THE_SIGNER,
        body="""
BEGIN
    RETURN QUERY EXECUTE 'SELECT DISTINCT organization_id FROM public.pending_pendingsubject
        WHERE set_aside_at IS NULL AND (retry_after IS NULL OR retry_after <= $1)
            AND (waits_until IS NULL OR waits_until <= $1) AND ($2 IS NULL OR organization_id = ANY($2))'
        USING at, companies;
END """,
    ),
)
