"""What keeping files costs, in PostgreSQL's rows, in a folder and in a bucket: the figures of ADR 117.

`python -m development.embedded run -- python -m benchmarks.files`. Each way keeps and reads a file in a process of its
own, so that its memory is its own; the bucket is moto's server on this machine, which is slower than a real one a byte
and has no network a call.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

SIZES = (64 * 1024, 1024 * 1024, 20 * 1024 * 1024)
WAYS = ("rows of a mebibyte", "one row", "folder", "bucket")
PART = 1024 * 1024


def measure(way: str, size: int) -> dict[str, float]:
    """Keeps and reads one file in this process; returns seconds, seconds to the first byte, and MiB of memory added."""
    import django

    django.setup()
    from django.db import connection

    from compliance.files import actions, queries
    from compliance.tenancy import context

    company, now = uuid.uuid4(), datetime.now(UTC)
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    with tempfile.TemporaryFile() as warm:
        warm.write(b"x")
        if way in ("folder", "bucket"):
            b"".join(queries.content(actions.keep(company, "media", warm, now)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryFile() as content:
        for _ in range(max(1, size // PART)):
            content.write(os.urandom(min(size, PART)))
        content.seek(0)
        began = time.monotonic()
        if way == "one row":
            with context.company(company), connection.cursor() as cursor:
                cursor.execute(
                    "INSERT INTO measured (key, number, content) VALUES (%s, 0, %s)", [company, content.read()]
                )
        elif way == "rows of a mebibyte":
            number = 0
            while part := content.read(PART):
                with context.company(company), connection.cursor() as cursor:
                    cursor.execute(
                        "INSERT INTO measured (key, number, content) VALUES (%s, %s, %s)", [company, number, part]
                    )
                number += 1
        else:
            file = actions.keep(company, "media", content, now)
        kept = time.monotonic() - began

    def rows() -> Iterator[bytes]:
        number = read = 0
        while read < size:
            with connection.cursor() as cursor:
                cursor.execute("SELECT content FROM measured WHERE key = %s AND number = %s", [company, number])
                found = bytes(cursor.fetchone()[0])
            yield found
            number, read = number + 1, read + len(found)

    pieces: Callable[[], Iterator[bytes]] = (lambda: queries.content(file)) if way in ("folder", "bucket") else rows
    firsts, wholes = [], []
    for _ in range(3):
        began = time.monotonic()
        taken = pieces()
        read = len(next(taken))
        firsts.append(time.monotonic() - began)
        read += sum(len(piece) for piece in taken)
        wholes.append(time.monotonic() - began)
        assert read == size
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"kept": kept, "first": sorted(firsts)[1], "whole": sorted(wholes)[1], "grown": grown / 1024}


def _backup(environment: dict[str, str]) -> tuple[float, float]:
    """How long `pg_dump` takes, and how many MiB its file has."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        output = Path(folder) / "database.dump"
        subprocess.run(
            ["pg_dump", "--format=custom", "--no-owner", "--enable-row-security", f"--file={output}",
             environment["DATABASE_OWNER_URL"]], env=environment, check=True,
        )  # fmt: skip
        return time.monotonic() - began, output.stat().st_size / PART


def main() -> None:
    """Prints a table of Markdown."""
    import psycopg

    from development.embedded import binaries
    from tests.files.server import running

    environment = dict(os.environ)
    environment["PATH"] = f"{binaries.postgresql_tree(binaries.NEWEST_POSTGRESQL) / 'bin'}:{environment['PATH']}"
    subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0"], env=environment, check=True)
    print("| way | file | kept in | first byte | read in | memory grown |\n| --- | --- | --- | --- | --- | --- |")
    with psycopg.connect(environment["DATABASE_OWNER_URL"], autocommit=True) as owner, running() as server:
        owner.execute("CREATE TABLE IF NOT EXISTS measured (key uuid, number int, content bytea)")
        owner.execute("CREATE INDEX IF NOT EXISTS measured_by_key ON measured (key, number)")
        owner.execute("GRANT ALL ON measured TO app")
        _make_bucket(server.address)
        empty = _backup(environment)
        for way in WAYS:
            settings = {"FILES_FOLDER": tempfile.mkdtemp(), "FILES_PLACE": "folder"}
            if way == "bucket":
                settings = {
                    "FILES_BUCKET": "measured", "FILES_ENDPOINT": server.address, "FILES_REGION": "eu-central-1",
                    "FILES_ACCESS_KEY": "testing", "FILES_SECRET_KEY": "testing",
                }  # fmt: skip
            for size in SIZES:
                measured = subprocess.run(
                    [sys.executable, "-m", "benchmarks.files", way, str(size)],
                    env=environment | settings | {"DJANGO_SETTINGS_MODULE": "config.settings"},
                    capture_output=True, text=True, check=True,
                )  # fmt: skip
                found = json.loads(measured.stdout)
                print(
                    f"| {way} | {size / PART:g} MiB | {found['kept']:.3f} s | {found['first'] * 1000:.1f} ms |"
                    f" {found['whole']:.3f} s | {found['grown']:.0f} MiB |",
                    flush=True,
                )
        full = _backup(environment)
        owner.execute("DROP TABLE measured")
    print(f"\npg_dump: {empty[0]:.1f} s, {empty[1]:.1f} MiB; with the files in rows {full[0]:.1f} s, {full[1]:.1f} MiB")


def _make_bucket(address: str) -> None:
    import boto3

    client = boto3.client(
        "s3", endpoint_url=address, region_name="eu-central-1", aws_access_key_id="testing",
        aws_secret_access_key="testing",
    )  # fmt: skip
    client.create_bucket(Bucket="measured", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})


if __name__ == "__main__":
    if len(sys.argv) == 3:
        sys.stdout.write(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
    else:
        main()
