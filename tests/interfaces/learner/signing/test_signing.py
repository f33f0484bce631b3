"""A person reads a policy within their pages and signs it: once, in their name, whatever happens meanwhile."""

import html
import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from compliance.facts.lines import kinds
from compliance.facts.people.erasing import erase_person
from compliance.facts.policies.chain import verify
from compliance.facts.policies.models import RawSignature, Receipt
from compliance.interfaces.pages.signing_form import MOST_BYTES
from compliance.letters.models import Letter
from compliance.rules.vocabulary import ChangeKind, Door, PolicyAct
from compliance.tenancy import context
from tests.facts.story import HTML, Story

pytestmark = pytest.mark.django_db


class Person:
    """Somebody who is signed in and owes a policy."""

    def __init__(self, story: Story, signed_in: Any, profile_id: uuid.UUID, **version: Any) -> None:
        self.story, self.profile_id = story, profile_id
        self.version, self.share_id = story.shared_policy(**version)
        self.client: Client = signed_in(story.organization_id, profile_id)
        self.path = f"/learn/policies/{self.version.course_id}"

    def get(self) -> Any:
        return self.client.get(self.path)

    def post(self, **changed: str) -> Any:
        sent = {
            "release": str(self.version.course_release_id),
            "act": self.version.act.value,
            "agree": "yes",
            "kind": "typed",
            "typed": "Ana Reis",
        }
        return self.client.post(self.path, sent | changed)

    def receipts(self) -> list[Receipt]:
        with context.company(self.story.organization_id):
            verify(self.story.organization_id)
            return list(Receipt.objects.all())

    def letters(self) -> list[Letter]:
        with context.company(self.story.organization_id):
            return list(Letter.objects.all())


@pytest.fixture
def story(db: None) -> Story:
    return Story(datetime.now(UTC))


@pytest.fixture
def person(story: Story, signed_in: Any) -> Person:
    return Person(story, signed_in, story.employee("Ana Reis"))


def body(answer: Any) -> str:
    return html.unescape(answer.content.decode())


def test_the_policy_is_read_exactly_as_sealed_in_a_sandbox(person: Person) -> None:
    answer = person.get()
    text = answer.content.decode()
    assert answer.status_code == 200
    frame = html.unescape(text.split('srcdoc="')[1].split('"')[0])
    assert frame.endswith("<body>" + HTML)
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox"' in text
    assert "'unsafe" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_signature_leads_to_its_receipt_and_a_letter(person: Person) -> None:
    answer = person.post()
    (receipt,) = person.receipts()
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/learn/receipts/{receipt.receipt_id}")
    assert (receipt.learner_profile_id, receipt.share_id, receipt.door) == (
        person.profile_id,
        person.share_id,
        "employee",
    )
    assert receipt.sign_in_methods == "personal_link"
    (letter,) = person.letters()
    assert (letter.kind, letter.subject_ids) == (Letter.Kind.SIGNED, [receipt.receipt_id])
    with context.company(person.story.organization_id):
        assert RawSignature.objects.get().signature == {"typed": "Ana Reis"}


def test_signing_again_in_another_tab_or_by_the_back_button_makes_no_second_receipt(person: Person) -> None:
    first = person.post()
    for answer in (person.post(), person.post(typed="Somebody Else"), person.get()):
        assert (answer.status_code, answer.headers["Location"]) == (303, first.headers["Location"])
    assert len(person.receipts()) == 1
    assert len(person.letters()) == 1


def test_an_acknowledgement_takes_no_signature(story: Story, signed_in: Any) -> None:
    person = Person(story, signed_in, story.employee("Ana Reis"), act=PolicyAct.ACKNOWLEDGE)
    assert "Confirm the policy" in body(person.get())
    assert person.post(act="sign").status_code == 422
    assert person.post(typed="Somebody Else").status_code == 303
    (receipt,) = person.receipts()
    assert (receipt.act, receipt.signature_sha256) == ("acknowledged", None)


@pytest.mark.parametrize(
    "changed, field, fault",
    [
        ({"typed": "  "}, "typed", "type your name"),
        ({"typed": "x" * 301}, "typed", "300 characters"),
        ({"typed": "Ana\x07Reis"}, "typed", "control characters"),
        ({"agree": "no"}, "agree", "Confirm the statement"),
        ({"kind": "drawn", "drawn": ""}, "pad", "Nothing was drawn"),
        ({"kind": "drawn", "drawn": "[]"}, "pad", "nothing was drawn"),
        ({"kind": "drawn", "drawn": "[[1, Infinity]]"}, "pad", "could not be read"),
        ({"kind": "drawn", "drawn": "{}"}, "pad", "list of strokes"),
        ({"kind": "drawn", "drawn": "[" * 5000}, "pad", "could not be read"),
        ({"kind": "drawn", "drawn": json.dumps([[1, 2] * 15_000])}, "pad", "20,000 numbers"),
        ({"kind": "drawn", "drawn": "[[" + "1," * MOST_BYTES + "1]]"}, "pad", "too large"),
        ({"act": "acknowledge"}, "typed", "signature is needed"),
    ],
)
def test_a_bad_form_is_answered_in_words_beside_its_field_and_stores_nothing(
    changed: dict[str, str], field: str, fault: str, person: Person
) -> None:
    answer = person.post(**changed)
    assert answer.status_code == 422
    assert fault in body(answer).split("iframe")[0]
    assert f'<a href="#{field}">' in body(answer)
    assert f'id="{field}"' in body(answer)
    assert person.receipts() == []
    assert person.letters() == []


def test_what_was_filled_in_is_there_again_after_a_fault(person: Person) -> None:
    text = body(person.post(agree="no", typed="Ana <i>Reis</i>"))
    assert 'value="Ana <i>Reis</i>"' in text
    assert "<i>Reis</i>" not in person.post(agree="no", typed="Ana <i>Reis</i>").content.decode()
    assert 'name="drawn" id="drawn" value="[[1, 2]]"' in body(person.post(agree="no", kind="drawn", drawn="[[1, 2]]"))
    assert 'id="drawn" value=""' in body(person.post(kind="drawn", drawn="{}"))  # a fault of the drawing itself


def test_another_name_is_asked_about_and_nothing_is_written_until_it_is_confirmed(person: Person) -> None:
    asked = person.post(typed="Ana M. Reis")
    text = body(asked)
    assert asked.status_code == 200
    assert "Your name here is <strong><bdi>Ana Reis</bdi></strong>" in text
    assert "Sign as <bdi>Ana M. Reis</bdi>" in text
    assert person.receipts() == []
    assert person.post(typed="Ana N. Reis", confirmed="Ana M. Reis").status_code == 200
    assert person.receipts() == []
    assert person.post(typed="Ana M. Reis", confirmed="Ana M. Reis").status_code == 303
    with context.company(person.story.organization_id):
        assert RawSignature.objects.get().signature == {"typed": "Ana M. Reis"}


@pytest.mark.parametrize("typed", ["ana reis", " \u00c1na   R\u00e9is ", "Ana Re\u0301is"])
def test_the_same_name_in_other_letters_is_signed_at_once(typed: str, person: Person) -> None:
    assert person.post(typed=typed).status_code == 303


def test_a_version_that_was_replaced_while_reading_is_shown_anew(person: Person) -> None:
    newer = person.story.version(
        course_id=person.version.course_id,
        version=2,
        change_kind=ChangeKind.ASK_AGAIN,
        at=person.story.now,
        html="<h1>Use of devices</h1>\n<p>Newer words.</p>\n",
    )
    person.story.tell([newer])
    for release in (str(person.version.course_release_id), "nonsense", str(uuid.uuid4()), ""):
        answer = person.post(release=release)
        assert answer.status_code == 409
        assert "newer version" in body(answer)
        assert "Newer words." in body(answer)
        assert "checked>" not in body(answer).split('id="agree"')[1][:200]
    assert person.receipts() == []
    assert person.post(release=str(newer.course_release_id)).status_code == 303


@pytest.mark.parametrize("changed", [{"typed": "Ana M. Reis"}, {"typed": " "}, {"kind": "drawn", "drawn": "[]"}])
def test_nothing_of_a_form_is_used_for_a_version_that_was_published_while_reading(
    changed: dict[str, str], person: Person
) -> None:
    newer = person.story.version(
        course_id=person.version.course_id, version=2, change_kind=ChangeKind.ASK_AGAIN, at=person.story.now
    )
    person.story.tell([newer])
    answer = person.post(**changed)
    assert answer.status_code == 409
    assert "newer version" in body(answer)
    assert 'name="confirmed"' not in body(answer)
    assert "checked>" not in body(answer).split('id="agree"')[1][:200]


def test_the_question_about_a_name_is_about_the_version_that_was_read(person: Person) -> None:
    text = body(person.post(typed="Ana M. Reis"))
    assert f'name="release" value="{person.version.course_release_id}"' in text
    newer = person.story.version(
        course_id=person.version.course_id, version=2, change_kind=ChangeKind.ASK_AGAIN, at=person.story.now
    )
    person.story.tell([newer])
    assert person.post(typed="Ana M. Reis", confirmed="Ana M. Reis").status_code == 409
    assert person.receipts() == []


def test_a_share_that_is_withdrawn_while_reading_asks_nothing_any_more(person: Person) -> None:
    assert person.get().status_code == 200
    person.story.tell([kinds.ShareEnded(fact_id=uuid.uuid4(), at=person.story.now, share_id=person.share_id)])
    for answer in (person.get(), person.post(), person.post(typed="Somebody Else")):
        assert answer.status_code == 404
        assert "Nothing to sign" in body(answer)
    assert person.receipts() == []


def test_of_several_shares_the_one_that_asks_the_soonest_is_signed_for(person: Person) -> None:
    soon = datetime.now(UTC) + timedelta(days=3)
    sooner = person.story.share(person.version.course_id, deadline=kinds.FixedDeadline(due_at=soon))
    assert person.post().status_code == 303
    (receipt,) = person.receipts()
    assert receipt.share_id == sooner


def test_after_the_share_that_asked_the_soonest_ended_the_other_is_signed_for(person: Person) -> None:
    soon = datetime.now(UTC) + timedelta(days=3)
    sooner = person.story.share(person.version.course_id, deadline=kinds.FixedDeadline(due_at=soon))
    person.get()
    person.story.tell([kinds.ShareEnded(fact_id=uuid.uuid4(), at=person.story.now, share_id=sooner)])
    assert person.post().status_code == 303
    (receipt,) = person.receipts()
    assert receipt.share_id == person.share_id


@pytest.mark.parametrize("door", [Door.PARTNER, Door.CUSTOMER])
def test_partners_and_customers_sign_by_their_own_door(door: Any, story: Story, signed_in: Any) -> None:
    contact = story.contact(door, "Atlas Freight", "Bo Lind")
    person = Person(story, signed_in, contact, doors=tuple(Door))
    story.share(person.version.course_id, doors=(door,))
    assert person.post(typed="Bo Lind").status_code == 303
    (receipt,) = person.receipts()
    assert (receipt.door, receipt.learner_profile_id) == (door.value, contact)
    assert "Atlas Freight" in body(person.client.get(f"/learn/receipts/{receipt.receipt_id}"))


def test_a_policy_of_others_of_another_company_or_of_nobody_asks_nothing(
    person: Person, story: Story, signed_in: Any
) -> None:
    foreign, _ = Story(story.now).shared_policy()
    unshared = story.version()
    story.tell([unshared])
    course_id, _ = story.shared_course()
    for policy_id in (foreign.course_id, unshared.course_id, course_id, uuid.uuid4()):
        path = f"/learn/policies/{policy_id}"
        form = {"release": str(person.version.course_release_id), "agree": "yes", "typed": "Ana Reis"}
        for answer in (person.client.get(path), person.client.post(path, form)):
            assert answer.status_code == 404
    assert person.receipts() == []


def test_who_left_or_was_erased_while_reading_signs_nothing(story: Story, signed_in: Any) -> None:
    stay = uuid.uuid4()
    left = Person(story, signed_in, story.employee("Left", person_id=stay))
    story.tell([kinds.EmployeeLeft(fact_id=uuid.uuid4(), at=story.now, person_id=stay)])
    erased = Person(story, signed_in, story.employee("Erased"))
    erase_person(organization_id=story.organization_id, learner_profile_id=erased.profile_id, at=story.now)
    for person in (left, erased):
        assert person.post().status_code == 403
        assert person.receipts() == []


def test_a_form_without_its_token_against_forgery_is_refused(person: Person) -> None:
    person.client.handler.enforce_csrf_checks = True
    assert person.post().status_code == 403
    assert person.receipts() == []


def test_statements_do_not_grow_with_shares_versions_and_receipts(person: Person, story: Story) -> None:
    with_one = _statements(person)
    for number in range(2, 6):
        story.tell(
            [
                story.version(
                    course_id=person.version.course_id,
                    version=number,
                    change_kind=ChangeKind.EDITORIAL,
                    at=story.now - timedelta(minutes=10 - number),
                )
            ]
        )
        story.share(person.version.course_id)
    for name in ("Bo", "Cy", "Di"):
        signer = story.employee(name)
        story.tell([story.signed(person.version, person.share_id, signer)])
    assert _statements(person) == with_one


def _statements(person: Person) -> int:
    with CaptureQueriesContext(connection) as counted:
        assert person.get().status_code == 200
    return len(counted)


def test_the_link_that_a_command_prints_begins_with_the_configured_address(
    person: Person, capsys: Any, settings: Any
) -> None:
    settings.BASE_URL = "https://records.example"
    call_command(
        "signing_link",
        organization=person.story.organization_id,
        share=person.share_id,
        profile=person.profile_id,
    )
    assert capsys.readouterr().out.startswith("https://records.example/sign/")
