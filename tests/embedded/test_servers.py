"""The embedded servers as someone on a clean machine meets them (design 9)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import redis

from compliance.embedded import postgresql, processes, servers
from compliance.embedded.errors import ServerDidNotStartError

# The tests of this module go on from one another, on one folder.
pytestmark = pytest.mark.xdist_group("embedded servers")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("servers")
    servers.start(folder, durable=False)
    yield folder
    servers.stop(folder)


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


def test_a_start_after_a_crash_recognises_and_ends_leftovers(folder):
    values = servers.start(folder, durable=False)
    (folder / "redis" / "redis.pid").write_text(str(os.getpid()))  # a pid that belongs to someone else by now
    again = servers.start(folder, durable=False)
    assert again["DATABASE_URL"] == values["DATABASE_URL"]
    assert processes.runs(os.getpid(), "python")


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


def test_permissions_of_folders_that_are_not_ours_stay_as_they_are(tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    folder = home / "clone" / "var"
    with servers.running(folder, durable=False) as values, psycopg.connect(values["DATABASE_URL"]) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    connection.close()
    assert home.stat().st_mode & 0o777 == 0o700
    shutil.rmtree(postgresql.data_folder(folder.resolve()), ignore_errors=True)


def test_a_command_gets_servers_of_its_own_and_its_exit_code_comes_back():
    script = "import os, sys, psycopg; psycopg.connect(os.environ['DATABASE_URL']).close(); sys.exit(7)"
    done = subprocess.run(
        [sys.executable, "-m", "compliance.embedded", "--postgresql", "16", "run", "--", sys.executable, "-c", script],
        cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.returncode == 7
