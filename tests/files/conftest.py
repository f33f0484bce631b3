"""Both places in which files are kept, for the same tests: a folder, and a bucket of a real S3 server."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from django.core.files.storage import storages

from compliance.files.models import KeptFile
from tests.files.refusing import RefusingStorage
from tests.files.server import KEY, Server, running


@dataclass
class Kept:
    """A place, and access to its objects that bypasses the service."""

    place: str
    objects: Callable[[], dict[str, bytes]]
    put: Callable[[str, bytes], Any]
    remove: Callable[[str], Any]


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running() as found:
        yield found


@pytest.fixture
def folder(settings, tmp_path) -> Kept:
    """Files in a folder of this test."""
    root = tmp_path / "files"
    options = {"BACKEND": "compliance.files.folder.FolderStorage", "OPTIONS": {"location": str(root)}}
    settings.STORAGES = settings.STORAGES | {"folder": options}
    settings.FILES_FOLDER = str(root)
    settings.FILES_PLACE = "folder"

    def put(name: str, content: bytes) -> None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    return Kept("folder", lambda: in_folder(root), put, lambda name: (root / name).unlink())


@pytest.fixture
def refused(folder, settings) -> Iterator[set[str]]:
    """The names of the objects that the folder refuses to delete."""
    options = settings.STORAGES["folder"] | {"BACKEND": "tests.files.refusing.RefusingStorage"}
    settings.STORAGES = settings.STORAGES | {"folder": options}
    RefusingStorage.asked = 0
    yield RefusingStorage.REFUSED
    RefusingStorage.REFUSED.clear()


def in_folder(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def bucket_options(server: Server, name: str, **more: Any) -> dict[str, Any]:
    values = {"bucket": name, "endpoint": server.address, "region": "eu-central-1", "access_key": KEY}
    return {
        "BACKEND": "compliance.files.bucket.BucketStorage",
        "OPTIONS": values | {"secret_key": "testing-secret", "patience": 60.0} | more,
    }


@pytest.fixture
def bucket(settings, server) -> Kept:
    """Files in a bucket of this test."""
    name = f"files-{uuid.uuid4()}"
    settings.STORAGES = settings.STORAGES | {"bucket": bucket_options(server, name)}
    settings.FILES_PLACE = "bucket"
    client = cast(Any, storages["bucket"]).connection.meta.client
    client.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})

    def objects() -> dict[str, bytes]:
        listed = client.list_objects_v2(Bucket=name).get("Contents", [])
        return {each["Key"]: client.get_object(Bucket=name, Key=each["Key"])["Body"].read() for each in listed}

    return Kept(
        "bucket",
        objects,
        lambda key, content: client.put_object(Bucket=name, Key=key, Body=content),
        lambda key: client.delete_object(Bucket=name, Key=key),
    )


@pytest.fixture(params=["folder", "bucket"])
def place(request) -> Kept:
    """Each of the two, in turn."""
    found: Kept = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def row(place):
    """The row of a file as it is stored."""
    return lambda file: KeptFile.objects.filter(organization_id=file.organization_id, file_id=file.file_id).first()
