"""What is kept about a person: in words on a page, and all of it as a file, for them and for staff."""

import json
import uuid
from datetime import UTC, datetime

import pytest

from compliance.facts.lines.kinds import ContactJoined, ContactLeft
from compliance.facts.recording import record
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER, OPERATOR
from compliance.rules.vocabulary import Door
from tests import verbs
from tests.companies import noon
from tests.interfaces.console.conftest import make_staff
from tests.interfaces.console.conftest import signed_in as staff_client

pytestmark = pytest.mark.django_db


def test_the_page_says_who_one_is_and_how_much_there_is(here):
    team = here.company.team("Warehouse")
    verbs.add_to_team(**here.when(39), team_id=team, learner_profile_id=here.anna.learner_profile_id)
    here.company.share(here.company.course("Fire safety"))
    here.capture()
    html = here.page("/learn/about-me")
    for said in ("Anna Reis", "anna.reis@example.org", "Warehouse", "Training asked of you"):
        assert said in html, said
    assert 'href="/learn/about-me/file.json"' in html


def test_only_devices_on_which_one_is_signed_in_are_counted_as_such(here, signed_in):
    other = signed_in(here.organization_id, here.anna.learner_profile_id)
    counted = '<div>Devices signed in</div><span class="tag number">{}</span>'
    assert counted.format(2) in here.page("/learn/about-me")
    other.post("/learn/out")
    assert counted.format(1) in here.page("/learn/about-me")


def test_a_late_fact_about_the_past_changes_nothing_of_what_one_is_today(here):
    anna = {"learner_profile_id": here.anna.learner_profile_id}
    verbs.change_person(**here.when(5), **anna, role_ids=("driver",))
    verbs.join_contact(**here.when(5), **anna, door=Door.PARTNER, company="Atlas Freight")
    verbs.change_person(**here.when(30), **anna, role_ids=("warden",))
    before = {"fact_id": uuid.uuid4(), **anna, "door": Door.PARTNER}
    lines = [
        ContactJoined(**before, at=noon(30), company="Vine Partners"),
        ContactLeft(**before | {"fact_id": uuid.uuid4()}, at=noon(20)),
    ]
    record(here.organization_id, lines, now=datetime.now(UTC))
    html = here.page("/learn/about-me")
    assert ("driver" in html, "warden" in html) == (True, False)
    assert ("Atlas Freight" in html, "Vine Partners" in html) == (True, False)


def test_the_file_is_ones_own(here):
    bo = here.company.join("Bo Lind", at=noon(30))
    here.capture()
    answer = here.client.get("/learn/about-me/file.json")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert answer["Content-Disposition"].startswith("attachment")
    found = json.loads(answer.content)
    assert found["learner_profile_id"] == str(here.anna.learner_profile_id)
    assert found["kept"]["sessions"][0]["device"] == "Firefox on Android"
    assert "Bo Lind" not in answer.content.decode()
    assert str(bo.learner_profile_id) not in answer.content.decode()
    assert here.client.cookies["learner"].value not in answer.content.decode()


def test_before_any_capture_there_is_a_file_too(here):
    found = json.loads(here.client.get("/learn/about-me/file.json").content)
    assert found["kept"]["profile"][0]["person_name"] == "Anna Reis"
    assert found["registers"]["training"] == []


def test_staff_who_keep_the_records_make_the_same_file_and_the_access_log_names_whose(here):
    here.capture()
    manager = staff_client(make_staff("Mia", COMPLIANCE_MANAGER))
    address = f"/console/companies/{here.organization_id}/people/{here.anna.learner_profile_id}/"
    assert f'href="{address}file/"' in manager.get(address).content.decode()
    answer = manager.get(f"{address}file/")
    assert answer.status_code == 200
    mine = json.loads(here.client.get("/learn/about-me/file.json").content)
    theirs = json.loads(answer.content)
    assert theirs["kept"] == mine["kept"]
    assert theirs["registers"] == mine["registers"]
    line = AccessLog.objects.filter(organization_id=here.organization_id, page="personal-file").get()
    assert here.anna.learner_profile_id in line.learner_profile_ids
    operator = staff_client(make_staff("Olaf", OPERATOR))
    assert operator.get(f"{address}file/").status_code == 403
    assert "All that is kept" not in operator.get(address).content.decode()
    other = f"/console/companies/{here.organization_id}/people/{here.organization_id}/file/"
    assert manager.get(other).status_code == 404
