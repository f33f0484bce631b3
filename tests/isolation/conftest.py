"""Two similar companies, both captured, and every identifier and name that belongs to only one of them."""

import uuid
from dataclasses import dataclass

import pytest

from compliance.access.actions import issue_key
from compliance.facts.lines.kinds import Certificate
from compliance.history import actions
from compliance.rules.vocabulary import CertificateKind, Scope
from compliance.tenancy import context, sql
from tests.companies import NOW, Company, Course, Person, day, make_company

UUIDS = """
SELECT c.table_name, c.column_name FROM information_schema.columns c
JOIN information_schema.columns o ON o.table_name = c.table_name AND o.column_name = 'organization_id'
WHERE c.table_schema = 'public' AND c.udt_name = 'uuid' AND c.column_name NOT IN ('organization_id', 'cycle_id')
"""


@dataclass(frozen=True)
class Tenant:
    """A company with people, a course, a certificate and a key; `secrets` are texts that nobody else may see."""

    company: Company
    course: Course
    person: Person
    key: str
    secrets: frozenset[str]
    identifiers: tuple[str, ...]

    @property
    def organization_id(self) -> uuid.UUID:
        return self.company.organization_id


def make_tenant(name: str) -> Tenant:
    company = make_company(name)
    certificate = Certificate(title=f"{name} certificate", kind=CertificateKind.COMPLETION, valid_months=12)
    course = company.course(f"{name} course", certificate=certificate)
    team = company.team(f"{name} team")
    person = company.join(f"{name} Person", team_ids=[team])
    company.join(f"{name} Other")
    company.share(course, due_at=day(30))
    company.complete(person, course, day(3))
    actions.capture_all(company.organization_id, NOW)
    key, _ = issue_key(
        organization_id=company.organization_id, scopes=tuple(Scope), environment="test", at=NOW, actor="a test"
    )
    identifiers = _identifiers(company.organization_id)
    return Tenant(
        company, course, person, key, frozenset({*identifiers, name, f"{name.lower()}.person@example.org"}), identifiers
    )


def _identifiers(organization_id: uuid.UUID) -> tuple[str, ...]:
    """Every UUID in any table of a company, its own included."""
    found: dict[str, None] = {str(organization_id): None}
    with context.company(organization_id):
        for table, column in sql.fetch(UUIDS):
            for (value,) in sql.fetch(
                f"SELECT DISTINCT {column} FROM {table} WHERE organization_id = %s AND {column} IS NOT NULL"
                " ORDER BY 1 LIMIT 2",
                [organization_id],
            ):
                found[str(value)] = None
    return tuple(found)


@pytest.fixture
def tenants(seen_by_all_roles: None) -> tuple[Tenant, Tenant]:
    """Two companies that share nothing."""
    ours, theirs = make_tenant("Ourselves"), make_tenant("Neighbours")
    assert not set(ours.identifiers) & set(theirs.identifiers) - {"ad000000-0000-4000-8000-000000000001"}
    return ours, theirs
