"""How a deadline comes about, in steps that a person can follow: from what it is counted, and how absences move it.

The deciders reckon deadlines by this; who explains a record reads the same steps, so that no explanation can differ
from the decision.
"""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from compliance.rules.absences import Away, Step, moved, steps
from compliance.rules.vocabulary import DueBasis


class CountedFrom(StrEnum):
    """What a deadline is counted from, or taken from."""

    SHARE = "share"  # a day that a share names for everybody
    ADDED = "added"  # the person came into the share, or the share opened
    REQUIRED = "required"  # the share began to require the course
    PUBLISHED = "published"  # the course was published
    ASKED_AGAIN = "asked_again"  # a version that everybody must do, or sign, again
    EFFECTIVE = "effective"  # the day from which a policy is in effect
    CERTIFICATE_END = "certificate_end"
    REVOCATION = "revocation"  # the certificate to be renewed was revoked
    PERSONAL = "personal"  # an administrator's word about this person


class Reckoning(NamedTuple):
    """A deadline before absences move it, and the steps by which they do; without `due_at` there is none.

    `counted_at` and `days`: the deadline is the end of the company's day so many days after this moment.
    """

    basis: DueBasis = DueBasis.NONE
    due_at: datetime | None = None
    counted_from: CountedFrom | None = None
    counted_at: datetime | None = None
    days: int | None = None
    excused_at: datetime | None = None
    steps: tuple[Step, ...] = ()

    @property
    def excused_basis(self) -> DueBasis:
        """The basis of the deadline as it holds: one that absences moved is an override."""
        return self.basis if self.excused_at == self.due_at else DueBasis.OVERRIDE

    def excused(self, zone: str, away: tuple[Away, ...]) -> "Reckoning":
        """The same for somebody who is absent on these days."""
        if self.due_at is None:
            return self
        if not away:
            return self._replace(excused_at=self.due_at)
        return self._replace(excused_at=moved(zone, self.due_at, away), steps=tuple(steps(zone, self.due_at, away)))


NO_DEADLINE = Reckoning()
