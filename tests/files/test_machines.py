"""A production whose machines have different folders refuses to start; what is unsafe about a bucket is refused."""

import os
import uuid

import pytest

from compliance.files import machines
from compliance.files.errors import WrongFolderError
from compliance.files.models import FilesFolder

pytestmark = pytest.mark.django_db


@pytest.fixture
def machine(settings, tmp_path):
    """Makes this process a production process with the folder of a name."""
    settings.PRODUCTION, settings.FILES_PLACE = True, "folder"

    def become(name):
        settings.FILES_FOLDER = str(tmp_path / name)
        return tmp_path / name

    return become


def test_the_first_machine_marks_the_folder_and_all_that_share_it_start(machine):
    folder = machine("shared")
    machines.refuse_other_folder()
    machines.refuse_other_folder()
    assert (folder / machines.MARK).read_text().strip() == str(FilesFolder.objects.get().folder_id)
    assert folder.stat().st_mode & 0o077 == 0


def test_a_second_machine_with_a_folder_of_its_own_is_refused(machine):
    machine("first")
    machines.refuse_other_folder()
    machine("second")
    with pytest.raises(WrongFolderError, match="share one folder"):
        machines.refuse_other_folder()
    machines.adopt_folder()
    machines.refuse_other_folder()
    machine("first")
    with pytest.raises(WrongFolderError):
        machines.refuse_other_folder()


def test_a_disk_that_is_not_mounted_is_refused_and_nothing_is_written_below_it(machine):
    folder = machine("mounted")
    machines.refuse_other_folder()
    folder.rename(folder.with_name("elsewhere"))
    folder.mkdir()
    with pytest.raises(WrongFolderError):
        machines.refuse_other_folder()
    assert list(folder.iterdir()) == []


def test_a_mark_that_is_no_identifier_is_refused(machine):
    folder = machine("shared")
    machines.refuse_other_folder()
    (folder / machines.MARK).write_text("\x00 nothing")
    with pytest.raises(WrongFolderError):
        machines.refuse_other_folder()


def test_a_mark_that_is_not_written_yet_is_refused_and_none_is_made_up(machine):
    """Of several processes that start at once, one finds the file that another has made and not written yet."""
    folder = machine("shared")
    folder.mkdir(mode=0o700)
    (folder / machines.MARK).touch()
    with pytest.raises(WrongFolderError):
        machines.refuse_other_folder()
    assert not FilesFolder.objects.exists()


def test_neither_a_bucket_nor_a_process_without_files_nor_development_asks(machine, settings):
    FilesFolder.objects.create(folder_id=uuid.uuid4())
    machine("other")
    for name, value in (("PRODUCTION", False), ("USES_FILES", False), ("FILES_PLACE", "bucket")):
        before = getattr(settings, name)
        setattr(settings, name, value)
        machines.refuse_other_folder()
        setattr(settings, name, before)
    with pytest.raises(WrongFolderError):
        machines.refuse_other_folder()


def test_a_folder_that_cannot_be_made_is_said(machine, settings):
    settings.FILES_FOLDER = os.devnull + "/files"
    with pytest.raises(WrongFolderError, match="cannot be used"):
        machines.refuse_other_folder()
