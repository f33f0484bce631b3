"""Reads the access log's chains: where each ends, whether it verifies, and its lines as an export."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import orjson
from django.db.models import QuerySet

from compliance.interfaces.console.access_log import DEPLOYMENT, exported
from compliance.interfaces.console.models import AccessChain, AccessLog
from compliance.proofs import access_log as proof
from compliance.proofs import cells
from compliance.proofs.access_log import ChainEnd
from compliance.tenancy import sql

LINES_A_READ = 2000
FAULTS_AT_MOST = 20


class Verified(NamedTuple):
    """What a verification found: how many lines it recomputed, and its faults, each naming the line."""

    lines: int
    faults: list[str]


def heads() -> dict[uuid.UUID, ChainEnd]:
    """The number and the digest of the last line of each chain that has one."""
    found = AccessChain.objects.filter(number__gt=0).values_list("chain", "number", "digest")
    return {chain: ChainEnd(number, digest) for chain, number, digest in found}


def with_these_lines(ends: Mapping[uuid.UUID, ChainEnd]) -> set[uuid.UUID]:
    """Those of the chains in which the line of that number has that digest still."""
    found = sql.fetch(
        "SELECT l.chain FROM unnest(%s::uuid[], %s::bigint[], %s::text[]) x(chain, number, digest)"
        " JOIN console_accesslog l ON l.chain = x.chain AND l.number = x.number AND l.digest = x.digest",
        [list(ends), [end.number for end in ends.values()], [end.digest for end in ends.values()]],
    )
    return {chain for (chain,) in found}


def chains() -> list[uuid.UUID]:
    """Every chain that has an end or a line: removing one of the two hides nothing."""
    found = sql.fetch(
        "SELECT chain FROM console_accesschain UNION SELECT chain FROM console_accesslog WHERE chain IS NOT NULL"
        " ORDER BY chain"
    )
    return [chain for (chain,) in found]


def verify(chain: uuid.UUID, stated: Iterable[ChainEnd] = ()) -> Verified:
    """Recomputes a chain up to its present end, and compares it with the ends `stated` outside the database."""
    rows = sql.fetch(
        "SELECT (SELECT number FROM console_accesschain WHERE chain = %(chain)s),"
        " (SELECT digest FROM console_accesschain WHERE chain = %(chain)s),"
        " (SELECT max(number) FROM console_accesslog WHERE chain = %(chain)s)",
        {"chain": chain},
    )
    ((end, digest, last),) = rows
    wanted = {each.number: each.digest for each in stated}
    faults: list[str] = []
    at, previous = 0, proof.ZERO_DIGEST
    for page in _pages(chain, end or last or 0):
        faults += proof.faults(page, at, previous)
        at, previous = page[-1]["number"], page[-1]["digest"]
        for line in page:
            if wanted.pop(line["number"], line["digest"]) != line["digest"]:
                faults.append(f"Line {line['number']} of the access log is another than the one that was signed.")
        if len(faults) >= FAULTS_AT_MOST:
            break
    else:
        if end is None and last:
            faults.append(f"The end of the access log, at line {last}, is not known any more.")
        elif at != (end or 0):
            faults.append(f"Lines {at + 1} to {end} of the access log: missing at its end.")
        elif end and previous != digest:
            faults.append(f"Line {at} of the access log is another than the one that it ended with.")
        if end is not None and (last or 0) > end:
            faults.append(f"Lines {end + 1} to {last} of the access log stand beyond its end.")
        faults += [
            f"The access log ends at line {at}, but line {number} of it was signed: its last lines are gone."
            for number in sorted(wanted)
            if number > at
        ]
    return Verified(at, faults[:FAULTS_AT_MOST])


def keep_finding(chain: uuid.UUID, found: Verified, now: datetime) -> None:
    """Stores what a verification found, for the log's own page."""
    AccessChain.objects.filter(chain=chain).update(verified_at=now, fault="".join(found.faults[:1])[:400])


def lines_of(organization_id: uuid.UUID | None) -> Iterator[AccessLog]:
    """The lines of a company's chain, or of the deployment's, in order; lines from before the chain come first.

    The deployment's chain has lines of companies that do not exist, too.
    """
    yield from _by_pages(AccessLog.objects.filter(organization_id=organization_id, chain=None), "id")
    yield from _by_pages(AccessLog.objects.filter(chain=organization_id or DEPLOYMENT), "number")


def as_json_lines(lines: Iterable[AccessLog]) -> Iterator[bytes]:
    """An export that `python -m compliance.proofs.access_log` verifies."""
    for line in lines:
        yield orjson.dumps(exported(line)) + b"\n"


def as_csv(lines: Iterable[AccessLog]) -> Iterator[bytes]:
    """The same lines for spreadsheets; the digests identify the lines of the JSON export."""
    columns = ["at", "username", "groups", "page", "act", "reason", "subject", "learner_profile_ids", "everybody"]
    columns += ["method", "status", "address", "user_id", "organization_id", "chain", "number", "salt"]
    columns += ["previous_sha256", "digest"]
    yield b"\xef\xbb\xbf" + cells.line(columns).encode()
    for line in lines:
        values = exported(line)
        yield cells.line(values[name] for name in columns).encode()


def _by_pages(lines: QuerySet[AccessLog], by: str) -> Iterator[AccessLog]:
    """The lines in the order of a field, a page at a time, so that a slow download holds no database connection."""
    last = 0
    while page := list(lines.filter(**{f"{by}__gt": last}).order_by(by)[:LINES_A_READ]):
        yield from page
        last = getattr(page[-1], by)


def _pages(chain: uuid.UUID, end: int) -> Iterator[list[dict[str, Any]]]:
    after = 0
    while True:
        found = AccessLog.objects.filter(chain=chain, number__gt=after, number__lte=end).order_by("number")
        page = [exported(line) for line in found[:LINES_A_READ]]
        if not page:
            return
        yield page
        after = page[-1]["number"]
