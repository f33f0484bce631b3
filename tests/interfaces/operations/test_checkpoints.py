"""Signed checkpoints outside the database hold the histories to what they once said."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from compliance.history import actions, queries
from compliance.history.models import HistoryHead
from compliance.interfaces.operations import checkpoint_file, checkpoints, signing
from compliance.interfaces.operations.errors import CheckpointFileError, HistoryRefusedError
from compliance.proofs.checkpoints import Checkpoint
from compliance.proofs.signed_note import verified_text
from tests.companies import NOW, make_company

pytestmark = pytest.mark.django_db
A_MINUTE = timedelta(minutes=1)


@pytest.fixture
def company():
    """A company with a checkpoint of its third capture."""
    company = make_company()
    for name in ("Anna", "Boris"):
        company.join(name)
        actions.capture_all(company.organization_id, NOW)
    signing.write_due(NOW)
    return company


def head(company):
    return queries.head(company.organization_id)


def ours(company):
    return [each for each in checkpoint_file.stated() if each.checkpoint.organization_id == company.organization_id]


def set_back(company, capture_sequence):
    """What a restore of an older backup leaves, as far as the head tells."""
    HistoryHead.objects.filter(organization_id=company.organization_id).update(capture_sequence=capture_sequence)


def test_a_checkpoint_is_a_signed_note_of_the_head(company):
    (stated,) = ours(company)
    assert (stated.checkpoint.capture_sequence, stated.checkpoint.chain_hash) == (3, head(company).chain_hash)
    assert verified_text(stated.note, checkpoint_file.signers()[0].verifier_key) == stated.checkpoint.text()
    assert checkpoints.newest(company.organization_id) == stated.note


def test_there_is_at_most_one_a_minute_and_none_for_a_history_that_stands_still(company):
    company.join("Chloe")
    actions.capture_all(company.organization_id, NOW)
    signing.write_due(NOW + A_MINUTE / 2)
    assert len(ours(company)) == 1
    signing.write_due(NOW + A_MINUTE)
    assert len(ours(company)) == 2
    signing.write_due(NOW + 5 * A_MINUTE)
    assert len(ours(company)) == 2


def test_a_history_that_only_grew_is_not_refused(company):
    company.join("Chloe")
    actions.capture_all(company.organization_id, NOW)
    checkpoints.refuse_other_histories()
    assert checkpoints.verify_all(company.organization_id) == (1, [])


def test_a_history_that_has_gone_backwards_is_refused_and_told_what_to_do(company):
    set_back(company, 2)
    with pytest.raises(HistoryRefusedError, match=r"gone backwards: it stands at capture 2, but.*capture 3") as told:
        checkpoints.refuse_other_histories()
    assert "--accept" in str(told.value)
    assert "replay_erasures" in str(told.value)


def test_a_history_that_has_forked_is_refused(company):
    """Another chain hash was stated for a capture that stands."""
    fork = Checkpoint(company.organization_id, 2, "f" * 64)
    with checkpoint_file.appending() as descriptor:
        checkpoint_file.write(descriptor, [fork])
    checkpoints.refuse_other_histories()  # start-up looks at the newest alone
    _, (refusal,) = checkpoints.verify_all(company.organization_id)
    assert "has forked" in refusal.sentence
    with checkpoint_file.appending() as descriptor:
        checkpoint_file.write(descriptor, [fork.__class__(company.organization_id, 3, "f" * 64)])
    with pytest.raises(HistoryRefusedError, match="has forked"):
        checkpoints.refuse_other_histories()


def test_a_history_that_is_gone_is_refused(company):
    HistoryHead.objects.filter(organization_id=company.organization_id).delete()
    with pytest.raises(HistoryRefusedError, match="is gone"):
        checkpoints.refuse_other_histories()


def test_a_refused_history_gets_no_checkpoint_and_its_company_alone_is_closed(company):
    other = make_company()
    set_back(company, 2)
    signing.write_due(NOW + A_MINUTE)
    assert len(ours(company)) == 1
    assert len(ours(other)) == 1
    assert not head(company).available
    assert "gone backwards" in head(company).unavailable_reason
    assert head(other).available


def test_the_command_refuses_until_the_operator_accepts_and_goes_on_from_there(company):
    with checkpoint_file.appending() as descriptor:
        later = Checkpoint(company.organization_id, 9, "9" * 64)
        checkpoint_file.write(descriptor, [later])
    told = StringIO()
    with pytest.raises(CommandError, match="--accept"):
        call_command("verify_history", "--checkpoints", stdout=StringIO(), stderr=told)
    assert "has gone backwards" in told.getvalue()
    call_command("verify_history", "--checkpoints", "--accept", stdout=StringIO(), stderr=told)
    assert "replay_erasures" in told.getvalue()
    call_command("verify_history", "--checkpoints", stdout=StringIO(), stderr=StringIO())


def test_what_was_accepted_counts_from_there_on(company):
    with checkpoint_file.appending() as descriptor:
        checkpoint_file.write(descriptor, [Checkpoint(company.organization_id, 9, "9" * 64)])
    _, refused = checkpoints.verify_all()
    signing.accept(refused, NOW)
    checkpoints.refuse_other_histories()
    assert head(company).available
    signing.write_due(NOW + A_MINUTE)
    assert [each.checkpoint.capture_sequence for each in ours(company)] == [3, 9, 3]
    set_back(company, 2)
    with pytest.raises(HistoryRefusedError):
        checkpoints.refuse_other_histories()


def test_a_note_altered_by_hand_is_refused(company, checkpoints_at):
    checkpoints_at.write_text(checkpoints_at.read_text().replace("\n3\n", "\n2\n"))
    with pytest.raises(CheckpointFileError, match="signed by none of our keys"):
        checkpoints.refusals([company.organization_id])


def test_a_note_signed_before_a_change_of_keys_still_counts(company, settings):
    settings.CHECKPOINT_KEYS = ["a newer key of the test, as long as it must be", *settings.CHECKPOINT_KEYS]
    checkpoints.refuse_other_histories()
    settings.CHECKPOINT_KEYS = settings.CHECKPOINT_KEYS[:1]
    with pytest.raises(CheckpointFileError):
        checkpoints.refuse_other_histories()


@pytest.mark.parametrize("cut", [2, 95, 200])
def test_a_note_torn_by_a_crash_states_nothing_and_the_next_one_stands_on_its_own(company, checkpoints_at, cut):
    whole = checkpoints_at.read_bytes()
    checkpoints_at.write_bytes(whole + whole[-len(ours(company)[0].note.encode()) :][:-cut])
    assert len(ours(company)) == 1
    company.join("Chloe")
    actions.capture_all(company.organization_id, NOW)
    signing.write_due(NOW + A_MINUTE)
    assert [each.checkpoint.capture_sequence for each in ours(company)] == [3, 4]
    checkpoints.refuse_other_histories()
