"""Checks policy version rows: statement, document and version digests."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from itertools import combinations
from typing import Any, cast

from .digests import document_sha256, policy_version_digest, statement_sha256
from .findings import Check, Report
from .forms import (
    COUNT_FORM,
    DATE_OR_NULL_FORM,
    DIGEST_FORM,
    DOORS,
    DOORS_FORM,
    TEXT_FORM,
    UUID_FORM,
    check_form,
    is_uuid,
    one_of,
)
from .pages import Pull, Row, printable

VERSION_FORMS = {
    "course_id": UUID_FORM,
    "course_release_id": UUID_FORM,
    "version": COUNT_FORM,
    "act": one_of("acknowledge", "sign"),
    "doors": DOORS_FORM,
    "statement": TEXT_FORM,
    "statement_sha256": DIGEST_FORM,
    "effective_on": DATE_OR_NULL_FORM,
    "renew_months": COUNT_FORM,
    "change_kind": one_of("first", "ask_again", "editorial"),
    "document_sha256": DIGEST_FORM,
    "version_digest": DIGEST_FORM,
    "html": TEXT_FORM,
}
DIGEST_FIELDS = (
    "course_id",
    "version",
    "document_sha256",
    "statement_sha256",
    "act",
    "effective_on",
    "change_kind",
    "renew_months",
    "doors",
)
_YEARS_TRIED = 40
# The search for a changed field tries each value once per fault; with many faults it is left out.
_COURSES_TRIED = 2000
_SEARCHES = 20


def check_versions(pull: Pull, receipts: Iterable[Row], report: Report, searches: int = _SEARCHES) -> None:
    """Recompute every version of a pull; `receipts` help to find which field of a false one was changed.

    `searches` is for how many rows that field is searched: it takes 30,000 digests.
    """
    cited: dict[str, Row] = {}
    for receipt in receipts:
        cited.setdefault(receipt.text("course_release_id"), receipt)
    named = dict.fromkeys(row.text("course_id") for row in pull.rows)
    courses = [each for each in named if is_uuid(each)][:_COURSES_TRIED]
    seen: dict[str, Row] = {}
    for row in pull.rows:
        release = row.text("course_release_id")
        if release in seen:
            report.fault(
                Check.CHAIN, row.place, ("course_release_id",), f"The version is doubled: {seen[release].place} has it."
            )
        elif release:
            seen[release] = row
        if check_form(row, VERSION_FORMS, report):
            searched = _check_digests(row, cited.get(release), courses if searches else None, report)
            searches -= searched


def _check_digests(row: Row, receipt: Row | None, courses: list[str] | None, report: Report) -> bool:
    """Report what is false in a row, and return whether a changed field was searched; not if `courses` is None."""
    fields = row.fields
    statement = statement_sha256(cast("str", fields["statement"]))
    document = document_sha256(cast("str", fields["html"]))
    sealed = _digest(fields) == fields["version_digest"]
    explained = sealed
    for check, text, name, digest in (
        (Check.STATEMENT, "statement", "statement_sha256", statement),
        (Check.DOCUMENT, "html", "document_sha256", document),
    ):
        if fields[name] == digest:
            continue
        if sealed:
            report.fault(
                check, row.place, (text,), f"{text} was changed: {name} is sealed by version_digest and not its digest."
            )
        elif _digest({**fields, name: digest}) == fields["version_digest"]:
            explained = True
            report.fault(
                check, row.place, (name,), f"{name} was changed: {text} has another digest, which version_digest seals."
            )
        else:
            report.fault(
                check, row.place, (text, name), f"{name} is not the digest of {text}; one of the two was changed."
            )
    if explained:
        return False
    if receipt is not None and receipt.fields.get("version_digest") == _digest(fields):
        report.fault(
            Check.VERSION,
            row.place,
            ("version_digest",),
            f"version_digest was changed: the row's fields give the digest that {receipt.place} bears.",
        )
        return False
    for name, value in _single_changes(row, receipt, courses) if courses is not None else ():
        if _digest({**fields, name: value}) == fields["version_digest"]:
            report.fault(
                Check.VERSION,
                row.place,
                (name,),
                f"{name} was changed: version_digest holds with {printable(value)}.",
            )
            return True
    report.fault(
        Check.VERSION,
        row.place,
        ("version_digest", *DIGEST_FIELDS),
        "version_digest is not the digest of the row; at least one of these fields was changed.",
    )
    return courses is not None


def _digest(fields: Mapping[str, Any]) -> str:
    return policy_version_digest(**{name: fields[name] for name in DIGEST_FIELDS})


def _single_changes(row: Row, receipt: Row | None, courses: list[str]) -> Iterator[tuple[str, object]]:
    """Yield values that one field may have had before it was changed, so that the fault can name that field.

    Only values in the field's form: no other was ever hashed, and some cannot be.
    """
    cited = receipt.fields if receipt is not None else {}
    for name in ("course_id", "document_sha256", "statement_sha256", "version", "effective_on"):
        if VERSION_FORMS[name].holds(cited.get(name)):
            yield name, cited.get(name)
    for course in courses:
        yield "course_id", course
    for act in ("acknowledge", "sign"):
        yield "act", act
    for kind in ("first", "ask_again", "editorial"):
        yield "change_kind", kind
    for size in (1, 2, 3):
        for doors in combinations(DOORS, size):
            yield "doors", list(doors)
    for months in range(241):
        yield "renew_months", months
    for version in range(1, 1001):
        yield "version", version
    yield "effective_on", None
    stated = row.fields["effective_on"]
    middle = date.fromisoformat(stated) if isinstance(stated, str) else _day_of_publication(row)
    for days in range(366 * _YEARS_TRIED):
        for sign in (1, -1):
            try:
                yield "effective_on", (middle + timedelta(days=days * sign)).isoformat()
            except OverflowError:
                continue


def _day_of_publication(row: Row) -> date:
    published = row.fields.get("published_at")
    try:
        return date.fromisoformat(str(published)[:10])
    except ValueError:
        return date(2020, 1, 1)
