"""How a deadline is computed, in steps that a person can follow: what it is counted from, and how absences move it.

The deciders compute deadlines with this module, and explanations of a record use the same steps, so that no explanation
can differ from the decision.
"""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from compliance.rules.absences import Away, Step, moved, steps
from compliance.rules.vocabulary import DueBasis


class CountedFrom(StrEnum):
    """What a deadline is counted from, or taken from."""

    SHARE = "share"  # a day that a share states for everybody
    ADDED = "added"  # the person's entry into the share, or the opening of the share
    REQUIRED = "required"  # the moment from which the share requires the course
    PUBLISHED = "published"  # the publication of the course
    ASKED_AGAIN = "asked_again"  # the publication of a version that everybody must do, or sign, again
    EFFECTIVE = "effective"  # the day from which a policy is in effect
    CERTIFICATE_END = "certificate_end"
    REVOCATION = "revocation"  # the revocation of the certificate to be renewed
    PERSONAL = "personal"  # a deadline that an administrator set for this person


class Reckoning(NamedTuple):
    """A deadline before absences move it, and the steps by which they move it; `due_at` None: there is no deadline.

    `counted_at` and `days`: the deadline is the end of the company's day that lies `days` days after this moment.
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
        """The basis of the deadline after absences: one that they moved is an override."""
        return self.basis if self.excused_at == self.due_at else DueBasis.OVERRIDE

    def excused(self, zone: str, away: tuple[Away, ...]) -> "Reckoning":
        """The same reckoning with these days of absence."""
        if self.due_at is None:
            return self
        if not away:
            return self._replace(excused_at=self.due_at)
        return self._replace(excused_at=moved(zone, self.due_at, away), steps=tuple(steps(zone, self.due_at, away)))


NO_DEADLINE = Reckoning()
