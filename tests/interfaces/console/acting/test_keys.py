"""Keys issued at the console: by whom, with which scopes, until when, and what happens when their issuer leaves."""

import json
import re
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.utils import timezone

from compliance.access import actions
from compliance.access.models import ApiKey
from compliance.interfaces.console import languages
from compliance.interfaces.console.models import Job, StaffAccess
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER, OPERATOR
from compliance.rules.vocabulary import Scope
from compliance.tenancy import context
from tests.interfaces.console.conftest import make_staff, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization_id(empty_company):
    return empty_company.organization_id


def day(days):
    return (timezone.now() + timedelta(days=days)).date().isoformat()


def post(client, organization_id, act, **values):
    """Previews and confirms an act, with an invented draft if the preview gave none, like an attacker."""
    where = f"/console/companies/{organization_id}/act/{act}/"
    text = client.post(where, {"step": "preview"} | values).content.decode()
    (job,) = re.findall(r'name="job" value="([0-9a-f-]{36})"', text) or [""]
    if not job:
        with context.company(organization_id):
            draft = Job.objects.create(
                organization_id=organization_id, act=act, user_id=client.session["_auth_user_id"], username="forged",
                asked_at=timezone.now(),
            )  # fmt: skip
        job = str(draft.job_id)
    sent = values | {"step": "confirm", "job": job, "reason": "Asked for by the company"}
    return text + client.post(where, sent).content.decode()


def issue(client, organization_id, scopes=(Scope.TRAINING_READ,), days=90):
    return post(
        client, organization_id, "issue-key", key_name="Warehouse", scopes=[str(each) for each in scopes],
        networks="", expires_on=day(days) if days else "",
    )  # fmt: skip


def test_an_operator_without_export_issues_no_key_that_is_told_names(staff, organization_id):
    text = issue(staff(OPERATOR), organization_id, list(Scope))
    assert "Only who may export issues or rotates one" in text
    assert not ApiKey.objects.exists()
    assert issue(staff(OPERATOR), organization_id, [Scope.TRAINING_READ, Scope.CERTIFICATES_READ])
    assert ApiKey.objects.get().scopes == ["training:read", "certificates:read"]


def test_whoever_operates_and_may_export_issues_it(organization_id):
    user = make_staff("both", OPERATOR)
    user.groups.add(Group.objects.get(name=COMPLIANCE_MANAGER))
    issue(signed_in(user), organization_id, [Scope.PEOPLE_READ])
    assert ApiKey.objects.get().scopes == ["people:read"]


@pytest.mark.parametrize("days", [None, -1, 400, 4000])
def test_no_key_is_issued_without_an_end_within_a_year(staff, organization_id, days):
    text = issue(staff("Administrator"), organization_id, days=days)
    assert "errorlist" in text
    assert not ApiKey.objects.exists()


def test_a_key_of_a_whole_year_is_issued(staff, organization_id):
    issue(staff(OPERATOR), organization_id, days=365)
    assert ApiKey.objects.get().expires_at > timezone.now() + timedelta(days=364)


@pytest.mark.parametrize("four_eyes", [False, True])
@pytest.mark.parametrize("language, words", [("en", "is no network"), ("de", "ist kein Netz")])
def test_what_is_no_network_is_refused_before_anybody_else_is_asked(
    staff, organization_id, settings, four_eyes, language, words
):
    settings.FOUR_EYES = four_eyes
    client = staff("Administrator")
    client.cookies[languages.COOKIE] = language
    sent = {
        "step": "preview", "key_name": "Warehouse", "scopes": ["people:read"], "networks": "192.0.2.0/24, 10.0.0",
        "expires_on": day(90),
    }  # fmt: skip
    text = client.post(f"/console/companies/{organization_id}/act/issue-key/", sent).content.decode()
    assert f"&#x27;10.0.0&#x27; {words}" in text
    assert not re.search(r'name="job" value="[0-9a-f-]{36}"', text)
    with context.company(organization_id):
        assert not Job.objects.exists()


def test_networks_of_a_key_are_previewed_and_kept_in_their_canonical_form(staff, organization_id):
    text = post(
        staff(OPERATOR), organization_id, "issue-key", key_name="Warehouse", scopes=["training:read"],
        networks="192.0.2.7,2001:DB8::/32", expires_on=day(90),
    )  # fmt: skip
    assert "192.0.2.7/32, 2001:db8::/32" in text
    assert ApiKey.objects.get().networks == ["192.0.2.7/32", "2001:db8::/32"]


def _key(organization_id, scopes, days=30):
    now = timezone.now()
    return actions.issue_key(
        organization_id=organization_id, scopes=scopes, environment="test", at=now, actor="create_key",
        expires_at=now + timedelta(days=days),
    )[1]  # fmt: skip


def test_an_operator_rotates_no_key_with_names_but_revokes_it(staff, organization_id):
    key = _key(organization_id, ["people:read"])
    client = staff(OPERATOR)
    assert "Only who may export" in post(client, organization_id, "rotate-key", key_id=str(key.key_id))
    assert ApiKey.objects.count() == 1
    post(client, organization_id, "revoke-key", key_id=str(key.key_id))
    assert ApiKey.objects.get().revoked_at is not None


def test_rotation_prolongs_nothing(staff, organization_id):
    key = _key(organization_id, ["training:read"], days=3)
    for _ in range(2):
        last = ApiKey.objects.latest("created_at")
        post(staff(OPERATOR), organization_id, "rotate-key", key_id=str(last.key_id))
    assert ApiKey.objects.count() == 3
    assert {each.expires_at for each in ApiKey.objects.all()} == {key.expires_at}


def _leave(user, how):
    if how == "disabled":
        User.objects.filter(pk=user.pk).update(is_active=False)
    elif how == "expired":
        StaffAccess.objects.create(user=user, valid_until=timezone.now() - timedelta(minutes=1))
    elif how == "group removed":
        user.groups.clear()
    else:
        user.delete()


@pytest.mark.parametrize("how", ["disabled", "expired", "group removed", "account removed"])
def test_keys_are_named_when_their_issuer_has_left(staff, organization_id, how):
    user = make_staff("leaver", OPERATOR)
    issue(signed_in(user), organization_id)
    page = f"/console/companies/{organization_id}/keys/"
    before = staff(OPERATOR).get(page).content.decode()
    assert ("has left" in before, "leaver" in before) == (False, True)
    _leave(user, how)
    client = staff(OPERATOR)
    assert "has left" in client.get(page).content.decode()
    out = StringIO()
    call_command("list_keys", "--issuer-left", "--json", stdout=out)
    (listed,) = json.loads(out.getvalue())
    key = ApiKey.objects.get()
    assert (listed["key_id"], listed["issuer_left"]) == (str(key.key_id), True)
    post(client, organization_id, "revoke-key", key_id=str(key.key_id))
    assert "has left</b>" not in client.get(page).content.decode()
    out = StringIO()
    call_command("list_keys", "--issuer-left", stdout=out)
    assert out.getvalue() == "0 keys.\n"


def test_whoever_closes_an_account_is_told_its_keys(staff, organization_id):
    user = make_staff("leaver", OPERATOR)
    issue(signed_in(user), organization_id)
    root = staff("Administrator")
    where = f"/console/staff/auth/user/{user.pk}/change/"
    assert "Warehouse" in root.get(where).content.decode()
    form = {
        "username": "leaver", "email": "", "groups": [],
        "staff_access-TOTAL_FORMS": 0, "staff_access-INITIAL_FORMS": 0,
        "company_account-TOTAL_FORMS": 0, "company_account-INITIAL_FORMS": 0,
    }  # fmt: skip
    page = root.post(where, form, follow=True).content.decode()
    assert "has left keys or sources that still open" in page
    assert "Warehouse" in page


def test_the_page_of_keys_asks_the_database_as_often_for_many_issuers(staff, organization_id):
    client = staff(OPERATOR)
    page = f"/console/companies/{organization_id}/keys/"
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    counts = []
    for start in (0, 5):
        for number in range(start, start + 5):
            issue(signed_in(make_staff(f"issuer-{number}", OPERATOR)), organization_id)
        with CaptureQueriesContext(connection) as asked:
            client.get(page)
        counts.append(len(asked))
    assert counts[0] == counts[1]
