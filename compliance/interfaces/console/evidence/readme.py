"""The first page of a pack: what lies in it and how to check it."""

from compliance.interfaces.console.evidence.subject import Subject
from compliance.proofs.instants import hashed_instant

_TEXT = """\
EVIDENCE PACK

Company     {company}
Id          {organization_id}
Period      {first} to {last} (days in {zone})
Known at    {known_at}, capture {capture}, sequence {sequence}
Chain hash  {chain_hash}

Check it with Python 3.11 or newer and nothing else, in the folder that it was unpacked into:

    python -I -S verify.py

It ends with "No fault found." and status 0, or names each fault. `sha256sum -c SHA256SUMS` checks the files alone.
A verifier that comes with the evidence could be forged with it. To be sure, compare the SHA-256 of the file SHA256SUMS
with the one that you were told when the pack was built, or run a verifier that you have from elsewhere.

WHAT LIES HERE

summary.pdf           to read: who owed what, who did it, who has not
registers/            every register, one row a line: .jsonl as the API gives them, .csv for spreadsheets
{registers}
policies/             the policy files, byte for byte as people read and signed them
pages/                policy versions and receipts in the pages of the API, for the verifier
history/              the chain of captures up to the one that every register is pinned to
{checkpoint}snapshot.json         what every register was read from
pack.json             how many rows each register has, and the completeness of people
verify.py, verifier/  the verifier
SHA256SUMS            the digest of every file above

HOW TO READ IT

Registers are as at the end of {last}; people and training-records-period cover the whole period. Names and addresses
are those that were current when the pack was built, and of erased people there are none. Completeness: each employee
of the period is exactly one of owing (a required record that counts), excused (required records, all of them waived or
ended before their deadline) or none owed.

In the .csv files a cell that a spreadsheet would take for a formula begins with an apostrophe.
"""


def text(subject: Subject, registers: dict[str, int], stated: bool) -> str:
    """The page for one pack; `stated`: a checkpoint lies in it."""
    checkpoint = (
        "checkpoint.txt        a signed statement of that chain (C2SP signed note); checkpoint-key.txt is its key\n"
    )
    return _TEXT.format(
        company=subject.organization.name,
        organization_id=subject.organization_id,
        first=subject.first_day,
        last=subject.last_day,
        zone=subject.organization.time_zone,
        known_at=hashed_instant(subject.pin.captured_at),
        capture=subject.pin.capture_sequence,
        sequence=subject.pin.sequence,
        chain_hash=subject.pin.chain_hash,
        registers="\n".join(f"  {name:<26}{count} rows" for name, count in registers.items()),
        checkpoint=checkpoint if stated else "",
    )
