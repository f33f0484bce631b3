"""One look past the tenant boundary: whose an e-mail address is, for whoever asks for a personal link by it.

Who asks names no company. The answer holds identifiers alone and goes to the worker, which sends letters to the
persons themselves; the processes that answer the world may not ask.
"""

from compliance.tenancy import roles
from compliance.tenancy.functions import DatabaseFunction

FUNCTIONS = (
    DatabaseFunction(
        name="people_with_address",
        arguments="address text",
        returns="TABLE(organization_id uuid, learner_profile_id uuid, of_account boolean)",
        language="sql",
        volatility="STABLE",
        as_owner=True,
        callers=(roles.APP, roles.WORKER),
        body="""
    SELECT f.organization_id, f.learner_profile_id, bool_or(f.of_account) FROM (
        SELECT p.organization_id, p.learner_profile_id, true AS of_account
        FROM public.people_profile p WHERE lower(p.account_email) = lower(address)
        UNION ALL SELECT p.organization_id, p.learner_profile_id, false
        FROM public.people_profile p WHERE lower(p.work_email) = lower(address)
    ) f GROUP BY f.organization_id, f.learner_profile_id
""",
    ),
)
