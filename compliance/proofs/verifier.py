"""Verifies pulled pages offline, and reports what is intact and each fault.

Policy versions and receipts are recomputed, and receipts are compared with the versions that they cite; a pull must
have as many rows as its `total`. Rows of other registers have no digest of their own; only their number is checked.
"""

from collections.abc import Iterable

from .findings import Check, Report
from .pages import JsonObject, Kind, Pull, PulledPage, Row, printable, pulls_of, repeated_in
from .receipts import check_receipts
from .versions import check_versions

_ACTS = {"acknowledge": "acknowledged", "sign": "signed"}
_MOST_ROWS = (1 << 63) - 1
CITED_FIELDS = ("course_id", "version", "effective_on", "version_digest", "statement_sha256", "document_sha256")


def verify(pages: Iterable[PulledPage]) -> Report:
    """Return all findings about the pages, which are given in the order pulled."""
    report = Report()
    given = list(pages)
    for page in given:
        for number in page.strangers:
            report.fault(Check.FORM, f"{page.name} row {number}", (), "The row is no JSON object.")
        _check_repeated(page, report)
    pulls = pulls_of(given)
    versions = [pull for pull in pulls if pull.kind is Kind.VERSION]
    receipts = [pull for pull in pulls if pull.kind is Kind.RECEIPT]
    version_rows = [row for pull in versions for row in pull.rows]
    receipt_rows = [row for pull in receipts for row in pull.rows]
    for pull in pulls:
        before = len(report.faults)
        _check_total(pull, report)
        _check_company(pull, report)
        if pull.kind is Kind.VERSION:
            check_versions(pull, receipt_rows, report)
        elif pull.kind is Kind.RECEIPT:
            check_receipts(pull, version_rows, report)
        _note_what_holds(pull, len(report.faults) > before, report)
    _check_links(receipts, versions, report)
    _check_agreement(receipts, "receipt_id", ("receipt_sha256",), report)
    _check_agreement(versions, "course_release_id", ("version_digest",), report)
    return report


def _check_repeated(page: PulledPage, report: Report) -> None:
    """Report keys that the page or a row has more than once: other readers may keep another of their values."""
    envelope = JsonObject((name, value) for name, value in page.envelope.items() if name != "data")
    envelope.repeated = page.envelope.repeated
    if repeated := tuple(map(printable, repeated_in(envelope))):
        report.fault(Check.FORM, page.name, repeated, "The page gives these keys more than once.")
    for row in page.rows:
        if repeated := tuple(map(printable, repeated_in(row.fields))):
            report.fault(Check.FORM, row.place, repeated, "The row gives these keys more than once.")


def _check_company(pull: Pull, report: Report) -> None:
    """Check that all rows are of one company: the snapshot's, if there is one."""
    stated = (pull.snapshot or {}).get("organization_id")
    expected = stated if isinstance(stated, str) else None
    for row in pull.rows:
        organization = row.fields.get("organization_id")
        if not isinstance(organization, str):
            continue
        if expected is None:
            expected = organization
        elif organization != expected:
            report.fault(
                Check.LINK,
                row.place,
                ("organization_id",),
                f"organization_id is not that of the {'snapshot' if expected == stated else 'rows before it'}.",
            )


def _check_total(pull: Pull, report: Report) -> None:
    last = pull.pages[-1].envelope if pull.pages else {}
    if isinstance(last.get("next_cursor"), str):
        report.notes.append(f"{pull.name}: the last page has a next_cursor, so the pull was not followed to its end.")
    if pull.snapshot is None or not pull.totals:
        if pull.kind is not Kind.OTHER:
            report.notes.append(
                f"{pull.name}: without snapshot and total nothing tells whether rows are missing after the last."
            )
        return
    if len(pull.totals) > 1:
        stated = ", ".join(map(printable, pull.totals))
        report.fault(Check.COUNT, pull.name, ("total",), f"The pages of one pull state different totals: {stated}.")
        return
    total = pull.totals[0]
    rows = len(pull.rows) + sum(len(page.strangers) for page in pull.pages)
    if isinstance(total, bool) or not isinstance(total, int) or not 0 <= total <= _MOST_ROWS:
        report.fault(Check.COUNT, pull.name, ("total",), f"total is {printable(total)}, not a number of rows.")
    elif rows != total:
        difference = abs(rows - total)
        what = "missing" if rows < total else "too many"
        report.fault(
            Check.COUNT,
            pull.name,
            ("total",),
            f"The pull has {rows} rows but total is {total}: {difference} {'is' if difference == 1 else 'are'} {what}.",
        )


def _check_links(receipts: list[Pull], versions: list[Pull], report: Report) -> None:
    """Compare each receipt with the version that it names."""
    known: dict[str, Row] = {}
    for pull in versions:
        for row in pull.rows:
            release = row.fields.get("course_release_id")
            if isinstance(release, str):
                known.setdefault(release, row)
    rows = [row for pull in receipts for row in pull.rows]
    if not rows:
        return
    if not known:
        report.notes.append("No policy versions were given, so no receipt could be linked to the version it names.")
        return
    complete = all(pull.snapshot is not None and pull.totals for pull in versions)
    before, linked, unlinked = report.count(Check.LINK), 0, 0
    for row in rows:
        release = row.fields.get("course_release_id")
        version = known.get(release) if isinstance(release, str) else None
        if version is not None:
            linked += 1
            check_link(row, version, report)
        elif complete:
            report.fault(
                Check.LINK,
                row.place,
                ("course_release_id",),
                "The receipt names a version that is not among the policy versions given.",
            )
        else:
            unlinked += 1
    if unlinked:
        report.notes.append(f"{unlinked} receipts name versions that are not in the files; they were not linked.")
    if linked and report.count(Check.LINK) == before:
        report.holding.append(f"{linked} receipts agree with the policy versions that they name.")


def check_link(receipt: Row, version: Row, report: Report) -> None:
    """Report fields of a receipt that differ from the policy version that it names."""
    for name in CITED_FIELDS:
        if name in receipt.fields and receipt.fields[name] != version.fields.get(name):
            report.fault(
                Check.LINK,
                receipt.place,
                (name,),
                f"{name} differs from the version it names, {version.place}.",
            )
    act = version.fields.get("act")
    if isinstance(act, str) and _ACTS.get(act) != receipt.fields.get("act"):
        report.fault(
            Check.LINK,
            receipt.place,
            ("act",),
            f"The version it names, {version.place}, asks people to {printable(act)}.",
        )
    doors = version.fields.get("doors")
    if "door" in receipt.fields and isinstance(doors, list) and receipt.fields["door"] not in doors:
        report.fault(
            Check.LINK, receipt.place, ("door",), f"The version it names, {version.place}, is not for that door."
        )


def _check_agreement(pulls: list[Pull], identity: str, digests: tuple[str, ...], report: Report) -> None:
    """Check that the same thing has the same digest in two pulls."""
    seen: dict[str, tuple[int, Row]] = {}
    for at, pull in enumerate(pulls):
        for row in pull.rows:
            key = row.fields.get(identity)
            if not isinstance(key, str):
                continue
            other_at, other = seen.setdefault(key, (at, row))
            for name in digests:
                if other_at != at and other.fields.get(name) != row.fields.get(name):
                    report.fault(Check.LINK, row.place, (name,), f"{name} differs from that in {other.place}.")


def _note_what_holds(pull: Pull, at_fault: bool, report: Report) -> None:
    count = len(pull.rows)
    if pull.kind is Kind.OTHER and count == 0:
        report.notes.append(f"{pull.name}: there are no rows, so there is nothing to recompute.")
        return
    if pull.kind is Kind.OTHER:
        report.notes.append(f"{pull.name}: {count} rows carry no digest that could be recomputed.")
        return
    if at_fault:
        return
    if pull.kind is Kind.VERSION:
        report.holding.append(
            f"{pull.name}: {count} policy versions; every statement_sha256, document_sha256 and version_digest holds."
        )
        return
    start = (
        "from the company's first receipt on"
        if pull.rows[0].fields.get("previous_sha256") == "0" * 64
        else "from its first link on"
    )
    report.holding.append(f"{pull.name}: {count} policy receipts; every receipt_sha256 holds, and the chain {start}.")
