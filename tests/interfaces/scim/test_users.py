"""Users: made, read, replaced, patched and removed; what they say becomes facts of the source."""

import uuid

from compliance.facts.people import employees
from compliance.facts.people.models import Employment
from compliance.tenancy import context
from tests.interfaces.scim.conftest import ENTERPRISE, USER
from tests.interfaces.scim.test_protocol import fault


def test_a_user_is_an_employee_with_what_was_said(client, company):
    answer = client(
        "POST",
        "/Users",
        {
            "schemas": [USER, ENTERPRISE],
            "userName": "anna@example.com",
            "externalId": "e-1",
            "displayName": "Anna Smith",
            "active": True,
            "title": "Nurse",
            "emails": [{"value": "a.smith@example.com", "type": "work", "primary": True}],
            ENTERPRISE: {"department": "Ward 3"},
        },
    )
    made = answer.json()
    assert answer.status_code == 201, made
    assert answer["Location"] == made["meta"]["location"]
    assert answer["Location"].endswith(f"/scim/v2/Users/{made['id']}")
    assert answer["ETag"] == made["meta"]["version"]
    assert made["meta"]["created"] == made["meta"]["lastModified"]
    assert made[ENTERPRISE] == {"department": "Ward 3"}
    assert client.get(f"/Users/{made['id']}").json() == made
    with context.company(company.organization_id):
        known = employees.recorded_last(company.organization_id, uuid.UUID(made["id"]))
    assert known[:5] == (known.person_id, False, "Anna Smith", "anna@example.com", "a.smith@example.com")
    assert known.person_id is not None


def test_leaving_and_coming_back(client, company):
    made = client.user(externalId="e-1")
    path = f"/Users/{made['id']}"
    left = client.patch(path, {"op": "Replace", "path": "active", "value": "False"})
    assert left.status_code == 200, left.content
    assert left.json()["active"] is False
    assert client.patch(path, {"op": "replace", "value": {"active": True}}).json()["active"] is True
    assert client("DELETE", path).status_code == 204
    fault(client.get(path), 404)
    fault(client("DELETE", path), 404)
    again = client.user(externalId="e-2")
    assert again["id"] == made["id"]
    assert client.get('/Users?filter=userName eq "ANNA@example.com"').json()["totalResults"] == 1
    with context.company(company.organization_id):
        stays = Employment.objects.filter(organization_id=company.organization_id).order_by("joined_at")
        assert [each.left_at is None for each in stays] == [False, False, True]


def test_a_name_that_somebody_has_is_a_conflict(client):
    client.user()
    fault(client("POST", "/Users", {"schemas": [USER], "userName": "Anna@Example.com"}), 409, "uniqueness")
