"""What lies behind a commitment is found at once, however many people a company has."""

import hashlib

import pytest

from compliance.facts.certificates import queries as certificates
from compliance.facts.people import identities as people
from compliance.tenancy import arrays, context, sql
from tests.companies import make_company

FEW_BUFFERS = 8
"""An index a few pages deep, and a page of the table; measured: 3."""
PEOPLE = """
INSERT INTO people_identity (organization_id, subject_id, capture_sequence, identity_sha256)
SELECT %s::uuid, md5(number::text)::uuid, 2, sha256(number::text::bytea) FROM generate_series(1, 5000) AS number
"""
CERTIFICATES = """
INSERT INTO certificates_issuedname (organization_id, certificate_id, learner_profile_id, identity_sha256)
SELECT %s::uuid, md5(number::text)::uuid, gen_random_uuid(), sha256(number::text::bytea)
FROM generate_series(1, 5000) AS number
"""


@pytest.mark.one_server("Citus writes no valid JSON of what a node's plan has touched (EXPLAIN with ANALYZE)")
@pytest.mark.django_db
@pytest.mark.parametrize(("many", "statement"), [(PEOPLE, people.BEHIND), (CERTIFICATES, certificates.BEHIND)])
def test_a_commitment_is_found_without_reading_the_company_and_without_statistics(many: str, statement: str) -> None:
    company = make_company()
    one = hashlib.sha256(b"7").hexdigest()
    with context.company(company.organization_id):
        sql.execute(many, [company.organization_id])
        sql.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        values = {"organization": company.organization_id, "identities": arrays.digests([one])}
        for _ in range(2):  # the first one touches what the system says of the tables, too
            ((explained,),) = sql.fetch(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", values)
    plan = explained[0]["Plan"]
    assert plan["Actual Rows"] == 1
    assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] <= FEW_BUFFERS
