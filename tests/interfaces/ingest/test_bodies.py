"""Bodies: types, encodings and sizes. A body that cannot be read is refused whole, and in bounded memory."""

import gzip
import json
import tracemalloc
import zlib

import pytest
import zstandard
from django.test import RequestFactory

from compliance.interfaces.api.problems import Code, Problem
from compliance.interfaces.ingest import bodies
from compliance.interfaces.ingest.bodies import MAXIMUM_BYTES, content_of
from compliance.interfaces.serving import bodies as received
from compliance.interfaces.serving.front import REFUSED

LINE = b'{"fact":"team_created"}\n'
MEBIBYTE = 1024 * 1024


def gz(content, level=9):
    """The same bytes at any time, because they are part of the tests' names."""
    return gzip.compress(content, level, mtime=0)


def body(content, encoding="", content_type="application/x-ndjson", **environment):
    """A request as the server passes it on."""
    return RequestFactory().generic(
        "POST", "/in/v1/facts", content, content_type, HTTP_CONTENT_ENCODING=encoding, **environment
    )


def refusal(request):
    with pytest.raises(Problem) as raised:
        content_of(request)
    return raised.value


def without_size(content):
    """A zstd frame that does not state its size."""
    compressor = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    return compressor.compress(content) + compressor.flush()


def with_window(content, logarithm):
    parameters = zstandard.ZstdCompressionParameters(window_log=logarithm)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return compressor.compress(content) + compressor.flush()


SKIPPABLE = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"


@pytest.mark.parametrize(
    "encoding, content",
    [
        ("", LINE),
        ("identity", LINE),
        ("gzip", gz(LINE)),
        ("GZip", gz(LINE)),
        ("x-gzip", gz(LINE)),
        ("gzip", gz(LINE[:5]) + gz(b"") + gz(LINE[5:])),
        ("zstd", zstandard.compress(LINE)),
        ("zstd", without_size(LINE)),
        ("zstd", zstandard.compress(LINE[:5]) + SKIPPABLE + without_size(LINE[5:])),
        ("zstd", with_window(LINE, 23)),
        ("gzip, zstd", zstandard.compress(gz(LINE))),
        ("zstd,identity, gzip", gz(zstandard.compress(LINE))),
    ],
)
def test_every_way_to_encode_a_body_gives_the_same_bytes(encoding, content):
    assert content_of(body(content, encoding)) == LINE


@pytest.mark.parametrize(
    "encoding, content",
    [
        ("gzip", b""),
        ("gzip", LINE),
        ("gzip", gz(LINE)[:-1]),
        ("gzip", gz(LINE)[:12]),
        ("gzip", gz(LINE) + b"x"),
        ("gzip", gz(LINE) + gz(LINE)[:-1]),
        ("gzip", gz(LINE)[:-8] + b"12345678"),
        ("gzip", zlib.compress(LINE)),
        ("gzip", gz(b"") * 5_000),
        ("zstd", b""),
        ("zstd", LINE),
        ("zstd", zstandard.compress(LINE)[:-1]),
        ("zstd", zstandard.compress(LINE) + b"xxxxxxxx"),
        ("zstd", with_window(LINE, 27)),
        ("gzip, zstd", zstandard.compress(LINE)),
    ],
)
def test_a_body_that_is_not_encoded_as_it_says_is_400(encoding, content):
    assert refusal(body(content, encoding)).code is Code.BODY_NOT_READABLE


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, br", "*", "gzip;q=1", ", ".join(["gzip"] * 4)])
def test_another_encoding_is_415_and_told_which_are_read(encoding):
    problem = refusal(body(LINE, encoding))
    assert problem.code is Code.UNSUPPORTED_ENCODING
    assert problem.headers["Accept-Encoding"] == "gzip, zstd, identity"


def test_8_mebibytes_are_read_and_a_byte_more_is_413_however_it_is_encoded():
    full = b" " * MAXIMUM_BYTES
    for encoding, encode in (("", bytes), ("gzip", gz), ("zstd", zstandard.compress)):
        assert len(content_of(body(encode(full), encoding))) == MAXIMUM_BYTES
        assert refusal(body(encode(full + b" "), encoding)).code is Code.BODY_TOO_LARGE


def bombs():
    zeros = bytes(200 * MEBIBYTE)
    once = gz(zeros, 1)
    yield "gzip", once
    yield "gzip, gzip", gz(once)
    yield "zstd", zstandard.compress(zeros)
    yield "gzip, zstd", zstandard.compress(once)


def test_what_unpacks_to_hundreds_of_mebibytes_is_413_within_some():
    for encoding, content in bombs():
        request = body(content, encoding)
        tracemalloc.start()
        try:
            assert refusal(request).code is Code.BODY_TOO_LARGE
            assert tracemalloc.get_traced_memory()[1] < 40 * MEBIBYTE
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("content_type", [*bodies.MEDIA_TYPES, *bodies.UNSTATED, "application/json; charset=UTF-8"])
def test_types_that_hold_facts_or_say_nothing_are_read(content_type):
    assert content_of(body(LINE, content_type=content_type)) == LINE


@pytest.mark.parametrize("content_type", ["text/csv", "application/xml", "multipart/form-data; boundary=x", "x"])
def test_another_type_is_415_and_told_which_are_read(content_type):
    problem = refusal(body(LINE, content_type=content_type))
    assert problem.code is Code.UNSUPPORTED_MEDIA_TYPE
    assert "application/x-ndjson" in problem.headers["Accept-Post"]


def test_another_charset_is_415():
    assert refusal(body(LINE, content_type='application/json; charset="latin-1"')).code is Code.UNSUPPORTED_MEDIA_TYPE


@pytest.mark.parametrize(
    "status, code",
    [
        (received.UNREADABLE, Code.BODY_NOT_READABLE),
        (received.TIMED_OUT, Code.BODY_TIMED_OUT),
        (received.TOO_LARGE, Code.BODY_TOO_LARGE),
        (received.TOO_MANY, Code.RECORDING_BUSY),
    ],
)
def test_a_body_that_the_server_did_not_take_is_told_as_a_problem(status, code):
    problem = refusal(body(b"", **{REFUSED: status}))
    assert problem.code is code
    assert ("Retry-After" in problem.headers) is (code.status == 429)


@pytest.mark.django_db
def test_the_connection_of_a_body_that_was_not_taken_is_closed(post):
    answer = post(b"", **{REFUSED: received.TOO_LARGE})
    assert (answer.status_code, answer["Connection"]) == (413, "close")
    assert json.loads(answer.content)["code"] == "body_too_large"
