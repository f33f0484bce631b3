"""A company's answers are the same, byte for byte, on one PostgreSQL and on a cluster, in any order of its facts."""

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
import psycopg
import pytest

from development.demo import harbour, meridian
from tests.properties.placed import COMPANY, NOW

SHARED = Path(__file__).resolve().parents[3] / "shared"
OPEN_UNIVERSITY = SHARED / "data" / "oulad"
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def plain() -> Iterator[dict[str, str]]:
    """The environment of a process with a plain database: one on the coordinator's server without Citus."""
    name = f"plain_{uuid.uuid4().hex}"
    with psycopg.connect(os.environ["DATABASE_SUPERUSER_URL"], autocommit=True) as administration:
        administration.execute(f"CREATE DATABASE {name} OWNER owner TEMPLATE template0")
        addresses = {
            each: urlsplit(os.environ[each])._replace(path=f"/{name}").geturl()
            for each in ("DATABASE_URL", "DATABASE_OWNER_URL")
        }
        yield {key: value for key, value in os.environ.items() if key not in {"CITUS", "CLUSTER"}} | addresses
        administration.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _demo(story: Any) -> list[bytes]:
    """The facts of a story of the demo, in the order of recording."""
    content = story.tell(COMPANY, NOW.date())
    return [orjson.dumps(line) + b"\n" for _, line in content.lines]


def _open_university() -> list[bytes]:
    if not OPEN_UNIVERSITY.is_dir():
        pytest.skip("../shared/data/oulad is absent: the Open University's data is not here")
    asked = [sys.executable, str(SHARED / "tools" / "oulad_facts.py"), str(OPEN_UNIVERSITY)]
    return subprocess.run(asked, capture_output=True, check=True).stdout.splitlines(keepends=True)


COMPANIES = {
    "meridian": (lambda: _demo(meridian), meridian.ZONE, meridian.DAYS_OF_HISTORY, ("0", "200", "500")),
    "harbour": (lambda: _demo(harbour), harbour.ZONE, harbour.DAYS_OF_HISTORY, ("0", "200", "500")),
    "open university": (_open_university, "Europe/London", 5_600, ("0", "4500")),
}
"""By name: the source of the facts, the time zone, the days since the history began, and the days that are read."""


@pytest.mark.parametrize("name", COMPANIES)
def test_a_company_is_the_same_bytes_on_one_server_and_on_a_cluster_in_three_orders(
    name, plain, process_environment, tmp_path
):
    lines_of, zone, began, read = COMPANIES[name]
    facts = tmp_path / "facts.jsonl"
    facts.write_bytes(b"".join(lines_of()))
    one_server, distributed = (
        _answers(environment, str(facts), zone, f"{NOW - timedelta(days=began):%Y-%m-%d}", *read)
        for environment in (plain, process_environment)
    )
    for order, found in one_server.items():
        assert found["verified"], order
        assert found["refused"] == 0, order
        assert len(found["chain"]) > 1
        for key, value in found.items():
            assert distributed[order][key] == value, (order, key)
    first, *others = one_server.values()
    for other in others:
        assert other["without_captures"] == first["without_captures"]


def _answers(environment: dict[str, str], *asked: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "tests.properties.placed", *asked], env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-5_000:]
    return json.loads(done.stdout)
