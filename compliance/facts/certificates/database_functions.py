"""The public check page's only read across companies: the certificate that a code opens.

A visitor belongs to no company and knows only the code, 100 random bits, so the code is the only argument. The answer
names that one certificate; everything else is read within its company.
"""

from compliance.tenancy import roles
from compliance.tenancy.functions import DatabaseFunction

FUNCTIONS = (
    DatabaseFunction(
        name="certificate_of_code",
        arguments="code text, companies uuid[]",
        returns="TABLE(organization_id uuid, certificate_id uuid, learner_profile_id uuid)",
        language="plpgsql",
        volatility="STABLE",
        as_owner=True,
        callers=(roles.APP, roles.WEB),
        body="""
BEGIN
    RETURN QUERY EXECUTE 'SELECT c.organization_id, c.certificate_id, c.learner_profile_id
        FROM public.certificates_checkcode c WHERE c.check_code = $1 AND ($2 IS NULL OR c.organization_id = ANY($2))'
        USING code, companies;
END """,
    ),
)
