"""Finds the people with an e-mail address, in every company.

`people_with_address` is the only read across companies, for requests of a personal link by an address, which name no
company. It returns only identifiers, and only to the worker, which sends letters to the persons themselves; processes
that serve requests may not call it. Within one company, use `employees.ADDRESSED`.
"""

from compliance.tenancy import roles
from compliance.tenancy.functions import DatabaseFunction

FUNCTIONS = (
    DatabaseFunction(
        name="people_with_address",
        arguments="address text, companies uuid[]",
        returns="TABLE(organization_id uuid, learner_profile_id uuid, of_account boolean)",
        language="plpgsql",
        volatility="STABLE",
        as_owner=True,
        callers=(roles.APP, roles.WORKER),
        body="""
BEGIN
    RETURN QUERY EXECUTE 'SELECT f.organization_id, f.learner_profile_id, bool_or(f.of_account) FROM (
        SELECT p.organization_id, p.learner_profile_id, true AS of_account FROM public.people_profile p
        WHERE p.account_email_lower = lower($1) AND ($2 IS NULL OR p.organization_id = ANY($2))
        UNION ALL SELECT p.organization_id, p.learner_profile_id, false FROM public.people_profile p
        WHERE p.work_email_lower = lower($1) AND ($2 IS NULL OR p.organization_id = ANY($2))
    ) f GROUP BY f.organization_id, f.learner_profile_id'
        USING address, companies;
END """,
    ),
)
