"""What is asked of pending rows without a company.

`console_waiting_of` says what waits, of many companies in one statement. It enters one company after the other, as the
caller could: it runs with the caller's rights, and row-level security holds for each look. `pending_work` says whose
rows are there (the sweep), without opening every company's context each minute. It runs as the owner, and answers with
organization ids only, which the directory tables list anyway.
"""

from compliance.tenancy.functions import EVERYONE_BUT_THE_SIGNER, DatabaseFunction

FUNCTIONS = (
    DatabaseFunction(
        name="console_waiting_of",
        arguments="companies uuid[]",
        returns="TABLE(company uuid, waiting bigint, aside bigint, oldest timestamp with time zone)",
        language="plpgsql",
        volatility="VOLATILE",
        callers=EVERYONE_BUT_THE_SIGNER,
        body="""
DECLARE
    entered text := current_setting('app.organization', true);
BEGIN
    FOREACH company IN ARRAY companies LOOP
        PERFORM set_config('app.organization', company::text, true);
        SELECT count(*) FILTER (WHERE p.set_aside_at IS NULL), count(p.set_aside_at),
            min(greatest(p.recorded_at, p.waits_until))
          INTO waiting, aside, oldest FROM pending_pendingsubject p WHERE p.organization_id = company;
        RETURN NEXT;
    END LOOP;
    PERFORM set_config('app.organization', coalesce(entered, ''), true);
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
