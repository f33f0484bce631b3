"""Finding what lies behind a commitment takes the same few reads, however many people a company has."""

import hashlib

import psycopg
import pytest

from compliance.facts.certificates import queries as certificates
from compliance.facts.people import identities as people
from compliance.tenancy import arrays, context, sql
from tests.companies import make_company
from tests.registers.statistics import say_that_nothing_is_there

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
@pytest.mark.parametrize("statistics", ["none", "of nothing"])
@pytest.mark.parametrize(
    ("table", "many", "statement"),
    [
        ("people_identity", PEOPLE, people.BEHIND_ONE),
        ("certificates_issuedname", CERTIFICATES, certificates.BEHIND_ONE),
    ],
)
def test_a_commitment_is_found_without_reading_the_company_whatever_the_statistics(
    table: str, many: str, statement: str, statistics: str, administration: psycopg.Connection
) -> None:
    company = make_company()
    if statistics == "of nothing":
        say_that_nothing_is_there(administration, table)
    one = hashlib.sha256(b"7").hexdigest()
    with context.company(company.organization_id):
        sql.execute(many, [company.organization_id])
        for setting in ("plan_cache_mode = force_generic_plan", "enable_sort = off"):  # as requests are planned
            sql.execute(f"SET LOCAL {setting}")
        values = {"organization": company.organization_id, "identity": bytes.fromhex(one)}
        for _ in range(2):  # the first one also reads the system catalogue
            ((explained,),) = sql.fetch(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", values)
    plan = explained[0]["Plan"]
    assert plan["Actual Rows"] == 1
    assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] <= FEW_BUFFERS


@pytest.mark.one_server("Citus writes no valid JSON of what a node's plan has touched (EXPLAIN with ANALYZE)")
@pytest.mark.django_db
def test_many_commitments_read_the_company_once_at_most_whatever_the_statistics(
    administration: psycopg.Connection,
) -> None:
    company = make_company()
    say_that_nothing_is_there(administration, "people_identity")
    many = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(1, 501)]
    with context.company(company.organization_id):
        sql.execute(PEOPLE, [company.organization_id])
        values = {"organization": company.organization_id, "identities": arrays.digests(many)}
        ((explained,),) = sql.fetch(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {people.BEHIND}", values)
    plan = explained[0]["Plan"]
    assert plan["Actual Rows"] == len(many)
    assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] <= 2 * 5000
