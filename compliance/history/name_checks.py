"""Compares names and addresses with the commitments in rows; verification does this besides checking the rows.

No hash of the history covers a name, so names could be swapped without breaking one. The name and address kept for a
commitment must therefore give its digest, belong to the row's person or certificate, and be the current ones.
"""

import uuid

from compliance.facts.certificates import queries as certificates
from compliance.facts.ledger.queries import whose_rows_wait
from compliance.facts.people import identities as people
from compliance.history.projections import stored_identity
from compliance.history.row_checks import PAGE, Content, NotAsCaptured, Row
from compliance.proofs.identity import identity_sha256
from compliance.tenancy import sql


class Names:
    """Collects the commitments of rows by `see` and checks them in batches; `finish` checks the last batch."""

    def __init__(self, organization_id: uuid.UUID) -> None:
        self._organization_id = organization_id
        self._seen: dict[str, Row] = {}

    def see(self, row: Row, _: Content) -> None:
        """Takes a row whose digest and columns are intact; two statements for many rows. Raises NotAsCaptured."""
        identity = stored_identity(row.body)
        if identity:
            self._seen.setdefault(identity, row)
            if len(self._seen) >= PAGE:
                self.finish()

    def finish(self) -> None:
        """Raises NotAsCaptured where a commitment is nobody's, somebody else's, or not that of the kept name."""
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
    """Raises NotAsCaptured where anybody's current name or address is not the one that their rows commit to.

    A name from a fact that no capture holds yet is no fault: captures wait for the head's lock during this check.
    """
    for certificate_id in certificates.incompletely_kept(organization_id):
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
