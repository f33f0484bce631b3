"""Reads about the letters of all companies: how many wait or were given up, without their recipients."""

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
)
