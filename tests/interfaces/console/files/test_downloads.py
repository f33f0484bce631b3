"""Downloads of packs, exports and media over HTTP, from a folder and a bucket, as staff and as an attacker."""

import hashlib
import io
import os
import re
import uuid
import zipfile
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from compliance.contentfile.package import check_package
from compliance.facts.courses.models import ReleaseMedia
from compliance.facts.courses.publishing import publish_package
from compliance.files import actions
from compliance.files.models import KeptFile
from compliance.interfaces.console.evidence import tasks
from compliance.interfaces.console.exports import keeping
from compliance.interfaces.console.exports.extract import extract, registers
from compliance.interfaces.console.models import AccessLog, Job
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER
from compliance.learning.courses import forget_contents
from compliance.tenancy import context
from compliance.tenancy.queries import organization
from development.demo.telling import PACKAGES
from tests.companies import make_present_company
from tests.files.conftest import Kept
from tests.interfaces.console.small_company import small_company

pytestmark = pytest.mark.django_db
PIECE = 256 * 1024


def address(organization_id, name, **values):
    return reverse(f"console:{name}", kwargs={"organization_id": organization_id} | values)


@pytest.fixture
def pack(place, log_folder, staff):
    """A built pack: its company, an auditor, and its address."""
    small = small_company()
    client = staff(AUDITOR)
    client.post(address(small.organization_id, "evidence-build"), {"from": "2025-01-01", "to": "2026-05-31"})
    with context.company(small.organization_id):
        job = Job.objects.get(organization_id=small.organization_id)
    tasks.build(str(small.organization_id), str(job.job_id))
    return small.organization_id, client, address(small.organization_id, "evidence-file", job_id=job.job_id)


def test_a_pack_is_taken_whole_and_the_access_log_says_so_and_one_that_was_changed_is_not_given(pack, place: Kept):
    organization_id, client, where = pack
    taken = client.get(where)
    content = taken.getvalue()
    assert zipfile.ZipFile(io.BytesIO(content)).testzip() is None
    ((name, held),) = place.objects().items()
    assert held == content
    assert int(taken["Content-Length"]) == len(content)
    line = AccessLog.objects.filter(organization_id=organization_id, page="evidence-file").latest("id")
    assert (line.status, line.everybody) == (200, True)
    place.put(name, content[:100] + b"X" + content[101:])
    answers = [client.get(where)]
    place.remove(name)
    answers.append(client.get(where))
    for answer in answers:
        assert answer.status_code == 503
        assert "The file cannot be given" in answer.content.decode()
        assert name not in answer.content.decode()


def test_only_whoever_may_is_given_a_file_and_no_address_leads_to_another(pack, place, staff, client):
    organization_id, auditor, where = pack
    other = make_present_company("Other").organization_id
    stranger = staff(AUDITOR, companies=[other])
    assert stranger.get(where).status_code == 404
    assert stranger.get(where.replace(str(organization_id), str(other))).status_code == 404
    assert client.get(where).status_code == 302
    ((name, _),) = place.objects().items()
    for path in (name, f"media/{name}", f"files/{name}", f"static/{name}", f"static/../{name}"):
        assert client.get(f"/{path}").status_code in (302, 404), path
    (_, job_id) = re.findall(r"[0-9a-f-]{36}", where)
    for identifier in ("..%2f..%2fetc%2fpasswd", "%00", "a" * 300, str(uuid.uuid4()), "a%0d%0ab"):
        for page in (where.replace(job_id, identifier), address(organization_id, "exports") + f"{identifier}/file/"):
            assert auditor.get(page).status_code == 404, page


def test_an_export_is_taken_and_gone_with_its_time(place: Kept, staff):
    company = make_present_company()
    company.join("Anna Berg")
    now = timezone.now()
    about = extract(organization(company.organization_id), now, now, personal=True)
    (file,) = keeping.store(about, registers("people"), "csv", now=now, expires_at=now + timedelta(days=1))
    client = staff(COMPLIANCE_MANAGER)
    where = address(company.organization_id, "exports-file", file_id=file.file_id)
    assert client.get(where).getvalue() == next(iter(place.objects().values()))
    with context.company(company.organization_id):
        keeping.forget(company.organization_id, now + timedelta(days=2))
    actions.clear(company.organization_id, timezone.now() + timedelta(days=2))
    assert place.objects() == {}
    assert client.get(where).status_code == 404


@pytest.fixture
def film(place, tmp_path):
    """A published package with an audio file of more than one piece, and its address."""
    forget_contents()
    company = make_present_company()
    package = check_package(PACKAGES / "phishing")
    published = publish_package(
        organization_id=company.organization_id, package=package, at=company.start, now=company.now
    )
    sound = os.urandom(3 * PIECE + 17)
    file = actions.keep(company.organization_id, KeptFile.Purpose.MEDIA, io.BytesIO(sound), timezone.now())
    with context.company(company.organization_id):  # as large as real media, unlike those of the demo
        ReleaseMedia.objects.filter(organization_id=company.organization_id, media_id="chime").update(
            kept_file_id=file.file_id, size=len(sound), sha256=hashlib.sha256(sound).hexdigest()
        )
    named = {"course_release_id": published.course_release_id, "media_id": "chime"}
    return address(company.organization_id, "reading-media", **named), sound, file


@pytest.mark.parametrize(
    "wanted, start, stop",
    [("bytes=0-1", 0, 2), (f"bytes={PIECE - 1}-{PIECE}", PIECE - 1, PIECE + 1), ("bytes=-17", -17, None),
     (f"bytes={PIECE + 5}-", PIECE + 5, None), ("", 0, None)],
)  # fmt: skip
def test_a_film_is_given_in_the_parts_that_browsers_ask_for(film, staff, wanted, start, stop):
    where, sound, _ = film
    answer = staff(COMPLIANCE_MANAGER).get(where, headers={"Range": wanted} if wanted else {})
    content = answer.getvalue()
    assert content == sound[start:stop]
    assert (answer.status_code, int(answer["Content-Length"])) == (206 if wanted else 200, len(content))
    if wanted:
        first = start % len(sound)
        assert answer["Content-Range"] == f"bytes {first}-{first + len(content) - 1}/{len(sound)}"


def test_a_film_that_was_changed_gives_its_sound_parts_only(film, staff, place: Kept):
    where, sound, file = film
    place.put(file.name, sound[:PIECE] + bytes(len(sound) - PIECE))
    client = staff(COMPLIANCE_MANAGER)
    assert client.get(where, headers={"Range": "bytes=0-9"}).getvalue() == sound[:10]
    assert client.get(where, headers={"Range": f"bytes={PIECE}-{PIECE + 9}"}).status_code == 503
    assert client.head(where).status_code == 200
