"""The rows of compression: bytes of a compressed page, and the time that compressing takes."""

from collections.abc import Iterator
from functools import partial

from benchmarks import measuring
from benchmarks.building import Company
from benchmarks.reads import Client, Result, at_most
from compliance.interfaces.serving.codings import Coding, compressed

BOUNDS = {Coding.ZSTD: (9.0, 0.5), Coding.GZIP: (14.0, 1.5)}
"""The bounds of each coding for a page of 200 training records: percent of the plain bytes, and milliseconds."""


def rows(address: str, company: Company) -> Iterator[Result]:
    """Measures a page in each coding: its share of the plain bytes, and the time that compressing takes.

    `company` was imported: companies built by copying have fewer identifiers, and compress to half the bytes.
    """
    client = Client(address)
    second = str(client.page(company)["next_cursor"])
    plain = client.ours(company, cursor=second)
    for coding, (percent, milliseconds) in BOUNDS.items():
        sent = client.ours(company, coding=coding.value, cursor=second)
        taken = measuring.interleaved({"compressing": partial(compressed, plain, coding)}, 93)
        whole = measuring.interleaved(
            {
                "page as it is": partial(client.ours, company, cursor=second),
                "compressed": partial(client.ours, company, coding=coding.value, cursor=second),
            },
            31,
        )
        share = at_most(f"page of 200 in {coding}: bytes, %", 100 * len(sent) / len(plain), percent, "", whole)
        yield share._replace(note=f"{len(sent):,} of {len(plain):,} bytes; {share.note}")
        yield at_most(f"page of 200 in {coding}: compressing, ms", taken["compressing"] * 1000, milliseconds, "", {})
