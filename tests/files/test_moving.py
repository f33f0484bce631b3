"""Files move from a folder to a bucket and back while they are read; what was moved is not moved twice."""

import io
import os
import resource
import uuid
from datetime import UTC, datetime

import pytest

from compliance.files import actions, moving, queries
from compliance.files.errors import StorageFailedError
from compliance.files.models import KeptFile
from compliance.tenancy import context

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)
COMPANY = uuid.uuid4()


@pytest.fixture(params=["to the bucket", "to the folder"])
def both(request, folder, bucket, settings):
    """The place that files move from, where new ones are kept until then, and the one that they move to."""
    found = (folder, bucket) if request.param == "to the bucket" else (bucket, folder)
    settings.FILES_PLACE = found[0].place
    return found


def keep(content=b"one"):
    return actions.keep(COMPANY, KeptFile.Purpose.MEDIA, io.BytesIO(content), NOW)


def again(file):
    with context.company(COMPANY):
        return queries.kept(COMPANY, file.file_id)


def test_every_file_moves_once_and_is_the_same(both, settings):
    source, target = both
    contents = [b"", b"one", os.urandom(9 * 1024 * 1024)]
    files = [keep(each) for each in contents]
    settings.FILES_PLACE = target.place
    with context.company(COMPANY):
        assert moving.waiting(COMPANY) == 3
    told: list[moving.Move] = []
    assert moving.move(COMPANY, told.append) == []
    assert sum(each.size for each in told) == sum(map(len, contents))
    assert source.objects() == {}
    assert target.objects() == {file.name: content for file, content in zip(files, contents, strict=True)}
    assert [b"".join(queries.content(again(file))) for file in files] == contents
    told.clear()
    assert moving.move(COMPANY, told.append) == []
    assert told == []


def test_what_is_changed_or_missing_stays_and_is_named_and_all_else_moves(both, settings):
    source, target = both
    changed, missing, sound = keep(b"changed"), keep(b"missing"), keep(b"sound")
    source.put(changed.name, b"CHANGED")
    source.remove(missing.name)
    settings.FILES_PLACE = target.place
    faults = moving.move(COMPANY)
    assert {each.file_id for each in faults} == {changed.file_id, missing.file_id}
    assert all(each.fault for each in faults)
    assert target.objects() == {sound.name: b"sound"}
    assert (again(changed).place, again(sound).place) == (source.place, target.place)


def test_one_for_whose_copy_there_is_no_room_stays_and_is_named_and_all_else_moves(both, settings):
    source, target = both
    large, small = keep(bytes(3_000_000)), keep(b"small")
    settings.FILES_PLACE = target.place
    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, most))
    try:
        (fault,) = moving.move(COMPANY)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))
    assert (fault.file_id, bool(fault.fault)) == (large.file_id, True)
    assert (again(large).place, again(small).place) == (source.place, target.place)


def test_one_that_was_half_moved_is_moved_whole(both, settings):
    source, target = both
    file = keep(b"one")
    target.put(file.name, b"on")
    settings.FILES_PLACE = target.place
    assert moving.move(COMPANY) == []
    assert (source.objects(), target.objects()) == ({}, {file.name: b"one"})


def test_a_target_that_does_not_take_it_leaves_all_where_it_was(both, settings, tmp_path):
    _, target = both
    file = keep(b"one")
    options = settings.STORAGES[target.place]
    wrong = {"location": "/proc/none"} if target.place == "folder" else options["OPTIONS"] | {"bucket": "none-there"}
    settings.STORAGES = settings.STORAGES | {target.place: options | {"OPTIONS": wrong}}
    settings.FILES_PLACE = target.place
    (fault,) = moving.move(COMPANY)
    assert fault.file_id == file.file_id
    assert b"".join(queries.content(again(file))) == b"one"


def test_whoever_read_the_row_before_the_move_still_gets_the_file(both, settings):
    file = again(keep(b"one"))
    settings.FILES_PLACE = both[1].place
    moving.move(COMPANY)
    assert b"".join(queries.content(file)) == b"one"


def test_what_is_let_go_of_while_it_moves_is_in_neither_place(both, settings):
    source, target = both
    file = keep(b"one")
    settings.FILES_PLACE = target.place

    listed = moving._elsewhere(COMPANY)
    taken = next(listed)
    with context.company(COMPANY):
        actions.let_go(COMPANY, [file.file_id])
    moving._move(taken)
    actions.clear(COMPANY, NOW)
    assert (source.objects(), target.objects()) == ({}, {})


def test_what_another_command_has_moved_meanwhile_stays_there(both, settings):
    source, target = both
    file = keep(b"one")
    settings.FILES_PLACE = target.place
    taken = next(moving._elsewhere(COMPANY))
    assert moving.move(COMPANY) == []
    moving._move(taken)
    assert (source.objects(), target.objects()) == ({}, {file.name: b"one"})
    assert b"".join(queries.content(again(file))) == b"one"


def test_files_of_a_place_without_settings_are_said(both, settings):
    file = again(keep(b"one"))
    settings.FILES_PLACE = both[1].place
    settings.STORAGES = {name: each for name, each in settings.STORAGES.items() if name != both[0].place}
    (fault,) = moving.move(COMPANY)
    assert "do not name any more" in fault.fault
    with pytest.raises(StorageFailedError):
        queries.content(file)
