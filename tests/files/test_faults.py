"""A storage that is unavailable, refuses, hangs or is cut off: one clear error in time, and nothing lost or left."""

import io
import os
import subprocess
import sys
import time
import uuid
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from django.core.files.storage import storages

from compliance.files import actions, failures, orphans, queries
from compliance.files.errors import ObjectChangedError, StorageFailedError
from compliance.files.models import KeptFile
from compliance.tenancy import context
from development.embedded.ports import free_port
from tests.files.conftest import bucket_options, in_folder
from tests.files.refusing import RefusingStorage

NOW = datetime.now(UTC)
LARGE = 20 * 1024 * 1024

KILLED = """
import io, os, sys, uuid
import django
django.setup()
from datetime import UTC, datetime
from django.conf import settings
from compliance.files import actions

class Stopping(io.BytesIO):
    passes = 0
    def seek(self, place, whence=0):
        if place == 0 and whence == 0:
            self.passes += 1
        return super().seek(place, whence)
    def read(self, size=-1):
        found = super().read(size)
        if self.passes > 2 and self.tell() > 17 * 1024 * 1024:
            print("half", flush=True)
            sys.stdin.read()
        return found

actions.keep(uuid.UUID(sys.argv[1]), "pack", Stopping(os.urandom(20 * 1024 * 1024)), datetime.now(UTC))
"""


@pytest.fixture
def company(committed):
    """A company of this test alone, whose files and rows are removed afterwards."""
    found = uuid.uuid4()
    yield found
    with context.company(found):
        KeptFile.objects.filter(organization_id=found).delete()


@pytest.fixture
def environment(place, settings, process_environment):
    """The environment of a process that keeps files in the same place."""
    found = {"FILES_FOLDER": settings.FILES_FOLDER, "FILES_PLACE": place.place}
    if place.place == "bucket":
        options = cast(dict[str, Any], settings.STORAGES["bucket"])["OPTIONS"]
        names = ("bucket", "endpoint", "region", "access_key", "secret_key")
        found |= {f"FILES_{name.upper()}": options[name] for name in names}
    return process_environment | found | {"DJANGO_SETTINGS_MODULE": "config.settings"}


@pytest.mark.parametrize("wrong", ["away", "no bucket", "refused", "frozen"])
@pytest.mark.django_db
def test_a_bucket_that_does_not_do_it_is_said_in_time_and_nothing_is_left(bucket, server, settings, wrong):
    company = uuid.uuid4()
    file = actions.keep(company, "pack", io.BytesIO(b"kept before"), NOW)
    options = settings.STORAGES["bucket"]
    more: dict[str, Any] = {"patience": 0.3}
    if wrong == "away":
        more["endpoint"] = f"http://127.0.0.1:{free_port()}"
    if wrong == "no bucket":
        more["bucket"] = "there-is-none"
    settings.STORAGES = settings.STORAGES | {
        "bucket": bucket_options(server, options["OPTIONS"]["bucket"]) | {"OPTIONS": options["OPTIONS"] | more}
    }
    states = {"refused": server.refusing, "frozen": server.frozen}
    with states.get(wrong, nullcontext)():
        began = time.monotonic()
        with pytest.raises(StorageFailedError, match="storage of files failed") as said:
            actions.keep(company, "pack", io.BytesIO(b"new"), NOW)
        with pytest.raises(StorageFailedError):
            queries.content(file)
        with context.company(company):
            actions.let_go(company, [file.file_id])
        assert actions.clear(company, NOW + actions.GIVEN_UP) == 0
        assert time.monotonic() - began < 15
    assert "testing-secret" not in str(said.value)
    assert "127.0.0.1" not in str(said.value)
    settings.STORAGES = settings.STORAGES | {"bucket": options}
    assert actions.clear(company, NOW + actions.GIVEN_UP) == 2  # the removed and the unwritten file
    assert bucket.objects() == {}


@pytest.mark.parametrize("refusals", [3, failures.MOST + 20])
@pytest.mark.django_db
def test_files_that_can_never_be_deleted_keep_no_other_file(folder, refused, refusals):
    company = uuid.uuid4()
    stuck, others = ([actions.keep(company, "pack", io.BytesIO(b"x"), NOW) for _ in range(n)] for n in (refusals, 5))
    refused |= {file.name for file in stuck}
    with context.company(company):
        actions.let_go(company, [file.file_id for file in (*stuck, *others)])
        KeptFile.objects.filter(file_id__in=[file.file_id for file in stuck]).update(begun_at=NOW - timedelta(days=9))
    runs = 0
    while set(folder.objects()) != refused:
        RefusingStorage.asked = 0
        actions.clear(company, NOW)
        runs += 1
        assert RefusingStorage.asked <= failures.MOST
        assert runs < 20
    assert runs == 1 or refusals > failures.MOST
    with context.company(company):
        assert KeptFile.objects.filter(organization_id=company).count() == refusals
    refused.clear()
    while actions.clear(company, NOW):
        pass
    assert folder.objects() == {}


@pytest.mark.django_db
def test_files_in_a_place_that_is_not_set_up_keep_no_other_file(folder, bucket, settings):
    company, storages_before = uuid.uuid4(), settings.STORAGES
    in_bucket = [actions.keep(company, "pack", io.BytesIO(b"x"), NOW - timedelta(days=9)) for _ in range(3)]
    settings.FILES_PLACE = "folder"
    in_folder_too = actions.keep(company, "pack", io.BytesIO(b"x"), NOW)
    settings.STORAGES = {name: each for name, each in storages_before.items() if name != "bucket"}
    with context.company(company):
        actions.let_go(company, [file.file_id for file in (*in_bucket, in_folder_too)])
    assert actions.clear(company, NOW) == 1
    assert folder.objects() == {}
    settings.STORAGES = storages_before
    assert actions.clear(company, NOW) == 3


@pytest.mark.django_db
def test_a_storage_that_is_away_does_not_keep_the_files_of_another(folder, bucket, settings):
    company, storages_before = uuid.uuid4(), settings.STORAGES
    away = {"endpoint": f"http://127.0.0.1:{free_port()}", "patience": 0.3}
    options = storages_before["bucket"]["OPTIONS"] | away
    files = [actions.keep(company, "pack", io.BytesIO(b"x"), NOW) for _ in range(3)]
    settings.FILES_PLACE = "folder"
    files.append(actions.keep(company, "pack", io.BytesIO(b"x"), NOW))
    settings.STORAGES = storages_before | {"bucket": storages_before["bucket"] | {"OPTIONS": options}}
    with context.company(company):
        actions.let_go(company, [file.file_id for file in files])
    assert actions.clear(company, NOW) == 1
    assert folder.objects() == {}


@pytest.mark.django_db
def test_a_folder_that_cannot_be_written_is_said_and_nothing_is_left(folder, settings, tmp_path):
    (tmp_path / "files").write_text("no folder")
    company = uuid.uuid4()
    with pytest.raises(StorageFailedError, match="storage of files failed"):
        actions.keep(company, "pack", io.BytesIO(b"new"), NOW)
    (tmp_path / "files").unlink()
    actions.clear(company, NOW + actions.GIVEN_UP)
    with context.company(company):
        assert not KeptFile.objects.filter(organization_id=company).exists()


@pytest.mark.django_db
def test_a_bucket_that_falls_silent_on_the_way_gives_no_end(bucket, server, settings):
    file = actions.keep(uuid.uuid4(), "pack", io.BytesIO(os.urandom(LARGE)), NOW)
    options = settings.STORAGES["bucket"]
    settings.STORAGES = settings.STORAGES | {"bucket": options | {"OPTIONS": options["OPTIONS"] | {"patience": 3.0}}}
    pieces = queries.content(file)
    given = len(next(pieces))
    with server.frozen():
        try:
            for piece in pieces:
                given += len(piece)
        except StorageFailedError:
            assert given < LARGE
        else:
            raise AssertionError("All of it was given.")


@pytest.mark.django_db
def test_an_object_that_is_replaced_while_it_is_read_is_not_mixed(place):
    file = actions.keep(uuid.uuid4(), "pack", io.BytesIO(os.urandom(LARGE)), NOW)
    pieces = queries.content(file)
    given = next(pieces)
    place.put(file.name, os.urandom(LARGE))
    try:
        given += b"".join(pieces)
    except (ObjectChangedError, StorageFailedError):
        return
    assert len(given) == LARGE  # the existing file was read to its end


def test_a_writer_that_is_killed_half_way_leaves_nothing_for_ever(place, company, settings, environment):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(company)],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"half\n"
    if place.place == "bucket":  # a thread of its own begins the upload
        client = cast(Any, storages["bucket"]).connection.meta.client
        deadline = time.monotonic() + 60
        while "Uploads" not in client.list_multipart_uploads(Bucket=environment["FILES_BUCKET"]):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    process.kill()
    process.communicate()
    with context.company(company):
        (file,) = KeptFile.objects.filter(organization_id=company)
    assert file.state == "writing"
    assert file.name not in place.objects()
    later = datetime.now(UTC) + orphans.OLD_ENOUGH + timedelta(minutes=1)
    assert actions.clear(company, later) == 1
    assert orphans.clear_orphans(company, later) == (1 if place.place == "folder" else 0)
    assert orphans.clear_unfinished(later) == (1 if place.place == "bucket" else 0)
    assert place.objects() == {}
    if place.place == "bucket":
        client = cast(Any, storages["bucket"]).connection.meta.client
        assert "Uploads" not in client.list_multipart_uploads(Bucket=environment["FILES_BUCKET"])
    else:
        assert in_folder(Path(settings.FILES_FOLDER)) == {}


def test_memory_does_not_grow_with_a_file(place, company, settings, environment):
    """Measured in a process that keeps and reads 16 MiB, then 64 MiB."""
    found = subprocess.run(
        [sys.executable, "-c", GROWN, str(company)], env=environment, capture_output=True, check=True, text=True
    )
    small, large = (int(each) for each in found.stdout.split())
    assert large - small < 24 * 1024, found.stdout  # KiB, while 48 MiB more were kept


GROWN = """
import resource, sys, tempfile, uuid
import django
django.setup()
from datetime import UTC, datetime
from compliance.files import actions, queries

for size in (16, 64):
    with tempfile.TemporaryFile() as content:
        for _ in range(size):
            content.write(bytes(1024 * 1024))
        file = actions.keep(uuid.UUID(sys.argv[1]), "pack", content, datetime.now(UTC))
    assert sum(len(piece) for piece in queries.content(file)) == size * 1024 * 1024
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
