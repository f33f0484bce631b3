"""Pages of the console with hostile values of their parameters: a message, never a server error."""

import base64
import json

import pytest
from django.urls import reverse

from compliance.interfaces.console.models import Job
from compliance.tenancy import context
from tests.interfaces.console.companies import full_company

pytestmark = pytest.mark.django_db


def cursor(*values: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode()


CURSORS = ["\0", "\u00e9", "e30=", cursor("a"), cursor("\0"), cursor(2**63), cursor(True), cursor("9" * 5000)]
DAYS = ["\0", "0001-01-01", "9999-12-31", "2026-02-30"]


@pytest.mark.parametrize(
    "name, parameter, values",
    [
        ("captures", "after", CURSORS), ("waiting", "after", CURSORS), ("log", "after", CURSORS),
        ("training-records", "after", [*CURSORS, cursor(2**63, 0, 0, 0)]), ("training-records", "as_at", DAYS),
        ("training-records", "from", DAYS), ("log-person", "from", DAYS), ("log-person", "to", DAYS),
        ("work", "after", CURSORS), ("matrix", "after", [*CURSORS, cursor("\0", "y")]),
    ],
)  # fmt: skip
def test_no_hostile_value_is_a_fault(staff, name, parameter, values):
    full = full_company(2, "Hostile")
    client = staff("Administrator")
    client.raise_request_exception = False
    named = {"organization_id": full.company.organization_id}
    if name == "log-person":
        named["learner_profile_id"] = full.people[0].learner_profile_id
    where = reverse(f"console:{name}", kwargs=named)
    assert [value for value in values if client.get(where, {parameter: value}).status_code >= 500] == []


def test_search_words_with_nul_find_and_those_in_an_address_do_not(staff):
    full = full_company(2, "Hostile")
    client = staff("Administrator")
    where = reverse("console:search", kwargs={"organization_id": full.company.organization_id})
    assert "Person 000" in client.post(where, {"q": "per\0son 000"}).content.decode()
    assert "Person 000" not in client.get(where, {"q": "Person 000"}).content.decode()


@pytest.mark.parametrize("second", [False, True])
def test_what_is_sent_beside_the_fields_of_an_act_is_not_kept(staff, settings, second):
    settings.FOUR_EYES = second
    full = full_company(2, "Hostile")
    client = staff("Administrator")
    client.raise_request_exception = False
    name, sent = ("erase", {"learner_profile_id": str(full.people[0].learner_profile_id)}) if second else ("sweep", {})
    where = reverse(f"console:act-{name}", kwargs={"organization_id": full.company.organization_id})
    shown = client.post(where, sent | {"step": "preview", "other": "a\0b"}).content.decode()
    job = shown.split('name="job" value="')[1].split('"')[0]
    sent |= {"step": "confirm", "job": job, "reason": "As was asked for", "other": "a\0b"}
    assert client.post(where, sent).status_code == 302
    with context.company(full.company.organization_id):
        told = Job.objects.get(job_id=job).told
    assert set(told) == ({"learner_profile_id"} if second else set())
