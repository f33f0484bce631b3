"""`move_files` and `check_files`: what they move, name, clear and refuse, and what earlier versions kept elsewhere."""

import hashlib
import io
import json
import os
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.utils import timezone

from compliance.contentfile.package import check_package
from compliance.facts.courses.media import media_content
from compliance.facts.courses.models import ReleaseMedia
from compliance.facts.courses.publishing import publish_package
from compliance.files import actions
from compliance.files.models import KeptFile
from compliance.interfaces.console.exports import keeping
from compliance.interfaces.console.exports.models import ExportFile
from compliance.tenancy import context
from development.demo.telling import PACKAGES
from tests.companies import make_present_company
from tests.files.conftest import bucket, folder, place, refused, server

__all__ = ["bucket", "folder", "place", "refused", "server"]
pytestmark = pytest.mark.django_db
FILM = check_package(PACKAGES / "phishing")


@pytest.fixture
def company():
    return make_present_company()


def run(name, company, *options):
    out, error = io.StringIO(), io.StringIO()
    try:
        call_command(name, "--organization", str(company.organization_id), "--json", *options, stdout=out, stderr=error)
    except CommandError as refused:
        return json.loads(out.getvalue()), error.getvalue() + str(refused)
    return json.loads(out.getvalue()), ""


def publish(company):
    return publish_package(
        organization_id=company.organization_id, package=FILM, at=company.start, now=company.now
    ).course_release_id


def given(company, release):
    with context.company(company.organization_id):
        found = {}
        for item in FILM.media:
            pieces = media_content(company.organization_id, release, item.id, 0, item.size)
            found[item.id] = None if pieces is None else b"".join(pieces)
        return found


WHOLE = {item.id: FILM.read_media(item.id) for item in FILM.media}


def test_media_of_a_database_of_before_are_read_there_and_then_moved_once(company, place):
    release = publish(company)
    with context.company(company.organization_id):
        media = ReleaseMedia.objects.filter(organization_id=company.organization_id)
        actions.let_go(company.organization_id, list(media.values_list("kept_file_id", flat=True)))
        for each in media:
            media.filter(pk=each.pk).update(kept_file_id=None, content=WHOLE[each.media_id])
    actions.clear(company.organization_id, timezone.now())
    assert place.objects() == {}
    assert given(company, release) == WHOLE
    found, _ = run("move_files", company)
    assert (found["of_before"], found["faults"], found["place"]) == (len(WHOLE), 0, place.place)
    assert sorted(place.objects().values()) == sorted(WHOLE.values())
    assert given(company, release) == WHOLE
    with context.company(company.organization_id):
        assert not ReleaseMedia.objects.filter(content__isnull=False).exists()
    assert run("move_files", company)[0]["of_before"] == 0


def test_a_media_file_of_before_that_differs_from_its_digest_stays_and_is_named(company, place):
    release = publish(company)
    with context.company(company.organization_id):
        ReleaseMedia.objects.filter(course_release_id=release, media_id="chime").update(
            kept_file_id=None, content=b"changed"
        )
    found, said = run("move_files", company)
    assert found["faults"] == 1
    assert "chime" in said
    with context.company(company.organization_id):
        assert bytes(ReleaseMedia.objects.get(media_id="chime").content) == b"changed"


def test_exports_of_before_are_given_and_then_moved(company, place, settings, tmp_path):
    options = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(tmp_path / "old")}}
    settings.STORAGES = settings.STORAGES | {"exports": options}
    now, content = timezone.now(), b"person_name\r\nAnna Berg\r\n"
    name = f"{company.organization_id}/{uuid.uuid4()}.csv"
    storages["exports"].save(name, ContentFile(content))
    with context.company(company.organization_id):
        file = ExportFile.objects.create(
            organization_id=company.organization_id, register="people", written_as="csv", personal=True, as_at=now,
            capture_sequence=1, erasures=0, stored_as=name, begun_at=now, ready=True,
            size=len(content), sha256=hashlib.sha256(content).hexdigest(), expires_at=now + timedelta(days=9),
        )  # fmt: skip
    assert b"".join(keeping.content(file)) == content
    assert run("move_files", company)[0]["of_before"] == 1
    with context.company(company.organization_id):
        file.refresh_from_db()
    assert b"".join(keeping.content(file)) == content
    assert list(place.objects().values()) == [content]
    assert not storages["exports"].exists(name)


def test_everything_moves_to_a_bucket_and_back(company, folder, bucket, settings):
    settings.FILES_PLACE = "folder"
    release = publish(company)
    for source, target in ((folder, bucket), (bucket, folder)):
        settings.FILES_PLACE = target.place
        found, said = run("move_files", company)
        assert (found["files"], found["bytes"], said) == (len(WHOLE), sum(map(len, WHOLE.values())), "")
        assert source.objects() == {}
        assert given(company, release) == WHOLE


def test_what_is_missing_is_named_and_comes_back_when_its_package_is_published_again(company, place):
    release = publish(company)
    with context.company(company.organization_id):
        lost = KeptFile.objects.get(file_id=ReleaseMedia.objects.get(media_id="chime").kept_file_id)
    place.remove(lost.name)
    found, said = run("check_files", company)
    assert [each["file_id"] for each in found["unsound"]] == [str(lost.file_id)]
    assert str(lost.file_id) in said
    assert publish(company) == release  # the same package: nothing is recorded
    assert given(company, release) == WHOLE


def test_the_same_media_of_two_versions_are_one_object(company, place, tmp_path):
    publish(company)
    before = set(place.objects())
    publish_package(organization_id=company.organization_id, package=FILM, at=company.now, now=company.now, retake=True)
    with context.company(company.organization_id):
        assert ReleaseMedia.objects.filter(organization_id=company.organization_id).count() == 2 * len(FILM.media)
    assert set(place.objects()) == before


def test_objects_without_rows_are_counted_and_cleared_when_they_are_old(company, folder, tmp_path):
    folder.put(f"{company.organization_id}/media/{uuid.uuid4()}", b"lost")
    (path,) = (each for each in (tmp_path / "files").rglob("*") if each.is_file())
    assert run("check_files", company)[0]["orphans"] == 0  # a transaction may be about to refer to it
    os.utime(path, (0, 0))
    assert run("check_files", company)[0]["orphans"] == 1
    assert run("check_files", company, "--clear")[0]["cleared"] == 1
    assert folder.objects() == {}


def test_a_company_whose_objects_cannot_be_removed_keeps_no_other_company_waiting(folder, refused):
    companies = sorted([make_present_company(), make_present_company()], key=lambda each: each.organization_id)
    names = [f"{each.organization_id}/media/{uuid.uuid4()}" for each in companies]
    for name in names:
        folder.put(name, b"lost")
        os.utime(Path(settings.FILES_FOLDER) / name, (0, 0))
    refused.add(names[0])
    out, error = io.StringIO(), io.StringIO()
    with pytest.raises(CommandError, match="Not everything could be"):
        call_command("check_files", "--clear", "--json", stdout=out, stderr=error)
    assert json.loads(out.getvalue())["failed"] == 1
    assert str(companies[0].organization_id) in error.getvalue()
    assert set(folder.objects()) == {names[0]}


def test_a_bucket_that_everybody_may_read_is_said(company, bucket):
    storage = cast(Any, storages["bucket"])
    client, name = storage.connection.meta.client, storage.bucket_name
    assert run("check_files", company)[1] == ""
    client.put_bucket_acl(Bucket=name, ACL="public-read")
    assert "access control list lets everybody in" in run("check_files", company)[1]
