"""The log over HTTP: a C2SP client computes its tree from what is served."""

import gzip
import uuid

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from compliance.log import actions
from compliance.log.memory import NewLeaf, Signed
from compliance.proofs.log import TilePath, tile_width
from compliance.proofs.merkle import CompactRange, leaf_hash, root_of
from tests.companies import NOW
from tests.log.deployment import some_entries
from tests.log.tiles import entries_of, hashes_of

pytestmark = pytest.mark.django_db
IMMUTABLE = "public, max-age=31536000, immutable"


def publish(size: int) -> tuple[list[bytes], CompactRange]:
    entries, tree = some_entries(size), CompactRange()
    tree.extend(map(leaf_hash, entries))
    leaves = [NewLeaf("capture", uuid.UUID(int=7), place + 1, entry) for place, entry in enumerate(entries)]
    actions.publish(leaves, 0, Signed("records.example.com/log", tree, f"the note of {size}\n", NOW, 0))
    return entries, tree


def get(client: Client, place: TilePath) -> bytes:
    answer = client.get(f"/log/{place.text()}")
    assert answer.status_code == 200, place
    assert (answer.headers["Content-Type"], answer.headers["Cache-Control"]) == ("application/octet-stream", IMMUTABLE)
    assert not answer.cookies
    return answer.content


def test_before_the_first_checkpoint_there_is_nothing(client):
    assert client.get("/log/checkpoint").status_code == 404
    assert client.get("/log/tile/0/000.p/1").status_code == 404
    assert client.get("/log/tile/entries/000.p/1").status_code == 404


def test_the_checkpoint_is_text_that_nobody_keeps_long(client):
    publish(3)
    answer = client.get("/log/checkpoint")
    assert (answer.status_code, answer.content) == (200, b"the note of 3\n")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Cache-Control"] == "public, max-age=3"
    assert not answer.cookies


@pytest.mark.parametrize("size", [1, 256, 600])
def test_a_client_computes_the_signed_tree_from_entries_and_from_tiles(size, client):
    entries, tree = publish(size)
    found: list[bytes] = []
    level_0: list[bytes] = []
    for index in range((size + 255) // 256):
        width = tile_width(TilePath(None, index), size)
        found += entries_of(get(client, TilePath(None, index, width)))
        level_0 += hashes_of(get(client, TilePath(0, index, width)))
    assert found == entries
    assert level_0 == [leaf_hash(entry) for entry in entries]
    assert root_of(level_0) == tree.root()
    if size >= 256:
        above = hashes_of(get(client, TilePath(1, 0, size // 256)))
        assert above == [root_of(level_0[at * 256 : (at + 1) * 256]) for at in range(size // 256)]


def test_a_partial_tile_of_an_earlier_checkpoint_is_served_on(client):
    entries, _ = publish(300)
    assert hashes_of(get(client, TilePath(0, 1, 7))) == [leaf_hash(each) for each in entries[256:263]]
    assert entries_of(get(client, TilePath(None, 0, 20))) == entries[:20]


@pytest.mark.parametrize(
    "path",
    [
        "tile/0/000.p/301", "tile/0/001", "tile/0/001.p/45", "tile/0/002.p/1", "tile/1/000", "tile/1/000.p/2",
        "tile/2/000.p/1", "tile/63/000.p/1", "tile/64/000.p/1", "tile/entries/001", "tile/entries/001.p/45",
        "tile/0/000.p/0", "tile/0/000.p/00", "tile/0/000.p/01", "tile/0/000.p/256", "tile/0/000.p/", "tile/0/000.p",
        "tile/00/000", "tile/-1/000", "tile/+0/000", "tile/0x0/000", "tile/0/0", "tile/0/00", "tile/0/0000",
        "tile/0/x000/000", "tile/0/x000/001", "tile/0/000/", "tile/0//000", "tile/0/x001/x000", "tile/0/001/000",
        "tile/0/٠٠٠", "tile/0/000%0a", "tile/0/000.p/1%0a", "tile/entry/000.p/1", "tile/entries/000.P/1", "tile/",
        "tile/0/" + "x999/" * 6 + "999", "tile/0/" + "x999/" * 200 + "999", "tile", "", "checkpoint/", "leaf/0",
    ],
)  # fmt: skip
def test_what_is_malformed_or_not_there_yet_is_not_found(path, client):
    publish(300)
    with CaptureQueriesContext(connection) as found:
        answer = client.get(f"/log/{path}")
    assert answer.status_code == 404
    assert answer.headers["Cache-Control"] == "no-store"
    assert len(found) <= 1


@pytest.mark.parametrize("size", [3, 600])
def test_each_answer_takes_as_many_statements_whatever_the_size(size, client):
    publish(size)
    counts = []
    for path in ("checkpoint", "tile/0/000.p/2", "tile/entries/000.p/2"):
        with CaptureQueriesContext(connection) as found:
            assert client.get(f"/log/{path}").status_code == 200
        counts.append(len(found))
    assert counts == [1, 2, 2]


def test_bundles_are_compressed_for_who_asks_and_nobody_writes(client):
    entries, _ = publish(256)
    answer = client.get("/log/tile/entries/000", headers={"Accept-Encoding": "gzip"})
    content = gzip.decompress(answer.content) if "Content-Encoding" in answer.headers else answer.content
    assert entries_of(content) == entries
    for path in ("checkpoint", "tile/entries/000"):
        answer = Client(enforce_csrf_checks=True).post(f"/log/{path}")
        assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")
        assert client.head(f"/log/{path}").status_code == 200
