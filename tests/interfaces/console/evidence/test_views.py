"""Packs from the console: built by the worker, with progress, downloaded in parts, removed by an erasure."""

import io
import zipfile
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from compliance.facts.people.erasing import erase_person
from compliance.files import actions, pieces, places
from compliance.files.models import KeptFile
from compliance.interfaces.console.evidence import tasks
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import AUDITOR
from compliance.tenancy import context
from tests.interfaces.console.small_company import SmallCompany, small_company

pytestmark = pytest.mark.django_db


@pytest.fixture
def small(log_folder, monkeypatch) -> SmallCompany:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 20_000)
    return small_company()


def address(small: SmallCompany, name: str, **values: Any) -> str:
    return reverse(f"console:{name}", kwargs={"organization_id": small.organization_id} | values)


def test_an_auditor_has_a_pack_built_and_takes_it_away(small, staff):
    client = staff(AUDITOR)
    assert "No pack is kept" in client.get(address(small, "evidence")).content.decode()
    period = {"from": "2025-01-01", "to": "2026-05-31"}
    asked = client.post(address(small, "evidence-build"), period)
    with context.company(small.organization_id):
        job = Job.objects.get(organization_id=small.organization_id)
    assert asked.status_code == 302
    assert asked.url == address(small, "evidence-pack", job_id=job.job_id)
    waiting = client.get(asked.url)
    assert waiting.headers["Refresh"].startswith("2;url=")
    assert client.get(address(small, "evidence-file", job_id=job.job_id)).status_code == 404

    tasks.build(str(small.organization_id), str(job.job_id))
    tasks.build(str(small.organization_id), str(job.job_id))  # a task that is delivered twice works once
    shown = client.get(asked.url)
    assert "Refresh" not in shown.headers
    assert "<b>7</b><span>People in the period</span>" in shown.content.decode()
    taken = client.get(address(small, "evidence-file", job_id=job.job_id))
    content = b"".join(taken.streaming_content)
    assert len(content) == int(taken.headers["Content-Length"])
    assert zipfile.ZipFile(io.BytesIO(content)).testzip() is None
    with context.company(small.organization_id):
        file = KeptFile.objects.get(organization_id=small.organization_id)
    assert (file.purpose, file.size, file.place) == ("pack", len(content), "folder")
    assert file.size > pieces.PIECE_BYTES
    assert client.post(address(small, "evidence-build"), period).url == asked.url

    erase_person(
        organization_id=small.organization_id,
        learner_profile_id=small.people["Ben"].learner_profile_id,
        at=timezone.now(),
    )
    assert client.get(asked.url).status_code == 404
    assert "No pack is kept" in client.get(address(small, "evidence")).content.decode()
    assert actions.clear(small.organization_id, timezone.now()) == 1
    with places.storage("folder") as storage:
        assert list(storage.found(f"{small.organization_id}/")) == []


def test_a_period_that_cannot_be_read_is_refused_in_words(small, staff):
    client = staff(AUDITOR)
    for first, last in (
        ("", ""),
        ("2025-01-01", "yesterday"),
        ("2025-02-01", "2025-01-01"),
        ("2019-01-01", "2025-01-01"),
    ):
        answer = client.post(address(small, "evidence-build"), {"from": first, "to": last})
        assert answer.status_code == 422
