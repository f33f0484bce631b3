"""Scheduled exports: when they run, what they keep, and what an erasure removes."""

import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from compliance.files.folder import FolderStorage
from compliance.interfaces.console.evidence.tasks import forget_of
from compliance.interfaces.console.exports import keeping
from compliance.interfaces.console.exports.errors import OutlivedError
from compliance.interfaces.console.exports.extract import extract, registers
from compliance.interfaces.console.exports.models import ExportFile, StandingExport
from compliance.interfaces.console.exports.schedule import next_run
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.tenancy import context
from compliance.tenancy.queries import organization
from tests.companies import make_company
from tests.interfaces.console.acting.test_keys import post
from tests.interfaces.console.conftest import make_staff, signed_in
from tests.interfaces.console.exports.conftest import kept

pytestmark = pytest.mark.django_db


@pytest.fixture
def manager():
    return make_staff("manuela", COMPLIANCE_MANAGER)


def set_up(company, user, **more):
    now = timezone.now()
    values = {
        "registers": ["people", "courses"], "written_as": "csv", "personal": True, "every": "day", "hour": 5, "keep": 2,
        "days": 30, "user_id": user.pk, "username": user.username, "made_at": now, "next_run_at": now,
    }  # fmt: skip
    with context.company(company.organization_id):
        return StandingExport.objects.create(organization_id=company.organization_id, **(values | more))


def again(standing):
    with context.company(standing.organization_id):
        standing.refresh_from_db()
    return standing


def files(company):
    with context.company(company.organization_id):
        return list(ExportFile.objects.filter(organization_id=company.organization_id).order_by("as_at"))


def run(standing, now=None):
    return keeping.run(standing.organization_id, standing.export_id, now or timezone.now())


def test_it_runs_once_when_it_is_due_and_then_at_its_next_hour(company, manager, folder):
    standing = set_up(company, manager)
    now = timezone.now()
    assert run(standing, now) == 2
    assert run(standing, now) == 0
    standing = again(standing)
    assert (standing.problem, standing.last_run_at, standing.begun_at) == ("", now, None)
    assert standing.next_run_at > now
    assert len(kept(folder)) == 2
    assert {each.capture_sequence for each in files(company)} == {files(company)[0].capture_sequence}


def test_only_the_newest_runs_are_kept_and_none_beyond_its_days(company, manager, folder):
    standing = set_up(company, manager)
    start = timezone.now()
    moments = [start + timedelta(milliseconds=each) for each in range(4)]
    for moment in moments:
        with context.company(company.organization_id):
            StandingExport.objects.update(next_run_at=moment)
        run(standing, moment)
    assert {each.as_at for each in files(company)} == set(moments[-2:])
    assert len(kept(folder)) == 4
    with context.company(company.organization_id):
        assert keeping.forget(company.organization_id, start + timedelta(days=31)) == 4
    assert kept(folder) == []


def test_an_erasure_removes_files_with_names_and_has_them_written_again(company, manager, folder, erase_anna):
    named, plain = set_up(company, manager), set_up(company, manager, personal=False)
    run(named)
    run(plain)
    assert any("Anna Berg" in path.read_text() for path in kept(folder))
    erase_anna()
    forget_of(str(company.organization_id))
    assert {each.export_id for each in files(company)} == {plain.export_id}
    assert all("Anna Berg" not in path.read_text() for path in kept(folder))
    assert again(named).next_run_at <= timezone.now() < again(plain).next_run_at
    assert run(named) == 2
    assert all("Anna Berg" not in path.read_text() for path in kept(folder))


def test_an_erasure_while_a_file_is_written_leaves_nothing_of_it(company, manager, folder, erase_anna):
    standing = set_up(company, manager)

    now = timezone.now()
    about = extract(organization(company.organization_id), now, now, personal=True)
    with pytest.raises(OutlivedError):
        keeping.store(about, registers("people"), "csv", now=now, expires_at=now + timedelta(days=1), tell=erase_anna)
    assert (kept(folder), files(company)) == ([], [])
    assert run(standing) == 2


def test_what_a_killed_writer_left_on_the_disk_goes_when_the_next_file_is_written(
    company, manager, folder, tmp_path, monkeypatch
):
    disk, left = tmp_path / "disk", []
    disk.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(disk))

    def keep_a_copy(*_) -> None:
        (under_way,) = disk.iterdir()
        left.append(shutil.copytree(under_way, f"{under_way}-left"))
        os.utime(left[0], (0, 0))

    now = timezone.now()
    about = extract(organization(company.organization_id), now, now, personal=True)
    keeping.store(about, registers("people"), "csv", now=now, expires_at=now + timedelta(days=1), tell=keep_a_copy)
    assert [str(path) for path in disk.iterdir()] == left
    run(set_up(company, manager))
    assert list(disk.iterdir()) == []


def test_what_the_storage_does_not_remove_is_offered_to_nobody_and_tried_again(company, manager, folder, erase_anna):
    run(set_up(company, manager))
    away = folder.rename(folder.with_name("away"))
    folder.write_text("no folder")
    erase_anna()
    client = signed_in(manager)
    page = client.get(f"/console/companies/{company.organization_id}/exports/")
    assert (page.status_code, "/file/" in page.content.decode()) == (200, False)
    folder.unlink()
    away.rename(folder)
    forget_of(str(company.organization_id))
    assert (kept(folder), files(company)) == ([], [])


def test_it_runs_only_as_long_as_its_maker_may_export(company, manager, folder):
    standing = set_up(company, manager)
    manager.groups.set([Group.objects.get(name=OPERATOR)])
    assert run(standing) == 0
    assert "manuela, who set this up, may not export any more" in again(standing).problem
    assert kept(folder) == []


def test_a_storage_that_refuses_is_told_and_tried_again_at_the_next_hour(company, manager, folder):
    folder.write_text("no folder")
    standing = set_up(company, manager)
    assert run(standing) == 0
    assert "The storage of files failed" in again(standing).problem
    assert again(standing).next_run_at > timezone.now()
    folder.unlink()
    with context.company(company.organization_id):
        keeping.forget(company.organization_id, timezone.now() + keeping.GIVEN_UP)
    assert files(company) == []


def test_a_fault_of_the_service_ends_the_run_is_logged_and_raised(
    company, manager, folder, tmp_path, monkeypatch, caplog
):
    standing = set_up(company, manager)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no disk"))
    with pytest.raises(FileNotFoundError):
        run(standing)
    monkeypatch.undo()
    standing = again(standing)
    assert (standing.begun_at, standing.last_run_at, files(company)) == (None, None, [])
    assert "It stopped with a fault of the service" in standing.problem
    assert standing.next_run_at > timezone.now()
    assert [record.message for record in caplog.records if record.exc_info] == ["export_failed"]
    with context.company(company.organization_id):
        keeping.run_now(standing, timezone.now())
    assert run(standing) == 2
    assert again(standing).problem == ""


class PressedStorage(FolderStorage):
    """A folder in which each write happens just when somebody asks for the export to be run."""

    press: ClassVar[Callable[[], None]]

    def _save(self, name, content):
        type(self).press()
        return super()._save(name, content)


@pytest.mark.parametrize("fails", [False, True])
def test_a_run_that_is_asked_for_during_a_run_follows_it(company, manager, folder, settings, fails):
    standing = set_up(company, manager, registers=["people"])
    pressed = timezone.now() + timedelta(seconds=1)

    def press():
        with context.company(company.organization_id):
            keeping.run_now(standing, pressed)
        if fails:
            raise OSError(28, "No space left on device")

    PressedStorage.press = press
    before = settings.STORAGES
    settings.STORAGES = before | {"folder": before["folder"] | {"BACKEND": f"{__name__}.PressedStorage"}}
    assert run(standing) == (0 if fails else 1)
    assert (again(standing).next_run_at, standing.begun_at) == (pressed, None)
    settings.STORAGES = before
    assert run(standing, pressed) == 1
    assert again(standing).next_run_at > pressed


def test_every_file_is_listed_page_by_page(company, manager, folder):
    now = timezone.now()
    made = [
        ExportFile(
            organization_id=company.organization_id, register="people", written_as="csv", personal=False, as_at=now,
            capture_sequence=1, erasures=0, kept_file_id=uuid.uuid4(), begun_at=now,
            expires_at=now + timedelta(days=9), ready=True,
        )
        for _ in range(320)
    ]  # fmt: skip
    with context.company(company.organization_id):
        ExportFile.objects.bulk_create(made)
    client, found = signed_in(manager), []
    address = f"/console/companies/{company.organization_id}/exports/"
    while address:
        page = client.get(address).content.decode()
        found += re.findall(r"exports/([0-9a-f-]{36})/file/", page)
        following = re.search(r'href="(\?[^"]+)" rel="next"', page)
        address = f"/console/companies/{company.organization_id}/exports/{following[1]}" if following else ""
    assert found == [str(each.file_id) for each in reversed(made)]


@pytest.mark.parametrize(
    "every, hour, after, expected",
    [
        ("day", 5, "2026-03-28T04:30:00+00:00", "2026-03-29T03:00:00+00:00"),  # clocks go forward that night
        ("day", 5, "2026-10-24T03:30:00+00:00", "2026-10-25T04:00:00+00:00"),  # and back that one
        ("day", 2, "2026-03-28T12:00:00+00:00", "2026-03-29T01:00:00+00:00"),  # an hour that does not exist
        ("week", 5, "2026-11-23T04:00:00+00:00", "2026-11-30T04:00:00+00:00"),
        ("month", 0, "2026-12-15T00:00:00+00:00", "2026-12-31T23:00:00+00:00"),
    ],
)
def test_the_next_run_is_at_an_hour_of_the_company(every, hour, after, expected):
    found = next_run("Europe/Paris", every, hour, datetime.fromisoformat(after))
    assert found == datetime.fromisoformat(expected).astimezone(UTC)


def test_staff_set_one_up_run_it_take_its_files_and_stop_it(company, manager, folder):
    client, where = signed_in(manager), f"/console/companies/{company.organization_id}/exports/"
    post(
        client, company.organization_id, "add-export", registers=["people"], written_as="csv", personal="on",
        every="week", hour="5", keep="3", days="10",
    )  # fmt: skip
    with context.company(company.organization_id):
        standing = StandingExport.objects.get()
    assert (standing.username, standing.personal, standing.every) == ("manuela", True, "week")
    assert run(standing) == 0
    post(client, company.organization_id, "run-export", export_id=str(standing.export_id))
    assert run(standing) == 1
    page = client.get(where).content.decode()
    assert "Every Monday" in page
    (address,) = re.findall(r'href="([^"]+/file/)"', page)
    taken = client.get(address)
    assert "Anna Berg" in taken.getvalue().decode()
    assert taken["Content-Disposition"].startswith('attachment; filename="people-')
    assert AccessLog.objects.filter(organization_id=company.organization_id, page="exports-file").exists()
    assert signed_in(make_staff("otto", OPERATOR)).get(address).status_code == 403
    other = make_company("Other").organization_id
    assert client.get(address.replace(str(company.organization_id), str(other))).status_code == 404
    text = post(client, company.organization_id, "stop-export", export_id=str(standing.export_id))
    assert "Files that are removed" in text
    assert client.get(address).status_code == 404
    assert kept(folder) == []


def test_a_company_that_has_twenty_stops_one_first(company, manager, folder):
    client = signed_in(manager)
    wanted = {"registers": ["people"], "written_as": "csv", "every": "week", "hour": "5", "keep": "3", "days": "10"}
    for _ in range(20):
        set_up(company, manager)
    address = f"/console/companies/{company.organization_id}/act/add-export/"
    refused = client.post(address, wanted | {"step": "preview"}).content.decode()
    assert "This company has 20 standing exports. Stop one first." in refused
    with context.company(company.organization_id):
        StandingExport.objects.filter(pk=StandingExport.objects.earliest("pk").pk).update(stopped_at=timezone.now())
    post(client, company.organization_id, "add-export", **wanted)
    with context.company(company.organization_id):
        assert StandingExport.objects.filter(stopped_at=None).count() == 20


def test_auditors_take_files_and_set_nothing_up(company, manager, folder):
    run(set_up(company, manager))
    client = signed_in(make_staff("audit", AUDITOR))
    page = client.get(f"/console/companies/{company.organization_id}/exports/").content.decode()
    assert "/file/" in page
    assert "act/add-export" not in page
    assert client.get(f"/console/companies/{company.organization_id}/act/add-export/").status_code == 403
