"""The registers as the history's tables number them (`HistoryRow.register`), and their names in digests."""

from typing import Final

from compliance.rules.vocabulary import Register

TRAINING_RECORDS: Final = 1
PEOPLE: Final = 2
CERTIFICATES: Final = 3
COURSES: Final = 4
POLICIES: Final = 5
POLICY_RECORDS: Final = 6
ACKNOWLEDGEMENTS: Final = 7

REGISTERS: Final[dict[int, Register]] = {
    TRAINING_RECORDS: Register.TRAINING_RECORDS,
    PEOPLE: Register.PEOPLE,
    CERTIFICATES: Register.CERTIFICATES,
    COURSES: Register.COURSES,
    POLICIES: Register.POLICIES,
    POLICY_RECORDS: Register.POLICY_RECORDS,
    ACKNOWLEDGEMENTS: Register.ACKNOWLEDGEMENTS,
}
"""The contract's name of each number; the row digest `svc.row/1` hashes the name."""

NUMBERS: Final[dict[Register, int]] = {register: number for number, register in REGISTERS.items()}
