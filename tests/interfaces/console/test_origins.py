"""A record's story names who recorded each fact, and by which way; read over HTTP."""

import io
import json
import uuid

import pytest
from django.utils import timezone

from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.importing import import_facts
from compliance.facts.ledger.models import Origin
from compliance.facts.recording import Channel, Teller
from compliance.history.actions import capture_all
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER, OPERATOR
from compliance.tenancy import context
from tests.companies import Company, make_company, noon
from tests.interfaces.console.conftest import make_staff, signed_in
from tests.interfaces.console.test_acting import do, record_ids
from tests.interfaces.console.test_imports import hand_in, line

pytestmark = pytest.mark.django_db


@pytest.fixture
def company():
    made = make_company()
    return Company(made.organization_id, start=noon(90), now=timezone.now())


def story(client, company):
    (record,) = record_ids(company, TRAINING_RECORDS.number)
    return client.get(f"/console/companies/{company.organization_id}/records/training-records/{record}/")


def test_a_story_says_who_told_each_fact_and_how(company):
    anna, course = company.join("Anna Berg"), company.course()
    company.share(course)
    record_ids(company)
    manager, operator = make_staff("manuela", COMPLIANCE_MANAGER), make_staff("otto", OPERATOR)
    client = signed_in(manager)
    do(
        client, company, "waive", learner_profile_id=str(anna.learner_profile_id), course_id=str(course.course_id),
        reason_code="medical",
    )  # fmt: skip
    reminded = line("reminder_sent", learner_profile_id=anna.learner_profile_id, course_id=course.course_id)
    hand_in(signed_in(operator), company, [reminded])
    completed = line(
        "course_completed", learner_profile_id=anna.learner_profile_id, completion_receipt_id=uuid.uuid4(),
        course_release_id=course.course_release_id,
    )  # fmt: skip
    import_facts(
        organization_id=company.organization_id, stream=io.BytesIO(json.dumps(completed).encode()), now=timezone.now()
    )
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
    text = story(client, company).content.decode()
    assert "told by manuela in the console" in text
    assert "told by otto in a facts file" in text
    assert "told on the server in a facts file" in text
    operator.delete()
    assert "told by account " in story(client, company).content.decode()


def test_facts_of_a_source_name_it_wherever_their_origin_is_shown(company):
    anna, course = company.join("Anna Berg"), company.course()
    company.share(course)
    record_ids(company)
    reminded = line("reminder_sent", learner_profile_id=anna.learner_profile_id, course_id=course.course_id)
    source = Teller(Channel.SOURCE, name="HR system Workday", kinds=frozenset({"reminder_sent"}))
    import_facts(
        organization_id=company.organization_id, stream=io.BytesIO(json.dumps(reminded).encode()), now=timezone.now(),
        teller=source,
    )  # fmt: skip
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
        kept = Origin.objects.get(channel=Channel.SOURCE)
    assert kept.name == "HR system Workday"
    client = signed_in(make_staff("manuela", COMPLIANCE_MANAGER))
    assert "told by HR system Workday (source)" in story(client, company).content.decode()
