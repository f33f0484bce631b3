"""The staff admin: who has access, what they may change about themselves, how they give others access."""

import re
from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from compliance.interfaces.console.models import AccessLog, StaffAccess
from compliance.interfaces.console.permissions import OPERATOR
from compliance.interfaces.console.sign_in.models import CompanyAccount, Invitation, Letter, StaffSession
from compliance.interfaces.console.staff_admin import site
from tests.interfaces.console.conftest import make_staff, signed_in
from tests.interfaces.console.sign_in.people import enrol_app, give_app

pytestmark = pytest.mark.django_db
STAFF = "/console/staff/"


def _ended(days: int) -> tuple[User, Client]:
    user = make_staff("root", "Administrator")
    StaffAccess.objects.create(user=user, valid_until=timezone.now() + timedelta(days=days), every_company=True)
    return user, signed_in(user)


def _addresses(user: User) -> list[str]:
    """Every address of the admin, with values."""
    found = []
    for pattern in site.get_urls():
        inner = getattr(pattern, "url_patterns", None) or [pattern]
        prefix = str(pattern.pattern) if inner[0] is not pattern else ""
        for each in inner:
            text = re.sub(r"<[^>]*>", str(user.pk), prefix + str(each.pattern))
            if re.fullmatch(r"[A-Za-z0-9/_-]*", text):
                found.append(STAFF + text)
    return found


def test_an_expired_superuser_opens_nothing_of_the_staff_accounts_and_restores_nothing():
    user, client = _ended(-1)
    open_to_all = ("login/", "logout/", "jsi18n/")
    addresses = [address for address in _addresses(user) if not address.endswith(open_to_all)]
    assert len(addresses) > 8
    for address in addresses:
        for answer in (client.get(address), client.post(address, {"valid_until": "", "do": "invite"})):
            assert answer.status_code in (302, 403, 404, 405), (address, answer.status_code)
            assert answer.status_code != 302 or answer.headers["Location"].startswith(
                ("/console/staff/login/", "/console/")
            ), address
    assert StaffAccess.objects.get(user=user).valid_until < timezone.now()
    assert not Invitation.objects.exists()


def test_a_superuser_within_their_time_comes_in():
    _, client = _ended(1)
    assert client.get(STAFF).status_code == 200


def test_nobody_widens_their_own_access():
    user, client = _ended(1)
    address = f"{STAFF}auth/user/{user.pk}/change/"
    page = client.get(address).content.decode()
    assert 'name="staff_access-0-valid_until_0"' not in page
    access = StaffAccess.objects.get(user=user)
    values = {
        "username": "root", "email": "", "first_name": "", "last_name": "",
        "staff_access-TOTAL_FORMS": "1", "staff_access-INITIAL_FORMS": "1", "staff_access-0-id": str(access.pk),
        "staff_access-0-user": str(user.pk), "staff_access-0-every_company": "on", "staff_access-0-valid_until_0": "",
        "company_account-TOTAL_FORMS": "0", "company_account-INITIAL_FORMS": "0",
    }  # fmt: skip
    client.post(address, values)
    access.refresh_from_db()
    assert access.valid_until is not None
    user.refresh_from_db()
    assert user.is_superuser


@pytest.mark.parametrize("group", ["Operator", "Compliance manager", "Auditor", None])
def test_nobody_else_opens_the_staff_accounts(group, staff):
    client = staff(group)
    user = make_staff("olga", OPERATOR)
    for address in (STAFF, f"{STAFF}auth/user/", f"{STAFF}auth/user/{user.pk}/sign-in/"):
        assert client.get(address).status_code == 302
        client.post(address, {"do": "invite"})
    assert not Invitation.objects.exists()


def test_a_superuser_makes_an_account_and_hands_over_an_invitation(staff, mailoutbox, settings):
    settings.CONSOLE_SECOND_FACTOR_REQUIRED = False
    admin = staff("Administrator")
    made = admin.post(
        f"{STAFF}auth/user/add/",
        {"username": "nina", "email": "nina@example.com", "usable_password": "false", "password1": "", "password2": ""},
    )
    assert made.status_code == 302, made.context and made.context["adminform"].form.errors
    user = User.objects.get(username="nina")
    page = admin.post(f"{STAFF}auth/user/{user.pk}/sign-in/", {"do": "invite"})
    code = re.search(r'id="invitation-code">([^<]+)<', page.content.decode())[1]
    assert code not in admin.get(f"{STAFF}auth/user/{user.pk}/sign-in/").content.decode()
    assert Letter.objects.get(user=user).kind == "invitation made"
    settings.CONSOLE_SECOND_FACTOR_REQUIRED = True
    nina = Client()
    words = "seven turnips dance at noon"
    nina.post("/console/sign-in/invitation/", {"code": code, "password1": words, "password2": words})
    assert enrol_app(nina).status_code == 302
    assert AccessLog.objects.filter(act="invitation made", username__startswith="Administrator").exists()
    assert AccessLog.objects.filter(act="factor added", username="nina").exists()


def test_a_lost_device_is_taken_from_the_account_and_every_session_ends(staff):
    user = make_staff("olga", OPERATOR)
    give_app(user)
    thief = signed_in(user)
    admin = staff("Administrator")
    where = f"{STAFF}auth/user/{user.pk}/sign-in/"
    assert b"Remove the second factor" in admin.get(where).content
    assert admin.post(where, {"do": "reset"}).status_code == 302
    assert not Authenticator.objects.filter(user=user).exists()
    assert thief.get("/console/companies/").status_code == 302


def test_a_superuser_ends_the_sessions_of_others(staff):
    user = make_staff("olga", OPERATOR)
    other = signed_in(user)
    admin = staff("Administrator")
    where = f"{STAFF}auth/user/{user.pk}/sign-in/"
    admin.get(where)
    admin.post(where, {"do": "end"})
    assert not StaffSession.objects.filter(user=user).exists()
    assert other.get("/console/companies/").status_code == 302
    assert admin.get(where).status_code == 200


def test_a_closed_account_is_out_at_once(staff):
    user = make_staff("olga", OPERATOR)
    other = signed_in(user)
    admin = staff("Administrator")
    values = {
        "username": "olga", "email": "new@example.com", "first_name": "", "last_name": "",
        "staff_access-TOTAL_FORMS": "0", "staff_access-INITIAL_FORMS": "0",
        "company_account-TOTAL_FORMS": "0", "company_account-INITIAL_FORMS": "0",
    }  # fmt: skip
    User.objects.filter(pk=user.pk).update(email="old@example.com")
    answer = admin.post(f"{STAFF}auth/user/{user.pk}/change/", values)
    assert answer.status_code == 302, answer.context["errors"]
    assert other.get("/console/companies/").status_code == 302
    assert Letter.objects.get(kind="address changed").address == "old@example.com"


def test_companies_of_an_auditor_are_chosen_by_name_in_the_staff_accounts(staff, empty_company):
    auditor = make_staff("audrey", "Auditor", companies=[])
    page = staff("Administrator").get(f"/console/staff/auth/user/{auditor.pk}/change/").content.decode()
    assert empty_company.name in page
    assert str(empty_company.organization_id) in page


def test_the_strict_policy_of_content_holds_here_too(staff):
    admin = staff("Administrator")
    user = make_staff("olga", OPERATOR)
    for path in ("", "auth/user/", f"auth/user/{user.pk}/change/", "auth/user/add/", "console/accesslog/"):
        page = admin.get(STAFF + path)
        assert page.status_code == 200, path
        assert "unsafe" not in page.headers["Content-Security-Policy"]
        assert not re.search(r"<script(?![^>]*(?:src=|application/json))", page.content.decode()), path
        assert "<style" not in page.content.decode()
        assert 'style="' not in page.content.decode(), path


@pytest.mark.parametrize(
    "address, status",
    [
        ("auth/user/olga/password/", 404), ("auth/user/?username=%00", 302), ("console/accesslog/?page=%00", 302),
    ],
)  # fmt: skip
def test_an_address_that_nobody_is_led_to_is_no_fault_of_the_service(address, status, staff):
    admin = staff("Administrator")
    admin.raise_request_exception = False
    assert admin.get(STAFF + address).status_code == status


def save_link(admin: Client, user: User, address: str, **values: str):
    """Saves the page of an account with these values of its company account, which it may have already."""
    link = CompanyAccount.objects.filter(user=user).first()
    row = {"email": link.email, "subject": link.subject, "id": str(link.pk)} if link else {"email": "", "subject": ""}
    sent = {
        "username": user.username, "email": address, "first_name": "", "last_name": "", "is_active": "on",
        "staff_access-TOTAL_FORMS": "0", "staff_access-INITIAL_FORMS": "0",
        "company_account-TOTAL_FORMS": "1", "company_account-INITIAL_FORMS": "1" if link else "0",
        "company_account-0-user": str(user.pk),
    } | {f"company_account-0-{name}": value for name, value in (row | values).items()}  # fmt: skip
    return admin.post(f"{STAFF}auth/user/{user.pk}/change/", sent)


def _letters() -> list[tuple[str, str]]:
    """The letters that wait, and no others from then on."""
    found = list(Letter.objects.order_by("id").values_list("kind", "address"))
    Letter.objects.all().delete()
    return found


def test_each_change_of_a_company_account_is_told_and_a_changed_one_is_bound_anew(staff):
    user, admin = make_staff("olga", OPERATOR), staff("Administrator")
    User.objects.filter(pk=user.pk).update(email="olga@example.com")
    own = "olga@example.com"
    assert save_link(admin, user, own, subject="subject-1").status_code == 302
    assert _letters() == [("company account linked", own)]
    for values in ({"subject": "of-a-thief"}, {"email": "thief@harbour.example"}):
        CompanyAccount.objects.update(issuer="https://harbour.example", bound_at=timezone.now())
        assert save_link(admin, user, own).status_code == 302
        assert CompanyAccount.objects.get().issuer == "https://harbour.example"
        assert _letters() == [], "nothing was changed"
        assert save_link(admin, user, own, **values).status_code == 302
        link = CompanyAccount.objects.get()
        assert (link.issuer, link.bound_at) == ("", None)
        assert _letters() == [("company account changed", own)]
    assert save_link(admin, user, own, DELETE="on").status_code == 302
    assert not CompanyAccount.objects.exists()
    assert _letters() == [("company account removed", own)]
    acts = AccessLog.objects.filter(page="account", subject=f"user={user.pk}", act__startswith="company").order_by("id")
    told = ["linked", "changed", "changed", "removed"]
    assert list(acts.values_list("act", flat=True)) == [f"company account {each}" for each in told]


def test_a_company_account_is_told_to_the_address_before_where_both_are_changed(staff):
    user = make_staff("olga", OPERATOR)
    User.objects.filter(pk=user.pk).update(email="olga@example.com")
    save_link(staff("Administrator"), user, "thief@example.com", subject="of-a-thief")
    assert _letters() == [("address changed", "olga@example.com"), ("company account linked", "olga@example.com")]


def test_a_subject_for_which_another_link_waits_is_refused_with_a_sentence(staff):
    user, admin = make_staff("olga", OPERATOR), staff("Administrator")
    CompanyAccount.objects.create(user=make_staff("otto", OPERATOR), subject="subject-1")
    assert b"already exists" in save_link(admin, user, "", subject="subject-1").content
    assert CompanyAccount.objects.get().user.username == "otto"
