"""Files are kept whole, returned unchanged piece by piece, and gone once removed: in either place."""

import io
import os
import re
import tempfile
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction

from compliance.files import actions, places, queries
from compliance.files.errors import FileGoneError, ObjectChangedError, ObjectMissingError, StorageFailedError
from compliance.files.models import KeptFile
from compliance.files.pieces import PIECE_BYTES
from compliance.tenancy import context

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)
COMPANY, OTHER = uuid.uuid4(), uuid.uuid4()
SOME = os.urandom(2 * PIECE_BYTES + 1000)


def keep(content=SOME, company=COMPANY):
    return actions.keep(company, KeptFile.Purpose.UPLOAD, io.BytesIO(content), NOW)


def again(file):
    with context.company(file.organization_id):
        return queries.kept(file.organization_id, file.file_id)


@pytest.mark.parametrize("size", [0, 1, PIECE_BYTES, PIECE_BYTES + 1, 9 * 1024 * 1024])
def test_what_is_kept_is_given_as_it_was(place, size):
    content = os.urandom(size)
    file = again(keep(content))
    assert b"".join(queries.content(file)) == content
    with queries.opened(file) as copied:
        assert copied.read() == content
    assert (file.size, file.place, file.state) == (size, place.place, "kept")


def test_a_copy_on_the_disk_has_no_name_there_so_that_it_ends_even_with_a_killed_process(place, tmp_path, monkeypatch):
    file = again(keep())
    disk = tmp_path / "disk"
    disk.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(disk))
    with queries.opened(file) as copied:
        assert list(disk.iterdir()) == []
        assert copied.read() == SOME


@pytest.mark.parametrize(
    "start, stop",
    [(0, 1), (PIECE_BYTES - 1, PIECE_BYTES + 1), (PIECE_BYTES, 2 * PIECE_BYTES), (len(SOME) - 1, len(SOME)),
     (5, 10**9), (len(SOME), len(SOME) + 5), (7, 7)],
)  # fmt: skip
def test_any_part_is_given(place, start, stop):
    assert b"".join(queries.content(again(keep()), start, stop)) == SOME[start:stop]


def test_an_object_is_called_by_its_company_and_by_nothing_that_can_be_guessed(place):
    first, second = keep(), keep()
    names = set(place.objects())
    assert names == {first.name, second.name}
    assert all(re.fullmatch(rf"{COMPANY}/upload/[0-9a-f-]{{36}}", name) for name in names)
    assert {uuid.UUID(name[-36:]).version for name in names} == {4}


def test_another_company_has_no_file_of_this_name(place):
    file = keep()
    with context.company(OTHER):
        for organization_id in (OTHER, COMPANY):
            with pytest.raises(FileGoneError):
                queries.kept(organization_id, file.file_id)
        actions.let_go(OTHER, [file.file_id])
        actions.let_go(COMPANY, [file.file_id])
    assert again(file).size == len(SOME)


def test_a_missing_object_is_said_before_anything_is_given(place):
    file = again(keep())
    place.remove(file.name)
    with pytest.raises(ObjectMissingError):
        queries.content(file)


@pytest.mark.parametrize(
    "wrong",
    [SOME[:-1], SOME[: PIECE_BYTES // 2], b"",
     SOME[:PIECE_BYTES] + bytes([SOME[PIECE_BYTES] ^ 1]) + SOME[PIECE_BYTES + 1 :],
     bytes(len(SOME)), SOME[PIECE_BYTES:] + SOME[:PIECE_BYTES]],
    ids=["shorter by a byte", "half a piece", "empty", "one byte", "zeros", "pieces turned round"],
)  # fmt: skip
def test_no_byte_of_a_changed_piece_is_given(place, wrong):
    file = again(keep())
    place.put(file.name, wrong)
    given = b""
    try:
        for piece in queries.content(file):
            given += piece
    except ObjectChangedError:
        assert len(given) < len(SOME)
    else:
        raise AssertionError("All of it was given.")
    assert SOME.startswith(given)
    assert len(given) % PIECE_BYTES == 0


def test_a_part_of_a_sound_piece_is_given_though_another_piece_is_not(place):
    file = again(keep())
    place.put(file.name, SOME[: 2 * PIECE_BYTES] + b"another end")
    assert b"".join(queries.content(file, 5, 10)) == SOME[5:10]
    with pytest.raises(ObjectChangedError):
        queries.content(file, 2 * PIECE_BYTES + 1, 2 * PIECE_BYTES + 2)


def test_whoever_stops_reading_holds_nothing_open(place):
    file = again(keep(os.urandom(4 * 1024 * 1024)))
    for _ in range(40):  # more than there are connections
        pieces = queries.content(file)
        next(pieces)
        pieces.close()


def test_what_is_let_go_of_goes_with_the_transaction(place, row, django_capture_on_commit_callbacks):
    file = keep()
    with django_capture_on_commit_callbacks(execute=True), context.company(COMPANY):
        actions.let_go(COMPANY, [file.file_id, None])
        assert set(place.objects()) == {file.name}  # not before the commit
    assert place.objects() == {}
    with pytest.raises(FileGoneError):
        again(file)
    assert actions.clear(COMPANY, NOW) == 1
    with context.company(COMPANY):
        assert row(file) is None


def test_a_let_go_that_is_rolled_back_takes_nothing(place, django_capture_on_commit_callbacks):
    file = keep()
    with django_capture_on_commit_callbacks(execute=True), context.company(COMPANY), transaction.atomic():
        actions.let_go(COMPANY, [file.file_id])
        transaction.set_rollback(True)
    assert b"".join(queries.content(again(file))) == SOME


def test_a_file_that_is_let_go_of_while_it_is_written_is_not_kept(place):
    file = actions.begin(COMPANY, KeptFile.Purpose.PACK, NOW)
    with context.company(COMPANY):
        actions.let_go(COMPANY, [file.file_id])
    actions.clear(COMPANY, NOW)
    actions.write(file, io.BytesIO(SOME))  # its writer does not know of it
    with pytest.raises(FileGoneError), context.company(COMPANY):
        actions.settle(file)
    assert place.objects() == {}


def test_what_never_was_finished_goes_after_its_hours_and_not_before(place, row):
    file = actions.begin(COMPANY, KeptFile.Purpose.PACK, NOW)
    actions.write(file, io.BytesIO(SOME))
    assert actions.clear(COMPANY, NOW + actions.GIVEN_UP - timedelta(seconds=1)) == 0
    assert set(place.objects()) == {file.name}
    assert actions.clear(COMPANY, NOW + actions.GIVEN_UP) == 1
    assert place.objects() == {}


def test_a_content_that_cannot_be_read_to_its_end_leaves_nothing(place):
    class Torn(io.BytesIO):
        def read(self, size=-1):
            if self.tell() > PIECE_BYTES:
                raise OSError("torn")
            return super().read(size)

    with pytest.raises(OSError, match="torn"):
        actions.keep(COMPANY, KeptFile.Purpose.UPLOAD, Torn(SOME), NOW)
    assert place.objects() == {}
    with context.company(COMPANY):
        assert not KeptFile.objects.filter(organization_id=COMPANY).exists()


def test_a_rehearsal_writes_and_removes_no_object(place):
    file = keep()
    with actions.rehearsal():
        rehearsed = keep()
        actions.discard(rehearsed)
    assert set(place.objects()) == {file.name}
    assert len(rehearsed.sha256) == 64


def test_the_row_holds_no_name_and_no_content(place, row):
    file = keep(b"Anna Berg, anna@example.org" * 10)
    with context.company(COMPANY):
        held = [str(getattr(row(file), field.name)) for field in KeptFile._meta.concrete_fields]
    assert not any("Anna" in each or "example.org" in each for each in held)


def test_a_place_that_the_settings_name_no_more_is_said(place, settings):
    file = again(keep())
    settings.STORAGES = {name: each for name, each in settings.STORAGES.items() if name != place.place}
    with pytest.raises(StorageFailedError, match=place.place):
        queries.content(file)
    assert not places.is_set_up(place.place)
