"""The function by which metrics count the unsettled reminders of all companies; it reveals nothing about recipients."""

from compliance.tenancy.functions import EVERYONE_BUT_THE_SIGNER, DatabaseFunction

FUNCTIONS = (
    DatabaseFunction(
        name="reminders_unsettled",
        arguments="companies uuid[]",
        returns="bigint",
        language="plpgsql",
        volatility="STABLE",
        as_owner=True,
        callers=EVERYONE_BUT_THE_SIGNER,
        body="""
DECLARE
    number bigint;
BEGIN
    EXECUTE 'SELECT count(*) FROM public.operations_reminderdelivery r
        WHERE r.state IN (''failed'', ''unknown'') AND ($1 IS NULL OR r.organization_id = ANY($1))'
        INTO number USING companies;
    RETURN number;
END """,
    ),
)
