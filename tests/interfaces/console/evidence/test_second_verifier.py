"""A verifier that shares no code with ours accepts built packs with their names, and no forged name."""

import json
import os
from pathlib import Path

import pytest

from tests.interfaces.console.evidence.packs import LOG_KEY, Files, files_of, listed_anew, verified, with_rows, zipped
from tests.interfaces.console.evidence.test_building import built
from tests.interfaces.console.small_company import SmallCompany, small_company
from tests.proofs.second_log import Refused, Trust
from tests.proofs.second_pack import ERASED, check_pack

NAME = "Somebody Else"


@pytest.fixture
def small(db: None, log_folder: Path) -> SmallCompany:
    return small_company()


@pytest.fixture
def content(small: SmallCompany, tmp_path: Path) -> bytes:
    return built(small, tmp_path)


def test_it_takes_a_pack_as_it_is_built(content: bytes) -> None:
    if kept := os.environ.get("KEEP_PACK"):  # for `python -m tests.vectors.log.pack`
        Path(kept).write_bytes(content)
    assert check_pack(content, Trust(LOG_KEY))["format"] == "svc.evidence/2"


def renamed(files: Files, *names: str, erased: bool = False) -> bytes:
    """The pack with another name for a person in these files, listed and signed anew."""
    shown = [row["person_name"] for row in _rows(files, "registers/people.jsonl")]
    # A name that is the same in JSON and in CSV, without quotation marks; the order of people differs each time.
    before = next(each for each in shown if (each == ERASED if erased else each.isalpha()))
    for name in names:
        assert before.encode() in files[name]
        files = {**files, name: files[name].replace(before.encode(), NAME.encode(), 1)}
    return zipped(listed_anew(files))


def _rows(files: Files, name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in files[name].splitlines()]


@pytest.mark.parametrize("more", [(), ("identities.jsonl",)], ids=["in the register", "and behind the commitment"])
def test_neither_takes_another_name(content: bytes, more: tuple[str, ...]) -> None:
    forged = renamed(files_of(content), "registers/people.jsonl", "registers/people.csv", *more)
    assert verified(forged).faults
    with pytest.raises(Refused):
        check_pack(forged, Trust(LOG_KEY))


def test_neither_takes_a_name_for_somebody_who_is_erased(content: bytes) -> None:
    forged = renamed(files_of(content), "registers/people.jsonl", "registers/people.csv", erased=True)
    assert verified(forged).faults
    with pytest.raises(Refused, match="is erased"):
        check_pack(forged, Trust(LOG_KEY))


def test_neither_takes_a_name_whose_commitment_nothing_opens_any_more(content: bytes) -> None:
    bare = with_rows(files_of(content), "identities.jsonl", lambda _: [])
    forged = renamed(bare, "registers/people.jsonl", "registers/people.csv")
    assert verified(forged).faults
    with pytest.raises(Refused, match="opens the commitment"):
        check_pack(forged, Trust(LOG_KEY))
