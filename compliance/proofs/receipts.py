"""Checks policy receipt rows: each receipt's hash, and the chain that they form.

A link is valid if it names either the hash that the earlier row states or the one that its fields give. So one changed
field is one fault, at its own row, and not also a broken link in the next row.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .digests import ZERO_DIGEST, receipt_sha256
from .findings import Check, Report
from .forms import DIGEST_FORM, DIGEST_OR_NULL_FORM, INSTANT_FORM, UUID_FORM, check_form, one_of
from .pages import Pull, Row, printable

RECEIPT_FORMS = {
    "receipt_id": UUID_FORM,
    "organization_id": UUID_FORM,
    "course_release_id": UUID_FORM,
    "learner_profile_id": UUID_FORM,
    "assignment_id": UUID_FORM,
    "cycle_id": UUID_FORM,
    "act": one_of("acknowledged", "signed"),
    "statement_sha256": DIGEST_FORM,
    "document_sha256": DIGEST_FORM,
    "signature_sha256": DIGEST_OR_NULL_FORM,
    "signed_at": INSTANT_FORM,
    "previous_sha256": DIGEST_FORM,
    "receipt_sha256": DIGEST_FORM,
}
HASHED_FIELDS = tuple(RECEIPT_FORMS)[:-1]
"""The fields of a receipt without the hash itself, in the order in which they are hashed."""
NO_RECEIPT = "00000000-0000-0000-0000-000000000000"
# The search for a changed field tries each value once per fault; with hundreds of faults it is left out.
_VALUES_TRIED = 2000
_SEARCHES = 200


@dataclass(slots=True)
class _Link:
    """A receipt in the chain: its row, the hash of its fields (None if they cannot be hashed), and its faults."""

    row: Row
    recomputed: str | None
    previous_blamed: bool = False

    @property
    def stated(self) -> str | None:
        return self.row.text("receipt_sha256") or None

    @property
    def previous(self) -> str | None:
        return self.row.text("previous_sha256") or None

    @property
    def hash_holds(self) -> bool:
        return self.recomputed is not None and self.recomputed == self.stated

    @property
    def hashes(self) -> set[str]:
        return {each for each in (self.stated, self.recomputed) if each is not None}


def check_receipts(pull: Pull, versions: Iterable[Row], report: Report) -> None:
    """Recompute every receipt of a pull and follow its chain; `versions` help to find which field was changed."""
    links = [_Link(row, recomputed(row, report)) for row in pull.rows]
    seen_values = _values(links, pull, versions)
    searches = _SEARCHES
    for at, link in enumerate(links):
        if link.recomputed is not None and not link.hash_holds:
            following = links[at + 1].previous if at + 1 < len(links) else None
            _check_hash(link, links[at - 1] if at else None, following, seen_values if searches else {}, report)
            searches = max(0, searches - 1)
        check_act(link.row, report)
    whole = _check_chain(links, pull, report)
    _check_cycles(links, whole, report)


def recomputed(row: Row, report: Report) -> str | None:
    """Return the hash of a receipt's fields; None, with a fault in the report, where one does not have its form."""
    return _hash(row.fields) if check_form(row, RECEIPT_FORMS, report) else None


def _hash(fields: Mapping[str, Any]) -> str:
    return receipt_sha256(**{name: fields[name] for name in HASHED_FIELDS})


def _values(links: list[_Link], pull: Pull, versions: Iterable[Row]) -> dict[str, list[str]]:
    """Return, for each field, values from elsewhere in the files, which a changed field may have had before.

    Only values in the field's form: no other was ever hashed, and some cannot be.
    """
    found: dict[str, dict[str, None]] = {name: {} for name in HASHED_FIELDS}
    for link in links:
        for name in HASHED_FIELDS:
            value = link.row.fields.get(name)
            if len(found[name]) < _VALUES_TRIED and isinstance(value, str) and RECEIPT_FORMS[name].holds(value):
                found[name][value] = None
    for row in versions:
        for name in ("course_release_id", "statement_sha256", "document_sha256"):
            value = row.fields.get(name)
            if isinstance(value, str) and RECEIPT_FORMS[name].holds(value):
                found[name][value] = None
    organization = (pull.snapshot or {}).get("organization_id")
    if isinstance(organization, str) and UUID_FORM.holds(organization):
        found["organization_id"][organization] = None
    receipt_ids = found["receipt_id"]
    found["receipt_id"] = {cycle: None for cycle in found["cycle_id"] if cycle != NO_RECEIPT}
    found["cycle_id"].update({NO_RECEIPT: None, **receipt_ids})
    found["act"] = {"acknowledged": None, "signed": None}
    found["previous_sha256"][ZERO_DIGEST] = None
    return {name: list(values) for name, values in found.items()}


def _check_hash(
    link: _Link, before: _Link | None, following: str | None, seen_values: dict[str, list[str]], report: Report
) -> None:
    fields = link.row.fields
    if following is not None and following == link.recomputed:
        report.fault(
            Check.RECEIPT,
            link.row.place,
            ("receipt_sha256",),
            "receipt_sha256 was changed: the row's fields give another hash, and the next receipt links to that one.",
        )
        return
    for name, value in _single_changes(before, seen_values):
        if _hash({**fields, name: value}) == link.stated:
            link.previous_blamed = name == "previous_sha256"
            report.fault(
                Check.RECEIPT,
                link.row.place,
                (name,),
                f"{name} was changed: receipt_sha256 holds with {printable(value)}.",
            )
            return
    # If the next receipt links to the stated hash, that hash is the original one.
    suspects = HASHED_FIELDS if following == link.stated else (*HASHED_FIELDS, "receipt_sha256")
    report.fault(
        Check.RECEIPT,
        link.row.place,
        suspects,
        "receipt_sha256 is not the hash of the row; at least one of these fields was changed.",
    )


def _single_changes(before: _Link | None, seen_values: dict[str, list[str]]) -> Iterator[tuple[str, object]]:
    if before is not None:
        for previous in before.hashes:
            yield "previous_sha256", previous
    yield "signature_sha256", None
    for name, values in seen_values.items():
        for value in values:
            yield name, value


def check_act(row: Row, report: Report) -> None:
    """Report a signature without a digest, and an acknowledgement with one."""
    act, signature = row.fields.get("act"), row.fields.get("signature_sha256")
    if act == "signed" and signature is None:
        report.fault(
            Check.RECEIPT, row.place, ("act", "signature_sha256"), "The receipt is signed but has no signature digest."
        )
    elif act == "acknowledged" and signature is not None:
        report.fault(
            Check.RECEIPT, row.place, ("act", "signature_sha256"), "An acknowledgement has no signature, this one does."
        )


def _check_chain(links: list[_Link], pull: Pull, report: Report) -> bool:
    """Follow the chain; tell whether it was followed from the company's first receipt."""
    places: dict[str, int] = {}
    first_of: dict[str, _Link] = {}
    followed: list[tuple[int, _Link]] = []
    for at, link in enumerate(links):
        receipt_id = link.row.text("receipt_id")
        earlier = first_of.get(receipt_id)
        if earlier is not None and not earlier.hashes.isdisjoint(link.hashes):
            report.fault(
                Check.CHAIN,
                link.row.place,
                ("receipt_id",),
                f"The receipt is doubled: {earlier.row.place} is it too.",
            )
            continue
        if earlier is not None and earlier.hash_holds and link.hash_holds:
            report.fault(
                Check.CHAIN, link.row.place, ("receipt_id",), f"Another receipt has the same id: {earlier.row.place}."
            )
        if receipt_id:
            first_of.setdefault(receipt_id, link)
        followed.append((at, link))
        for each in link.hashes:
            places.setdefault(each, at)
    if not followed:
        return False
    whole = _check_start(followed[0][1], places, pull, report)
    for (before_at, before), (at, link) in pairwise(followed):
        _check_link(before_at, before, at, link, links, places, report)
        earlier_moment, moment = before.row.fields.get("signed_at"), link.row.fields.get("signed_at")
        if before.hash_holds and link.hash_holds and str(moment) <= str(earlier_moment):
            report.fault(
                Check.CHAIN,
                link.row.place,
                ("signed_at",),
                f"signed_at is not after that of the receipt before it, {before.row.place}.",
            )
    return whole


def _check_start(first: _Link, places: dict[str, int], pull: Pull, report: Report) -> bool:
    starts_chain = first.previous == ZERO_DIGEST
    pinned = pull.snapshot is not None and bool(pull.totals)
    if starts_chain or first.previous_blamed:
        return starts_chain or pinned
    if pinned and pull.snapshot is not None and "from" in pull.snapshot and pull.snapshot["from"] is None:
        if first.previous in places:
            sentence = "The first receipt links to one that stands after it: the receipts are out of order."
        else:
            sentence = (
                "previous_sha256 of the first receipt is not 64 zeros although the pull begins with the company's "
                "first receipt: receipts before it are missing, or it was changed."
            )
        report.fault(Check.CHAIN, first.row.place, ("previous_sha256",), sentence)
        return False
    report.notes.append(
        f"{pull.name}: the pull does not begin with the company's first receipt. The chain is verified from its first "
        f"link, {first.row.place}; nothing is said of the receipts before it."
    )
    return False


def _check_link(
    before_at: int, before: _Link, at: int, link: _Link, links: list[_Link], places: dict[str, int], report: Report
) -> None:
    previous = link.previous
    if previous is None or previous in before.hashes or link.previous_blamed:
        return
    if previous == ZERO_DIGEST:
        sentence = "The receipt starts a second chain: its previous_sha256 is 64 zeros, but it is not the first."
    elif previous not in places:
        sentence = (
            f"previous_sha256 links to a receipt that is not here: one or more are missing between this receipt and "
            f"the one before it, {before.row.place}, or previous_sha256 was changed."
        )
    elif places[previous] >= at:
        sentence = (
            f"The receipt is out of order: the one that it links to, {links[places[previous]].row.place}, "
            "stands after it."
        )
    else:
        sentence = (
            f"The receipt is out of order or the chain forks: it links to {links[places[previous]].row.place}, "
            f"not to the one before it, {before.row.place}."
        )
    report.fault(Check.CHAIN, link.row.place, ("previous_sha256",), sentence)


def _check_cycles(links: list[_Link], whole: bool, report: Report) -> None:
    """Check that a receipt of a later cycle names an earlier receipt of the same person, if all are available."""
    if not whole or not all(link.hash_holds for link in links):
        return
    people: dict[str, str] = {}
    for link in links:
        row = link.row
        cycle = row.text("cycle_id")
        if cycle != NO_RECEIPT:
            if cycle not in people:
                report.fault(
                    Check.LINK, link.row.place, ("cycle_id",), "cycle_id names no receipt that stands before this one."
                )
            elif people[cycle] != row.text("learner_profile_id"):
                report.fault(Check.LINK, link.row.place, ("cycle_id",), "cycle_id names the receipt of another person.")
        people.setdefault(row.text("receipt_id"), row.text("learner_profile_id"))
