"""Uploads of staff are kept from the preview to the end of the act, under a meaningless name, and then removed."""

import io
import json
import re
import shutil
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from compliance.facts.courses.models import ReleaseMedia
from compliance.facts.people.erasing import erase_person
from compliance.files import actions
from compliance.files.models import KeptFile
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.tasks import run_job
from compliance.tenancy import context
from development.demo.telling import PACKAGES
from tests.companies import make_present_company
from tests.files.conftest import Kept

pytestmark = pytest.mark.django_db
NAMES = [
    "facts.jsonl",
    'a";\r\nX-Evil: 1\r\n.jsonl',
    "../../../etc/passwd",
    "x" * 300,
    "Anna Berg\x00.jsonl",
    "ä€😀.jsonl",
]


def invited(company):
    fact = {"fact": "person_invited", "fact_id": str(uuid.uuid4()), "at": company.start.isoformat()}
    return json.dumps(fact | {"invitation_id": str(uuid.uuid4()), "work_email": "new@example.org"}).encode()


def hand_in(client, company, content, name="facts.jsonl"):
    file = io.BytesIO(content)
    file.name = name
    where = f"/console/companies/{company.organization_id}/act/import/"
    shown = client.post(where, {"step": "preview", "file": file})
    return where, shown, "".join(re.findall(r'name="job" value="([0-9a-f-]{36})"', shown.content.decode()))


def clear(company):
    actions.clear(company.organization_id, timezone.now() + timedelta(seconds=1))


@pytest.mark.parametrize("name", NAMES, ids=["plain", "header", "path", "long", "nul", "other letters"])
def test_an_upload_of_any_name_is_kept_until_its_work_ends(folder: Kept, staff, name):
    place = folder
    company = make_present_company()
    client, content = staff(OPERATOR), invited(company)
    where, shown, job = hand_in(client, company, content, name)
    assert shown.status_code == 200
    ((kept, held),) = place.objects().items()
    assert held == content
    assert re.fullmatch(rf"{company.organization_id}/upload/[0-9a-f-]{{36}}", kept)
    done = client.post(where, {"step": "confirm", "job": job, "reason": "as asked"})
    assert done.status_code == 302, done.content
    assert all("Evil" not in f"{header}{value}" for header, value in done.headers.items())
    run_job(str(company.organization_id), job)
    assert "1 facts recorded" in client.get(done.url).content.decode()
    with context.company(company.organization_id):
        ended = Job.objects.get(job_id=job)
    assert (ended.upload_file_id, ended.upload_name, ended.told) == (None, "", {})
    clear(company)
    assert place.objects() == {}


def test_drafts_that_nobody_confirmed_and_those_before_an_erasure_leave_nothing(place: Kept, staff):
    company = make_present_company()
    anna = company.join("Anna")
    for _ in range(2):
        hand_in(staff(OPERATOR), company, invited(company))
    assert len(place.objects()) == 2
    erase_person(organization_id=company.organization_id, learner_profile_id=anna.learner_profile_id, at=timezone.now())
    with context.company(company.organization_id):
        assert jobs.forget_uploads(company.organization_id, timezone.now()) == 2
    clear(company)
    assert place.objects() == {}


def test_an_upload_that_was_changed_in_its_storage_is_not_taken_in(place: Kept, staff):
    company = make_present_company()
    client = staff(OPERATOR)
    where, _, job = hand_in(client, company, invited(company))
    (name,) = place.objects()
    place.put(name, invited(company))  # a valid file, but not the one that was previewed
    done = client.post(where, {"step": "confirm", "job": job, "reason": "as asked"})
    run_job(str(company.organization_id), job)
    assert "not as it was kept" in client.get(done.url).content.decode()


def test_an_upload_of_before_is_still_worked_on(place: Kept, staff):
    company = make_present_company()
    client, content = staff(OPERATOR), invited(company)
    where, _, job = hand_in(client, company, content)
    with context.company(company.organization_id):
        mine = Job.objects.filter(job_id=job)
        actions.let_go(company.organization_id, list(mine.values_list("upload_file_id", flat=True)))
        mine.update(upload=content, upload_file_id=None)
    client.post(where, {"step": "confirm", "job": job, "reason": "as asked"})
    run_job(str(company.organization_id), job)
    with context.company(company.organization_id):
        assert Job.objects.get(job_id=job).message.startswith("1 facts recorded")


def test_a_preview_of_a_course_writes_none_of_its_media(place: Kept, staff, tmp_path):
    company = make_present_company()
    client = staff(COMPLIANCE_MANAGER)
    packed = shutil.make_archive(str(tmp_path / "phishing"), "zip", PACKAGES / "phishing")
    file = io.BytesIO(Path(packed).read_bytes())
    file.name = "phishing.zip"
    where = f"/console/companies/{company.organization_id}/act/publish-course/"
    shown = client.post(where, {"step": "preview", "package": file})
    (job,) = re.findall(r'name="job" value="([0-9a-f-]{36})"', shown.content.decode())
    assert [name.split("/")[1] for name in place.objects()] == ["upload"]
    done = client.post(where, {"step": "confirm", "job": job, "reason": "as asked"})
    assert done.status_code == 302, done.content
    clear(company)
    with context.company(company.organization_id):
        media = ReleaseMedia.objects.filter(organization_id=company.organization_id)
        assert media.exists()
        assert set(media.values_list("kept_file_id", flat=True)) == set(
            KeptFile.objects.filter(organization_id=company.organization_id).values_list("file_id", flat=True)
        )
    assert {name.split("/")[1] for name in place.objects()} == {"media"}
