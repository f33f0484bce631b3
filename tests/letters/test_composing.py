"""The content of each kind of letter, its recipient, and where its link leads."""

import uuid
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.core import mail

from compliance.facts.lines.kinds import CertificateRevoked, EmployeeLeft, EmployeeSuspended, PersonChanged
from compliance.facts.people.erasing import erase_invitation, erase_person
from compliance.facts.people.queries import present_employment
from compliance.facts.recording import act
from compliance.history.actions import capture_all
from compliance.history.of_person import held
from compliance.history.owed import owed
from compliance.interfaces.learner.leading import leads_to
from compliance.interfaces.pages.certificate_pdf import enclosed_certificate
from compliance.learning import links
from compliance.learning.errors import LinkRevokedError
from compliance.learning.models import LearnerPreference, PersonalLink
from compliance.letters.actions import Kind
from compliance.letters.composing import reminder
from compliance.letters.recipients import recipients
from compliance.rules.owed_learning.identity import certificate_id
from compliance.tenancy import context
from compliance.tenancy.queries import organization
from tests import verbs
from tests.companies import NOW
from tests.letters.conftest import again, sent
from tests.letters.reading import Seen, html_of

pytestmark = pytest.mark.django_db
A_DAY = timedelta(days=1)


@pytest.fixture
def anna(story):
    return story.employee("Anna Reis", account_email="anna@example.org")


def link_of(story, letter):
    """The link of a letter, as stored: in the text, behind the only button of the HTML, and to a page."""
    seen = Seen(html_of(letter))
    (address,) = seen.links
    assert f"\n{address}\n" in letter.body
    token = urlsplit(address).path.removeprefix("/learn/in/")
    with context.company(story.organization_id):
        found = links.look(story.organization_id, token, NOW)
    assert leads_to(f"/learn/{found.leads_to}") == found.leads_to
    return found


def prefer(story, learner, language):
    with context.company(story.organization_id):
        LearnerPreference.objects.create(
            organization_id=story.organization_id, learner_profile_id=learner, language=language
        )


def test_a_link_that_was_asked_for_holds_a_quarter_of_an_hour_and_is_used_once(story, anna, asked):
    asked(story, Kind.LINK, anna)
    sent(story)
    found = link_of(story, mail.outbox[0])
    assert (found.learner_profile_id, found.uses_left, found.leads_to) == (anna, 1, "")
    assert found.expires_at == NOW + timedelta(minutes=15)


def test_a_link_that_staff_sent_holds_thirty_days(story, anna, asked):
    asked(story, Kind.STAFF_LINK, anna)
    sent(story)
    assert link_of(story, mail.outbox[0]).expires_at == NOW + timedelta(days=30)
    assert "until 1 July 2026" in mail.outbox[0].body


def test_the_only_thing_to_do_is_where_the_link_leads(story, anna, asked):
    course_id, _ = story.shared_course()
    capture_all(story.organization_id, NOW)
    letter = asked(story, Kind.NEW, anna, *records(story, anna))
    assert sent(story) == 1
    assert mail.outbox[0].subject == "New for you: Dangerous goods"
    assert link_of(story, mail.outbox[0]).leads_to == f"courses/{course_id}/"
    assert again(letter).sent_at == NOW


def test_a_lesson_that_was_shared_alone_is_named_and_led_to_itself(story, anna, asked):
    lesson = uuid.uuid4()
    share_a_lesson(story, lesson)
    capture_all(story.organization_id, NOW)
    asked(story, Kind.NEW, anna, *records(story, anna))
    assert sent(story) == 1
    (letter,) = mail.outbox
    assert letter.subject == "New for you: Batteries on board"
    assert "Dangerous goods" not in letter.body + html_of(letter)
    assert "Go to the lesson" in html_of(letter)
    assert link_of(story, letter).leads_to == f"lessons/{lesson}/"


def test_a_reminder_names_the_lesson_that_was_shared_alone(story, anna, django_assert_num_queries):
    lesson = uuid.uuid4()
    share_a_lesson(story, lesson)
    capture_all(story.organization_id, NOW)
    with context.company(story.organization_id):
        things = owed(story.organization_id, records(story, anna), NOW)
        to_whom = recipients(story.organization_id, [anna], NOW)[anna]
        company = organization(story.organization_id)
        with django_assert_num_queries(4):
            letter = reminder(company, anna, to_whom, things, letter_id=uuid.uuid4(), now=NOW)
    assert letter.subject == "Still to do: Batteries on board"
    assert link_of(story, letter).leads_to == f"lessons/{lesson}/"


def test_of_several_things_the_link_leads_home(story, anna, asked):
    story.shared_course()
    story.shared_policy()
    capture_all(story.organization_id, NOW)
    asked(story, Kind.NEW, anna, *records(story, anna))
    sent(story)
    assert "Dangerous goods" in mail.outbox[0].body
    assert "Use of devices" in mail.outbox[0].body
    assert link_of(story, mail.outbox[0]).leads_to == ""


def test_the_signed_copy_has_the_particulars_of_its_receipt(story, anna, asked):
    version, share_id = story.shared_policy()
    line = story.signed(version, share_id, anna)
    story.tell([line])
    asked(story, Kind.SIGNED, anna, line.receipt_id)
    assert sent(story) == 1
    (letter,) = mail.outbox
    assert letter.subject == "Your copy: you signed Use of devices"
    assert "Signed: 16 January 2025, 09:00 (Europe/Lisbon)\n" in letter.body
    assert f"Receipt: {line.receipt_id}\n" in letter.body
    assert "If this was not you, tell Harbour & Vine at once." in letter.body
    assert link_of(story, letter).leads_to == f"receipts/{line.receipt_id}"


def test_nobody_gets_the_copy_of_anothers_signature(story, anna, asked):
    version, share_id = story.shared_policy()
    line = story.signed(version, share_id, anna)
    story.tell([line])
    boris = story.employee("Boris", account_email="boris@example.org")
    asked(story, Kind.SIGNED, boris, line.receipt_id)
    assert sent(story) == 0


def test_a_certificate_comes_with_its_check_link_and_as_a_file(story, anna, asked):
    _, release_id = story.shared_course()
    issued = certificate_id(story.organization_id, story.completed(anna, release_id, NOW - A_DAY))
    capture_all(story.organization_id, NOW)
    asked(story, Kind.CERTIFICATE, anna, issued)
    assert sent(story, enclose=enclosed_certificate) == 1
    (letter,) = mail.outbox
    assert "Valid until: 31 May 2027" in letter.body
    assert "/check/" in letter.body
    ((name, content, media_type),) = letter.attachments
    assert (name, media_type) == (f"certificate-{issued}.pdf", "application/pdf")
    assert content.startswith(b"%PDF")
    assert link_of(story, letter).leads_to == f"certificates/{issued}"


def test_a_certificate_that_was_revoked_meanwhile_is_not_sent(story, anna, asked):
    _, release_id = story.shared_course()
    issued = certificate_id(story.organization_id, story.completed(anna, release_id, NOW - A_DAY))
    capture_all(story.organization_id, NOW)
    common = {"organization_id": story.organization_id, "at": NOW, "now": NOW}
    act(CertificateRevoked, **common, certificate_id=issued, actor_id=anna)
    capture_all(story.organization_id, NOW)
    asked(story, Kind.CERTIFICATE, anna, issued)
    assert sent(story) == 0


def test_an_invitation_is_sent_to_the_invited_until_it_ends(story, asked):
    invitation_id = invite(story, expires_at=NOW + 3 * A_DAY)
    asked(story, Kind.INVITATION, None, invitation_id=invitation_id)
    assert sent(story) == 1
    (letter,) = mail.outbox
    assert letter.to == ["zoe@example.org"]
    assert letter.subject == "Harbour & Vine invites you"
    found = link_of(story, letter)
    assert (found.invitation_id, found.learner_profile_id) == (invitation_id, None)
    assert found.expires_at == NOW + 3 * A_DAY


@pytest.mark.parametrize("how", ["revoked", "expired", "accepted", "erased"])
def test_an_invitation_that_cannot_be_accepted_is_not_sent(how, story, asked):
    invitation_id = invite(story, expires_at=NOW - A_DAY if how == "expired" else None)
    common = {"organization_id": story.organization_id, "at": NOW - A_DAY, "now": NOW}
    if how == "revoked":
        verbs.revoke_invitation(**common, invitation_id=invitation_id)
    elif how == "accepted":
        verbs.join_employee(**common, invitation_id=invitation_id, person_name="Zoe")
    elif how == "erased":
        erase_invitation(organization_id=story.organization_id, invitation_id=invitation_id, at=NOW - A_DAY)
    asked(story, Kind.INVITATION, None, invitation_id=invitation_id)
    assert sent(story) == 0


@pytest.mark.parametrize("how", ["left", "suspended", "erased"])
def test_who_is_not_here_any_more_gets_no_letter_and_no_link(how, story, anna, asked):
    letter = asked(story, Kind.STAFF_LINK, anna)
    if how == "erased":
        erase_person(organization_id=story.organization_id, learner_profile_id=anna, at=NOW)
    else:
        with context.company(story.organization_id):
            person_id = present_employment(story.organization_id, anna, NOW)
        kind = EmployeeLeft if how == "left" else EmployeeSuspended
        story.tell([kind(fact_id=letter.letter_id, at=NOW - A_DAY, person_id=person_id)])
    assert sent(story) == 0
    assert mail.outbox == []
    assert again(letter).failure == "nobody"
    with context.company(story.organization_id):
        assert not PersonalLink.objects.exists()


def test_name_and_address_are_those_of_the_moment_at_which_a_letter_leaves(story, anna, asked):
    asked(story, Kind.STAFF_LINK, anna)
    common = {"organization_id": story.organization_id, "at": NOW, "now": NOW, "learner_profile_id": anna}
    act(PersonChanged, **common, person_name="Anna Silva", account_email="silva@example.org")
    sent(story)
    assert mail.outbox[0].to == ["silva@example.org"]
    assert mail.outbox[0].body.startswith("Hello Anna Silva,")


@pytest.mark.parametrize("kind", [Kind.LINK, Kind.STAFF_LINK, Kind.NEW])
def test_the_link_of_a_letter_ends_when_the_address_to_which_it_was_sent_is_corrected(kind, story, anna, asked):
    story.shared_course()
    capture_all(story.organization_id, NOW)
    asked(story, kind, anna, *(records(story, anna) if kind == Kind.NEW else ()))
    sent(story)
    (letter,) = mail.outbox
    change = {"organization_id": story.organization_id, "now": NOW, "learner_profile_id": anna}
    act(PersonChanged, **change, at=NOW - 3 * A_DAY, person_name="Anna Silva", work_email="anna@work.example")
    assert link_of(story, letter).learner_profile_id == anna  # the address is still hers
    act(PersonChanged, **change, at=NOW - 2 * A_DAY, account_email="Anna@Example.org")
    assert link_of(story, letter).learner_profile_id == anna
    act(PersonChanged, **change, at=NOW - A_DAY, account_email="anna.reis@example.org")
    with pytest.raises(LinkRevokedError):
        link_of(story, letter)


def test_the_link_of_a_reminder_ends_when_the_address_is_corrected(story, anna):
    story.shared_course()
    capture_all(story.organization_id, NOW)
    with context.company(story.organization_id):
        things = owed(story.organization_id, records(story, anna), NOW)
        to_whom = recipients(story.organization_id, [anna], NOW)[anna]
        company = organization(story.organization_id)
        letter = reminder(company, anna, to_whom, things, letter_id=uuid.uuid4(), now=NOW)
    change = {"organization_id": story.organization_id, "at": NOW, "now": NOW, "learner_profile_id": anna}
    act(PersonChanged, **change, account_email="anna.reis@example.org")
    with pytest.raises(LinkRevokedError):
        link_of(story, letter)


@pytest.mark.parametrize(
    ("chosen", "language", "direction"), [("ar", "ar", "rtl"), ("de-AT", "de", "ltr"), ("xx", "en", "ltr")]
)
def test_the_language_of_a_letter_is_the_persons(chosen, language, direction, story, anna, asked):
    prefer(story, anna, chosen)
    asked(story, Kind.STAFF_LINK, anna)
    sent(story)
    (letter,) = mail.outbox
    page = Seen(html_of(letter)).attributes["html"]
    assert (page["lang"], page["dir"]) == (language, direction)
    assert letter.extra_headers["Content-Language"] == language


def records(story, learner):
    """The records of what the person owes."""
    with context.company(story.organization_id):
        found = held(story.organization_id, learner, NOW, ("training", "policies"))
        return [each.record_id for each in found if each.done_at is None]


def share_a_lesson(story, lesson_release_id):
    """A course "Dangerous goods", of which a lesson alone is shared with everyone."""
    common = {"organization_id": story.organization_id, "at": NOW - 5 * A_DAY, "now": NOW}
    course_id = verbs.create_course(**common, title="Dangerous goods")
    lesson = {"release_id": lesson_release_id, "title": "Batteries on board", "version": 1, "content_sha256": "0" * 64}
    verbs.publish_release(**common, course_id=course_id, version=1, lessons=(lesson,))
    verbs.share_lesson(**common, course_id=course_id, lesson_release_id=lesson_release_id, title="Batteries on board")


def invite(story, **more):
    return verbs.invite_person(
        organization_id=story.organization_id,
        at=NOW - 5 * A_DAY,
        now=NOW,
        work_email="zoe@example.org",
        person_name="Zoe",
        **more,
    )
