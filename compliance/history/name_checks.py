"""Holds names and addresses to the commitments that rows bear: what verification asks beside the rows themselves.

No hash of the history holds a name, so names could be swapped without breaking one. What lies behind a commitment must
therefore give it, be kept of the person or certificate that the row is about, and be what is shown today.
"""

import uuid

from compliance.facts.certificates import queries as certificates
from compliance.facts.ledger.queries import whose_rows_wait
from compliance.facts.people import identities as people
from compliance.history.projections import stored_identity
from compliance.history.row_checks import PAGE, NotAsCaptured, Row
from compliance.proofs.identity import identity_sha256
from compliance.tenancy import sql


class Names:
    """Checks the commitments of the rows that `see` is given; `finish` those that are left."""

    def __init__(self, organization_id: uuid.UUID) -> None:
        self._organization_id = organization_id
        self._seen: dict[str, Row] = {}

    def see(self, row: Row) -> None:
        """Takes a row whose digest holds; two statements for many rows. Raises NotAsCaptured."""
        identity = stored_identity(row.body)
        if identity:
            self._seen.setdefault(identity, row)
            if len(self._seen) >= PAGE:
                self.finish()

    def finish(self) -> None:
        """Raises NotAsCaptured where a commitment is nobody's, another's, or not that of what is kept behind it."""
        seen, self._seen = self._seen, {}
        if not seen:
            return
        kept = people.behind(self._organization_id, seen) | certificates.behind(self._organization_id, seen)
        for identity, row in seen.items():
            subject_id, behind = kept.get(identity, (None, None))
            if subject_id is None or subject_id not in (row.record_id, row.learner_profile_id):
                raise NotAsCaptured(
                    f"Row {row.sequence} commits to a name that is not kept of whom it is about.", row=row
                )
            if behind is not None and identity_sha256(*behind) != identity:
                raise NotAsCaptured(f"Row {row.sequence} commits to another name or address than is kept.", row=row)


def check_current_names(organization_id: uuid.UUID) -> None:
    """Raises NotAsCaptured where anybody is shown with another name or address than their rows commit to.

    What a fact has said that no capture has taken in yet is not held against it: captures wait while that is looked at.
    """
    for certificate_id in certificates.bared(organization_id):
        raise NotAsCaptured(f"Certificate {certificate_id} has lost what its rows commit to, and nobody was erased.")
    if not people.differing(organization_id):
        return
    sql.fetch("SELECT 1 FROM history_historyhead WHERE organization_id = %s FOR UPDATE", [organization_id])
    differing = people.differing(organization_id)
    named = {subject_id for each in differing for subject_id in each if subject_id is not None}
    waiting = whose_rows_wait(organization_id, named)
    for subject_id, learner_profile_id in differing:
        if not {subject_id, learner_profile_id} & waiting:
            raise NotAsCaptured(
                f"Profile or invitation {subject_id} is shown with another name or address than its rows commit to."
            )
