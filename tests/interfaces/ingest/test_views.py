"""POST /in/v1/facts: what is recorded, what is refused, and the answers."""

import json
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from compliance.facts.ledger.models import Fact, Origin
from compliance.tenancy import context
from tests.facts.files import fact, identifier, joined, team
from tests.interfaces.ingest.conftest import ndjson

pytestmark = pytest.mark.django_db


def answered(answer, recorded, known=0, refused=()):
    """Checks for an answer of 200 with these numbers; `refused` are numbers of lines and their codes."""
    assert answer.status_code == 200, answer.content
    told = answer.json()
    assert (told["recorded"], told["known"]) == (recorded, known), told
    assert [(line["line"], line["code"]) for line in told["refused"]] == list(refused)
    return told


def refused(answer, status, code):
    """The problem in an answer; checks the header fields of every answer."""
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json"), answer.content
    problem = answer.json()
    assert problem["code"] == code
    assert uuid.UUID(answer["X-Request-Id"]) == uuid.UUID(problem["request_id"])
    assert answer["Cache-Control"] == "no-store"
    assert answer["RateLimit"]
    return problem


def known_facts(organization_id):
    with context.company(organization_id):
        return set(Fact.objects.filter(organization_id=organization_id).values_list("fact_id", flat=True))


def test_facts_are_recorded_once_however_often_they_come(post, organization_id):
    story = [joined("anna", team_ids=[identifier("team blue")]), team("blue")]
    assert answered(post(story), 2)["capture"] is None
    answered(post(story), 0, 2)
    answered(post([*story, team("red"), team("red")]), 1, 3)
    assert len(known_facts(organization_id)) == 3


def test_an_array_is_read_as_lines_are(post):
    told = [team("blue"), {"fact": "team_created"}, joined("anna"), 5, "x", None, [], [[]]]
    for body, repeated in ((json.dumps(told).encode(), 0), (json.dumps(told, indent=2).encode(), 2)):
        codes = [(2, "invalid_fact"), *((line, "invalid_fact") for line in range(4, 9))]
        answered(post(body, content_type="application/json"), 2 - repeated, repeated, codes)
    answered(post(b" [ ] \n"), 0)


def test_what_is_refused_is_told_line_by_line_and_loses_nothing_good(post):
    good = ndjson([team("blue")])
    broken = b'{"fact": "team_created", "team_id": "\xff"}\n'
    unknown = b'{"fact":"moved_house","fact_id":"%b"}\n' % identifier("a").encode()
    body = b"".join([b"\xef\xbb\xbf\r\n", good, b"\n", broken, b"{\n", ndjson([joined("anna")]), unknown])
    told = answered(post(body), 2, 0, [(4, "invalid_utf8"), (5, "invalid_json"), (7, "unknown_kind")])
    assert [line["fact_id"] for line in told["refused"]] == [None, None, identifier("a")]
    assert all(line["reason"] for line in told["refused"])


def test_a_kind_beyond_the_sources_own_is_refused_line_by_line(organization_id, sender_of):
    post = sender_of(organization_id, ["team_created", "scim"])
    told = answered(post([joined("anna"), team("blue")]), 1, 0, [(1, "kind_not_allowed")])
    assert told["refused"][0]["fact_id"] == joined("anna")["fact_id"]


def test_the_origin_of_what_is_recorded_is_the_source(organization_id, sender_of):
    answered(sender_of(organization_id, name="Payroll")([team("blue")]), 1)
    with context.company(organization_id):
        origin = Origin.objects.get(organization_id=organization_id)
    assert (origin.channel, origin.name, origin.actor_id) == ("source", "Payroll", None)


def test_all_or_nothing(post, organization_id):
    problem = refused(post([team("blue"), {"fact": "x"}], "strict=true"), 422, "lines_refused")
    assert [(line["line"], line["code"]) for line in problem["refused"]] == [(2, "unknown_kind")]
    assert not known_facts(organization_id)
    answered(post([team("blue")], "strict=true"), 1)
    answered(post([team("red"), {"fact": "x"}], "strict=false"), 1, 0, [(2, "unknown_kind")])


def test_another_content_under_a_known_identifier_is_refused(post):
    first, other = team("blue"), team("blue") | {"team_id": identifier("team other")}
    answered(post([first]), 1)
    answered(post([other, team("red")]), 1, 0, [(1, "fact_id_reused")])


def test_a_fact_too_far_ahead_is_refused_and_one_that_names_nothing_known_may_come_again(post):
    ahead = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    member = fact("team_joined", "anna", 1, team_id="team blue", learner_profile_id="anna")
    codes = [(1, "at_in_future"), (2, "unresolved_reference")]
    answered(post([team("late") | {"at": ahead}, member]), 0, 0, codes)
    answered(post([team("blue"), joined("anna")]), 2)
    answered(post([member]), 1)
