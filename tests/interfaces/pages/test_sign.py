"""The signing page without a browser: links, forms that were tampered with, and the receipt in the register."""

import base64
import hashlib
import html
import io
import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from compliance.access.actions import issue_key
from compliance.facts.lines import kinds
from compliance.facts.people.erasing import erase_person
from compliance.facts.policies.chain import verify
from compliance.facts.policies.models import Receipt
from compliance.history.actions import capture_all
from compliance.interfaces.operations import tasks
from compliance.interfaces.pages.links import SigningLink, make_token
from compliance.interfaces.pages.models import Link
from compliance.interfaces.pages.signing_form import MOST_BYTES
from compliance.letters.models import Letter
from compliance.rules.vocabulary import ChangeKind, PolicyAct, Scope
from compliance.tenancy import context
from tests.facts.story import HTML, Story


class Page:
    """A person's page: a link, its content, and the form's fields."""

    def __init__(self, story: Story, visitor: Client, **version: Any) -> None:
        self.story, self.visitor = story, visitor
        self.version, self.share_id = story.shared_policy(**version)
        self.profile_id = story.employee("Ana Reis")
        self.link = SigningLink(story.organization_id, self.share_id, self.profile_id, story.now + timedelta(days=1))
        self.path = f"/sign/{make_token(self.link, story.now)}"

    def get(self) -> Any:
        """The page behind the button."""
        return self.visitor.post(self.path, {"step": "open"})

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


def test_another_name_is_asked_about_and_nothing_is_written_until_it_is_confirmed(page: Page) -> None:
    asked = page.post(typed="Ana M. Reis")
    body = html.unescape(asked.content.decode())
    assert asked.status_code == 200
    assert "Your name here is <strong>Ana Reis</strong>" in body
    assert "Sign as Ana M. Reis" in body
    assert page.receipts() == []
    assert page.post(typed="Ana N. Reis", confirmed="Ana M. Reis").status_code == 200
    assert page.receipts() == []
    assert page.post(typed="Ana M. Reis", confirmed="Ana M. Reis").status_code == 303
    assert len(page.receipts()) == 1


@pytest.mark.parametrize("typed", ["ana reis", " \u00c1na   R\u00e9is "])
def test_the_same_name_in_other_letters_is_signed_at_once(typed: str, page: Page) -> None:
    assert page.post(typed=typed).status_code == 303
    assert len(page.receipts()) == 1


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


@pytest.mark.parametrize(
    ("changed", "field"),
    [({"agree": "no"}, 'id="agree"'), ({"typed": " "}, 'id="typed"'), ({"kind": "drawn", "drawn": ""}, 'id="pad"')],
)
def test_a_fault_is_tied_to_its_field_and_what_was_filled_in_is_there_again(
    changed: dict[str, str], field: str, page: Page
) -> None:
    body = page.post(**{"typed": "Ana <i>Reis</i>"} | changed).content.decode()
    tags = [each for each in body.split("<") if field in each]
    assert len(tags) == 1
    assert body.count('fault"') == 3  # its class, its id and the field that it describes
    assert 'aria-describedby="fault"' in tags[0] or 'aria-describedby="drawing-keys fault"' in tags[0]
    assert 'aria-invalid="true"' in tags[0] or field == 'id="pad"'
    if changed.get("typed") is None:
        assert 'value="Ana &lt;i&gt;Reis&lt;/i&gt;"' in body
    assert ("checked aria" in body or "checked>" in body.split('id="agree"')[1][:60]) == ("agree" not in changed)


@pytest.mark.parametrize("changed", [{"typed": "Ana M. Reis"}, {"typed": " "}, {"agree": "no"}, {}])
def test_after_a_newer_version_the_form_is_blank_whatever_else_is_wrong(changed: dict[str, str], page: Page) -> None:
    newer = page.story.version(
        course_id=page.version.course_id, version=2, change_kind=ChangeKind.ASK_AGAIN, at=page.story.now
    )
    page.story.tell([newer])
    answer = page.post(**changed)
    body = answer.content.decode()
    assert answer.status_code == 409
    assert "newer version" in body
    assert f'value="{newer.course_release_id}"' in body
    assert 'name="confirmed"' not in body
    assert "checked" not in body.split('id="agree"')[1][:60]
    assert "aria-invalid" not in body


def test_title_and_statement_are_marked_in_the_policys_language(story: Story, visitor: Client) -> None:
    page = Page(
        story,
        visitor,
        html="<h1>Sperren des Bildschirms</h1>\n<p>Der Bildschirm ist zu sperren, und das nicht nur bei Nacht.</p>\n",
    )
    body = page.get().content.decode()
    assert '<bdi lang="de">Sperren des Bildschirms</bdi>' in body
    assert '<span lang="de" dir="auto">' in body
    page.post()
    receipt = page.get().content.decode()
    assert '<bdi lang="de">Sperren des Bildschirms</bdi></h1>' in receipt
    assert '<blockquote class="statement" lang="de" dir="auto">' in receipt


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


def test_days_are_those_of_the_company(story: Story, visitor: Client) -> None:
    late = datetime(2025, 7, 1, 23, 30, tzinfo=UTC)  # the next day in Lisbon
    page = Page(story, visitor, at=late)
    assert "published 2 July 2025" in page.get().content.decode()
    expired = make_token(page.link._replace(expires_at=late), story.now)
    assert "2 July 2025" in visitor.get(f"/sign/{expired}").content.decode()


def test_forged_altered_and_expired_links_open_nothing(page: Page, visitor: Client) -> None:
    token = make_token(page.link, page.story.now)
    other = Story(page.story.now)
    foreign = make_token(page.link._replace(organization_id=other.organization_id), page.story.now)
    forged = base64.urlsafe_b64encode(page.story.organization_id.bytes + bytes(24)).decode()
    altered = ("B" if token[0] == "A" else "A") + token[1:]
    for text in (token[:-1], altered, token + "x", "x", "\u00e9", foreign[:22] + token[22:], forged):
        for answer in (visitor.get(f"/sign/{text}"), visitor.post(f"/sign/{text}", {"step": "open"})):
            assert answer.status_code == 404
            assert "does not work" in answer.content.decode()
    expired = make_token(page.link._replace(expires_at=page.story.now - timedelta(days=1)), page.story.now)
    assert visitor.get(f"/sign/{expired}").status_code == 410
    assert visitor.post(f"/sign/{expired}").status_code == 410
    assert page.receipts() == []


def test_a_mail_scanner_that_only_gets_is_shown_nothing_and_uses_nothing_up(page: Page) -> None:
    for _ in range(3):
        body = page.visitor.get(page.path).content.decode()
        assert "Open the policy" in body
        assert "Ana Reis" not in body
        assert "Lock your screen" not in body
    assert page.get().status_code == 200
    assert page.post().status_code == 303


def test_only_a_digest_of_the_token_is_kept(page: Page) -> None:
    with context.company(page.story.organization_id):
        (row,) = Link.objects.all()
    token = page.path.split("/")[-1]
    assert row.token_sha256 == hashlib.sha256(token.encode()).hexdigest()
    assert token not in str(vars(row))


def test_a_revoked_link_opens_and_signs_nothing(page: Page) -> None:
    told = io.StringIO()
    call_command("revoke_signing_links", organization=page.story.organization_id, profile=page.profile_id, stdout=told)
    assert told.getvalue() == "1 links withdrawn.\n"
    for answer in (page.visitor.get(page.path), page.get(), page.post()):
        assert answer.status_code == 410
        assert "withdrawn" in answer.content.decode()
    assert page.receipts() == []


def test_long_after_signing_the_link_says_that_it_is_done_and_nothing_else(page: Page) -> None:
    page.post()
    assert "Show the receipt" in page.visitor.get(page.path).content.decode()
    assert "Ana Reis" in page.get().content.decode()
    with context.company(page.story.organization_id):
        Link.objects.update(receipt_until=page.story.now - timedelta(seconds=1))
    for answer in (page.visitor.get(page.path), page.get()):
        body = answer.content.decode()
        assert "Done" in body
        assert "Ana Reis" not in body
        assert "receipt_sha256" not in body
        assert "<button" not in body
    fresh = make_token(page.link, page.story.now)
    assert "Ana Reis" in page.visitor.post(f"/sign/{fresh}", {"step": "open"}).content.decode()
    with context.company(page.story.organization_id):
        Link.objects.update(receipt_until=page.story.now - timedelta(seconds=1))
    assert "Ana Reis" not in page.visitor.post(f"/sign/{fresh}", {"step": "open"}).content.decode()


def test_who_signed_is_told_by_mail_once_and_who_was_erased_is_not(page: Page, mailoutbox: list[Any]) -> None:
    page.story.tell(
        [
            kinds.PersonChanged(
                fact_id=uuid.uuid4(), at=page.story.now, learner_profile_id=page.profile_id,
                person_name="Ana Reis", work_email="ana@example.org",
            )
        ]
    )  # fmt: skip
    page.post()
    for _ in range(2):
        tasks.send_letters(str(page.story.organization_id))
    (letter,) = mailoutbox
    assert letter.to == ["ana@example.org"]
    assert letter.subject == "Your copy: you signed Use of devices"
    assert page.receipts()[0].receipt_sha256 in letter.body
    assert "/sign/" not in letter.body
    with context.company(page.story.organization_id):
        Letter.objects.update(due_at=page.story.now, settled_at=None)
    erase_person(organization_id=page.story.organization_id, learner_profile_id=page.profile_id, at=page.story.now)
    tasks.send_letters(str(page.story.organization_id))
    assert len(mailoutbox) == 1


def test_a_second_link_to_what_is_signed_tells_nobody_that_it_was_signed_again(
    page: Page, mailoutbox: list[Any]
) -> None:
    joined: dict[str, Any] = {
        "learner_profile_id": page.profile_id,
        "person_name": "Ana Reis",
        "work_email": "ana@example.org",
    }
    page.story.tell([kinds.PersonChanged(fact_id=uuid.uuid4(), at=page.story.now, **joined)])
    other = f"/sign/{make_token(page.link, page.story.now)}"
    page.post()
    form = {"release": str(page.version.course_release_id), "agree": "yes", "typed": "Ana Reis"}
    assert page.visitor.post(other, form).status_code == 303
    tasks.send_letters(str(page.story.organization_id))
    assert len(mailoutbox) == 1
    assert len(page.receipts()) == 1
    assert "Show the receipt" in page.visitor.get(other).content.decode()


def test_a_link_asks_nothing_of_the_ended_the_erased_and_for_other_companies_shares(
    story: Story, visitor: Client, now: datetime
) -> None:
    page, stay = Page(story, visitor), uuid.uuid4()
    left = story.employee("Left", person_id=stay)
    story.tell([kinds.EmployeeLeft(fact_id=uuid.uuid4(), at=story.now - timedelta(hours=1), person_id=stay)])
    _, foreign_share = Story(story.now).shared_policy()
    erased = story.employee("Erased")
    erase_person(organization_id=story.organization_id, learner_profile_id=erased, at=story.now)
    changes: tuple[dict[str, Any], ...] = (
        {"learner_profile_id": left},
        {"learner_profile_id": erased},
        {"learner_profile_id": uuid.uuid4()},
        {"share_id": foreign_share},
    )
    for changed in changes:
        path = f"/sign/{make_token(page.link._replace(**changed), page.story.now)}"
        form = {"release": str(page.version.course_release_id), "agree": "yes", "typed": "x"}
        for answer in (visitor.post(path, {"step": "open"}), visitor.post(path, form)):
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
    share_id = story.share(version.course_id, deadline=kinds.FixedDeadline(due_at=due_at))
    link = SigningLink(story.organization_id, share_id, story.employee("Ana Reis"), story.now + timedelta(days=1))
    path = f"/sign/{make_token(link, story.now)}"
    assert said in visitor.post(path, {"step": "open"}).content.decode()
