"""A read of captures outside any company, for metrics, which would otherwise enter every company each time.

It runs as the owner, and returns only organization ids, which the directory tables list anyway, and moments.
"""

from compliance.tenancy import roles
from compliance.tenancy.functions import DatabaseFunction

FUNCTIONS = (
    DatabaseFunction(
        name="moments_of_captures",
        arguments="organizations uuid[], captures bigint[], companies uuid[]",
        returns="TABLE(organization_id uuid, captured_at timestamp with time zone)",
        language="plpgsql",
        volatility="STABLE",
        as_owner=True,
        callers=(roles.APP, roles.WORKER),
        body="""
BEGIN
    RETURN QUERY EXECUTE 'SELECT c.organization_id, c.captured_at
        FROM unnest($1, $2) AS w (organization_id, capture_sequence)
        JOIN public.history_capture c
            ON c.organization_id = w.organization_id AND c.capture_sequence = w.capture_sequence
        WHERE $3 IS NULL OR c.organization_id = ANY($3)'
        USING organizations, captures, companies;
END """,
    ),
)
