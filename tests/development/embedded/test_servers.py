"""The embedded servers on a clean machine."""

import os
import shutil
import socket
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg
import pytest
import redis

from development.embedded import postgresql, servers
from development.embedded.errors import ServerDidNotStartError

# The tests of this module build on one another in one folder.


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("servers")
    servers.start(folder, durable=False)
    yield folder
    servers.stop(folder)
    shutil.rmtree(postgresql.data_folder(folder), ignore_errors=True)


def test_start_provides_both_servers_roles_and_a_private_file_and_a_second_start_keeps_what_is_there(folder):
    values = servers.read(folder)
    with psycopg.connect(values["DATABASE_OWNER_URL"], autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (a int)")
        assert connection.execute("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = 'app'").fetchone() == (
            False,
            False,
        )
    connection.close()
    with redis.Redis.from_url(values["REDIS_URL"]) as client:
        assert client.ping()
    assert (folder / servers.FILE).stat().st_mode & 0o777 == 0o600
    assert servers.read(folder) == values

    again = servers.start(folder, durable=False)
    assert again == values
    with psycopg.connect(again["DATABASE_OWNER_URL"]) as connection:
        connection.execute("SELECT * FROM kept")
    connection.close()


def test_redis_refuses_a_caller_without_the_password(folder):
    values = servers.start(folder, durable=False)
    with redis.Redis(port=urlsplit(values["REDIS_URL"]).port) as client, pytest.raises(redis.AuthenticationError):
        client.ping()


@pytest.mark.parametrize("lost", ["redis/redis.pid", "postgresql/postmaster.pid"])
def test_a_start_after_a_crash_ends_leftovers_of_its_folder_whatever_their_pid_file_says(folder, lost):
    values = servers.start(folder, durable=False)
    file = (postgresql.data_folder(folder) if "postmaster" in lost else folder / "redis") / Path(lost).name
    before = psutil.Process(int(file.read_text().splitlines()[0]))
    file.write_text(f"{os.getpid()}\n")  # a pid that belongs to another process by now
    assert servers.start(folder, durable=False) == values
    assert not before.is_running()


def test_a_start_leaves_the_servers_of_other_folders_alone(folder, tmp_path):
    servers.start(folder, durable=False)
    with servers.running(tmp_path / "other", durable=False) as others:
        servers.start(folder, durable=False)
        servers.stop(folder)
        psycopg.connect(others["DATABASE_URL"], connect_timeout=10).close()
        with redis.Redis.from_url(others["REDIS_URL"]) as client:
            assert client.ping()
    shutil.rmtree(postgresql.data_folder(tmp_path / "other"), ignore_errors=True)


def test_a_lost_address_file_is_said_plainly_and_leaves_no_process(folder):
    values = servers.start(folder, durable=False)
    lost = (folder / servers.FILE).read_text()
    (folder / servers.FILE).unlink()
    with pytest.raises(ServerDidNotStartError, match=r"Put that file back"):
        servers.start(folder, durable=False)
    with pytest.raises(psycopg.OperationalError, match="refused"):
        psycopg.connect(values["DATABASE_URL"], connect_timeout=2)
    (folder / servers.FILE).write_text(lost)
    assert servers.start(folder, durable=False)["DATABASE_URL"].rpartition(":")[0] in values["DATABASE_URL"]


def test_stop_leaves_no_process(folder):
    values = servers.start(folder, durable=False)
    servers.stop(folder)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(values["DATABASE_URL"], connect_timeout=2)


def test_a_server_that_does_not_start_says_why(folder):
    settings = postgresql.data_folder(folder) / "postgresql.conf"
    written = settings.read_text()
    settings.write_text(f"{written}\nmuch = 1\n")
    with pytest.raises(ServerDidNotStartError, match=r"(?s)server\.log\n.*unrecognized configuration parameter .much"):
        servers.start(folder, durable=False)
    settings.write_text(written)


def test_permissions_of_folders_that_are_not_ours_stay_as_they_are(tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    folder = home / "clone" / "var"
    with servers.running(folder, durable=False) as values, psycopg.connect(values["DATABASE_URL"]) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    connection.close()
    assert home.stat().st_mode & 0o777 == 0o700
    shutil.rmtree(postgresql.data_folder(folder.resolve()), ignore_errors=True)


def test_a_database_of_one_kind_is_not_started_as_the_other(tmp_path, monkeypatch):
    (tmp_path / servers.FILE).write_text("CLUSTER=1\n")
    monkeypatch.delenv("CITUS", raising=False)
    with pytest.raises(ServerDidNotStartError, match="is a cluster: start it with CITUS"):
        servers.start(tmp_path, durable=False)
    (tmp_path / servers.FILE).write_text("DATABASE_URL=postgresql://app@127.0.0.1/compliance\n")
    monkeypatch.setenv("CITUS", str(tmp_path))
    with pytest.raises(ServerDidNotStartError, match="is one plain PostgreSQL: start it without CITUS"):
        servers.start(tmp_path, durable=False)
    assert [each.name for each in tmp_path.iterdir()] == [servers.FILE]


@pytest.mark.cluster
def test_a_worker_whose_port_was_taken_is_found_at_another_one(folder):
    values = servers.start(folder, durable=False)
    first = int(values["CLUSTER_WORKERS"].split(",")[0])
    with psycopg.connect(values["DATABASE_SUPERUSER_URL"], autocommit=True) as connection:
        connection.execute("CREATE TABLE companies (organization_id int)")
        connection.execute("SELECT create_distributed_table('companies', 'organization_id')")
        connection.execute("INSERT INTO companies SELECT generate_series(1, 100)")
    connection.close()
    servers.stop(folder)
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of the server just ended linger
        taken.bind(("127.0.0.1", first))
        taken.listen()
        again = servers.start(folder, durable=False)
    assert int(again["CLUSTER_WORKERS"].split(",")[0]) != first
    with psycopg.connect(again["DATABASE_SUPERUSER_URL"]) as connection:
        assert connection.execute("SELECT count(*) FROM companies").fetchone() == (100,)
    connection.close()
