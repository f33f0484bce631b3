"""What is due is found by its deadline, however many records a company has."""

import uuid
from datetime import timedelta

import psycopg
import pytest

from compliance.catalogue.certificates import CERTIFICATES
from compliance.facts.lines.kinds import Certificate
from compliance.history import actions, owed, queries
from compliance.rules.vocabulary import CertificateKind
from compliance.tenancy import context, sql
from tests import verbs
from tests.companies import ADMINISTRATOR, NOW, Company, make_company

AFTER, UNTIL = NOW - timedelta(days=33), NOW + timedelta(days=7)
FEW_BUFFERS = 10
"""An index a few pages deep, and a page of the table; measured: 5."""
A_READ_OF_ALL = 4_500
"""Each record read once, as a planner may do in a company as small as this; measured: 2,964. To look up the version in
force of each record takes 9,070."""
RECORDS = """
INSERT INTO history_historyrecord (organization_id, register, birth, record_id, learner_profile_id, course_id)
SELECT %s::uuid, 1, 1000 + number, gen_random_uuid(), gen_random_uuid(), gen_random_uuid()
FROM generate_series(1, 3000) AS number
"""
MANY = """
UPDATE pg_class SET reltuples = 1000000, relpages = 20000
WHERE relname IN ('history_historyrow', 'history_historyrecord')
"""
"""Statistics of a table that is large, as of all companies together."""
VERSIONS = """
INSERT INTO history_historyrow (organization_id, sequence, register, birth, capture_sequence, valid_from, recorded_at,
    cause, logic_version, state, begins_at, due_at, body, row_sha256)
SELECT %s::uuid, 1000 + number, 1, 1000 + number, 9, %s, %s, 'action', 1, 'required', %s, %s, '{}', ''
FROM generate_series(1, 3000) AS number
"""


def _due(company: Company) -> set[uuid.UUID]:
    found = owed.due_between(company.organization_id, NOW, AFTER, UNTIL)
    return {each.learner_profile_id for each in found}


def _touched(statement: str, values: dict[str, object]) -> int:
    ((explained,),) = sql.fetch(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", values)
    plan = explained[0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


@pytest.mark.one_server("Citus writes no valid JSON of what a node's plan has touched (EXPLAIN with ANALYZE)")
@pytest.mark.django_db
def test_what_is_due_is_found_without_looking_up_the_version_of_each_record(
    administration: psycopg.Connection,
) -> None:
    company = make_company()
    anna = company.join("Anna")
    company.share(company.course(), due_at=NOW + timedelta(days=2))
    actions.capture_all(company.organization_id, NOW)
    administration.execute(MANY)
    with context.company(company.organization_id):
        sql.execute(RECORDS, [company.organization_id])
        sql.execute(VERSIONS, [company.organization_id, NOW, NOW, NOW, NOW + timedelta(days=90)])
        assert _due(company) == {anna.learner_profile_id}
        values = {"organization": company.organization_id, "moment": NOW, "after": AFTER, "until": UNTIL}
        assert _touched(owed._DUE, values) <= FEW_BUFFERS
        numbers = [number for (number,) in sql.fetch(owed._DUE, values)]
        statement = f"SELECT FROM {owed._NOW} AND {owed._OWED_OF_THESE}"
        assert _touched(statement, values | {"numbers": numbers}) <= A_READ_OF_ALL


@pytest.mark.django_db
def test_a_deadline_of_an_outdated_version_is_not_due() -> None:
    company = make_company()
    postponed, done, still = company.join("Postponed"), company.join("Done"), company.join("Still")
    course = company.course()
    company.share(course, due_at=NOW + timedelta(days=2))
    actions.capture_all(company.organization_id, NOW - timedelta(days=1))
    company.complete(done, course, NOW - timedelta(hours=1))
    verbs.set_deadline(
        organization_id=company.organization_id, learner_profile_id=postponed.learner_profile_id,
        course_id=course.course_id, due_at=NOW + timedelta(days=60), at=NOW, now=NOW, actor_id=ADMINISTRATOR,
    )  # fmt: skip
    actions.capture_all(company.organization_id, NOW)
    with context.company(company.organization_id):
        assert _due(company) == {still.learner_profile_id}


@pytest.mark.django_db
@pytest.mark.parametrize("late", ["joined", "published"])
def test_a_certificate_that_had_expired_when_it_was_listed_first_is_not_new_to_its_holder(late: str) -> None:
    company = make_company()
    hours_ago = NOW - timedelta(hours=2)
    joined_at, published_at = (hours_ago if late == each else company.start for each in ("joined", "published"))
    fire = Certificate(title="Fire", kind=CertificateKind.COMPLETION, valid_months=1)
    course = company.course(at=published_at, certificate=fire)
    expired, valid = (company.join(name, joined_at) for name in ("Expired", "Valid"))
    actions.capture_all(company.organization_id, NOW)
    before = queries.sequence(company.organization_id)
    company.complete(expired, course, NOW - timedelta(days=60))
    company.complete(valid, course, NOW - timedelta(days=6))
    actions.capture_all(company.organization_id, NOW)
    with context.company(company.organization_id):
        upto, since = queries.sequence(company.organization_id), NOW - timedelta(days=3)
        found = owed.came(company.organization_id, after=before, upto=upto, since=since, now=NOW)
        assert [(each.learner_profile_id, each.certificate) for each in found] == [(valid.learner_profile_id, True)]
        held = queries.records_of(company.organization_id, CERTIFICATES.number, [*expired, *valid], 9)
        still = [each for each in held if owed.issued(company.organization_id, each.record_id, NOW) is not None]
        assert len(held) == 2
        assert [each.learner_profile_id for each in still] == [valid.learner_profile_id]
