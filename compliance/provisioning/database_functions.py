"""Whom a client knows by a name, by index: row-level security keeps `lower` and array operators out of any index."""

from compliance.tenancy import roles
from compliance.tenancy.functions import DatabaseFunction

FUNCTIONS = (
    DatabaseFunction(
        name="provisioned_named",
        arguments="source uuid, word text",
        returns="SETOF uuid",
        language="sql",
        volatility="STABLE",
        as_owner=True,
        callers=(roles.APP, roles.WEB, roles.WORKER),
        body="""
    SELECT u.learner_profile_id FROM public.provisioning_provisioneduser u WHERE lower(u.user_name) = lower(word)
        AND u.organization_id = nullif(current_setting('app.organization', true), '')::uuid AND u.source_id = source
    UNION SELECT u.learner_profile_id FROM public.provisioning_provisioneduser u
        WHERE u.addresses @> ARRAY[lower(word)]
        AND u.organization_id = nullif(current_setting('app.organization', true), '')::uuid AND u.source_id = source
""",
    ),
)
"""The companies of all these people are the transaction's own: the functions take no other."""
