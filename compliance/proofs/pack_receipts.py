"""Checks the policy versions and receipts of a pack: every digest, the chain of receipts, and each cited version.

It works like `verifier` for pulled pages, but row by row: only the previous receipt is held in memory.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from typing import cast
from uuid import UUID

from .digests import ZERO_DIGEST, document_sha256
from .findings import Check, Report
from .forms import TEXT_FORM, is_uuid
from .pages import JsonObject, Kind, Pull, Row
from .partitions import Partitions
from .receipts import HASHED_FIELDS, NO_RECEIPT, check_act, recomputed
from .verifier import CITED_FIELDS, check_link
from .versions import check_versions

_KEPT = ("course_release_id", "act", "doors", *CITED_FIELDS)
_RECEIPT, _CYCLE = 0, 1
MOST_VERSIONS = 100_000
"""How many policy versions are held at once; each has a file of its own, so no archive holds as many."""


class Policies:
    """Checks policy versions one by one, then receipts one by one. Used as a context manager."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """`files`: the digests of the pack's files by name."""
        self.versions = 0
        self.receipts = 0
        self._files = files
        self._known: dict[str, Row] = {}
        self._before = ZERO_DIGEST
        self._signed_at = ""
        self._stack = ExitStack()
        self._cycles = self._stack.enter_context(Partitions(37))

    def __enter__(self) -> "Policies":
        return self

    def __exit__(self, *fault: object) -> None:
        self._stack.close()

    def version(self, name: str, number: int, row: JsonObject, report: Report) -> None:
        """Recomputes the digests of a policy version, and compares its file."""
        self.versions += 1
        found = Row(name, number, row)
        check_versions(Pull(Kind.VERSION, None, rows=[found]), (), report, searches=0)
        release, html = found.text("course_release_id"), row.get("html")
        file = f"policies/{release}.html"
        if self._files.get(file) is None:
            report.fault(Check.DOCUMENT, found.place, (), "The pack does not hold its policy file.")
        elif TEXT_FORM.holds(html) and self._files[file] != document_sha256(cast("str", html)):
            report.fault(Check.DOCUMENT, file, (), "This is not the file that people read.")
        if len(self._known) < MOST_VERSIONS:
            kept = JsonObject((field, row[field]) for field in _KEPT if field in row)
            self._known[release] = Row(name, number, kept)

    def receipt(self, name: str, number: int, row: JsonObject, report: Report) -> None:
        """Recomputes a receipt, links it to the one before and to the version that it cites."""
        self.receipts += 1
        found = Row(name, number, row)
        digest = recomputed(found, report)
        stated = found.text("receipt_sha256")
        if digest is not None and digest != stated:
            sentence = "receipt_sha256 is not the hash of the row; at least one of these fields was changed."
            report.fault(Check.RECEIPT, found.place, (*HASHED_FIELDS, "receipt_sha256"), sentence)
        check_act(found, report)
        if found.text("previous_sha256") != self._before:
            sentence = "The receipt does not follow the one before it: receipts are missing or out of order."
            report.fault(Check.CHAIN, found.place, ("previous_sha256",), sentence)
        if found.text("signed_at") <= self._signed_at:
            sentence = "signed_at is not after that of the receipt before it."
            report.fault(Check.CHAIN, found.place, ("signed_at",), sentence)
        self._before, self._signed_at = stated, found.text("signed_at")
        cited = self._known.get(found.text("course_release_id"))
        if cited is None:
            sentence = "The receipt names a version that is not among the policy versions."
            report.fault(Check.LINK, found.place, ("course_release_id",), sentence)
        else:
            check_link(found, cited, report)
        self._cycle(found)

    def _cycle(self, receipt: Row) -> None:
        ids = [receipt.text(name) for name in ("receipt_id", "cycle_id", "learner_profile_id")]
        if not all(map(is_uuid, ids)):
            return  # its form was reported
        receipt_id, cycle_id, learner = (UUID(each).bytes for each in ids)
        number = self.receipts.to_bytes(4, "big")
        self._cycles.add(receipt_id, learner + bytes([_RECEIPT]) + number)
        if ids[1] != NO_RECEIPT:
            self._cycles.add(cycle_id, learner + bytes([_CYCLE]) + number)

    def check_cycles(self, report: Report) -> None:
        """Reports receipts whose `cycle_id` names a receipt that is not before them or is of another person."""
        for part in self._cycles:
            people: dict[bytes, bytes] = {}
            for entry in part:  # in the order of the chain
                key, learner, kind = entry[:16], entry[16:32], entry[32]
                place = f"registers/acknowledgements.jsonl row {int.from_bytes(entry[33:37], 'big')}"
                if kind == _RECEIPT:
                    people.setdefault(key, learner)
                elif key not in people:
                    sentence = "cycle_id names no receipt that comes before this one."
                    report.fault(Check.LINK, place, ("cycle_id",), sentence)
                elif people[key] != learner:
                    report.fault(Check.LINK, place, ("cycle_id",), "cycle_id names the receipt of another person.")
