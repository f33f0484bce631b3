"""The auditor's room: the sample follows the documented rule, its proofs verify, and the verifier is quoted."""

import hashlib
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from compliance.history.actions import capture_all
from compliance.interfaces.console.evidence import tasks
from compliance.interfaces.console.evidence.models import Pack
from compliance.interfaces.console.evidence.sampling import DRAWN, SAMPLED
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import AUDITOR
from compliance.proofs import verify
from compliance.rules import company_days
from compliance.tenancy import context
from tests.companies import make_present_company
from tests.interfaces.console.evidence.packs import LOG_KEY
from tests.interfaces.console.small_company import SmallCompany, small_company

pytestmark = pytest.mark.django_db
DOCUMENT = Path(__file__).parents[4] / "docs" / "sample.md"


def address(small: SmallCompany, name: str, **values: Any) -> str:
    return reverse(f"console:{name}", kwargs={"organization_id": small.organization_id} | values)


@pytest.fixture
def audited(log_folder, staff):
    """A company, an auditor's client, and the pack that the auditor requested, as a ZIP."""
    small, client = small_company(), staff(AUDITOR)
    asked = client.post(address(small, "evidence-build"), {"from": "2025-01-01", "to": "2026-05-31"})
    job_id = re.search(r"/evidence/([0-9a-f-]{36})/", asked.url)[1]
    tasks.build(str(small.organization_id), job_id)
    with context.company(small.organization_id):
        pack = Pack.objects.get(organization_id=small.organization_id)
    content = b"".join(client.get(address(small, "evidence-file", job_id=job_id)).streaming_content)
    return small, client, pack, content


def test_the_sample_is_the_one_that_the_rule_draws_from_the_pack_alone(audited):
    """It implements the rule again in a few independent lines."""
    _, _, pack, content = audited
    archive = zipfile.ZipFile(io.BytesIO(content))
    root = json.loads(archive.read("log.json"))["checkpoint"].splitlines()[2]
    assert pack.sample["root"] == root
    for register in SAMPLED:
        ids = [json.loads(line)[register.identity] for line in archive.open(f"registers/{register.file}.jsonl")]
        text = f"svc.sample/1\n{root}\n{register.name}\n"
        by_place = {hashlib.sha256(f"{text}{each}\n".encode()).digest(): each for each in ids}
        assert pack.sample["records"][register.name] == [by_place[place] for place in sorted(by_place)][:DRAWN]
        assert by_place


def test_the_program_of_the_document_draws_the_same(audited, tmp_path):
    _, _, pack, content = audited
    (program,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    (tmp_path / "sample.py").write_text(program)
    (tmp_path / "pack.zip").write_bytes(content)
    for register in SAMPLED:
        assert register.name in DOCUMENT.read_text()
        drawn = subprocess.run(
            [sys.executable, "-I", "-S", "sample.py", "pack.zip", register.name, register.identity, "5"],
            cwd=tmp_path, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert drawn.stdout.split() == pack.sample["records"][register.name][:5]


def test_an_auditor_finds_pack_verdict_sample_and_timeline_on_one_page(audited):
    small, client, pack, _ = audited
    assert pack.holds is True
    page = client.get(address(small, "audit")).content.decode()
    assert "Every row of the pack follows from the signed history" in page
    assert address(small, "evidence-file", job_id=pack.job_id) in page
    for record_id in pack.sample["records"]["training-records"][:10]:
        assert address(small, "record-proof", register="training-records", record_id=record_id) in page
    assert address(small, "capture", capture_sequence=pack.capture_sequence) in page  # the timeline's last month
    more = client.get(address(small, "audit"), {"register": "people", "size": "100"}).content.decode()
    assert all(record_id in more for record_id in pack.sample["records"]["people"])
    for wrong in ({"size": "11"}, {"register": "captures"}, {"pack": "0" * 8}):
        assert client.get(address(small, "audit"), wrong).status_code == 422
    assert client.get(address(small, "audit"), {"pack": str(small.organization_id)}).status_code == 404


def test_the_timeline_names_months_of_the_company_wherever_it_is(staff):
    company = make_present_company(time_zone="Pacific/Auckland")
    company.join("Anna")
    now = timezone.now()
    capture_all(company.organization_id, now=now)
    page = staff(AUDITOR).get(f"/console/companies/{company.organization_id}/audit/").content.decode()
    (first, *_) = re.findall(r"<td>([A-Z][a-z]+ [0-9]{4})</td>", page)
    assert first == date_format(company_days.day_of("Pacific/Auckland", now), "F Y")


def test_the_proofs_of_a_sample_hold_and_the_access_log_names_whose_they_are(audited, tmp_path):
    small, client, pack, _ = audited
    answer = client.get(
        address(small, "audit-proofs", job_id=pack.job_id), {"register": "training-records", "size": "10"}
    )
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    drawn = pack.sample["records"]["training-records"][:10]
    assert archive.namelist() == [f"proof-training-records-{each}.json" for each in drawn]
    for name, record_id in zip(archive.namelist(), drawn, strict=True):
        proof = json.loads(archive.read(name))
        assert proof["row"]["record_id"] == record_id
    archive.extractall(tmp_path)
    assert verify.main([*(str(tmp_path / name) for name in archive.namelist()), "--log-key", LOG_KEY]) == 0
    line = AccessLog.objects.filter(organization_id=small.organization_id, page="audit-proofs").latest("at")
    assert line.learner_profile_ids


def test_a_pack_that_the_verifier_refutes_says_so(audited):
    small, client, pack, _ = audited
    with context.company(small.organization_id):
        Pack.objects.filter(pk=pack.pk).update(holds=False, verdict="pack.zip: a row was left out")
    page = client.get(address(small, "audit")).content.decode()
    assert "does not hold" in page
    assert "a row was left out" in page
