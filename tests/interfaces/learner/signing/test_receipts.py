"""Only the person who signed can see, keep and prove a receipt."""

import html
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from compliance.facts.people.erasing import erase_person
from compliance.facts.policies.models import Receipt
from compliance.history.actions import capture_all
from compliance.log import keys, signing
from compliance.rules.vocabulary import ChangeKind
from compliance.tenancy import context
from tests.facts.story import HTML, Story
from tests.interfaces.proof.test_views import proved

pytestmark = pytest.mark.django_db


class Signed:
    """Ana, who has signed a policy in her pages."""

    def __init__(self, story: Story, signed_in: Any) -> None:
        self.story = story
        self.version, self.share_id = story.shared_policy()
        self.profile_id = story.employee("Ana Reis")
        self.client: Client = signed_in(story.organization_id, self.profile_id)
        self.sign()
        with context.company(story.organization_id):
            self.receipt = Receipt.objects.get()
        self.path = f"/learn/receipts/{self.receipt.receipt_id}"

    def sign(self, **changed: str) -> Any:
        sent = {"release": str(self.version.course_release_id), "agree": "yes", "typed": "Ana Reis"}
        return self.client.post(f"/learn/policies/{self.version.course_id}", sent | changed)

    def text(self, of: str = "") -> str:
        answer = self.client.get(f"{self.path}{of}")
        assert answer.status_code == 200
        return html.unescape(answer.content.decode())


@pytest.fixture
def story(db: None) -> Story:
    return Story(datetime.now(UTC))


@pytest.fixture
def signed(story: Story, signed_in: Any) -> Signed:
    return Signed(story, signed_in)


def test_it_says_what_was_signed_when_and_how_and_folds_the_digests_away(signed: Signed) -> None:
    text = signed.text()
    for words in ("Your signature is recorded", "Use of devices", "Ana Reis", "Harbour & Vine", "Europe/Lisbon"):
        assert words in text
    open_part, folded = text.split('<details class="fold">')
    for digest in (signed.receipt.receipt_sha256, signed.receipt.previous_sha256, signed.receipt.document_sha256):
        assert digest not in open_part
        assert digest in folded


def test_the_text_is_kept_as_it_was_signed_whatever_was_published_since(signed: Signed) -> None:
    newer = signed.story.version(
        course_id=signed.version.course_id,
        version=2,
        change_kind=ChangeKind.ASK_AGAIN,
        at=signed.story.now,
        html="<h1>Use of devices</h1>\n<p>Newer words.</p>\n",
    )
    signed.story.tell([newer])
    assert "Lock your screen" in signed.text("/document")
    assert "Newer words" not in signed.text("/document")
    answer = signed.client.get(f"{signed.path}/document.html")
    assert answer.content.decode().partition("<body>")[2] == HTML
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_drawing_is_drawn_again(story: Story, signed_in: Any) -> None:
    version, _ = story.shared_policy()
    profile_id = story.employee("Ana Reis")
    client = signed_in(story.organization_id, profile_id)
    drawn = {"kind": "drawn", "drawn": "[[10, 20, 30.5, 40], [5, 5]]"}
    form = {"release": str(version.course_release_id), "act": "sign", "agree": "yes"} | drawn
    answer = client.post(f"/learn/policies/{version.course_id}", form)
    assert client.get(answer.headers["Location"]).content.decode().count("<polyline") == 2


@pytest.mark.parametrize("of", ["", "/document", "/document.html", "/proof.json"])
def test_another_persons_receipt_and_one_of_another_company_are_not_there(
    of: str, signed: Signed, signed_in: Any
) -> None:
    colleague = signed_in(signed.story.organization_id, signed.story.employee("Bo Lind"))
    elsewhere = Story(signed.story.now)
    stranger = signed_in(elsewhere.organization_id, elsewhere.employee("Cy Young"))
    for client in (colleague, stranger):
        answer = client.get(f"{signed.path}{of}")
        assert answer.status_code == 404
        assert "Ana Reis" not in answer.content.decode()
    assert signed.client.get(f"/learn/receipts/{uuid.uuid4()}{of}").status_code == 404
    assert Client().get(f"{signed.path}{of}").status_code == 303


def test_who_was_erased_sees_no_receipt_and_the_chain_keeps_it(signed: Signed) -> None:
    erase_person(
        organization_id=signed.story.organization_id, learner_profile_id=signed.profile_id, at=datetime.now(UTC)
    )
    assert signed.client.get(signed.path).status_code == 403
    with context.company(signed.story.organization_id):
        assert Receipt.objects.count() == 1


def test_the_proof_waits_until_it_is_signed_and_then_holds(signed: Signed, settings: Any, tmp_path: Path) -> None:
    settings.LOG_FOLDER, settings.LOG_ORIGIN = str(tmp_path / "log"), ""
    settings.CHECKPOINT_KEYS, settings.CHECKPOINT_VERIFIER_KEYS = ["a key of the test that is long enough"], []
    waits = signed.client.get(f"{signed.path}/proof.json")
    assert (waits.status_code, waits.headers["Retry-After"]) == (503, "5")
    now = datetime.now(UTC) + timedelta(minutes=1)
    capture_all(signed.story.organization_id, now)
    signing.sign_new(now)
    answer = signed.client.get(f"{signed.path}/proof.json")
    assert answer.headers["Content-Type"] == "application/json"
    assert "attachment" in answer.headers["Content-Disposition"]
    assert signed.receipt.receipt_sha256 in proved(answer, keys.verifier_keys()[0]).row.content


def test_it_leads_on_to_what_is_owed_next(signed: Signed) -> None:
    assert "There is nothing more for you to do" in signed.text()
    other, _ = signed.story.shared_policy(html="<h1>Gifts</h1>\n<p>Take none.</p>\n")
    capture_all(signed.story.organization_id, datetime.now(UTC))
    text = signed.text().partition("What next")[2]
    assert "Gifts" in text
    assert f'href="/learn/policies/{other.course_id}"' in text


def test_statements_do_not_grow_with_receipts_and_with_what_is_owed(signed: Signed) -> None:
    def statements() -> int:
        capture_all(signed.story.organization_id, datetime.now(UTC))
        with CaptureQueriesContext(connection) as counted:
            signed.text()
        return len(counted)

    signed.story.shared_policy()
    with_one = statements()
    for name in ("Bo", "Cy", "Di"):
        signed.story.tell([signed.story.signed(signed.version, signed.share_id, signed.story.employee(name))])
        signed.story.shared_policy()
    assert statements() == with_one
