"""A company invites an auditor itself: to read only this company, until the end of a day, by a link that works once."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils import timezone

from compliance.interfaces.console.models import AccessLog, StaffAccess
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR, Permission, staff_of
from compliance.interfaces.console.sign_in import letters
from compliance.interfaces.console.sign_in.models import Invitation, Letter
from compliance.rules import company_days
from tests.companies import make_present_company
from tests.interfaces.console.sign_in.people import give_app
from tests.interfaces.console.test_acting import confirm, decide, do, preview

pytestmark = pytest.mark.django_db
LONG = "several words that do not belong together"


@pytest.fixture
def company():
    return make_present_company(time_zone="Pacific/Auckland")


def told(days=3, **more):
    day = timezone.now().date() + timedelta(days=days)
    return {"person_name": "Ada Auditor", "email": "ada@audit.example", "until": day.isoformat()} | more


def invite(client, company, **more):
    """Invites an auditor. Returns the page that displays the link, and the link."""
    _, sent = preview(client, company, "invite-auditor", **told(**more))
    page = confirm(client, company, "invite-auditor", sent).content.decode()
    found = re.search(r'<pre id="secret">([^<]+)</pre>', page)
    return page, found[1] if found else ""


def test_a_manager_lets_an_auditor_in_to_read_one_company_until_the_end_of_a_day_there(staff, company):
    day = timezone.now().date() + timedelta(days=3)
    page, link = invite(staff(COMPLIANCE_MANAGER), company)
    user = User.objects.get(email="ada@audit.example")
    assert user.get_username() in page
    assert "/console/sign-in/invitation/" in link
    access = StaffAccess.objects.get(user=user)
    assert access.valid_until == company_days.end_of_day("Pacific/Auckland", day)
    who = staff_of(user, timezone.now())
    assert who.groups == (AUDITOR,)
    assert who.organization_ids == frozenset({company.organization_id})
    assert not who.may(Permission.CHANGE_PEOPLE)
    assert staff_of(user, access.valid_until) is None


def test_the_link_works_once_and_the_account_opens_this_company_and_no_other(staff, company):
    other = make_present_company("Other")
    _, link = invite(staff(COMPLIANCE_MANAGER), company)
    visitor = Client()
    code = link.rstrip("/").rpartition("/")[2]
    sent = {"code": code, "password1": LONG, "password2": LONG}
    assert visitor.post("/console/sign-in/invitation/", sent).status_code == 302
    assert visitor.get(f"/console/companies/{company.organization_id}/teams/").status_code == 200
    assert visitor.get(f"/console/companies/{other.organization_id}/teams/").status_code == 404
    assert "was used, or has run out" in Client().post("/console/sign-in/invitation/", sent).content.decode()


def test_a_letter_brings_the_link_which_waits_sealed_and_goes_with_it(staff, company):
    _, link = invite(staff(COMPLIANCE_MANAGER), company)
    code = link.rstrip("/").rpartition("/")[2]
    letter = Letter.objects.get(kind=letters.AUDITOR_INVITED)
    assert code not in letter.sealed
    assert letters.send_due(lambda: timezone.now() + timedelta(seconds=1)) == 1
    (sent,) = mail.outbox
    assert sent.to == ["ada@audit.example"]
    assert link in sent.body
    assert User.objects.get(email="ada@audit.example").get_username() in sent.body
    assert not Letter.objects.exists()


def test_no_letter_brings_a_link_that_was_replaced_or_withdrawn_before_it_was_sent(staff, company):
    client = staff(COMPLIANCE_MANAGER)
    invite(client, company)
    _, link = invite(client, company, days=9)
    assert letters.send_due(lambda: timezone.now() + timedelta(seconds=1)) == 1
    assert link in mail.outbox[0].body
    invite(client, company)
    do(client, company, "end-auditor", auditor=str(User.objects.get(email="ada@audit.example").pk))
    assert letters.send_due(lambda: timezone.now() + timedelta(seconds=1)) == 1
    assert "access ended" in mail.outbox[1].subject
    assert not Letter.objects.exists()


def test_the_same_address_again_is_the_same_account_with_another_end(staff, company):
    client = staff(COMPLIANCE_MANAGER)
    invite(client, company)
    text, _ = preview(client, company, "invite-auditor", **told(9, email="ADA@audit.example"))
    assert "has an account here already" in text
    _, link = invite(client, company, days=9)
    user = User.objects.get(email="ada@audit.example")
    assert link
    give_app(user)  # the account has an owner now, so no link opens it any more
    answer = do(client, company, "invite-auditor", **told(20))
    assert "may look until the end of" in client.get(answer.url).content.decode()
    assert StaffAccess.objects.get(user=user).valid_until > timezone.now() + timedelta(days=18)


def test_another_company_makes_an_account_of_its_own_and_learns_nothing(staff, company):
    elsewhere = make_present_company("Elsewhere")
    client = staff(COMPLIANCE_MANAGER)
    invite(client, company)
    text, _ = preview(client, elsewhere, "invite-auditor", **told())
    assert "already" not in text
    invite(client, elsewhere)
    assert User.objects.filter(email="ada@audit.example").count() == 2
    assert client.get(f"/console/companies/{elsewhere.organization_id}/auditors/").content.count(b"ada-") == 1


def test_access_is_ended_at_once_with_every_session_and_given_back(staff, company):
    client = staff(COMPLIANCE_MANAGER)
    _, link = invite(client, company)
    visitor = Client()
    code = link.rstrip("/").rpartition("/")[2]
    visitor.post("/console/sign-in/invitation/", {"code": code, "password1": LONG, "password2": LONG})
    user = User.objects.get(email="ada@audit.example")
    answer = do(client, company, "end-auditor", auditor=str(user.pk))
    assert visitor.get(f"/console/companies/{company.organization_id}/teams/").status_code == 302
    assert staff_of(user, timezone.now()) is None
    assert "Ended" in client.get(answer.url).content.decode()
    assert Letter.objects.filter(user=user, kind="access ended").exists()


def test_an_account_of_another_company_or_of_the_staff_cannot_be_ended(staff, company):
    elsewhere = make_present_company("Elsewhere")
    client = staff(COMPLIANCE_MANAGER)
    invite(client, elsewhere)
    theirs = User.objects.get(email="ada@audit.example")
    staff(AUDITOR)
    for user in User.objects.exclude(pk=theirs.pk).values_list("pk", flat=True):
        for each in (theirs.pk, user):
            page = client.post(
                f"/console/companies/{company.organization_id}/act/end-auditor/",
                {"step": "preview", "auditor": str(each)},
            )
            assert 'name="job"' not in page.content.decode()
    assert staff_of(theirs, timezone.now()) is not None


@pytest.mark.parametrize("days", [-1, 400])
def test_an_end_in_the_past_or_beyond_a_year_is_refused(staff, company, days):
    page = staff(COMPLIANCE_MANAGER).post(
        f"/console/companies/{company.organization_id}/act/invite-auditor/", {"step": "preview"} | told(days)
    )
    assert "ends on a day to come, within one year" in page.content.decode()
    assert not User.objects.filter(email="ada@audit.example").exists()


def test_the_link_never_lasts_longer_than_the_access(staff, company):
    invite(staff(COMPLIANCE_MANAGER), company, days=1)
    assert Invitation.objects.get().ends_at <= StaffAccess.objects.get(user__email="ada@audit.example").valid_until


def test_in_four_eyes_a_second_person_confirms_and_is_the_one_who_sees_the_link(staff, company, settings):
    settings.FOUR_EYES = True
    first, second = staff(COMPLIANCE_MANAGER), staff(COMPLIANCE_MANAGER)
    _, sent = preview(first, company, "invite-auditor", **told())
    assert confirm(first, company, "invite-auditor", sent).status_code == 302
    assert not User.objects.filter(email="ada@audit.example").exists()
    inbox = second.get(f"/console/companies/{company.organization_id}/inbox/").content.decode()
    where = re.search(r'href="([^"]+/inbox/invite-auditor/[^"]+)"', inbox)[1]
    page = decide(second, where).content.decode()
    assert 'id="secret"' in page


def test_the_access_log_names_the_account_and_no_address(staff, company):
    invite(staff(COMPLIANCE_MANAGER), company)
    lines = AccessLog.objects.filter(organization_id=company.organization_id, page="account")
    user = User.objects.get(email="ada@audit.example")
    assert [(line.act, line.subject) for line in lines.order_by("number")] == [
        (act, f"user={user.pk}") for act in ("account made", "access granted", "invitation made")
    ]
    assert not AccessLog.objects.filter(subject__contains="ada@").exists()


def test_permissions_not_change_records_invites_nobody(staff, company):
    for group in (OPERATOR, AUDITOR):
        page = staff(group).get(f"/console/companies/{company.organization_id}/act/invite-auditor/")
        assert page.status_code == 403
