"""Compresses files of data that are downloaded from the console, for clients that accept it."""

from collections.abc import Callable

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

from compliance.interfaces.serving import codings

DATA = frozenset({"text/csv", "application/json", "application/jsonl", "application/x-ndjson"})
"""The types that are compressed. Workbooks, Parquet, PDF and ZIP are compressed already."""


class CompressedDownloads:
    """Django middleware: compresses what is streamed as a file of data, and never a page (see `codings`)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        if not isinstance(response, StreamingHttpResponse) or not _is_data(response):
            return response
        patch_vary_headers(response, [codings.VARY])
        length = response.headers.get("Content-Length")
        coding = codings.chosen(request.headers.get("Accept-Encoding"), None if length is None else int(length))
        if coding is not None:
            response.streaming_content = codings.compressed_chunks(response.streaming_content, coding)  # type: ignore[arg-type]
            response.headers["Content-Encoding"] = coding.value
            del response.headers["Content-Length"]  # not known before the end
        return response


def _is_data(response: StreamingHttpResponse) -> bool:
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    attached = response.headers.get("Content-Disposition", "").startswith("attachment")
    return response.status_code == 200 and attached and kind in DATA and not response.has_header("Content-Encoding")
