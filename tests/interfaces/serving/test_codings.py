"""Which coding a caller accepts, and that what is compressed opens to the same bytes."""

import gzip
import io
import json
import random
import uuid

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from compliance.interfaces.serving import codings
from compliance.interfaces.serving.codings import Coding

LARGE = codings.SMALLEST_BYTES + 1


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        (None, None),
        ("", None),
        ("zstd", Coding.ZSTD),
        ("gzip", Coding.GZIP),
        ("x-gzip", Coding.GZIP),
        ("GZIP , Br", Coding.GZIP),
        ("gzip, deflate, br, zstd", Coding.ZSTD),
        ("gzip;q=1.0, zstd;q=0.9", Coding.GZIP),
        ("gzip ; q=0.5,\tzstd;q=0.5", Coding.ZSTD),
        ("zstd;q=0, gzip;q=0.001", Coding.GZIP),
        ("zstd;q=0", None),
        ("br, deflate", None),
        ("identity", None),
        ("*", Coding.ZSTD),
        ("*, zstd;q=0", Coding.GZIP),
        ("*;q=0", None),
        ("gzip, *;q=0", Coding.GZIP),
        ("gzip;q=0.5, identity;q=0.6", None),
        ("gzip;q=0.5, identity;q=0.5", Coding.GZIP),
        ("identity;q=0, gzip;q=0.1", Coding.GZIP),
        ("identity;q=0", None),
        ("gzip;q=1.5", None),
        ("gzip;q=0.1234, zstd;q=x", None),
        ("gzip;level=1", None),
        (", ,gzip", Coding.GZIP),
        ("gzip;q=0, gzip", Coding.GZIP),
    ],
)
def test_the_coding_is_the_one_that_the_caller_prefers_of_those_that_there_are(accepted, coding):
    assert codings.chosen(accepted, LARGE) is coding
    assert codings.chosen(accepted) is coding


def test_a_small_body_is_compressed_only_for_whoever_refuses_it_as_it_is():
    assert codings.chosen("zstd, gzip", codings.SMALLEST_BYTES) is None
    assert codings.chosen("zstd, identity;q=0", 1) is Coding.ZSTD
    assert codings.chosen("gzip, *;q=0", 1) is Coding.GZIP
    assert codings.chosen("identity;q=0", 1) is None


def _opened(body, coding):
    if coding is Coding.GZIP:
        return gzip.decompress(body)
    return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(body)).read()


@given(st.lists(st.binary(max_size=5000), max_size=6), st.sampled_from(Coding))
def test_what_is_compressed_at_once_or_chunk_by_chunk_opens_to_the_same(chunks, coding):
    assert _opened(codings.compressed(b"".join(chunks), coding), coding) == b"".join(chunks)
    assert _opened(b"".join(codings.compressed_chunks(chunks, coding)), coding) == b"".join(chunks)


def test_a_body_of_zstd_says_its_size_and_asks_for_little_memory():
    body = codings.compressed(b"x" * 3_000_000, Coding.ZSTD)
    frame = zstandard.get_frame_parameters(body)
    assert frame.content_size == 3_000_000
    assert frame.window_size <= 8 * 1024 * 1024  # RFC 9659: more is refused by browsers


def test_a_page_in_which_no_two_rows_share_an_identifier_takes_fewer_bytes_than_the_level_alone_would():
    chance = random.Random(2013)
    rows = [
        {name: str(uuid.UUID(int=chance.getrandbits(128))) for name in ("record_id", "person_id")} for _ in range(200)
    ]
    page = json.dumps({"data": rows}).encode()
    by_level = zstandard.ZstdCompressor(level=codings.LEVEL).compress(page)
    assert len(codings.compressed(page, Coding.ZSTD)) < len(by_level)


def test_a_stream_is_made_as_it_is_asked_for():
    asked = []

    def chunks():
        for number in range(100):
            asked.append(number)
            yield random.Random(number).randbytes(300_000)

    stream = codings.compressed_chunks(chunks(), Coding.GZIP)
    next(stream)
    assert len(asked) < 5
