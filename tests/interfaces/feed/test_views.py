"""The feed over HTTP: every version once, in order; cursors that never expire, and work only for their own reader."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.catalogue import REGISTERS
from compliance.catalogue.policies import POLICIES
from compliance.facts.lines import kinds
from compliance.facts.people.erasing import erase_person
from compliance.facts.recording import record
from compliance.history.models import HistoryHead
from compliance.history.projections import Columns, ProjectedTimeline, ProjectedVersion
from compliance.interfaces.feed import cursors
from compliance.interfaces.feed.cursors import FeedCursor
from compliance.registers.changes import Place
from compliance.registers.questions import Company
from compliance.rules.vocabulary import Scope
from compliance.tenancy.models import Deployment
from tests.companies import NOW, make_company
from tests.companies import day as at
from tests.interfaces.api.conftest import Caller
from tests.interfaces.feed.conftest import capture
from tests.interfaces.feed.reading import FEED, code, follow, page
from tests.registers.stored import StoredCompany

pytestmark = pytest.mark.django_db
TRAINING = (Scope.TRAINING_READ,)


def test_it_gives_every_version_once_in_the_order_of_sequence_whatever_the_size_of_a_page(small, caller_of):
    call = caller_of(small.organization_id)
    whole = page(call)
    assert [each["sequence"] for each in whole["data"]] == list(range(1, whole["snapshot"]["sequence"] + 1))
    assert whole["at_end"]
    assert whole["registers"] == [register.name for register in REGISTERS.values()]
    assert {each["register"] for each in whole["data"]} == set(whole["registers"])
    for limit in (1, 7, len(whole["data"])):
        assert follow(call, limit=limit)[0] == whole["data"]


@pytest.mark.parametrize("register", REGISTERS.values(), ids=lambda register: register.name)
def test_one_register_and_the_registers_of_a_key_are_parts_of_the_whole(small, caller_of, register):
    whole = page(caller_of(small.organization_id))["data"]
    own = [each for each in whole if each["register"] == register.name]
    call = caller_of(small.organization_id, (register.scope,))
    assert follow(call, register=register.name, limit=2)[0] == own != []
    opened = [each.name for each in REGISTERS.values() if each.scope == register.scope]
    assert page(call)["registers"] == opened
    assert follow(call, limit=3)[0] == [each for each in whole if each["register"] in opened]


def test_the_end_repeats_its_cursor_and_goes_on_from_there(small, caller_of):
    call = caller_of(small.organization_id)
    _, end = follow(call)
    nothing = page(call, cursor=end)
    assert (nothing["data"], nothing["at_end"], nothing["next_cursor"]) == ([], True, end)
    small.company.join("Hal", at=NOW - timedelta(hours=1))
    capture(small.organization_id)
    new, later = follow(call, cursor=end)
    assert {each["capture_sequence"] for each in new} == {page(call)["snapshot"]["capture_sequence"]}
    assert page(call, cursor=later)["data"] == []
    assert page(call, cursor=end)["data"] == new


def test_an_empty_history_has_a_cursor_and_a_register_without_versions_too(caller_of):
    company = make_company()
    call = caller_of(company.organization_id)
    first = page(call)
    assert (first["data"], first["at_end"]) == ([], True)
    assert page(call, cursor=first["next_cursor"])["next_cursor"] == first["next_cursor"]
    nothing = page(call, register="policies")
    company.join()
    capture(company.organization_id)
    assert [each["register"] for each in follow(call, cursor=first["next_cursor"])[0]] == ["people"]
    assert page(call, cursor=nothing["next_cursor"])["data"] == []


def test_a_removal_has_no_fields(stored, caller_of):
    call = caller_of(stored.organization_id)
    learner, record = stored.profile(), uuid.uuid4()
    at = stored.now - timedelta(days=9)
    stored.training(learner, at, record_id=record)
    stored.absent(record, at + timedelta(days=2))
    first, second = page(call, register="training-records")["data"]
    assert (first["removed"], first["basis"]["state_before_end"]) == (False, "required")
    assert (second["removed"], second["fields"], second["id"]) == (True, {}, str(record))
    assert "basis" not in second


def test_people_are_named_as_they_are_now_and_a_rename_or_an_erasure_says_so_at_every_boundary(small, caller_of):
    call = caller_of(small.organization_id)
    cleo = small.people["Cleo"]
    first, cursor = follow(call, register="people", limit=1)
    boundaries = {each["valid_from"] for each in first if each["id"] == str(cleo.person_id)}
    when = {"at": datetime.now(UTC) - timedelta(minutes=1), "learner_profile_id": cleo.learner_profile_id}
    small.story.now = datetime.now(UTC)
    small.story.tell([kinds.PersonChanged(fact_id=uuid.uuid4(), person_name="Clea", work_email="c@x.example", **when)])
    capture(small.organization_id)
    renamed, cursor = follow(call, cursor=cursor, limit=1)
    assert {each["valid_from"] for each in renamed} == boundaries
    assert {(each["id"], each["fields"]["person_name"], each["fields"]["work_email"]) for each in renamed} == {
        (str(cleo.person_id), "Clea", "c@x.example")
    }
    erase_person(organization_id=small.organization_id, **when | {"at": datetime.now(UTC)})
    capture(small.organization_id)
    erased, _ = follow(call, cursor=cursor)
    people = [each for each in erased if each["register"] == "people"]
    assert {each["valid_from"] for each in people} > boundaries
    again, _ = follow(call, register="people")
    own = [each for each in again if each["id"] == str(cleo.person_id)]
    assert {(each["fields"]["person_name"], each["fields"]["work_email"]) for each in own} == {("Erased person", None)}
    assert own[-1]["fields"]["access_state"] == "erased"


def test_who_joins_again_under_another_name_has_it_in_the_rows_of_the_first_stay_and_of_its_invitation(caller_of):
    company = make_company()
    call, invitation, profile = caller_of(company.organization_id), uuid.uuid4(), uuid.uuid4()

    def record_all(*said: kinds.FactLine) -> None:
        record(company.organization_id, list(said), now=NOW)
        capture(company.organization_id)

    def joined(day: float, name: str, **more: Any) -> kinds.EmployeeJoined:
        said: dict[str, Any] = {"person_id": uuid.uuid4(), "learner_profile_id": profile, "person_name": name} | more
        return kinds.EmployeeJoined(fact_id=uuid.uuid4(), at=at(day), **said)

    first = joined(1, "Old Name", invitation_id=invitation)
    record_all(kinds.PersonInvited(fact_id=uuid.uuid4(), at=at(0), invitation_id=invitation, work_email="a@x.example"))
    record_all(first)
    seen, cursor = follow(call)
    record_all(kinds.EmployeeLeft(fact_id=uuid.uuid4(), at=at(5), person_id=first.person_id))
    record_all(joined(9, "New Name"))
    new, _ = follow(call, cursor=cursor)
    kept = {(each["id"], each["valid_from"]): each["fields"]["person_name"] for each in (*seen, *new)}
    assert len(kept) == 6
    assert set(kept.values()) == {"New Name"}


def test_names_are_in_no_other_register(small, caller_of):
    for each in page(caller_of(small.organization_id))["data"]:
        personal = {"person_name", "work_email", "account_email", "check_code", "signer_company"} & set(each["fields"])
        assert personal == ({"person_name", "work_email"} if each["register"] == "people" else set())


def test_a_cursor_opens_for_its_own_register_only(small, caller_of):
    call = caller_of(small.organization_id)
    of_people = page(call, register="people", limit=1)["next_cursor"]
    of_all = page(call, limit=1)["next_cursor"]
    of_both = [page(call, cursor=of_people, **named)["data"] for named in ({}, {"register": "people"})]
    assert of_both[0] == of_both[1] != []
    for cursor, register in ((of_people, "certificates"), (of_all, "people")):
        assert code(call, cursor=cursor, register=register) == (400, "invalid_cursor")


def test_a_cursor_of_another_company_deployment_or_api_is_refused(small, caller_of):
    call = caller_of(small.organization_id)
    cursor = page(call, limit=1)["next_cursor"]
    other = make_company("Other")
    assert code(caller_of(other.organization_id), cursor=cursor) == (400, "invalid_cursor")
    of_v1 = call("/v1/people?from=2026-01-01&to=2026-02-01&limit=1").json()["next_cursor"]
    changed = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
    for text in (of_v1, changed, cursor + "=", cursor[:20], "x", "", " " + cursor, "é"):
        assert code(call, cursor=text) == (400, "invalid_cursor")
    assert call(f"/v1/certificates?cursor={cursor}").status_code == 400
    Deployment.objects.update(deployment_id=uuid.uuid4())
    assert code(call, cursor=cursor) == (400, "invalid_cursor")


def test_a_cursor_of_years_ago_goes_on_under_a_key_that_others_have_followed(small, caller_of, settings):
    call = caller_of(small.organization_id)
    cursor = page(call, limit=10)["next_cursor"]
    settings.CURSOR_KEYS = ["a newer key of the deployment, long enough", *settings.CURSOR_KEYS]
    assert follow(call, cursor=cursor)[0] == page(call)["data"][10:]


def test_a_history_that_was_restored_from_before_the_cursor_refuses_it(small, caller_of):
    call = caller_of(small.organization_id)
    whole, end = follow(call)
    company = _company(small.organization_id)
    forged = FeedCursor(Place(3, b"another row!"), frozenset(REGISTERS), False)
    assert code(call, cursor=cursors.seal(forged, company)) == (400, "invalid_cursor")
    HistoryHead.objects.filter(organization_id=small.organization_id).update(sequence=len(whole) - 1)
    assert code(call, cursor=end) == (400, "invalid_cursor")


def test_a_scope_that_was_taken_away_midway_is_refused_and_one_that_came_changes_nothing(small, caller_of):
    both = caller_of(small.organization_id, (Scope.TRAINING_READ, Scope.PEOPLE_READ))
    cursor = page(both, limit=2)["next_cursor"]
    fewer = caller_of(small.organization_id, TRAINING)
    refusal = fewer(f"{FEED}?cursor={cursor}")
    assert (refusal.status_code, refusal.json()["code"]) == (403, "insufficient_scope")
    assert 'scope="people:read"' in refusal["WWW-Authenticate"]
    assert code(fewer, register="people") == (403, "insufficient_scope")
    every = caller_of(small.organization_id)
    assert follow(every, cursor=cursor)[0] == follow(both)[0][2:]
    assert page(every, cursor=cursor)["registers"] == ["training-records", "people", "courses"]


@pytest.mark.parametrize(
    "query",
    [
        "register=", "register=training-records/period", "register=Training-Records", "register=people&register=people",
        "limit=0", "limit=x", "as_at=2026-01-01", "course=x",
    ],
)  # fmt: skip
def test_what_it_does_not_know_is_refused(small, caller_of, query):
    answer = caller_of(small.organization_id)(f"{FEED}?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert answer.json()["errors"][0]["parameter"] == query.partition("=")[0]


def test_a_page_has_200_versions_unless_more_are_asked_for_and_at_most_1000(stored, caller_of):
    for _ in range(1004):
        stored.training(stored.profile(), stored.now - timedelta(days=3))
    call = caller_of(stored.organization_id)
    whole = follow(call, limit=1000)[0]
    assert len(whole) > 1000
    assert whole == follow(call)[0]
    for asked, held in (
        ({}, 200),
        ({"limit": 200}, 200),
        ({"limit": 999}, 999),
        ({"limit": 1000}, 1000),
        ({"limit": 1001}, 1000),
        ({"limit": 10**30}, 1000),
    ):
        answer = page(call, **asked)
        assert (answer["data"], answer["at_end"]) == (whole[:held], False)
        assert page(call, cursor=answer["next_cursor"], limit=3)["data"] == whole[held : held + 3]


def test_it_answers_as_v1_does(small, caller_of):
    call = caller_of(small.organization_id)
    head = call(f"{FEED}?limit=3", method="HEAD")
    assert (head.status_code, head.content) == (200, b"")
    assert int(head["Content-Length"]) == len(call(f"{FEED}?limit=3").content)
    assert {"X-Request-Id", "RateLimit", "RateLimit-Policy"} <= set(head.headers)
    assert call(FEED, method="POST").status_code == 405
    assert call("/feed/v1/people").status_code == 404
    assert Caller(None)(FEED).status_code == 401
    assert code(Caller(None), key=call.token) == (400, "key_in_url")


def test_a_page_that_says_it_is_the_end_waits_for_the_writer(small, caller_of, settings):
    call = caller_of(small.organization_id)
    small.company.join("Ida", at=NOW - timedelta(days=2))
    settings.WRITER_LAG_SECONDS = 0
    assert page(call, limit=1)["data"]
    assert code(call, limit=200) == (503, "writer_unavailable")
    HistoryHead.objects.filter(organization_id=small.organization_id).update(available=False)
    assert code(call, limit=1) == (503, "unavailable")


def test_a_page_has_at_most_three_mebibytes(stored, caller_of):
    call = caller_of(stored.organization_id)
    sizes = (1_200_000, 1_200_000, 2_900_000, 10, 3_000_000)
    for number, size in enumerate(sizes):
        _policy(stored, stored.now - timedelta(days=9 - number), "x" * size)
    held: list[int] = []
    cursor: dict[str, Any] = {}
    while sum(held) < len(sizes):
        answer = call(f"{FEED}?register=policies" + "".join(f"&{name}={text}" for name, text in cursor.items()))
        assert len(answer.content) <= 3 * 1024 * 1024
        held.append(len(answer.json()["data"]))
        cursor = {"cursor": answer.json()["next_cursor"]}
        assert answer.json()["at_end"] == (sum(held) == len(sizes))
    assert held == [2, 2, 1]
    _policy(stored, stored.now, "x" * 3 * 1024 * 1024)
    assert code(call, **cursor) == (422, "record_too_large")


def test_a_page_takes_the_same_statements_whatever_it_holds(small, caller_of):
    call = caller_of(small.organization_id)
    follow(call)
    counts = []
    for limit in (2, 60):
        with CaptureQueriesContext(connection) as queries:
            follow(call, limit=limit)
        pages = len(follow(call, limit=limit)[0]) // limit + 1
        counts.append(len(queries) / pages)
    assert counts[1] <= counts[0] + 3  # names, and the lessons that were shared alone


def test_it_reads_no_other_company(small, caller_of):
    other = StoredCompany(datetime(2026, 6, 1, 12, tzinfo=UTC))
    other.training(other.profile(), other.now - timedelta(days=3))
    own = {each["id"] for each in page(caller_of(small.organization_id))["data"]}
    (foreign,) = page(caller_of(other.organization_id))["data"]
    assert foreign["id"] not in own


def _company(organization_id: uuid.UUID) -> Company:
    deployment = Deployment.objects.get()
    return Company(organization_id, deployment.deployment_id, uuid.uuid4(), "UTC", datetime(2024, 1, 1, tzinfo=UTC))


def _policy(stored: StoredCompany, published_at: datetime, html: str) -> None:
    release = uuid.uuid4()
    body = f'{{"course_id":"{uuid.uuid4()}","course_release_id":"{release}","html":"{html}"}}'.encode()
    version = ProjectedVersion(published_at, body, Columns(begins_at=published_at))
    stored.store(ProjectedTimeline(POLICIES.number, release, None, uuid.uuid4(), [version]))
