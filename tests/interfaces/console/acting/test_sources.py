"""Sources at the console: who may grant which kinds, what a second person confirms, and what the page says."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from compliance.access import sources, tokens
from compliance.access.models import Source
from compliance.interfaces.console.models import AccessLog, Job
from compliance.interfaces.console.permissions import AUDITOR, OPERATOR, actor_id
from compliance.tenancy import context
from tests.companies import make_company
from tests.interfaces.console.acting.test_keys import day, post
from tests.interfaces.console.conftest import make_staff, signed_in
from tests.interfaces.console.test_acting import decide

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization_id(empty_company):
    return empty_company.organization_id


def issue(client, organization_id, **values):
    sent = {"source_name": "Workday", "leaving": "left", "networks": "", "expires_on": day(90)}
    return post(client, organization_id, "issue-source", **(sent | values))


def page(client, organization_id):
    return client.get(f"/console/companies/{organization_id}/sources/").content.decode()


def test_a_token_is_shown_once_and_never_kept_or_logged(staff, organization_id, caplog):
    caplog.set_level("DEBUG")
    client = staff(OPERATOR)
    text = issue(client, organization_id, people=["person_invited", "team_joined"], networks="192.0.2.0/24")
    (token,) = re.findall(r"svc_in_test_\w{49}", text)
    source = Source.objects.get()
    assert (source.kinds, source.networks) == (["person_invited", "team_joined"], ["192.0.2.0/24"])
    assert tokens.digest(token) == bytes(source.digest)
    shown = page(client, organization_id)
    assert token not in shown
    assert "person invited, team joined" in shown
    assert token not in caplog.text + "".join(repr(record.__dict__) for record in caplog.records)
    line = AccessLog.objects.get(organization_id=organization_id, act="issue-source")
    assert token not in repr(line.__dict__)
    with context.company(organization_id):
        assert all(token not in repr(job.__dict__) for job in Job.objects.all())


@pytest.mark.parametrize(
    "beyond",
    [
        {"training": ["course_completed"]},
        {"people": ["person_erased"]},
        {"scim": "on"},
        {"people": ["employee_joined"]},
    ],
)
def test_nobody_hands_out_what_they_may_not_record(staff, organization_id, beyond):
    text = issue(staff(OPERATOR), organization_id, **beyond)
    assert "You may not record these yourself" in text
    assert not Source.objects.exists()
    text = issue(staff("Administrator"), organization_id, **beyond)
    assert "svc_in_test_" in text
    assert Source.objects.count() == 1


def test_nobody_rotates_what_they_may_not_hand_out_but_they_revoke_it(staff, organization_id):
    issue(staff("Administrator"), organization_id, scim="on", leaving="suspended")
    source = Source.objects.get()
    assert (source.kinds, source.leaving) == (["scim"], "suspended")
    client = staff(OPERATOR)
    text = post(client, organization_id, "rotate-source", source_id=str(source.source_id), expires_on=day(300))
    assert "You may not record these yourself" in text
    text = post(client, organization_id, "revoke-source", source_id=str(source.source_id))
    source.refresh_from_db()
    assert source.revoked_reason == "by staff"
    text = post(
        staff("Administrator"), organization_id, "rotate-source", source_id=str(source.source_id), expires_on=day(9)
    )
    assert "svc_in_test_" not in text


@pytest.mark.parametrize(
    "wrong",
    [{}, {"people": ["person_promoted"]}, {"people": ["team_joined"], "expires_on": day(400)},
     {"people": ["team_joined"], "expires_on": day(-1)}, {"people": ["team_joined"], "networks": "everywhere"},
     {"people": ["team_joined"], "source_name": " "}],
)  # fmt: skip
def test_a_source_that_makes_no_sense_is_refused_with_a_sentence(staff, organization_id, wrong):
    assert "errorlist" in issue(staff("Administrator"), organization_id, **wrong)
    assert not Source.objects.exists()


def test_where_two_people_are_needed_nobody_hands_out_or_rotates_a_token_alone(organization_id, settings):
    settings.FOUR_EYES = True
    first, second = make_staff("otto", OPERATOR), make_staff("olga", OPERATOR)
    text = issue(signed_in(first), organization_id, people=["team_joined"])
    assert "This needs a second person" in text
    assert not Source.objects.exists()
    with context.company(organization_id):
        job = Job.objects.get(state=Job.State.PREPARED)
    where = f"/console/companies/{organization_id}/inbox/issue-source/{job.job_id}/"
    assert "svc_in_test_" not in decide(signed_in(first), where).content.decode()
    assert "svc_in_test_" in decide(signed_in(second), where).content.decode()
    source = Source.objects.get()
    assert source.issued_by == str(actor_id(second.pk)), "whoever was shown the token"
    text = post(signed_in(first), organization_id, "rotate-source", source_id=str(source.source_id), expires_on=day(9))
    assert "This needs a second person" in text
    assert "svc_in_test_" not in text
    with context.company(organization_id):
        job = Job.objects.get(state=Job.State.PREPARED)
    where = f"/console/companies/{organization_id}/inbox/rotate-source/{job.job_id}/"
    third = make_staff("orla", OPERATOR)
    assert "svc_in_test_" in decide(signed_in(third), where).content.decode()
    source.refresh_from_db()
    assert source.issued_by == str(actor_id(third.pk))
    assert "orla" in page(signed_in(first), organization_id)


def test_a_rotation_says_until_when_the_former_token_opens(staff, organization_id):
    client = staff(OPERATOR)
    issue(client, organization_id, people=["team_joined"])
    source = Source.objects.get()
    text = post(client, organization_id, "rotate-source", source_id=str(source.source_id), expires_on=day(300))
    assert len(set(re.findall(r"svc_in_test_\w{49}", text))) == 1
    assert "The token of today opens until" in text
    assert "former token until" in page(client, organization_id)
    source.refresh_from_db()
    assert source.expires_at > timezone.now() + timedelta(days=298)


def test_a_source_of_another_company_is_out_of_reach(staff, organization_id):
    _, theirs = sources.issue_source(
        organization_id=make_company("Other").organization_id, name="Theirs", kinds=["team_joined"], environment="test",
        at=timezone.now(), actor="a test",
    )  # fmt: skip
    client = staff("Administrator")
    for act in ("rotate-source", "revoke-source"):
        assert "errorlist" in post(client, organization_id, act, source_id=str(theirs.source_id), expires_on=day(9))
    assert "Theirs" not in page(client, organization_id)
    theirs.refresh_from_db()
    assert (theirs.revoked_at, theirs.former_digest) == (None, None)


def test_sources_are_named_when_their_issuer_has_left_and_auditors_read_the_page(staff, organization_id):
    leaver = make_staff("leaver", OPERATOR)
    issue(signed_in(leaver), organization_id, people=["team_joined"])
    assert "has left" not in page(staff(OPERATOR), organization_id)
    leaver.groups.clear()
    assert "has left" in page(staff(OPERATOR), organization_id)
    seen = page(staff(AUDITOR), organization_id)
    assert "Workday" in seen
    assert "act/rotate-source" not in seen


def test_the_page_of_sources_asks_the_database_as_often_for_many(staff, organization_id):
    client, counts = staff(OPERATOR), []
    for start in (0, 5):
        for number in range(start, start + 5):
            issuer = make_staff(f"issuer-{number}", OPERATOR)
            issue(signed_in(issuer), organization_id, people=["team_joined"], source_name=f"HR {number}")
        with CaptureQueriesContext(connection) as asked:
            page(client, organization_id)
        counts.append(len(asked))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("ended", sources.GOES_ON)
def test_a_source_whose_token_ended_is_revoked_for_good(staff, organization_id, ended):
    client = staff("Administrator")
    issue(client, organization_id, people=["team_joined"])
    source = Source.objects.get()
    sources.revoke_source(source_id=source.source_id, at=timezone.now(), actor="a test", reason=ended)
    links = [f"act/{act}/?source_id={source.source_id}" for act in ("rotate-source", "revoke-source")]
    assert [each in page(client, organization_id) for each in links] == [True, True]
    post(client, organization_id, "revoke-source", source_id=str(source.source_id))
    source.refresh_from_db()
    assert source.revoked_reason == "by staff"
    assert [each in page(client, organization_id) for each in links] == [False, False]
    text = post(client, organization_id, "rotate-source", source_id=str(source.source_id), expires_on=day(9))
    assert "svc_in_test_" not in text
