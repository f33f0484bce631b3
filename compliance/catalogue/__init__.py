"""Declares each register once; the history, the API, the console, exports, evidence and clients derive from it.

A new register is a declaration here, a decision under `rules`, a projection under `history/projections`, a loader in
`_LOADERS` of `history/deciding.py`, and a listing under `registers`, whose module `registers/listings.py` names. A new
kind of subject is also added to `SubjectKind` (`facts/ledger/models.py`), to `_WAYS` (`history/stored.py`), where its
records are found, and to `facts/fan_out.py`, where wide subjects become such narrow ones.
"""

from compliance.catalogue import certificates, courses, people, policies, training
from compliance.catalogue.declaration import Register

READINGS: tuple[Register, ...] = tuple(
    register for module in (training, people, certificates, courses, policies) for register in module.REGISTERS
)
"""Every way of reading a register, one for each endpoint of the contract, by number."""

REGISTERS: dict[int, Register] = {register.number: register for register in READINGS if register.path == register.name}
"""The registers by number, in this order."""


def owed(of: str) -> Register:
    """The register of who owes a `course` or a `policy`."""
    return next(register for register in READINGS if register.owed == of)
