"""The tenant boundary in the database itself."""

import uuid

import pytest
from django.db import ProgrammingError, connection, connections, transaction

from compliance.facts.people.models import Team
from compliance.tenancy import checks, context
from compliance.tenancy.directory import DIRECTORY_TABLES
from compliance.tenancy.errors import OtherCompanyError, UnsafeRoleError

pytestmark = pytest.mark.django_db

OF_DJANGO = ("auth_", "django_", "account_", "mfa_", "socialaccount_")


def _team(organization_id, now):
    return Team(organization_id=organization_id, team_id=uuid.uuid4(), created_at=now, name="Sales", name_at=now)


def test_every_table_with_company_rows_is_protected_or_a_listed_directory_table():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, relrowsecurity FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        tables = dict(cursor.fetchall())
    unprotected = {name for name, protected in tables.items() if not protected and not name.startswith(OF_DJANGO)}
    assert unprotected == {name for name in tables if name in DIRECTORY_TABLES}
    assert len(tables) > 30


def test_a_company_sees_its_own_rows_only_and_nobody_sees_rows_without_a_company(now):
    one, other = uuid.uuid4(), uuid.uuid4()
    for organization_id in (one, other):
        with context.company(organization_id):
            _team(organization_id, now).save()
    with context.company(one):
        assert [team.organization_id for team in Team.objects.all()] == [one]
    assert Team.objects.count() == 0


def test_a_row_of_another_company_cannot_be_written(now):
    with pytest.raises(ProgrammingError, match="row-level security"), context.company(uuid.uuid4()):
        _team(uuid.uuid4(), now).save()


def test_one_transaction_serves_one_company():
    with context.company(uuid.uuid4()), pytest.raises(OtherCompanyError), context.company(uuid.uuid4()):
        pass


@pytest.mark.parametrize(
    "table", ["history_historyrow", "history_historyrecord", "history_capture", "policies_receipt"]
)
@pytest.mark.parametrize("verb", ["UPDATE {} SET organization_id = organization_id", "DELETE FROM {}", "TRUNCATE {}"])
def test_the_application_can_neither_change_nor_remove_history(table, verb):
    with (
        pytest.raises(ProgrammingError, match="permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(verb.format(table))


def test_the_application_s_role_is_accepted():
    checks.refuse_unsafe_role()


@pytest.mark.django_db(databases=["default", "owner"])
def test_the_owner_of_the_tables_is_refused(monkeypatch):
    monkeypatch.setattr("compliance.tenancy.sql.connection", connections["owner"])
    with pytest.raises(UnsafeRoleError, match="owner"):
        checks.refuse_unsafe_role()
