"""A proof is recomputed from the stored data before it is returned: data changed since it was signed gives none."""

import psycopg
import pytest

from compliance.catalogue import REGISTERS
from compliance.history.models import HistoryRecord
from compliance.interfaces.proof.errors import HistoryRefutedError
from compliance.interfaces.proof.making import prove
from compliance.tenancy import context
from tests.companies import NOW, make_company
from tests.interfaces.proof.conftest import sign

ALTERED = {
    "a root that is kept": (
        "UPDATE history_subtree SET root = sha256(root) WHERE organization_id = %s AND height = 4",
        "do not lead to the root",
    ),
    "a row beside it": (
        "UPDATE history_historyrow SET row_sha256 = sha256(row_sha256) WHERE organization_id = %s AND sequence = 391",
        "do not lead to the root",
    ),
    "rows that are gone": (
        "DELETE FROM history_historyrow WHERE organization_id = %s AND sequence %% 16 = 7",
        "lacks rows below tile",
    ),
    "roots that are gone": ("DELETE FROM history_subtree WHERE organization_id = %s", "lacks rows below tile"),
}


@pytest.mark.parametrize("what", ALTERED)
def test_what_is_stored_otherwise_than_signed_makes_no_proof(what: str, owner: psycopg.Connection) -> None:
    company = make_company()
    organization_id = company.organization_id
    company.share(company.course(), days=30)
    for number in range(200):
        company.join(f"Person {number}")
    sign(organization_id)
    with context.company(organization_id):
        middle = HistoryRecord.objects.order_by("birth")[389]
    assert middle.birth == 390

    def proof() -> str:
        with context.company(organization_id):
            return prove(organization_id, REGISTERS[middle.register], middle.record_id, NOW, personal=True)

    assert str(middle.record_id) in proof()
    statement, fault = ALTERED[what]
    owner.execute(statement, [organization_id])
    with pytest.raises(HistoryRefutedError, match=fault):
        proof()
