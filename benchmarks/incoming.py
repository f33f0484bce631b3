"""The rows of incoming data: facts over HTTP against an import of the same file, and SCIM against a page of /v1."""

import contextlib
import io
import json
import os
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks import measuring, serving, writes
from benchmarks.reads import Result
from compliance.access.actions import issue_key
from compliance.access.sources import SCIM, issue_source
from compliance.facts.importing import import_facts
from compliance.facts.lines.kinds import KINDS
from compliance.history import actions as history
from compliance.rules.vocabulary import Scope

ROOT = Path(__file__).resolve().parent.parent
PEOPLE = 5000
PAGE = 100
SCIM_BOUNDS = {"GET": 1.0, "GET page": 5.0, "PATCH": 6.0, "POST": 5.0}
"""How many times as long as the page each may take; the page of a small company is quick, so its ratios are highest."""


class Company(NamedTuple):
    """A company, and the token of a source that may send it every kind of fact."""

    organization_id: uuid.UUID
    token: str


@contextlib.contextmanager
def capturing() -> Iterator[None]:
    """Runs the worker of `Procfile`, which captures what is recorded meanwhile."""
    process = subprocess.Popen(
        [sys.executable, "-m", "celery", "--app", "config", "worker", "--loglevel", "WARNING", "--concurrency", "2",
         "--without-gossip", "--without-mingle"],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        _wait_for_worker()
        yield
    finally:
        process.terminate()
        process.wait(timeout=60)


def _wait_for_worker() -> None:
    from config.celery import app

    for _ in range(60):
        if app.control.ping(timeout=1):
            return
    raise RuntimeError("The worker did not answer within a minute.")


def _company() -> Company:
    organization_id, now = uuid.uuid4(), datetime.now(UTC)
    history.create_company(
        name="Incoming", time_zone="Europe/London", history_from=date(2011, 1, 1), now=now,
        organization_id=organization_id,
    )  # fmt: skip
    token, _ = issue_source(
        organization_id=organization_id, name="HR", kinds=(*KINDS, SCIM), environment="test", at=now, actor="benchmark"
    )
    return Company(organization_id, token)


def sent(address: str, path: Path) -> dict[str, Any]:
    """The file, sent by `clients/send_facts.py` into a new company until all of it is readable; `whole` seconds."""
    company = _company()
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, ROOT / "clients" / "send_facts.py", "--url", address, "--wait", "--json", path],
        env=os.environ | {"SVC_SOURCE_TOKEN": company.token}, capture_output=True, check=True,
    )  # fmt: skip
    whole = time.perf_counter() - began
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["recorded"] == report["lines"], report
    return report | {"whole": whole}


def fact_rows(address: str, path: Path, what: str, rounds: int) -> Iterator[Result]:
    """Facts a second until they are readable, by HTTP as a customer sends them, against the file beside the database."""
    by_file, by_http, facts = [], [], 0
    sent(address, path)  # each process has made its connections and prepared its statements
    for _ in range(rounds):
        by_file.append(writes.imported_alone(path)["seconds"])
        report = sent(address, path)
        by_http.append(report["whole"])
        facts = report["lines"]
    file, http = statistics.median(by_file), statistics.median(by_http)
    note = f"{what}: {facts / http:,.0f} and {facts / file:,.0f} facts a second"
    yield Result("facts over HTTP, against the file", file / http, ">= 0.5", file / http >= 0.5, "1", note)


def _join(organization_id: uuid.UUID, people: int, now: datetime) -> list[str]:
    """Records by a facts file that this many employees joined; returns their learner profiles."""
    profiles = [str(uuid.uuid4()) for _ in range(people)]
    at = (now - timedelta(days=1)).isoformat()
    joined = (
        {"fact": "employee_joined", "fact_id": str(uuid.uuid4()), "at": at, "person_id": str(uuid.uuid4()),
         "learner_profile_id": profile, "person_name": f"Employee {number}",
         "account_email": f"employee{number}@example.org"}
        for number, profile in enumerate(profiles)
    )  # fmt: skip
    text = b"".join(json.dumps(line).encode() + b"\n" for line in joined)
    report = import_facts(organization_id=organization_id, stream=io.BytesIO(text), now=now)
    assert report.recorded == people, report.errors[:2]
    history.capture_all(organization_id, datetime.now(UTC))
    return profiles


class _Requests:
    """A connection that is kept, as identity providers do; what is sent is made before the clock runs."""

    def __init__(self, address: str, company: Company, key: str) -> None:
        parts = urlsplit(address)
        self._connection = HTTPConnection(str(parts.hostname), parts.port, timeout=120)
        self._token, self._key = company.token, key
        self._number = count()

    def ask(self, method: str, target: str, body: dict[str, Any] | None = None, *, key: bool = False) -> Any:
        headers = {"Authorization": f"Bearer {self._key if key else self._token}"}
        headers |= {"Content-Type": "application/scim+json"} if body is not None else {}
        self._connection.request(method, target, None if body is None else json.dumps(body), headers)
        answer = self._connection.getresponse()
        text = answer.read()
        assert answer.status in (200, 201, 204), (method, target, answer.status, text[:300])
        return json.loads(text) if text else None

    def post(self) -> str:
        number = next(self._number)
        made = self.ask("POST", "/scim/v2/Users", {
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": f"person{number}@example.org",
            "displayName": f"Person {number}", "externalId": str(number), "active": True,
            "emails": [{"value": f"person{number}@example.org", "type": "work", "primary": True}],
        })  # fmt: skip
        return str(made["id"])

    def patch(self, user_id: str) -> None:
        self.ask("PATCH", f"/scim/v2/Users/{user_id}", {
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
            "Operations": [{"op": "replace", "path": "displayName", "value": f"Another {next(self._number)}"}],
        })  # fmt: skip


def scim_rows(address: str, rounds: int, people: int = PEOPLE) -> Iterator[Result]:
    """Requests of SCIM in a company of many, one after the other, against a page of as many people of /v1."""
    company = _company()
    now = datetime.now(UTC)
    key, _ = issue_key(
        organization_id=company.organization_id, scopes=(Scope.PEOPLE_READ,), environment="test", at=now,
        actor="benchmark",
    )  # fmt: skip
    requests = _Requests(address, company, key)
    users = _join(company.organization_id, people, now)
    listed = requests.ask("GET", "/scim/v2/Users?count=1")
    assert listed["totalResults"] == people, listed["totalResults"]
    day = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    chosen = iter(users * 3)
    things = {
        "page": lambda: requests.ask("GET", f"/v1/people?limit={PAGE}&from={day}&to={day}", key=True),
        "GET one": lambda: requests.ask("GET", f"/scim/v2/Users/{next(chosen)}"),
        f"GET a page of {PAGE}": lambda: requests.ask("GET", f"/scim/v2/Users?startIndex=1&count={PAGE}"),
        "PATCH": lambda: requests.patch(next(chosen)),
        "POST": requests.post,
    }
    taken = measuring.interleaved(things, rounds, warm=10)
    page = taken.pop("page")
    for name, seconds in taken.items():
        bound = SCIM_BOUNDS[name.split()[0] + (" page" if "page" in name else "")]
        yield Result(
            f"SCIM, {name}, against a page of {PAGE} people of /v1", seconds / page, f"<= {bound}",
            seconds / page <= bound, "", f"{1 / seconds:,.0f} and {1 / page:,.0f} a second, {people:,} people",
        )  # fmt: skip


def rows(path: Path, what: str, rounds: int, small: bool) -> Iterator[Result]:
    """Every row of what comes in, with two web processes and the worker."""
    with serving.web({"BASE_URL": "http://127.0.0.1"}, workers=2) as address, capturing():
        yield from fact_rows(address, path, what, rounds)
        yield from scim_rows(address, 40, 300 if small else PEOPLE)
