"""The table of requests: what is sent, and the status, code and headers that come back.

Every line is sent unchanged, and once more with HEAD where it is a GET. Whatever comes back, each answer carries the
four headers of the contract, is JSON, and is the same for both methods.
"""

import base64
import json
import re
import uuid
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from compliance.access import tokens
from compliance.access.actions import issue_key
from compliance.access.models import ApiKey
from compliance.facts.ledger.models import PendingSubject
from compliance.history.models import HistoryHead
from compliance.interfaces.api import clock
from compliance.tenancy import context
from tests.interfaces.api.conftest import ALL, Caller
from tests.registers.stored import StoredCompany

pytestmark = pytest.mark.django_db

MADE_UP = "svc_test_" + "A" * 43
WHOLE = MADE_UP + tokens.checksum(MADE_UP)
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="svc"'}
REFUSED = {"WWW-Authenticate": 'Bearer realm="svc", error="invalid_token"'}
OF_KEY = re.compile(r'"key";r=\d+;t=\d+, "company";r=\d+;t=\d+')
OF_ADDRESS = re.compile(r'"address";r=\d+;t=\d+')


def scope_missing(scope: str) -> dict[str, str]:
    return {"WWW-Authenticate": f'Bearer realm="svc", error="insufficient_scope", scope="{scope}"'}


def basic(text: str) -> str:
    return "Basic " + base64.b64encode(text.encode()).decode()


@dataclass
class Line:
    """One kind of request. `scopes` null: no key; `counted`: under the key, or under the address."""

    what: str
    target: str
    status: int
    code: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    method: str = "GET"
    scopes: tuple[str, ...] | None = ALL
    environment: dict[str, str] = field(default_factory=dict)
    networks: tuple[str, ...] = ()
    says: str = ""
    state: str = ""

    @property
    def counted(self) -> re.Pattern[str]:
        early = (
            self.status in (401, 404, 405)
            or self.code in ("key_in_url", "ip_not_allowed")
            or self.state.startswith("host")
        )
        return OF_ADDRESS if early else OF_KEY


T, C, P, A = ("training:read",), ("certificates:read",), ("people:read",), ("acknowledgements:read",)
RECORDS, PERIOD = "/v1/training-records", "/v1/training-records/period"
SPAN = "from=2026-03-01&to=2026-04-01"

# fmt: off
TABLE = [
    # Answers
    Line("training records now", RECORDS, 200),
    Line("training records as at an instant", f"{RECORDS}?as_at=2026-03-01T00:00:00Z", 200),
    Line("an instant with an encoded offset", f"{RECORDS}?as_at=2026-03-01T00:00:00%2B02:00", 200),
    Line("an instant with a negative offset and a fraction", f"{RECORDS}?as_at=2026-03-01T00:00:00.123456-05:00", 200),
    Line("lower-case t and z, as RFC 3339 allows", f"{RECORDS}?as_at=2026-03-01t00:00:00z", 200),
    Line("a date", f"{RECORDS}?as_at=2026-03-01", 200),
    Line("a moment in the future", f"{RECORDS}?as_at=2126-03-01", 200),
    Line("the end of the calendar", f"{RECORDS}?as_at=9999-12-31", 200),
    Line("one course", f"{RECORDS}?course={uuid.uuid4()}", 200),
    Line("a limit above 200", f"{RECORDS}?limit=100000000000000000000", 200),
    Line("the smallest limit", f"{RECORDS}?limit=1", 200),
    Line("a period of dates", f"{PERIOD}?{SPAN}", 200),
    Line("two dates 400 days apart", f"{PERIOD}?from=2025-03-01&to=2026-04-05", 200),
    Line("people between two dates 400 days apart", "/v1/people?from=2025-03-01&to=2026-04-05", 200),
    Line("receipts between two dates 400 days apart", "/v1/acknowledgements?from=2025-03-01&as_at=2026-04-05", 200),
    Line("two instants 400 days apart", f"{PERIOD}?from=2025-03-01T00:00:00Z&to=2026-04-05T00:00:00Z", 200),
    Line("a period of one instant", f"{PERIOD}?from=2026-03-01T00:00:00Z&to=2026-03-01T00:00:00Z", 200),
    Line("people of a period", f"/v1/people?{SPAN}", 200),
    Line("certificates", "/v1/certificates", 200),
    Line("course versions", "/v1/courses", 200),
    Line("policies", "/v1/policies?as_at=2026-03-01", 200),
    Line("policy records", "/v1/policy-records", 200),
    Line("receipts since a date", "/v1/acknowledgements?from=2026-03-01", 200),
    Line("the snapshot, with any scope", "/v1/snapshot", 200, scopes=C),
    Line("the contract, with any scope", "/v1/openapi.json", 200, scopes=A),
    Line("a bearer scheme in other letters", "/v1/snapshot", 200, environment={"HTTP_AUTHORIZATION": "bEARER {key}"}),
    Line("a caller who accepts HTML only", "/v1/snapshot", 200, environment={"HTTP_ACCEPT": "text/html"}),
    Line("a caller with an id of its own", "/v1/snapshot", 200, environment={"HTTP_X_REQUEST_ID": "mine"}),
    Line("a percent-encoded path", "/v1/training%2Drecords", 200),
    Line("a body, which is not read", "/v1/snapshot", 200, environment={"CONTENT_LENGTH": "0"}),

    # Token and scope
    Line("no key", RECORDS, 401, "invalid_token", CHALLENGE, scopes=None),
    Line("an empty header", RECORDS, 401, "invalid_token", CHALLENGE, environment={"HTTP_AUTHORIZATION": ""}),
    Line("another scheme", RECORDS, 401, "invalid_token", CHALLENGE, environment={"HTTP_AUTHORIZATION": "Token {key}"}),
    Line("a key without its scheme", RECORDS, 401, "invalid_token", CHALLENGE,
         environment={"HTTP_AUTHORIZATION": "{key}"}),
    Line("a made-up key with a good checksum", RECORDS, 401, "invalid_token", REFUSED,
         environment={"HTTP_AUTHORIZATION": f"Bearer {WHOLE}"}),
    Line("a mistyped key", RECORDS, 401, "invalid_token", REFUSED,
         environment={"HTTP_AUTHORIZATION": "Bearer {key}x"}),
    Line("a key of another environment", RECORDS, 401, "invalid_token", REFUSED,
         environment={"HTTP_AUTHORIZATION": f"Bearer {tokens.new_token(tokens.KEY_PREFIXES['live'])}"}),
    Line("a token beyond ASCII", RECORDS, 401, "invalid_token", REFUSED,
         environment={"HTTP_AUTHORIZATION": "Bearer schl\u00fcssel"}),
    Line("two keys", RECORDS, 401, "invalid_token", CHALLENGE,
         environment={"HTTP_AUTHORIZATION": "Bearer {key} {key}"}),
    Line("an expired key", RECORDS, 401, "invalid_token", REFUSED, state="expired"),
    Line("a revoked key", RECORDS, 401, "invalid_token", REFUSED, state="revoked"),
    Line("records without training:read", RECORDS, 403, "insufficient_scope", scope_missing("training:read"),
         scopes=C + P + A),
    Line("courses without training:read", "/v1/courses", 403, "insufficient_scope", scope_missing("training:read"),
         scopes=C),
    Line("certificates without their scope", "/v1/certificates", 403, "insufficient_scope",
         scope_missing("certificates:read"), scopes=T),
    Line("people without their scope", f"/v1/people?{SPAN}", 403, "insufficient_scope", scope_missing("people:read"),
         scopes=T),
    Line("receipts without their scope", "/v1/acknowledgements", 403, "insufficient_scope",
         scope_missing("acknowledgements:read"), scopes=T + P),
    Line("scope comes before parameters", f"{RECORDS}?nonsense=1", 403, "insufficient_scope",
         scope_missing("training:read"), scopes=A),
    Line("an address outside the key's networks", RECORDS, 403, "ip_not_allowed", networks=("192.0.2.0/24",)),
    Line("an address within them", RECORDS, 200, networks=("192.0.2.0/24", "10.0.0.0/8")),
    Line("network comes before scope", RECORDS, 403, "ip_not_allowed", networks=("2001:db8::/32",), scopes=A),
    Line("a forwarded address from a stranger", RECORDS, 403, "ip_not_allowed", networks=("192.0.2.0/24",),
         environment={"HTTP_X_FORWARDED_FOR": "192.0.2.7"}),

    # Path and method
    Line("an unknown path", "/v1/trainings", 404, "not_found"),
    Line("a trailing slash", f"{RECORDS}/", 404, "not_found"),
    Line("the bare prefix", "/v1", 404, "not_found"),
    Line("the prefix with a slash", "/v1/", 404, "not_found"),
    Line("a path in other letters", "/v1/Snapshot", 404, "not_found"),
    Line("a path that is not UTF-8", "/v1/%ff%fe", 404, "not_found"),
    Line("a path with a null byte", "/v1/%00", 404, "not_found"),
    Line("a row of a register", f"{RECORDS}/{uuid.uuid4()}", 404, "not_found"),
    Line("an unknown path comes before a missing key", "/v1/none", 404, "not_found", scopes=None),
    Line("POST", RECORDS, 405, "method_not_allowed", {"Allow": "GET, HEAD"}, method="POST"),
    Line("PUT", RECORDS, 405, "method_not_allowed", {"Allow": "GET, HEAD"}, method="PUT"),
    Line("DELETE", "/v1/snapshot", 405, "method_not_allowed", {"Allow": "GET, HEAD"}, method="DELETE"),
    Line("OPTIONS", RECORDS, 405, "method_not_allowed", {"Allow": "GET, HEAD"}, method="OPTIONS"),
    Line("a method that nobody knows", RECORDS, 405, "method_not_allowed", {"Allow": "GET, HEAD"}, method="BREW"),
    Line("GET in small letters", RECORDS, 405, "method_not_allowed", {"Allow": "GET, HEAD"}, method="get"),
    Line("a method comes before a missing key", RECORDS, 405, "method_not_allowed", {"Allow": "GET, HEAD"},
         method="PATCH", scopes=None),

    # Parameters
    Line("an unknown parameter", f"{RECORDS}?page=2", 400, "invalid_request", says="no parameter 'page'"),
    Line("a parameter of another endpoint", f"{RECORDS}?from=2026-03-01", 400, "invalid_request", says="no parameter"),
    Line("a parameter on the snapshot", "/v1/snapshot?as_at=2026-03-01", 400, "invalid_request", says="Known: none"),
    Line("a repeated parameter", f"{RECORDS}?limit=1&limit=1", 400, "invalid_request", says="more than once"),
    Line("broken percent-encoding", f"{RECORDS}?course=%zz", 400, "invalid_request", says="percent-encoding"),
    Line("invalid UTF-8", f"{RECORDS}?course=%ff", 400, "invalid_request", says="UTF-8"),
    Line("an oversized query", f"{RECORDS}?course={'a' * 9000}", 400, "invalid_request", says="8192"),
    Line("an oversized cursor", f"{RECORDS}?limit=1&cursor={'a' * 9000}", 400, "invalid_cursor"),
    Line("a limit of nought", f"{RECORDS}?limit=0", 400, "invalid_request", says="1 to 200"),
    Line("a negative limit", f"{RECORDS}?limit=-1", 400, "invalid_request", says="1 to 200"),
    Line("a limit in other digits", f"{RECORDS}?limit=%D9%A1", 400, "invalid_request", says="digits 0 to 9"),
    Line("an empty limit", f"{RECORDS}?limit=", 400, "invalid_request", says="1 to 200"),
    Line("a plus sign sent raw", f"{RECORDS}?as_at=2026-03-01T00:00:00+02:00", 400, "invalid_request", says="%2B"),
    Line("an instant without an offset", f"{RECORDS}?as_at=2026-03-01T00:00:00", 400, "invalid_request", says="offset"),
    Line("the basic format", f"{RECORDS}?as_at=20260301T000000Z", 400, "invalid_request", says="RFC 3339"),
    Line("a day that is none", f"{RECORDS}?as_at=2026-02-30", 400, "invalid_request", says="calendar"),
    Line("an hour that is none", f"{RECORDS}?as_at=2026-02-20T25:00:00Z", 400, "invalid_request", says="RFC 3339"),
    Line("an instant before the calendar", f"{RECORDS}?as_at=0001-01-01T00:00:00%2B10:00", 400, "invalid_request"),
    Line("a number of seconds", f"{RECORDS}?as_at=1767225600", 400, "invalid_request", says="RFC 3339"),
    Line("a course that is no UUID", f"{RECORDS}?course=fire", 400, "invalid_request", says="UUID"),
    Line("a course as a URN", f"{RECORDS}?course=urn:uuid:{uuid.uuid4()}", 400, "invalid_request", says="UUID"),
    Line("a course without hyphens", f"{RECORDS}?course={uuid.uuid4().hex}", 400, "invalid_request", says="UUID"),
    Line("a period without its start", f"{PERIOD}?to=2026-03-01", 400, "invalid_request", says="from is required"),
    Line("a period without its ends", PERIOD, 400, "invalid_request", says="to is required"),
    Line("people without a period", "/v1/people", 400, "invalid_request", says="from is required"),
    Line("a period that runs backwards", f"{PERIOD}?from=2026-03-02&to=2026-03-01", 400, "invalid_request",
         says="after to"),
    Line("two dates 401 days apart", f"{PERIOD}?from=2025-02-28&to=2026-04-05", 400, "invalid_request",
         says="Two dates may lie 400 days"),
    Line("people between two dates 401 days apart", "/v1/people?from=2025-02-28&to=2026-04-05", 400, "invalid_request",
         says="Two dates may lie 400 days"),
    Line("receipts between two dates 401 days apart", "/v1/acknowledgements?from=2025-02-28&as_at=2026-04-05", 400,
         "invalid_request", says="before as_at. Two dates may lie 400 days"),
    Line("a date and an instant more than 400 days apart", f"{PERIOD}?from=2025-03-01&to=2026-04-05T00:00:01Z", 400,
         "invalid_request", says="400 times 24 hours"),
    Line("instants more than 400 days apart", "/v1/people?from=2025-03-01T00:00:00Z&to=2026-04-05T00:00:01Z", 400,
         "invalid_request", says="400 days"),
    Line("receipts since too long ago", "/v1/acknowledgements?from=2025-01-01&as_at=2026-05-01", 400,
         "invalid_request", says="before as_at"),
    Line("an empty cursor", f"{RECORDS}?cursor=", 400, "invalid_cursor"),
    Line("a made-up cursor", f"{RECORDS}?cursor=AQIDBAUGBwgJCgsMDQ4PEBESExQ", 400, "invalid_cursor"),
    Line("a cursor with a line break", f"{RECORDS}?cursor=abc%0A", 400, "invalid_cursor"),
    Line("a cursor beyond ASCII", f"{RECORDS}?cursor=%C3%A9", 400, "invalid_cursor"),
    Line("parameters come before the cursor", f"{RECORDS}?cursor=&limit=0", 400, "invalid_request"),

    # History and availability
    Line("a moment before the history", f"{RECORDS}?as_at=2020-01-01", 422, "before_history"),
    Line("a period that starts before it", f"{PERIOD}?from=2023-12-01&to=2024-01-10", 422, "before_history"),
    Line("receipts since before it", "/v1/acknowledgements?as_at=2024-01-10&from=2023-10-01", 422, "before_history"),
    Line("a history that is closed", RECORDS, 503, "unavailable", state="closed"),
    Line("its snapshot, which says so", "/v1/snapshot", 200, state="closed"),
    Line("a writer that lags", RECORDS, 503, "writer_unavailable", state="lagging"),
    Line("its snapshot", "/v1/snapshot", 503, "writer_unavailable", state="lagging"),
    Line("a writer that lags within bounds", RECORDS, 200, state="waiting"),

    # Key in the URL, in every disguise
    Line("a key as a parameter", "/v1/snapshot?api_key={key}", 400, "key_in_url"),
    Line("a key as a parameter's name", "/v1/snapshot?{key}=1", 400, "key_in_url"),
    Line("a key within a longer value", "/v1/snapshot?x=abc{key}def", 400, "key_in_url"),
    Line("a key encoded", "/v1/snapshot?x={encoded}", 400, "key_in_url"),
    Line("a key encoded twice", "/v1/snapshot?x={twice}", 400, "key_in_url"),
    Line("a key encoded again and again", "/v1/snapshot?x={often}", 400, "key_in_url"),
    Line("a key encoded again and again in the path", "/v1/{often}", 400, "key_in_url"),
    Line("a key in the path", "/v1/{key}", 400, "key_in_url"),
    Line("a key in the path of no endpoint", "/console/{key}", 400, "key_in_url"),
    Line("a key in the query of a page", "/problems?x={key}", 400, "key_in_url"),
    Line("a key as the URL's user", "/v1/snapshot", 400, "key_in_url", environment={"HTTP_AUTHORIZATION": "{basic}"}),
    Line("what only looks like a key", f"/v1/snapshot?x={MADE_UP}AAAAAA", 400, "key_in_url"),
    Line("a key in the URL with POST", "/v1/snapshot?x={key}", 400, "key_in_url", method="POST"),

    # What fails before the views
    Line("an unknown host", RECORDS, 400, "invalid_request", environment={"HTTP_HOST": "evil.example"}, state="host"),
    Line("a malformed host", RECORDS, 400, "invalid_request", environment={"HTTP_HOST": "a b"}, state="host"),
    Line("plain HTTP in production", RECORDS, 400, "invalid_request", says="HTTPS", state="host production"),
]
# fmt: on


def _encoded(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def _prepare(line: Line, stored: StoredCompany, issued: Any, now: Any) -> None:
    match line.state:
        case "expired":
            issued.expires_at = now
            issued.save()
        case "revoked":
            issued.revoked_at = now
            issued.save()
        case "closed":
            HistoryHead.objects.filter(organization_id=stored.organization_id).update(available=False)
        case "lagging" | "waiting":
            waited = timedelta(seconds=301 if line.state == "lagging" else 60)
            with context.company(stored.organization_id):
                PendingSubject.objects.create(
                    organization_id=stored.organization_id, kind="company", recorded_at=clock.now() - waited
                )


@pytest.mark.parametrize("line", TABLE, ids=[line.what for line in TABLE])
def test_a_request_gets_its_answer(line, stored, now, caplog):
    caplog.set_level("DEBUG")
    key, issued = issue_key(
        organization_id=stored.organization_id, scopes=line.scopes or ALL, environment="test", at=now, actor="a test",
        networks=line.networks,
    )  # fmt: skip
    _prepare(line, stored, issued, now)
    call = Caller(None if line.scopes is None else key)
    words = {
        "{key}": key, "{encoded}": _encoded(key), "{twice}": _encoded(_encoded(key)), "{basic}": basic(f"{key}:"),
        "{often}": key.replace("_", f"%{'25' * 9}5F"),
    }  # fmt: skip

    def filled(text: str) -> str:
        for word, value in words.items():
            text = text.replace(word, value)
        return text

    environment = {name: filled(value) for name, value in line.environment.items()}
    with override_settings(PRODUCTION="production" in line.state):
        answers = [call(filled(line.target), line.method, **environment)]
        if line.method == "GET":
            answers.append(call(filled(line.target), "HEAD", **environment))
    for answer in answers:
        assert answer.status_code == line.status
        assert str(uuid.UUID(answer["X-Request-Id"])) == answer["X-Request-Id"]
        assert answer["Cache-Control"] == "no-store"
        assert line.counted.fullmatch(answer["RateLimit"]), answer["RateLimit"]
        names = re.findall(r'"(\w+)";q=\d+;w=60', answer["RateLimit-Policy"])
        assert names == re.findall(r'"(\w+)";r=', answer["RateLimit"])
        for name, value in line.headers.items():
            assert answer[name] == value
        assert not answer.cookies
    body = answers[0].content
    if line.code is None:
        assert answers[0]["Content-Type"] == "application/json"
        assert isinstance(json.loads(body), dict)
    else:
        assert answers[0]["Content-Type"] == "application/problem+json"
        problem = json.loads(body)
        assert (problem["code"], problem["status"]) == (line.code, line.status)
        assert problem["type"] == f"{settings.BASE_URL}/problems/{line.code}"
        assert problem["request_id"] == answers[0]["X-Request-Id"]
        assert line.says in problem["detail"]
    for head in answers[1:]:
        assert head.content == b""
        assert head["Content-Type"] == answers[0]["Content-Type"]
        if line.code is None and "as_at" in line.target:
            assert head["Content-Length"] == str(len(body))
    issued.refresh_from_db()
    assert key not in caplog.text
    assert key[9:] not in caplog.text
    in_url = line.code == "key_in_url" and "looks like" not in line.what
    assert (issued.revoked_reason == "sent in a URL") == in_url


def test_the_log_names_the_key_that_is_used_from_an_address_outside_its_networks(stored, key_of, caplog):
    caplog.set_level("INFO", "compliance.api")
    key = key_of(stored, networks=("192.0.2.0/24",))
    assert Caller(key)(RECORDS).status_code == 403
    (line,) = [record.__dict__ for record in caplog.records if record.message == "api_call"]
    issued = ApiKey.objects.get(digest=tokens.digest(key))
    expected = {"code": "ip_not_allowed", "key_id": str(issued.key_id), "organization_id": str(stored.organization_id)}
    assert expected.items() <= line.items()


def test_the_table_is_long_enough():
    assert len(TABLE) >= 100
    assert len({line.what for line in TABLE}) == len(TABLE)


def test_a_query_of_thousands_of_faults_names_the_first_and_counts_the_others(call):
    answer = call(f"/v1/snapshot?{'a&' * 4_095}a")
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (400, "invalid_request")
    assert len(problem["errors"]) == 20
    assert problem["detail"].endswith("There are 4076 more faults.")
    assert len(answer.content) < 8_192
    few = call(f"/v1/snapshot?{'&'.join('abc')}").json()
    assert [each["parameter"] for each in few["errors"]] == ["a", "b", "c"]
    assert "more faults" not in few["detail"]
