"""Objects without rows are deleted once they are old enough; rows without objects are reported."""

import io
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from compliance.files import actions, moving, orphans, queries
from compliance.files.errors import StorageFailedError
from compliance.files.models import KeptFile
from compliance.tenancy import context

pytestmark = pytest.mark.django_db
COMPANY = uuid.uuid4()


def keep(content=b"one"):
    return actions.keep(COMPANY, KeptFile.Purpose.MEDIA, io.BytesIO(content), datetime.now(UTC))


def later(of=timedelta(minutes=1)):
    return datetime.now(UTC) + orphans.OLD_ENOUGH + of


def test_an_object_that_no_row_knows_goes_when_it_is_old_enough(place):
    kept, lost = keep(), keep()
    with context.company(COMPANY):
        KeptFile.objects.filter(file_id=lost.file_id).delete()  # as by a rollback or a restore
    place.put(f"{COMPANY}/media/no-identifier", b"what a killed writer left")
    assert orphans.clear_orphans(COMPANY, datetime.now(UTC)) == 0
    assert orphans.clear_orphans(COMPANY, later()) == 2
    assert set(place.objects()) == {kept.name}


def test_objects_of_other_companies_and_of_others_are_left_alone(place):
    other = uuid.uuid4()
    place.put(f"{other}/media/{uuid.uuid4()}", b"another's")
    place.put("README", b"the operator's")
    assert orphans.clear_orphans(COMPANY, later()) == 0
    assert len(place.objects()) == 2


def test_the_copy_that_a_move_left_in_the_old_place_goes(folder, bucket, settings):
    file = keep()
    folder.put(file.name, b"one")  # moved, and killed before the old object was deleted
    assert orphans.clear_orphans(COMPANY, later()) == 1
    assert (folder.objects(), set(bucket.objects())) == ({}, {file.name})


def test_a_moved_object_stays_though_a_restored_database_says_that_it_is_elsewhere(folder, bucket, settings):
    """The backup is of before `move_files`; the object in the new place is the only one, and a second run finds it."""
    file = keep()
    folder.put(file.name, b"one")
    bucket.remove(file.name)
    assert orphans.clear_orphans(COMPANY, later()) == 0
    settings.FILES_PLACE = "folder"
    assert moving.move(COMPANY) == []
    with context.company(COMPANY):
        restored = queries.kept(COMPANY, file.file_id)
    assert (restored.place, b"".join(queries.content(restored))) == ("folder", b"one")


def test_objects_that_cannot_be_deleted_keep_no_other_and_are_said_in_the_end(folder, bucket, refused):
    names = [f"{COMPANY}/media/{uuid.uuid4()}" for _ in range(6)]
    for name in names:
        folder.put(name, b"lost")
    bucket.put(names[0], b"lost")
    refused |= set(sorted(names)[:3])
    with pytest.raises(StorageFailedError, match=r"3 objects .* Permission denied"):
        orphans.clear_orphans(COMPANY, later())
    assert (set(folder.objects()), bucket.objects()) == (refused, {})
    refused.clear()
    assert orphans.clear_orphans(COMPANY, later()) == 3


def test_a_database_beside_an_older_storage_names_what_is_missing_short_or_changed(place):
    sound, missing, short, changed = (keep(b"content") for _ in range(4))
    place.remove(missing.name)
    place.put(short.name, b"con")
    place.put(changed.name, b"CONTENT")
    assert {each.file_id for each in orphans.unsound(COMPANY, whole=False)} == {missing.file_id, short.file_id}
    found = {each.file_id: each for each in orphans.unsound(COMPANY, whole=True)}
    assert set(found) == {missing.file_id, short.file_id, changed.file_id}
    assert "7" in found[short.file_id].fault
    place.put(missing.name, b"content")  # restored from a backup
    assert {each.file_id for each in orphans.unsound(COMPANY, whole=True)} == {short.file_id, changed.file_id}
    assert sound.name in place.objects()


def test_what_is_let_go_of_or_moved_while_rows_are_compared_is_no_fault(folder, bucket, settings):
    first, second, third = sorted((keep() for _ in range(3)), key=lambda each: each.file_id)
    bucket.remove(first.name)
    found = orphans.unsound(COMPANY, whole=False)
    assert next(found).file_id == first.file_id  # all three rows are read by now
    with context.company(COMPANY):
        actions.let_go(COMPANY, [second.file_id])
    bucket.remove(second.name)  # as after its commit
    settings.FILES_PLACE = "folder"
    assert [each.file_id for each in moving.move(COMPANY)] == [first.file_id]
    assert set(folder.objects()) == {third.name}
    assert list(found) == []


def test_many_objects_and_rows_are_gone_through_in_portions(place, monkeypatch):
    monkeypatch.setattr(orphans, "_AT_ONCE", 2)
    kept = [keep() for _ in range(3)]
    for _ in range(3):
        place.put(f"{COMPANY}/media/{uuid.uuid4()}", b"lost")
    place.remove(kept[0].name)
    assert [each.file_id for each in orphans.unsound(COMPANY, whole=False)] == [kept[0].file_id]
    assert orphans.clear_orphans(COMPANY, later()) == 3
    assert set(place.objects()) == {each.name for each in kept[1:]}
