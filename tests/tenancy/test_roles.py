"""What each runtime role may not do, tried as that role on the suite's database."""

import os
import uuid
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings

from compliance.tenancy import expected, roles

DENIED = {
    roles.WEB: [
        "INSERT INTO operations_companystanding (organization_id, verified_well) VALUES (gen_random_uuid(), true)",
        "INSERT INTO log_checkpoint (size, root, note, signed_at) VALUES (9, '', '', now())",
        "UPDATE log_tile SET hashes = ''",
        "DELETE FROM log_checkpoint",
        "DELETE FROM history_historyhead",
        "UPDATE tenancy_organization SET time_zone = 'UTC'",
        "DELETE FROM tenancy_organization",
        "UPDATE history_historyrow SET body = ''",
        "INSERT INTO django_migrations (app, name, applied) VALUES ('people', 'later', now())",
        "CREATE TABLE mine (name text)",
        "ALTER TABLE people_team DISABLE ROW LEVEL SECURITY",
        "SET session_replication_role = replica",
        "SET ROLE app_worker",
        "SELECT * FROM learning_linkrequest",
        "SELECT * FROM people_with_address('anna@example.org', NULL)",
        "DELETE FROM learning_learnersession",
        "UPDATE letters_lettersread SET sequence = 0",
        "INSERT INTO webhooks_attempt (organization_id) VALUES (gen_random_uuid())",
    ],
    roles.WORKER: [
        "SELECT * FROM mfa_authenticator",
        "INSERT INTO auth_user (username) VALUES ('intruder')",
        "UPDATE auth_user SET is_superuser = true",
        "INSERT INTO auth_user_groups (user_id, group_id) VALUES (1, 1)",
        "DELETE FROM console_staffaccess",
        "DELETE FROM tenancy_organization",
        "UPDATE tenancy_organization SET history_complete_from = now()",
        "INSERT INTO access_apikey (key_id) VALUES (gen_random_uuid())",
        "UPDATE access_apikey SET digest = ''",
        "UPDATE access_apikey SET scopes = '{people:read}'",
        "UPDATE access_apikey SET expires_at = 'infinity'",
        "UPDATE access_source SET former_digest = ''",
        "INSERT INTO django_session (session_key) VALUES ('mine')",
        "UPDATE django_session SET expire_date = now()",
        "INSERT INTO log_leaf (index, kind, organization_id, capture_sequence, entry, statement)"
        " VALUES (0, 'capture', gen_random_uuid(), 1, '', '')",
        "UPDATE log_checkpoint SET note = ''",
        "SELECT * FROM certificate_of_code('ANY', NULL)",
        "DELETE FROM history_historyrow",
        "INSERT INTO learning_learnersession (organization_id) VALUES (gen_random_uuid())",
        "UPDATE learning_learnersession SET ended_at = NULL",
        'UPDATE learning_answer SET "right" = true',
        "DELETE FROM learning_take",
        "UPDATE webhooks_webhook SET url = 'https://elsewhere.example'",
        "UPDATE webhooks_webhook SET secret = ''",
        "DELETE FROM webhooks_webhook",
    ],
    roles.SIGNER: [
        "SELECT * FROM people_profile",
        "SELECT * FROM people_with_address('anna@example.org', NULL)",
        "SELECT * FROM learning_personallink",
        "SELECT * FROM pending_fact",
        "INSERT INTO history_subtree (organization_id) VALUES (gen_random_uuid())",
        "SELECT * FROM auth_user",
        "SELECT * FROM access_apikey",
        "SELECT * FROM webhooks_webhook",
        "SELECT * FROM pending_work(now(), NULL)",
        "SELECT * FROM certificate_of_code('ANY', NULL)",
        "INSERT INTO history_historyhead (organization_id) VALUES (gen_random_uuid())",
        "UPDATE history_historyhead SET chain_hash = ''",
        "INSERT INTO history_capture (organization_id) VALUES (gen_random_uuid())",
        "UPDATE log_leaf SET entry = ''",
        "DELETE FROM log_leaf",
        "UPDATE operations_companystanding SET verified_well = true",
        "UPDATE tenancy_organization SET name = ''",
    ],
}
ALLOWED = {
    roles.WEB: [
        "SELECT * FROM certificate_of_code('ANY', NULL)",
        "SELECT * FROM auth_user",
        "UPDATE webhooks_webhook SET secret = '' WHERE false",
        "DELETE FROM webhooks_attempt WHERE false",
        "SELECT * FROM pending_work(now(), NULL)",
        "INSERT INTO learning_linkrequest (request_id, asked_at, sealed_address) VALUES (gen_random_uuid(), now(), '')",
        "UPDATE learning_learnersession SET ended_at = now(), device = NULL WHERE false",
    ],
    roles.WORKER: [
        "SELECT * FROM people_with_address('anna@example.org', NULL)",
        "SELECT * FROM webhooks_webhook FOR UPDATE SKIP LOCKED",
        "UPDATE webhooks_webhook SET claimed_until = now(), capture_sequence = 1 WHERE false",
        "DELETE FROM learning_linkrequest WHERE false RETURNING sealed_address",
        "UPDATE learning_learnersession SET device = NULL WHERE false",
        "UPDATE learning_answer SET choices = NULL WHERE false",
        "DELETE FROM learning_personallink WHERE false",
        "SELECT * FROM pending_work(now(), NULL)",
        "UPDATE operations_companystanding SET verified_at = now(), verified_well = true",
        "DELETE FROM django_session WHERE expire_date < now()",
        "SELECT * FROM access_apikey FOR UPDATE",
        "UPDATE access_apikey SET revoked_at = now(), revoked_reason = 'expired' WHERE false",
        "UPDATE access_source SET revoked_at = now(), revoked_reason = 'expired', former_until = NULL WHERE false",
    ],
    roles.SIGNER: [
        "SELECT * FROM history_historyrow",
        "SELECT * FROM history_subtree",
        "SELECT * FROM pending_seal",
        "UPDATE history_historyhead SET available = false, unavailable_reason = '' WHERE false",
        "UPDATE log_tile SET hashes = '' WHERE false",
        "DELETE FROM log_checkpoint WHERE false",
    ],
}


def attempts(statements):
    return [(role, statement) for role, found in statements.items() for statement in found]


@pytest.fixture
def act_as(administration):
    """Runs one statement as a role, and rolls it back.

    On a cluster the role itself connects, because SET ROLE of a superuser is not passed on to the nodes.
    """

    def act(role, statement):
        if settings.CLUSTER:
            password = urlsplit(os.environ["DATABASE_URL"]).password
            with psycopg.connect(administration.info.dsn, user=role, password=password) as connection:
                connection.execute(statement)
                connection.rollback()
            connection.close()
            return
        with administration.transaction(force_rollback=True):
            administration.execute(f"SET LOCAL SESSION AUTHORIZATION {role}")
            administration.execute(statement)

    return act


@pytest.mark.parametrize(("role", "statement"), attempts(DENIED))
def test_a_role_is_denied_what_its_process_never_does(act_as, role, statement):
    with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidTransactionState)):
        act_as(role, statement)


@pytest.mark.parametrize(("role", "statement"), attempts(ALLOWED))
def test_a_role_may_do_its_work(act_as, role, statement):
    act_as(role, statement)


@pytest.mark.parametrize("role", [roles.WEB, roles.WORKER, roles.SIGNER])
def test_no_role_sees_a_company_s_rows_without_its_company(administration, role):
    organization_id = uuid.uuid4()
    administration.execute(
        "INSERT INTO history_historyrecord (organization_id, register, birth, record_id) VALUES (%s, 1, 1, %s)",
        [organization_id, uuid.uuid4()],
    )
    with administration.transaction(force_rollback=True):
        administration.execute(f"SET LOCAL SESSION AUTHORIZATION {role}")
        assert administration.execute("SELECT count(*) FROM history_historyrecord").fetchone() == (0,)
        administration.execute(f"SET LOCAL app.organization = '{organization_id}'")
        assert administration.execute("SELECT count(*) FROM history_historyrecord").fetchone() == (1,)


def test_no_role_may_do_more_than_the_one_for_everything():
    for table in expected.tables():
        everything = roles.granted(roles.APP, table.name, append_only=table.append_only).table
        for role in (roles.WEB, roles.WORKER, roles.SIGNER):
            granted = roles.granted(role, table.name, append_only=table.append_only)
            assert granted.table <= everything
            assert not granted.updates or "UPDATE" in everything
