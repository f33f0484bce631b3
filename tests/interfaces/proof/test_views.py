"""/proof/v1 over HTTP: what it proves, whom it refuses, and the size and cost of its answers."""

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.access.actions import revoke_key
from compliance.access.models import ApiKey
from compliance.catalogue import REGISTERS
from compliance.catalogue.declaration import Register, Window
from compliance.facts.people.erasing import erase_person
from compliance.history.actions import pass_verification
from compliance.history.models import HistoryHead, HistoryRow
from compliance.log import signing
from compliance.log.models import Checkpoint
from compliance.proofs.findings import Report
from compliance.proofs.log_trust import log_trust
from compliance.proofs.row_proof import RowProof, parse_row_proof
from compliance.proofs.row_verifier import verify_row_proof
from compliance.rules.vocabulary import Scope
from compliance.tenancy import context
from tests.companies import NOW, Person, make_company
from tests.interfaces.api.conftest import Caller
from tests.interfaces.console.small_company import SmallCompany
from tests.interfaces.proof.conftest import Callers, capture, sign

pytestmark = pytest.mark.django_db
BY_NAME = {register.name: register for register in REGISTERS.values()}
SPAN = "from=2025-06-01&to=2026-06-01"


def proved(answer: Any, log_key: str) -> RowProof:
    """The proof in an answer, verified under the log's key."""
    assert answer.status_code == 200, answer.content
    report = Report()
    proof = parse_row_proof("answer", answer.content, report)
    assert proof is not None, report.faults
    verify_row_proof(proof, log_trust(log_key), report)
    assert report.faults == []
    return proof


def refused(answer: Any, status: int, code: str) -> dict[str, Any]:
    """The problem in an answer; checks the header fields of every answer."""
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json"), answer.content
    problem: dict[str, Any] = answer.json()
    assert problem["code"] == code
    assert uuid.UUID(answer["X-Request-Id"]) == uuid.UUID(problem["request_id"])
    assert answer["Cache-Control"] == "no-store"
    assert answer["RateLimit"]
    return problem


def listed(call: Caller, register: Register) -> list[dict[str, Any]]:
    """The rows of a register in /v1."""
    return call.pull(f"/v1/{register.name}" + (f"?{SPAN}" if register.window is Window.PERIOD else ""))


def record_of(call: Caller) -> str:
    """The id of some training record."""
    return str(listed(call, BY_NAME["training-records"])[0]["record_id"])


# ---- what is proved ----


def test_every_row_that_v1_lists_has_a_proof_that_verifies(
    small: SmallCompany, caller_of: Callers, log_key: str
) -> None:
    call = caller_of(small.organization_id)
    for register in REGISTERS.values():
        rows = listed(call, register)
        assert rows, register.name
        for row in rows:
            proof = proved(call(f"/proof/v1/{register.name}/{row[register.identity]}"), log_key)
            assert (proof.row.register, proof.row.record_id) == (register.name, row[register.identity])
            assert proof.row.sequence == row.get("sequence", proof.row.sequence)
            content = json.loads(proof.row.content)
            assert content[register.identity] == row[register.identity]


def test_rows_of_a_period_are_training_records(small: SmallCompany, caller_of: Callers, log_key: str) -> None:
    call = caller_of(small.organization_id)
    for row in call.pull(f"/v1/training-records/period?{SPAN}"):
        proved(call(f"/proof/v1/training-records/{row['record_id']}?as_at={row['valid_from']}"), log_key)
    refused(call(f"/proof/v1/training-records/period/{uuid.uuid4()}"), 404, "not_found")


def test_the_version_in_force_at_the_moment_is_proved(small: SmallCompany, caller_of: Callers, log_key: str) -> None:
    call = caller_of(small.organization_id)
    versions = HistoryRow.objects.filter(register=BY_NAME["training-records"].number).exclude(body="")
    with context.company(small.organization_id):
        births = [each.birth for each in versions]
        birth = next(each for each in births if births.count(each) > 1)
        first, *_, last = versions.filter(birth=birth).order_by("valid_from", "sequence")
        record_id = json.loads(first.body)["record_id"]
    then = proved(
        call(f"/proof/v1/training-records/{record_id}?as_at={first.valid_from:%Y-%m-%dT%H:%M:%S.%fZ}"), log_key
    )
    now = proved(call(f"/proof/v1/training-records/{record_id}"), log_key)
    day_of_first = proved(call(f"/proof/v1/training-records/{record_id}?as_at={first.valid_from:%Y-%m-%d}"), log_key)
    assert then.row.content == first.body
    assert now.row.content == last.body
    assert day_of_first.row.valid_from <= f"{first.valid_from:%Y-%m-%d}T24"


def test_the_capture_is_the_newest_that_is_signed(small: SmallCompany, caller_of: Callers, log_key: str) -> None:
    call = caller_of(small.organization_id)
    record_id = record_of(call)
    before = proved(call(f"/proof/v1/training-records/{record_id}"), log_key)
    small.company.join("Hana")
    sign(small.organization_id)
    after = proved(call(f"/proof/v1/training-records/{record_id}"), log_key)
    head = HistoryHead.objects.get(organization_id=small.organization_id)
    assert after.row == before.row
    assert int(after.capture["capture_sequence"]) == head.capture_sequence > int(before.capture["capture_sequence"])
    assert after.tree.size == head.sequence > before.tree.size


def test_a_row_that_is_signed_is_proved_while_newer_rows_are_not(
    small: SmallCompany, caller_of: Callers, log_key: str
) -> None:
    call = caller_of(small.organization_id)
    before = call(f"/proof/v1/training-records/{record_of(call)}")
    small.company.join("Hana")
    capture(small.organization_id)
    head = HistoryHead.objects.get(organization_id=small.organization_id)
    again = call(f"/proof/v1/training-records/{record_of(call)}")
    assert proved(again, log_key).tree.size < head.tree_size
    assert again.content == before.content


# ---- what is not signed yet ----


def test_a_row_is_never_proved_by_an_older_version_of_it(small: SmallCompany, caller_of: Callers, log_key: str) -> None:
    call = caller_of(small.organization_id)
    course = small.company.course("Ladders")
    small.company.share(course)
    sign(small.organization_id)
    record = call.pull(f"/v1/training-records?course={course.course_id}")[0]
    record_id, learner = record["record_id"], uuid.UUID(record["learner_profile_id"])
    proved(call(f"/proof/v1/training-records/{record_id}"), log_key)
    small.company.complete(Person(learner, learner), course, NOW - timedelta(days=1))
    capture(small.organization_id)
    answer = call(f"/proof/v1/training-records/{record_id}")
    refused(answer, 503, "not_signed_yet")
    assert 1 <= int(answer["Retry-After"]) <= 60
    # The version before is in the log, and so is another row.
    proved(call(f"/proof/v1/training-records/{record_id}?as_at=2026-05-01"), log_key)
    signing.sign_new(NOW)
    after = proved(call(f"/proof/v1/training-records/{record_id}"), log_key)
    assert json.loads(after.row.content)["completed_at"] is not None


def test_before_the_first_signature_nothing_is_proved(db: None, caller_of: Callers) -> None:
    company = make_company()
    person = company.join("Anna")
    capture(company.organization_id)
    answer = caller_of(company.organization_id)(f"/proof/v1/people/{person.person_id}")
    refused(answer, 503, "not_signed_yet")
    assert "Retry-After" in answer


# ---- who may ask, and for what ----


def test_each_register_asks_for_its_own_scope(small: SmallCompany, caller_of: Callers) -> None:
    everything = caller_of(small.organization_id)
    for register in REGISTERS.values():
        identity = listed(everything, register)[0][register.identity]
        others = tuple(scope for scope in Scope if scope != register.scope)
        problem = refused(
            caller_of(small.organization_id, others)(f"/proof/v1/{register.name}/{identity}"), 403, "insufficient_scope"
        )
        assert register.scope in problem["detail"]
        only = caller_of(small.organization_id, (register.scope,))
        assert only(f"/proof/v1/{register.name}/{identity}").status_code == 200


def test_another_company_s_rows_are_not_there(small: SmallCompany, caller_of: Callers) -> None:
    other = make_company("Other")
    other.join("Olga")
    sign(other.organization_id)
    mine, theirs = caller_of(small.organization_id), caller_of(other.organization_id)
    for register in REGISTERS.values():
        for row in listed(mine, register):
            refused(theirs(f"/proof/v1/{register.name}/{row[register.identity]}"), 404, "not_found")


def test_a_register_holds_its_own_records_only(small: SmallCompany, caller_of: Callers) -> None:
    call = caller_of(small.organization_id)
    for register in REGISTERS.values():
        identity = listed(call, register)[0][register.identity]
        for other in REGISTERS.values():
            if other is not register:
                refused(call(f"/proof/v1/{other.name}/{identity}"), 404, "not_found")


def test_a_course_version_behind_no_record_is_not_there(small: SmallCompany, caller_of: Callers) -> None:
    call = caller_of(small.organization_id)
    small.company.course("Never shared")
    sign(small.organization_id)
    with context.company(small.organization_id):
        bodies = HistoryRow.objects.filter(register=BY_NAME["courses"].number).values_list("body", flat=True)
        rows = {json.loads(body)["row_id"] for body in bodies}
    behind = {row["row_id"] for row in listed(call, BY_NAME["courses"])}
    assert rows > behind
    for row_id in rows - behind:
        refused(call(f"/proof/v1/courses/{row_id}"), 404, "not_found")


def test_a_key_in_the_address_is_revoked(small: SmallCompany, caller_of: Callers) -> None:
    call = caller_of(small.organization_id)
    target = f"/proof/v1/training-records/{record_of(call)}"
    refused(call(f"{target}?as_at={call.token}"), 400, "key_in_url")
    refused(call(target), 401, "invalid_token")


def test_a_key_that_is_revoked_expired_or_none_opens_nothing(small: SmallCompany, caller_of: Callers) -> None:
    call = caller_of(small.organization_id)
    target = f"/proof/v1/training-records/{record_of(call)}"
    refused(Caller(None)(target), 401, "invalid_token")
    refused(Caller(call.token + "x")(target), 401, "invalid_token")
    refused(caller_of(small.organization_id, expires_at=NOW + timedelta(days=1))(target), 401, "invalid_token")
    refused(caller_of(small.organization_id, networks=("192.0.2.0/24",))(target), 403, "ip_not_allowed")
    ours = caller_of(small.organization_id)
    assert ours(target).status_code == 200
    for each in ApiKey.objects.filter(organization_id=small.organization_id):
        revoke_key(key_id=each.key_id, at=NOW, actor="a test", reason="left")
    refused(ours(target), 401, "invalid_token")


@pytest.mark.parametrize(
    "identity",
    ["1", "x", "None", "%00", "..", "%2e%2e", "0" * 32, "0d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a1", "' OR 1=1--", "%ff",
     "{0d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11}", "0d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11/", "a/b", "9" * 5000],
)  # fmt: skip
def test_what_is_no_id_is_not_there(identity: str, small: SmallCompany, caller_of: Callers) -> None:
    call = caller_of(small.organization_id)
    for register in REGISTERS.values():
        refused(call(f"/proof/v1/{register.name}/{identity}"), 404, "not_found")


@pytest.mark.parametrize(
    "path", ["/proof/v1", "/proof/v1/", "/proof/v1/people", "/proof/v1/nothing", "/proof/v1/people/"]
)
def test_other_addresses_are_not_there(path: str, small: SmallCompany, caller_of: Callers) -> None:
    refused(caller_of(small.organization_id)(path), 404, "not_found")


def test_an_id_may_be_written_in_capitals(small: SmallCompany, caller_of: Callers, log_key: str) -> None:
    call = caller_of(small.organization_id)
    record_id = record_of(call)
    assert proved(call(f"/proof/v1/training-records/{record_id.upper()}"), log_key).row.record_id == record_id


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("as_at=2019-12-31", 422, "before_history"),
        ("as_at=0001-01-01T00:00:00Z", 422, "before_history"),
        ("as_at=2024-01-01", 404, "not_found"),
        ("as_at=yesterday", 400, "invalid_request"),
        ("as_at=", 400, "invalid_request"),
        ("as_at=2026-02-30", 400, "invalid_request"),
        ("as_at=2026-01-01T00:00:00", 400, "invalid_request"),
        ("as_at=2026-01-01&as_at=2026-01-01", 400, "invalid_request"),
        ("limit=1", 400, "invalid_request"),
        ("cursor=x", 400, "invalid_request"),
        ("as_at=%ff", 400, "invalid_request"),
        ("as_at=9999-12-31T23:59:59Z", 200, ""),
        ("as_at=2027-01-01", 200, ""),
        ("", 200, ""),
    ],
)
def test_the_moment_is_read_as_v1_reads_it(
    query: str, status: int, code: str, small: SmallCompany, caller_of: Callers, log_key: str
) -> None:
    call = caller_of(small.organization_id)
    answer = call(f"/proof/v1/training-records/{record_of(call)}?{query}")
    if status == 200:
        proved(answer, log_key)
    else:
        refused(answer, status, code)


def test_a_record_that_is_gone_is_not_there(small: SmallCompany, caller_of: Callers) -> None:
    call = caller_of(small.organization_id)
    with context.company(small.organization_id):
        gone = [row for row in HistoryRow.objects.filter(body="").order_by("-sequence") if row.valid_from <= NOW]
        found = [
            (BY_NAME_OF[row.register], json.loads(first.body), row.valid_from)
            for row in gone
            for first in [HistoryRow.objects.get(sequence=row.birth)]
        ]
    for register, content, valid_from in found:
        target = f"/proof/v1/{register.name}/{content[register.identity]}?as_at={valid_from:%Y-%m-%dT%H:%M:%S.%fZ}"
        refused(call(target), 404, "not_found")


BY_NAME_OF = {register.number: register for register in REGISTERS.values()}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "get"])
def test_only_get_and_head_are_allowed(method: str, small: SmallCompany, caller_of: Callers) -> None:
    call = caller_of(small.organization_id)
    answer = call(f"/proof/v1/training-records/{record_of(call)}", method)
    refused(answer, 405, "method_not_allowed")
    assert answer["Allow"] == "GET, HEAD"


def test_head_answers_as_get_does_without_a_body(small: SmallCompany, caller_of: Callers) -> None:
    call = caller_of(small.organization_id)
    target = f"/proof/v1/training-records/{record_of(call)}"
    get, head = call(target), call(target, "HEAD")
    assert (head.status_code, head.content) == (200, b"")
    assert head["Content-Length"] == get["Content-Length"] == str(len(get.content))
    assert get["Content-Type"] == "application/json"
    assert get["Cache-Control"] == "no-store"


def test_a_company_that_is_closed_gives_no_proof(small: SmallCompany, caller_of: Callers) -> None:
    call = caller_of(small.organization_id)
    target = f"/proof/v1/training-records/{record_of(call)}"
    HistoryHead.objects.update(available=False)
    refused(call(target), 503, "unavailable")


def test_what_does_not_lead_to_the_signed_root_is_no_proof_and_closes_the_company(
    small: SmallCompany, caller_of: Callers
) -> None:
    call = caller_of(small.organization_id)
    target = f"/proof/v1/training-records/{record_of(call)}"
    Checkpoint.objects.update(root=bytes(32))
    refused(call(target), 503, "unavailable")
    head = HistoryHead.objects.get(organization_id=small.organization_id)
    assert not head.available
    assert "is not the one that was signed" in head.unavailable_reason
    refused(call("/v1/training-records"), 503, "unavailable")
    pass_verification(small.organization_id)
    assert call("/v1/training-records").status_code == 200


# ---- size and cost ----


def test_a_proof_takes_as_many_statements_whatever_the_company_s_size(small: SmallCompany, caller_of: Callers) -> None:
    call = caller_of(small.organization_id)
    target = f"/proof/v1/training-records/{record_of(call)}"

    def statements() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert call(target).status_code == 200
        return len(queries)

    statements()
    before = statements()
    for number in range(30):
        small.company.join(f"Person {number}")
        sign(small.organization_id)
    assert statements() == before <= 8


# ---- the person of a row ----


def test_a_name_is_proved_with_people_read_only(small: SmallCompany, caller_of: Callers, log_key: str) -> None:
    everything = caller_of(small.organization_id)
    without = caller_of(small.organization_id, (Scope.CERTIFICATES_READ, Scope.TRAINING_READ))
    named = 0
    for row in listed(everything, BY_NAME["certificates"]):
        target = f"/proof/v1/certificates/{row['certificate_id']}"
        assert proved(without(target), log_key).identity is None
        assert row["person_name"].encode() not in without(target).content
        identity = proved(everything(target), log_key).identity
        if identity is not None:
            assert (identity.person_name, identity.work_email) == (row["person_name"], None)
            named += 1
    assert named
    assert proved(everything(f"/proof/v1/training-records/{record_of(everything)}"), log_key).identity is None


def test_people_are_named_as_v1_names_them_until_they_are_erased(
    small: SmallCompany, caller_of: Callers, log_key: str
) -> None:
    call = caller_of(small.organization_id)
    rows = listed(call, BY_NAME["people"])
    for row in rows:
        identity = proved(call(f"/proof/v1/people/{row['person_id']}"), log_key).identity
        if row["access_state"] == "erased":
            assert identity is None
        else:
            assert identity is not None
            assert (identity.person_name, identity.work_email) == (row["person_name"], row["work_email"])
    ben = small.people["Ben"]
    before = f"/proof/v1/people/{ben.person_id}?as_at=2026-05-01"
    assert proved(call(before), log_key).identity is not None
    erase_person(organization_id=small.organization_id, learner_profile_id=ben.learner_profile_id, at=NOW)
    sign(small.organization_id)
    assert proved(call(before), log_key).identity is None
    assert proved(call(f"/proof/v1/people/{ben.person_id}"), log_key).identity is None
    certificate = next(
        row for row in listed(call, BY_NAME["certificates"]) if row["learner_profile_id"] == str(ben.learner_profile_id)
    )
    assert proved(call(f"/proof/v1/certificates/{certificate['certificate_id']}"), log_key).identity is None
