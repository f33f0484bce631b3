"""The signing page without a browser: links, forms that were tampered with, and the receipt in the register."""

import html
import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from compliance.access.actions import issue_key
from compliance.facts import lines
from compliance.facts.people.erasing import erase_person
from compliance.facts.policies.chain import verify
from compliance.facts.policies.models import Receipt
from compliance.history.actions import capture_all
from compliance.interfaces.pages.errors import LinkError, LinkExpiredError
from compliance.interfaces.pages.links import SigningLink, make_token, read_token
from compliance.interfaces.pages.sign import MOST_BYTES
from compliance.rules.vocabulary import ChangeKind, PolicyAct, Scope
from compliance.tenancy import context
from tests.facts.story import HTML, Story


class Page:
    """A person's page: a link, what it shows, and what the form sends."""

    def __init__(self, story: Story, visitor: Client, **version: Any) -> None:
        self.story, self.visitor = story, visitor
        self.version, self.share_id = story.shared_policy(**version)
        self.profile_id = story.employee("Ana Reis")
        self.link = SigningLink(story.organization_id, self.share_id, self.profile_id, story.now + timedelta(days=1))
        self.path = f"/sign/{make_token(self.link)}"

    def get(self) -> Any:
        return self.visitor.get(self.path)

    def post(self, **changed: str) -> Any:
        said = {
            "release": str(self.version.course_release_id),
            "act": self.version.act.value,
            "agree": "yes",
            "kind": "typed",
            "typed": "Ana Reis",
        }
        return self.visitor.post(self.path, said | changed)

    def receipts(self) -> list[Receipt]:
        with context.company(self.story.organization_id):
            verify(self.story.organization_id)
            return list(Receipt.objects.all())


@pytest.fixture
def page(story: Story, visitor: Client) -> Page:
    return Page(story, visitor)


def test_the_policy_is_shown_exactly_as_sealed_in_a_sandbox(page: Page) -> None:
    answer = page.get()
    body = answer.content.decode()
    assert answer.status_code == 200
    shown = html.unescape(body.split('srcdoc="')[1].split('"')[0])
    assert shown.endswith("<body>" + HTML)
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox"' in body
    policy = answer.headers["Content-Security-Policy"]
    assert "'unsafe" not in policy
    assert "default-src 'none'" in policy
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.cookies == {}


def test_a_signature_becomes_one_receipt_that_the_register_serves(page: Page) -> None:
    first = page.post()
    assert (first.status_code, first.headers["Location"]) == (303, page.path)
    assert page.post(typed="Somebody Else").status_code == 303
    (receipt,) = page.receipts()
    shown = page.get().content.decode()
    for value in (receipt.receipt_sha256, receipt.signature_sha256, receipt.previous_sha256, receipt.receipt_id):
        assert str(value) in shown
    capture_all(page.story.organization_id, page.story.now + timedelta(minutes=1))
    token, _ = issue_key(
        organization_id=page.story.organization_id,
        scopes=[Scope.ACKNOWLEDGEMENTS_READ],
        environment="test",
        at=page.story.now,
        actor="a test",
    )
    client = Client(headers={"authorization": f"Bearer {token}"}, REMOTE_ADDR="10.78.1.2")
    (row,) = client.get("/v1/acknowledgements").json()["data"]
    assert (row["receipt_sha256"], row["sign_in_methods"]) == (receipt.receipt_sha256, "personal_link")


def test_an_acknowledgement_takes_no_signature(story: Story, visitor: Client) -> None:
    page = Page(story, visitor, act=PolicyAct.ACKNOWLEDGE)
    assert "Acknowledge the policy" in page.get().content.decode()
    assert page.post().status_code == 303
    (receipt,) = page.receipts()
    assert (receipt.act, receipt.signature_sha256) == ("acknowledged", None)


@pytest.mark.parametrize(
    "changed, said",
    [
        ({"typed": "  "}, "type your name"),
        ({"agree": "no"}, "Confirm the statement"),
        ({"kind": "drawn", "drawn": ""}, "Nothing was drawn"),
        ({"kind": "drawn", "drawn": "[]"}, "nothing was drawn"),
        ({"kind": "drawn", "drawn": "[[1, Infinity]]"}, "could not be read"),
        ({"kind": "drawn", "drawn": '[[1, "2"]]'}, "not a number"),
        ({"kind": "drawn", "drawn": "[[1, 1e999]]"}, "not finite"),
        ({"kind": "drawn", "drawn": "[" * 5000}, "could not be read"),
        ({"kind": "drawn", "drawn": json.dumps([[1, 2] * 15_000])}, "20,000 numbers"),
        ({"kind": "drawn", "drawn": "[[" + "1," * MOST_BYTES + "1]]"}, "too large"),
        ({"act": "acknowledge"}, "signature is needed"),
    ],
)
def test_a_bad_form_is_answered_in_words_and_stores_nothing(changed: dict[str, str], said: str, page: Page) -> None:
    answer = page.post(**changed)
    assert answer.status_code == 422
    assert said in html.unescape(answer.content.decode())
    assert page.receipts() == []


def test_a_version_that_was_replaced_while_reading_is_shown_anew(page: Page) -> None:
    page.story.tell(
        [
            page.story.version(
                course_id=page.version.course_id, version=2, change_kind=ChangeKind.ASK_AGAIN, at=page.story.now
            )
        ]
    )
    for release in (str(page.version.course_release_id), "nonsense"):
        answer = page.post(release=release)
        assert answer.status_code == 409
        assert "newer version" in answer.content.decode()
    assert page.receipts() == []


def test_forged_altered_and_expired_links_open_nothing(page: Page, visitor: Client, settings: Any) -> None:
    token = make_token(page.link)
    assert read_token(token, page.story.now) == page.link._replace(
        expires_at=page.link.expires_at.replace(microsecond=0)
    )
    altered = [token[:-1], "A" + token[1:], token.split(".")[0], token + "x", "x", token.replace(".", "")]
    other = make_token(page.link._replace(learner_profile_id=uuid.uuid4()))
    altered.append(other.split(".")[0] + "." + token.split(".")[1])
    for text in altered:
        with pytest.raises(LinkError):
            read_token(text, page.story.now)
        answer = visitor.get(f"/sign/{text}")
        assert answer.status_code == 404
        assert "does not work" in answer.content.decode()
    with pytest.raises(LinkExpiredError):
        read_token(token, page.link.expires_at)
    expired = make_token(page.link._replace(expires_at=page.story.now - timedelta(days=1)))
    assert visitor.get(f"/sign/{expired}").status_code == 410
    assert visitor.post(f"/sign/{expired}").status_code == 410
    settings.SECRET_KEY = "another key than the one that signed"
    assert visitor.get(page.path).status_code == 404
    assert page.receipts() == []


def test_a_link_asks_nothing_of_the_ended_the_erased_and_for_other_companies_shares(
    story: Story, visitor: Client, now: datetime
) -> None:
    page, stay = Page(story, visitor), uuid.uuid4()
    left = story.employee("Left", person_id=stay)
    story.tell([lines.EmployeeLeft(fact_id=uuid.uuid4(), at=story.now - timedelta(hours=1), person_id=stay)])
    _, foreign_share = Story(story.now).shared_policy()
    erased = story.employee("Erased")
    erase_person(organization_id=story.organization_id, learner_profile_id=erased, at=story.now)
    for changed in (
        {"learner_profile_id": left},
        {"learner_profile_id": erased},
        {"learner_profile_id": uuid.uuid4()},
        {"share_id": foreign_share},
    ):
        path = f"/sign/{make_token(page.link._replace(**changed))}"
        form = {"release": str(page.version.course_release_id), "agree": "yes", "typed": "x"}
        for answer in (visitor.get(path), visitor.post(path, form)):
            assert answer.status_code == 404
            assert "Nothing to sign" in answer.content.decode()
    assert page.receipts() == []


def test_a_receipt_stays_to_be_seen_until_the_person_is_erased(page: Page) -> None:
    page.post(kind="drawn", drawn="[[10, 20, 30.5, 40], [5, 5]]")
    assert page.get().content.decode().count("<polyline") == 2
    erase_person(organization_id=page.story.organization_id, learner_profile_id=page.profile_id, at=page.story.now)
    assert page.get().status_code == 404
    assert len(page.receipts()) == 1


@pytest.mark.parametrize(
    "due_at, said",
    [
        (datetime(2025, 7, 5, 22, 59, 59, 999999, tzinfo=UTC), "was due 5 July 2025, 23:59 (Europe/Lisbon)"),
        (datetime(2999, 1, 5, 11, 30, tzinfo=UTC), "<strong>due 5 January 2999, 11:30 (Europe/Lisbon)"),
    ],
)
def test_the_deadline_is_told_on_the_companys_clock(due_at: datetime, said: str, story: Story, visitor: Client) -> None:
    version = story.version()
    story.tell([version])
    share_id = story.share(version.course_id, deadline=lines.FixedDeadline(due_at=due_at))
    link = SigningLink(story.organization_id, share_id, story.employee("Ana Reis"), story.now + timedelta(days=1))
    assert said in visitor.get(f"/sign/{make_token(link)}").content.decode()
