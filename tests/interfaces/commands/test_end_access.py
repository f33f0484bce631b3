"""`end_access`: what a restored backup lets in again opens no more, and staff accounts are listed."""

import io
import json
import uuid
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from compliance.access import sources
from compliance.access.actions import issue_key
from compliance.access.models import ApiKey, Source
from compliance.interfaces.console import access_chain
from compliance.interfaces.console.access_log import DEPLOYMENT
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import AUDITOR, OPERATOR
from compliance.interfaces.console.sign_in import invitations
from compliance.interfaces.console.sign_in.invitations import InvitationError
from compliance.interfaces.pages.links import SigningLink, make_token
from compliance.learning import links
from compliance.rules.vocabulary import Scope
from compliance.tenancy import context
from tests.companies import make_present_company, noon
from tests.interfaces.console.conftest import make_staff, signed_in

pytestmark = pytest.mark.django_db
CONSOLE = "/console/companies/"
READ_AFTER_WRITING = pytest.mark.one_server("pages ask functions of the owner, which see only what is committed there")


def ended(*arguments):
    printed = io.StringIO()
    call_command("end_access", *map(str, arguments), "--json", stdout=printed)
    return json.loads(printed.getvalue())


def issue_source(organization_id):
    return sources.issue_source(
        organization_id=organization_id, name="HR", kinds=["scim"], environment="test", at=timezone.now(), actor="test"
    )


class Access:
    """A company with everything by which somebody gets in."""

    def __init__(self):
        self.company = make_present_company()
        organization_id, now = self.company.organization_id, timezone.now()
        profile_id = self.company.join("Anna", at=noon(20)).learner_profile_id
        self.key, _ = issue_key(
            organization_id=organization_id, scopes=list(Scope), environment="test", at=now, actor="test"
        )
        self.former, self.source = issue_source(organization_id)
        self.token, _ = sources.rotate_source(source_id=self.source.source_id, environment="test", at=now, actor="test")
        with context.company(organization_id):
            self.link, self.other_link = (
                links.make(organization_id, now=now, life=timedelta(days=1), learner_profile_id=profile_id, uses=None)
                for _ in range(2)
            )
        self.learner = Client()
        assert self.learner.post(f"/learn/in/{self.link}").status_code == 303
        self.signing = make_token(SigningLink(organization_id, uuid.uuid4(), profile_id, now + timedelta(days=1)), now)

    def opens(self):
        answers = {"key": Client().get("/v1/snapshot", HTTP_AUTHORIZATION=f"Bearer {self.key}")}
        for name, token in (("token", self.token), ("former token", self.former)):
            answers[name] = Client().get("/scim/v2/Users", HTTP_AUTHORIZATION=f"Bearer {token}")
        answers["learner's session"] = self.learner.get("/learn/devices")
        answers["personal link"] = Client().get(f"/learn/in/{self.other_link}")
        answers["signing link"] = Client().get(f"/sign/{self.signing}")
        return {name for name, answer in answers.items() if answer.status_code == 200}


ALL = {"key", "token", "former token", "learner's session", "personal link", "signing link"}


@pytest.fixture
def access():
    return Access()


@READ_AFTER_WRITING
def test_nothing_that_was_issued_before_opens_any_more(access):
    operator = signed_in(make_staff("ada", OPERATOR))
    code = invitations.issue(user=make_staff("new", None), by="a test", at=timezone.now())
    assert access.opens() == ALL
    assert operator.get(CONSOLE).status_code == 200
    found = ended()
    assert found == {
        "keys": 1, "sources": 1, "learner_sessions": 1, "personal_links": 2, "signing_links": 1, "staff_sessions": 1,
        "staff_invitations": 1, "accounts": found["accounts"],
    }  # fmt: skip
    assert access.opens() == set()
    assert operator.get(CONSOLE).status_code == 302
    with pytest.raises(InvitationError):
        invitations.account_of(code, timezone.now())
    assert ended() == dict.fromkeys(found, 0) | {"accounts": found["accounts"]}


def test_accounts_that_may_sign_in_are_listed_for_review(access):
    make_staff("ada", OPERATOR)
    make_staff("root", "Administrator")
    make_staff("outside", AUDITOR, [access.company.organization_id])
    make_staff("over", AUDITOR, [], days=-1)
    make_staff("nobody", None)
    assert [(each["username"], each["keeps_staff"], each["organization_ids"]) for each in ended()["accounts"]] == [
        ("ada", False, None),
        ("outside", False, [str(access.company.organization_id)]),
        ("root", True, None),
    ]
    printed = io.StringIO()
    call_command("end_access", stdout=printed)
    assert f"outside: Auditor; {access.company.organization_id}\n" in printed.getvalue()
    assert "root: Administrator, keeps the staff accounts; every company\n" in printed.getvalue()


def test_each_company_and_the_deployment_have_a_line_in_the_access_log(access):
    signed_in(make_staff("ada", OPERATOR))
    ended()
    ended()
    lines = AccessLog.objects.filter(act="all access ended").values_list("organization_id", "subject", "reason")
    assert list(lines.order_by("id")) == [
        (
            access.company.organization_id,
            "keys=1 sources=1 learner_sessions=1 personal_links=2 signing_links=1",
            "backup restored",
        ),
        (None, "staff_sessions=1 staff_invitations=0", "backup restored"),
    ]
    assert access_chain.verify(access.company.organization_id).faults == access_chain.verify(DEPLOYMENT).faults == []


@READ_AFTER_WRITING
def test_a_dry_run_counts_and_changes_nothing(access):
    operator = signed_in(make_staff("ada", OPERATOR))
    found = ended("--dry-run")
    assert (found["keys"], found["personal_links"], found["staff_sessions"]) == (1, 2, 1)
    assert access.opens() == ALL
    assert operator.get(CONSOLE).status_code == 200
    assert not AccessLog.objects.filter(act="all access ended").exists()


@READ_AFTER_WRITING
def test_one_company_alone_leaves_the_others_and_the_staff(access):
    other, operator = Access(), signed_in(make_staff("ada", OPERATOR))
    found = ended("--organization", access.company.organization_id)
    assert found["accounts"] == []
    assert (access.opens(), other.opens()) == (set(), ALL)
    assert operator.get(CONSOLE).status_code == 200
    with pytest.raises(CommandError, match="There is no organization"):
        ended("--organization", uuid.uuid4())


def test_a_source_goes_on_with_a_new_token_and_a_key_is_issued_anew(access):
    ended()
    call_command("rotate_source", access.source.source_id, stdout=io.StringIO())
    source = Source.objects.get()
    assert (source.revoked_at, source.former_digest) == (None, None)
    assert access.opens() == set()
    with pytest.raises(CommandError, match="revoked or has expired"):
        call_command("rotate_key", ApiKey.objects.get().key_id, stdout=io.StringIO())


def test_no_more_statements_for_more_keys_sources_and_links(access):
    def statements():
        with CaptureQueriesContext(connection) as found:
            ended("--dry-run")
        return len(found)

    signed_in(make_staff("ada", OPERATOR))
    before = statements()
    organization_id = access.company.organization_id
    for _ in range(3):
        issue_source(organization_id)
        issue_key(organization_id=organization_id, scopes=list(Scope), environment="test", at=timezone.now(), actor="t")
        signed_in(make_staff(uuid.uuid4().hex, OPERATOR))
    assert statements() == before
