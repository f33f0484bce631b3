"""Answers of /v1 on the wire: compressed as the caller accepts, with the fields that say so."""

import gzip
import json
from datetime import timedelta

import pytest
import zstandard

from compliance.interfaces.serving.codings import SMALLEST_BYTES

REGISTERS = "/v1/training-records"


def fill(stored, now):
    """A register of twenty rows."""
    for number in range(20):
        stored.training(stored.profile(person_name=f"Person {number}"), now - timedelta(days=1))


@pytest.fixture
def page(stored, call, now):
    """Asks for a page that is worth compressing."""
    fill(stored, now)
    return lambda method="GET", **more: call(f"{REGISTERS}", method, **more)


def _opened(answer):
    if answer["Content-Encoding"] == "gzip":
        return gzip.decompress(answer.content)
    return zstandard.decompress(answer.content)


@pytest.mark.parametrize("coding", ["zstd", "gzip"])
def test_a_page_is_the_same_in_every_coding(page, coding):
    plain, answer = page(), page(HTTP_ACCEPT_ENCODING=coding)
    assert answer["Content-Encoding"] == coding
    assert answer["Vary"] == plain["Vary"] == "Accept-Encoding"
    assert answer["Content-Type"] == plain["Content-Type"]
    assert "Content-Encoding" not in plain
    ours, whole = json.loads(_opened(answer)), plain.json()
    assert ours["data"] == whole["data"]
    assert len(ours["data"]) == 20
    assert int(answer["Content-Length"]) == len(answer.content) < len(plain.content) / 4


def test_head_says_what_get_would_answer(page):
    answer, head = page(HTTP_ACCEPT_ENCODING="gzip"), page("HEAD", HTTP_ACCEPT_ENCODING="gzip")
    assert head.content == b""
    assert head["Content-Encoding"] == "gzip"
    assert head["Vary"] == "Accept-Encoding"
    assert abs(int(head["Content-Length"]) - len(answer.content)) < 40  # the moment of the answer is another


def test_an_answer_that_is_small_is_sent_as_it_is(call):
    answer = call("/v1/snapshot", HTTP_ACCEPT_ENCODING="gzip, zstd")
    assert len(answer.content) <= SMALLEST_BYTES
    assert "Content-Encoding" not in answer
    assert answer["Vary"] == "Accept-Encoding"
    refused = call("/v1/snapshot", HTTP_ACCEPT_ENCODING="gzip, identity;q=0")
    assert json.loads(_opened(refused)).keys() == {"snapshot"}


def test_problems_say_that_they_depend_on_the_coding_too(call):
    answer = call("/v1/nothing", HTTP_ACCEPT_ENCODING="zstd, identity;q=0")
    assert answer.status_code == 404
    assert answer["Vary"] == "Accept-Encoding"
    assert answer["Content-Type"] == "application/problem+json"
    assert json.loads(_opened(answer))["code"] == "not_found"


def test_the_feed_is_compressed_alike(stored, call, now):
    fill(stored, now)
    answer = call("/feed/v1/changes", HTTP_ACCEPT_ENCODING="zstd")
    assert answer["Content-Encoding"] == "zstd"
    assert len(json.loads(_opened(answer))["data"]) == 20
