"""What operators learn about the log: at start-up, from commands, from the nightly run and from metrics."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.history import queries as history
from compliance.history.models import HistoryHead
from compliance.interfaces.console import access_chain
from compliance.interfaces.operations import access_heads, metrics, startup, verification
from compliance.interfaces.operations.models import VerificationRun
from compliance.log import folder, keys, signing
from compliance.log.errors import LogRefusedError
from compliance.log.models import Leaf, Tile
from compliance.proofs.access_log import ChainEnd, heads_text
from compliance.tenancy.models import Organization
from tests.companies import NOW, make_company
from tests.log.deployment import LATER, grow

pytestmark = pytest.mark.usefixtures("seen_by_all_roles")


@pytest.fixture
def company():
    company = make_company()
    grow(company, "Anna", "Boris")
    signing.sign_new(NOW)
    return company


def output_of(*command: str) -> str:
    out = StringIO()
    call_command(*command, stdout=out, stderr=out)
    return out.getvalue()


def set_back(company, capture_sequence: int) -> None:
    HistoryHead.objects.filter(organization_id=company.organization_id).update(capture_sequence=capture_sequence)


def test_start_up_refuses_a_history_that_went_back_and_says_what_to_do(company):
    startup.refuse_unsafe()
    set_back(company, 2)
    with pytest.raises(LogRefusedError, match=r"gone backwards: it stands at capture 2, but capture 3.*") as refused:
        startup.refuse_unsafe()
    assert "--accept" in str(refused.value)
    assert "replay_erasures" in str(refused.value)


def test_verify_history_recomputes_the_log_and_names_what_does_not_hold(company):
    assert "3 entries of the log recomputed; 3 captures held to them." in output_of("verify_history", "--checkpoints")
    Tile.objects.update(hashes=bytes(96))
    out = StringIO()
    with pytest.raises(CommandError, match="--accept"):
        call_command("verify_history", "--checkpoints", stdout=out, stderr=out)
    assert "Tile 0 of level 0 of the log is not the one that its entries make." in out.getvalue()


def test_an_operator_accepts_what_is_gone_and_the_log_says_so(company):
    HistoryHead.objects.filter(organization_id=company.organization_id).delete()
    with pytest.raises(CommandError, match="cannot be accepted, for it does not hold: The history has no head"):
        output_of("verify_history", "--checkpoints", "--accept")
    assert not Leaf.objects.filter(kind="acceptance").exists()
    organization_id = company.organization_id
    Organization.objects.filter(organization_id=organization_id).delete()
    output = output_of("verify_history", "--checkpoints", "--accept")
    assert f"{organization_id}: accepted as it is; the acceptance is in the log." in output
    assert "replay_erasures" in output
    assert "end_access" in output
    assert Leaf.objects.get(kind="acceptance").organization_id == organization_id
    startup.refuse_unsafe()


def test_nobody_accepts_the_histories_of_others_by_naming_one(company):
    HistoryHead.objects.filter(organization_id=company.organization_id).delete()
    with pytest.raises(CommandError, match="--accept is for all companies"):
        output_of("verify_history", "--checkpoints", "--accept", "--organization", str(make_company().organization_id))
    assert not Leaf.objects.filter(kind="acceptance").exists()


def test_accepting_needs_the_comparison_and_signs_the_ends_of_the_access_log_anew(company):
    with pytest.raises(CommandError, match="--accept goes with --checkpoints"):
        output_of("verify_history", "--accept")
    ahead = heads_text({company.organization_id: ChainEnd(5, "1" * 64)})
    folder.write(access_heads.FILE, keys.signing_key(purpose=access_heads.PURPOSE).sign(ahead))
    output_of("verify_history", "--checkpoints", "--accept")
    assert access_heads.stated() == access_chain.heads()
    assert company.organization_id not in access_heads.stated()


def test_the_night_closes_a_company_that_the_log_contradicts_and_opens_it_when_all_holds(company):
    kinds = verification.verify_company(company.organization_id, lambda: NOW)
    assert kinds[VerificationRun.Kind.CHECKPOINTS] == (3, "")
    note = folder.read(folder.CHECKPOINT)
    folder.write(folder.CHECKPOINT, note.replace("\n3\n", "\n4\n"))
    findings = verification.verify_company(company.organization_id, lambda: NOW)
    assert "signed by none of our keys" in findings[VerificationRun.Kind.CHECKPOINTS].fault
    assert not history.head(company.organization_id).available
    folder.write(folder.CHECKPOINT, note)
    verification.verify_company(company.organization_id, lambda: NOW)
    assert history.head(company.organization_id).available


def test_the_night_alerts_when_the_published_log_does_not_hold(company, caplog):
    assert verification.verify_log() == []
    Tile.objects.update(hashes=bytes(96))
    faults = verification.verify_log()
    assert "Tile 0 of level 0" in faults[0]
    assert {record.message for record in caplog.records} == {"log_broken"}


def test_metrics_tell_the_size_what_is_not_signed_and_since_when(company):
    settled = metrics.service_status(LATER)
    assert (settled.log_entries, settled.unsigned_captures, settled.unsigned_capture_age_seconds) == (3, 0, 0.0)
    grow(company, "Chloe", "Dora")
    other = make_company()
    found = metrics.service_status(LATER)
    assert (found.log_entries, found.unsigned_captures) == (3, 3)
    waited = LATER - min(history.head(each.organization_id).captured_at for each in (company, other))
    assert found.unsigned_capture_age_seconds == max(waited.total_seconds(), 0.0)
    signing.sign_new(LATER)
    assert metrics.service_status(LATER).unsigned_captures == 0


def test_a_pass_over_an_unchanged_log_asks_as_much_however_many_companies_there_are(company):
    def statements() -> int:
        with CaptureQueriesContext(connection) as found:
            signing.sign_new(LATER)
        return len(found)

    for _ in range(15):  # on a cluster some on each node, which is asked once
        make_company()
    signing.sign_new(LATER)
    before = statements()
    for _ in range(4):
        make_company()
    signing.sign_new(LATER)
    assert statements() == before
