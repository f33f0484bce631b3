"""Records sorted for the console come in the order of what their rows display."""

import json
import uuid
from datetime import UTC, datetime

import pytest

from compliance.catalogue.policies import POLICY_RECORDS
from compliance.facts.courses.models import Course
from compliance.history.projections import Columns, ProjectedTimeline, ProjectedVersion
from compliance.registers import ordered
from compliance.registers.listings import LISTINGS
from compliance.registers.ordered import Order
from compliance.tenancy import context
from tests.registers.stored import StoredCompany
from tests.registers.test_pins import question

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize("descending", [False, True])
def test_policies_are_sorted_by_the_titles_of_their_versions_and_not_by_what_they_are_called_since(descending):
    stored, policy = StoredCompany(NOW), uuid.uuid4()
    with context.company(stored.organization_id):
        Course.objects.create(
            organization_id=stored.organization_id, course_id=policy, kind="policy", created_at=NOW,
            title="Working hours", title_at=NOW,
        )  # fmt: skip
    for course_id, title in ((policy, "absence"), (uuid.uuid4(), 'Conduct, "new"'), (policy, "Working hours")):
        record_id = uuid.uuid4()
        body = json.dumps({"record_id": str(record_id), "course_id": str(course_id), "policy_title": title}).encode()
        version = ProjectedVersion(NOW, body, Columns(door="employee"))
        stored.store(ProjectedTimeline(POLICY_RECORDS.number, record_id, None, course_id, [version]))
    with context.company(stored.organization_id):
        places = ordered.places(
            LISTINGS["policy-records"], question(stored.organization_id)._replace(moment=NOW),
            Order("policy_title", descending), None, 9,
        )  # fmt: skip
    assert [place.key for place in places] == sorted(("absence", 'conduct, "new"', "working hours"), reverse=descending)
