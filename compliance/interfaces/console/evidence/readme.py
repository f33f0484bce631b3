"""The first page of a pack: what it contains and how to check it."""

from django.conf import settings

from compliance.interfaces.console.evidence.subject import Subject
from compliance.proofs.instants import hashed_instant
from compliance.proofs.pack_registers import NOT_PROVED

_TEXT = """\
EVIDENCE PACK

Company     {company}
Id          {organization_id}
Period      {first} to {last} (days in {zone})
Known at    {known_at}, capture {capture}, sequence {sequence}
Chain hash  {chain_hash}

Check it with Python 3.11 or newer and nothing else:

    python verify.py PACK.zip --log-key LINE

Take verify.py from {tools} or from an earlier year, not from this pack: a verifier that comes with the evidence could
be forged with it. LINE is the verifier key of the deployment's log, from somewhere you trust; log-key.txt holds what
the deployment says it is. It ends with "No fault found." and status 0, or names each fault. `sha256sum -c SHA256SUMS`
checks the files alone, once unpacked.

WHAT LIES HERE

summary.pdf           to read: who owed what, who did it, who has not
registers/            every register, one row a line: .jsonl as the API gives them, .csv for spreadsheets
{registers}
policies/             the policy files, byte for byte as people read and signed them
history/              every row version up to the pin, as text or digest, and the captures: from them each row follows
identities.jsonl      the salts behind the names that the history commits to
log.json              the proof that the pinned capture is in the deployment's log; log-key.txt is the log's key
pack.json             how many rows each register has, and the completeness of people
verify.py             the verifier, to read
SHA256SUMS            the digest of every file above
manifest.txt          the same list, signed by the deployment for this capture

HOW TO READ IT

Registers are as at the end of {last}; people and training-records-period cover the whole period. Names and addresses
are those that were current when the pack was built, and of erased people there are none. Completeness: each employee
of the period is exactly one of owing (a required record that counts), excused (required records, all of them waived or
ended before their deadline) or none owed.

Not provable, and only as the signed list has it: {not_proved}.

In the .csv files a cell that a spreadsheet would take for a formula begins with an apostrophe.
"""


def text(subject: Subject, registers: dict[str, int]) -> str:
    """The page for one pack."""
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
        tools=f"{settings.BASE_URL}/tools/verify.py",
        not_proved=NOT_PROVED,
        registers="\n".join(f"  {name:<26}{count} rows" for name, count in registers.items()),
    )
