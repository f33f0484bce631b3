"""deploy/backup.sh leaves a whole backup or none, and deploy/restore.sh puts that of a cluster back."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from compliance.history import actions as history
from development.embedded import binaries, cluster
from tests.companies import make_present_company
from tests.operations.service import ROOT

TOOLS = binaries.postgresql_tree(18) / "bin"
ADDRESSES = ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_SUPERUSER_URL")
ROWS = "SELECT * FROM history_historyrow ORDER BY organization_id, sequence"


def script(
    name: str, folder: Path, environment: Mapping[str, str], *programs: Path, **folders: str
) -> "subprocess.CompletedProcess[str]":
    """Runs a script of deploy/ on `folder`, with those in `programs` before PostgreSQL's own."""
    path = os.pathsep.join(map(str, (*programs, TOOLS, environment["PATH"])))
    return subprocess.run(
        [ROOT / "deploy" / name, folder],
        env={**environment, "PATH": path, "LOG_FOLDER": "", "FILES_FOLDER": "", "ERASURE_LIST": "", **folders},
        text=True, capture_output=True, check=False,
    )  # fmt: skip


def manage(environment: Mapping[str, str], *arguments: str) -> None:
    """Runs a management command, which must succeed."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, text=True, capture_output=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def rows(environment: Mapping[str, str]) -> list[tuple[object, ...]]:
    """Every row of every history."""
    with psycopg.connect(environment["DATABASE_SUPERUSER_URL"], autocommit=True) as connection:
        return connection.execute(ROWS).fetchall()


def of_database(name: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The same servers, asked for the database `name`."""
    addresses = {each: f"{environment[each].rpartition('/')[0]}/{name}" for each in ADDRESSES}
    return {**environment, **addresses, "CLUSTER_ADMINISTRATOR_URL": ""}


@pytest.fixture
def suite(process_environment: dict[str, str]) -> dict[str, str]:
    """The environment of programs that use the suite's database, as its superuser too."""
    return of_database(process_environment["DATABASE_URL"].rpartition("/")[2], process_environment)


@pytest.fixture
def restored(suite: dict[str, str], worker_id: str) -> Iterator[dict[str, str]]:
    """The environment for a new database of the same cluster, with nothing in it but Citus."""
    name = f"restored_{worker_id}"
    cluster.drop_database(name, os.environ)
    cluster.provide_database(name, os.environ)
    yield of_database(name, suite)
    cluster.drop_database(name, os.environ)


@pytest.fixture
def plain(suite: dict[str, str], worker_id: str) -> Iterator[dict[str, str]]:
    """The environment for a new database without Citus."""
    name = f"restored_plain_{worker_id}"
    identifier = sql.Identifier(name)
    with psycopg.connect(suite["DATABASE_SUPERUSER_URL"], autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(identifier))
        connection.execute(sql.SQL("CREATE DATABASE {} OWNER owner").format(identifier))
        yield {**of_database(name, suite), "CLUSTER": ""}
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(identifier))


def test_a_dump_that_fails_leaves_no_backup_and_the_folder_may_be_named_again(suite, tmp_path):
    programs, folder = tmp_path / "programs", tmp_path / "backup"
    programs.mkdir()
    failing = programs / "pg_dump"
    failing.write_text(
        '#!/bin/sh\nfor each; do case $each in --file=*) echo half > "${each#--file=}";; esac; done\nexit 1\n'
    )
    failing.chmod(0o755)
    failed = script("backup.sh", folder, suite, programs)
    assert failed.returncode == 1
    assert list(folder.iterdir()) == []

    made = script("backup.sh", folder, suite)
    assert made.returncode == 0, made.stderr
    assert {each.name for each in folder.iterdir()} == {"database.dump", "SHA256SUMS"}


def test_folders_that_are_named_and_not_there_are_named_by_the_backup_that_lacks_them(suite, tmp_path):
    nowhere = str(tmp_path / "mistyped")
    made = script("backup.sh", tmp_path / "backup", suite, LOG_FOLDER=nowhere, FILES_FOLDER=nowhere)
    assert made.returncode == 0, made.stderr
    assert made.stderr.splitlines() == [
        f"No files in this backup: there is no {nowhere}.",
        f"No log in this backup: nothing was signed in {nowhere}.",
    ]
    assert script("backup.sh", tmp_path / "other", suite).stderr == ""


def test_a_dump_that_cannot_be_read_restores_nothing(suite, tmp_path):
    before = rows(suite)
    (tmp_path / "database.dump").write_text("no dump")
    sums = subprocess.run(["sha256sum", "database.dump"], cwd=tmp_path, text=True, capture_output=True, check=True)
    (tmp_path / "SHA256SUMS").write_text(sums.stdout)
    assert script("restore.sh", tmp_path, suite).returncode != 0
    assert rows(suite) == before


def test_no_program_is_given_the_password_as_an_argument(suite, tmp_path):
    """Every user of the machine sees the arguments of programs."""
    programs, given = tmp_path / "programs", tmp_path / "given"
    programs.mkdir()
    for name in ("psql", "pg_dump", "pg_restore"):
        watched = programs / name
        watched.write_text(f'#!/bin/sh\necho {name} "$@" >> "{given}"\nexec "{TOOLS / name}" "$@"\n')
        watched.chmod(0o755)
    password = urlsplit(suite["DATABASE_OWNER_URL"]).password
    encoded = "".join(f"%{ord(each):02X}" for each in password)
    environment = {**suite, "DATABASE_OWNER_URL": suite["DATABASE_OWNER_URL"].replace(f":{password}@", f":{encoded}@")}
    made = script("backup.sh", tmp_path / "backup", environment, programs)
    assert made.returncode == 0, made.stderr
    (programs / "psql").write_text(f'#!/bin/sh\necho psql "$@" >> "{given}"\nexit 1\n')  # so nothing is restored
    assert script("restore.sh", tmp_path / "backup", environment, programs).returncode == 1
    lines = given.read_text()
    assert [lines.count(f"{name} ") > 0 for name in ("psql", "pg_dump", "pg_restore")] == [True] * 3
    assert password not in lines
    assert encoded not in lines


@pytest.mark.parametrize(
    ("address", "without", "password"),
    [
        ("postgresql://owner:a%40%2Fb%c3%A9@one:5432,two/d?sslmode=require",
         "postgresql://owner@one:5432,two/d?sslmode=require", "a@/bé"),
        ("postgresql://owner:100%25%34@host/d", "postgresql://owner@host/d", "100%4"),
        ("postgresql://owner@host:5432/d", "postgresql://owner@host:5432/d", "kept"),
        ("postgresql://host:5432/d?application_name=a:b@c", "postgresql://host:5432/d?application_name=a:b@c", "kept"),
    ],
)  # fmt: skip
def test_the_password_is_taken_out_of_the_address(address, without, password):
    program = '. deploy/owner_connection.sh; printf "%s %s" "$DATABASE_OWNER_URL" "$PGPASSWORD"'
    done = subprocess.run(
        ["sh", "-euc", program], env={"PATH": os.environ["PATH"], "DATABASE_OWNER_URL": address, "PGPASSWORD": "kept"},
        cwd=ROOT, text=True, capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout == f"{without} {password}"


@pytest.mark.cluster
@pytest.mark.timeout(300)  # two databases are migrated
def test_a_clusters_backup_is_restored_into_a_new_database_and_into_one_plain_server(
    committed, suite, restored, plain, tmp_path
):
    company = make_present_company()
    company.join("Anna")
    history.capture_all(company.organization_id, company.now)
    before = rows(suite)
    assert before
    made = script("backup.sh", tmp_path / "backup", suite)
    assert made.returncode == 0, made.stderr

    refused = script("restore.sh", tmp_path / "backup", suite)
    assert refused.returncode == 1
    assert "this database of a cluster holds tables" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert rows(suite) == before

    for environment in (restored, plain):
        done = script("restore.sh", tmp_path / "backup", environment)
        assert done.returncode == 0, done.stderr
        manage(environment, "migrate", "--database", "owner", "--verbosity", "0")
        manage(environment, "safe_to_start")
        manage(environment, "verify_history")
        assert rows(environment) == before
