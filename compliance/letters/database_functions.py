"""Reads about the letters of all companies, without their recipients.

`letters_outbox` returns how many wait or were given up; `letters_due` which companies have letters due, and
`letters_read` how far each company's history was searched for news, so that the look of each minute enters no company
without work.
"""

from compliance.letters.actions import NOBODY
from compliance.tenancy.functions import EVERYONE_BUT_THE_SIGNER, DatabaseFunction

FUNCTIONS = (
    DatabaseFunction(
        name="letters_outbox",
        arguments="since timestamp with time zone, companies uuid[]",
        returns="TABLE(waiting bigint, failed bigint, waiting_since timestamp with time zone)",
        language="plpgsql",
        volatility="STABLE",
        as_owner=True,
        callers=EVERYONE_BUT_THE_SIGNER,
        body=f"""
BEGIN
    RETURN QUERY EXECUTE 'SELECT w.number, f.number, w.oldest FROM
        (SELECT count(*) AS number, min(l.made_at) AS oldest FROM public.letters_letter l
            WHERE l.due_at IS NOT NULL AND ($2 IS NULL OR l.organization_id = ANY($2))) w,
        (SELECT count(*) AS number FROM public.letters_letter l WHERE l.sent_at IS NULL AND l.settled_at >= $1
            AND l.failure <> ''{NOBODY}'' AND ($2 IS NULL OR l.organization_id = ANY($2))) f'
        USING since, companies;
END """,  # noqa: S608 - a constant of our own
    ),
    DatabaseFunction(
        name="letters_due",
        arguments="at timestamp with time zone, companies uuid[]",
        returns="SETOF uuid",
        language="plpgsql",
        volatility="STABLE",
        as_owner=True,
        callers=EVERYONE_BUT_THE_SIGNER,
        body="""
BEGIN
    RETURN QUERY EXECUTE 'SELECT DISTINCT l.organization_id FROM public.letters_letter l
        WHERE l.due_at <= $1 AND ($2 IS NULL OR l.organization_id = ANY($2))'
        USING at, companies;
END """,
    ),
    DatabaseFunction(
        name="letters_read",
        arguments="companies uuid[]",
        returns="TABLE(organization_id uuid, sequence bigint)",
        language="plpgsql",
        volatility="STABLE",
        as_owner=True,
        callers=EVERYONE_BUT_THE_SIGNER,
        body="""
BEGIN
    RETURN QUERY EXECUTE 'SELECT r.organization_id, r.sequence FROM public.letters_lettersread r
        WHERE $1 IS NULL OR r.organization_id = ANY($1)'
        USING companies;
END """,
    ),
)
