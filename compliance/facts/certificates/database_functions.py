"""The public check page's one look past the tenant boundary: whose certificate a code opens.

A visitor has no company. The code is the whole of what they know, 100 bits drawn at random, so it is the whole of what
may be asked with; the answer names that one certificate, and everything else is read within its company.
"""

from compliance.tenancy import roles
from compliance.tenancy.functions import DatabaseFunction

FUNCTIONS = (
    DatabaseFunction(
        name="certificate_of_code",
        arguments="code text",
        returns="TABLE(organization_id uuid, certificate_id uuid, learner_profile_id uuid)",
        language="sql",
        volatility="STABLE",
        as_owner=True,
        callers=(roles.APP, roles.WEB),
        body="""
    SELECT c.organization_id, c.certificate_id, c.learner_profile_id
    FROM public.certificates_checkcode c WHERE c.check_code = code
""",
    ),
)
