"""The proof of a record: who gets it, which names it holds, and the page that waits for it."""

import uuid
from pathlib import Path
from typing import Any

import pytest

from compliance.history.models import HistoryRecord
from compliance.history.queries import head
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.log import keys, signing
from compliance.log.models import Checkpoint
from compliance.proofs.findings import Report
from compliance.proofs.log_trust import log_trust
from compliance.proofs.row_proof import RowProof, parse_row_proof
from compliance.proofs.row_verifier import verify_row_proof
from compliance.tenancy import context
from tests.interfaces.console.companies import Full, full_company

pytestmark = pytest.mark.django_db
KEY = "a key of the test that is long enough"


@pytest.fixture(autouse=True)
def log_folder(settings: Any, tmp_path: Path) -> None:
    settings.LOG_FOLDER = str(tmp_path / "log")
    settings.LOG_ORIGIN = ""
    settings.CHECKPOINT_KEYS = [KEY]


@pytest.fixture
def full() -> Full:
    """A company whose history is not signed yet."""
    return full_company(3)


def address(full: Full, register: str, record_id: object) -> str:
    return f"/console/companies/{full.company.organization_id}/records/{register}/{record_id}/proof/"


def some(full: Full, register: int) -> uuid.UUID:
    """The id of a record of the register about the first person."""
    learner = full.people[0].learner_profile_id
    with context.company(full.company.organization_id):
        return HistoryRecord.objects.get(register=register, learner_profile_id=learner).record_id


def proved(answer: Any) -> RowProof:
    assert answer["Content-Type"] == "application/json", answer.content
    report = Report()
    proof = parse_row_proof("answer", answer.content, report)
    assert proof is not None, report.faults
    verify_row_proof(proof, log_trust(keys.verifier_keys()[0]), report)
    assert report.faults == []
    return proof


def test_the_page_waits_until_the_row_is_signed_and_then_hands_the_proof_over(full: Full, staff: Any) -> None:
    client = staff(OPERATOR)
    record_id = full.samples["record_id"]
    where = address(full, "training-records", record_id)
    for each in (where, f"{where}file/"):
        waiting = client.get(each)
        assert waiting.status_code == 200
        assert waiting["Refresh"].startswith(f"2;url={each}")
        assert "Not signed yet" in waiting.content.decode()
        assert f'href="{where}file/"' not in waiting.content.decode()
    signing.sign_new(full.company.now)
    page = client.get(where)
    assert "Refresh" not in page
    text = page.content.decode()
    assert f'href="{where}file/"' in text
    assert keys.verifier_keys()[0] in text.replace("&#x2B;", "+")
    assert "It names nobody" in text
    answer = client.get(f"{where}file/")
    assert answer["Content-Disposition"] == f'attachment; filename="proof-training-records-{record_id}.json"'
    assert proved(answer).row.record_id == str(record_id)


def test_stories_receipts_and_policies_lead_to_the_proof(full: Full, staff: Any) -> None:
    client = staff(OPERATOR)
    company = f"/console/companies/{full.company.organization_id}"
    record, receipt, policy = full.samples["record_id"], full.samples["receipt_id"], full.samples["course_release_id"]
    certificate = some(full, 3)
    for page, register, record_id in (
        (f"{company}/records/training-records/{record}/", "training-records", record),
        (f"{company}/records/certificates/{certificate}/", "certificates", certificate),
        (f"{company}/receipts/{receipt}/", "acknowledgements", receipt),
        (f"{company}/policies/{policy}/", "policies", policy),
    ):
        where = address(full, register, record_id)
        assert f'href="{where}">Proof' in client.get(page).content.decode(), register
    signing.sign_new(full.company.now)
    for register, record_id in (("acknowledgements", receipt), ("policies", policy), ("certificates", certificate)):
        assert proved(client.get(f"{address(full, register, record_id)}file/")).row.register == register


@pytest.mark.parametrize(("group", "named"), [(OPERATOR, False), (COMPLIANCE_MANAGER, True), (AUDITOR, True)])
def test_names_leave_with_whoever_may_export(group: str, named: bool, full: Full, staff: Any) -> None:
    signing.sign_new(full.company.now)
    client = staff(group)
    for register, number in (("people", 2), ("certificates", 3)):
        where = address(full, register, some(full, number))
        identity = proved(client.get(f"{where}file/")).identity
        assert (identity is not None) is named
        assert ("It names the person" in client.get(where).content.decode()) is named
        if identity is not None:
            assert identity.person_name == "Person 000"


def test_permissions_not_see_the_record_gets_no_proof_of_it(full: Full, staff: Any, client: Any) -> None:
    signing.sign_new(full.company.now)
    other = full_company(3, "Other")
    record_id = full.samples["record_id"]
    for tail in ("", "file/"):
        where = address(full, "training-records", record_id) + tail
        assert client.get(where).status_code == 302
        bound = staff(OPERATOR, [other.company.organization_id])
        assert bound.get(where).status_code == 404
        inside = address(other, "training-records", record_id) + tail
        assert bound.get(inside).status_code == 404
        for nothing in (
            address(full, "nothing", record_id),
            address(full, "people", record_id),
            address(full, "training-records", uuid.uuid4()),
        ):
            assert staff(OPERATOR).get(nothing + tail).status_code == 404


def test_taking_a_proof_leaves_a_line_in_the_access_log(full: Full, staff: Any) -> None:
    signing.sign_new(full.company.now)
    staff(OPERATOR).get(address(full, "people", some(full, 2)) + "file/")
    line = AccessLog.objects.latest("at")
    assert line.page == "record-proof-file"
    assert full.people[0].learner_profile_id in line.learner_profile_ids


def test_a_history_that_does_not_lead_to_what_was_signed_is_not_proved_and_is_closed(full: Full, staff: Any) -> None:
    signing.sign_new(full.company.now)
    Checkpoint.objects.update(root=bytes(32))
    answer = staff(OPERATOR).get(address(full, "training-records", full.samples["record_id"]) + "file/")
    assert answer.status_code == 503
    assert "is not the one that was signed" in answer.content.decode()
    assert not head(full.company.organization_id).available
