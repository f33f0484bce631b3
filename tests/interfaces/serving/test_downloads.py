"""Files of data that are downloaded from the console, and answers that are never compressed."""

import gzip

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from compliance.interfaces.console.tables import answers
from compliance.interfaces.serving.downloads import CompressedDownloads

REQUEST = RequestFactory().get("/", headers={"Accept-Encoding": "gzip"})


def _through(response):
    return CompressedDownloads(lambda request: response)(REQUEST)


def _file(kind, content):
    return answers.file("rows", kind, iter(content))


@pytest.mark.parametrize("kind", ["text/csv; charset=utf-8", "application/x-ndjson", "application/jsonl"])
def test_a_file_of_data_is_compressed_as_it_is_made(kind):
    response = _file(kind, [b"a,b\n"] * 1000)
    response.headers["Content-Length"] = "4000"
    answer = _through(response)
    assert gzip.decompress(b"".join(answer.streaming_content)) == b"a,b\n" * 1000
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert "Content-Length" not in answer.headers


def test_what_it_is_made_from_is_closed_with_it():
    closed = []

    class Rows:
        def __iter__(self):
            return iter([b"x"] * 10)

        def close(self):
            closed.append(True)

    answer = _through(StreamingHttpResponse(Rows(), "text/csv", headers={"Content-Disposition": "attachment"}))
    answer.close()
    assert closed


@pytest.mark.parametrize(
    "response",
    [
        HttpResponse("<form>" * 1000),
        StreamingHttpResponse(iter([b"<form>"]), content_type="text/html"),
        StreamingHttpResponse(iter([b"a,b"]), content_type="text/csv"),
        _file("application/zip", [b"PK"]),
        _file("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", [b"PK"]),
    ],
    ids=["page", "streamed page", "shown, not taken away", "archive", "workbook"],
)
def test_pages_and_what_is_compressed_in_itself_stay_as_they_are(response):
    assert _through(response).headers.keys() & {"Content-Encoding", "Vary"} == set()
