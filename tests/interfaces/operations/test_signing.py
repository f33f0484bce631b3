"""What is signed was recomputed, and what was signed cannot quietly go missing: attacks on both."""

import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.history import actions, queries
from compliance.history.models import Capture, HistoryHead, HistoryRow
from compliance.interfaces.operations import checkpoint_file, checkpoints, signing, standings, startup, verification
from compliance.interfaces.operations.errors import CheckpointFileError, HistoryRefusedError
from compliance.interfaces.operations.models import CompanyStanding, SignedFile, VerificationRun
from compliance.tenancy import context, roles
from tests.companies import NOW, make_company

pytestmark = pytest.mark.django_db
A_MINUTE = timedelta(minutes=1)


@pytest.fixture
def company():
    """A company with a checkpoint of its third capture, and a fourth capture without."""
    company = make_company()
    for name in ("Anna", "Boris"):
        company.join(name)
        actions.capture_all(company.organization_id, NOW)
    signing.write_due(NOW)
    company.join("Chloe")
    actions.capture_all(company.organization_id, NOW)
    return company


def stated(company):
    return [
        each.checkpoint.capture_sequence
        for each in checkpoint_file.stated()
        if each.checkpoint.organization_id == company.organization_id
    ]


def refused(sentence):
    """Start-up and the command both refuse, and say so."""
    with pytest.raises(HistoryRefusedError, match=sentence) as start:
        startup.refuse_unsafe()
    assert "--accept" in str(start.value)
    told = StringIO()
    with pytest.raises(CommandError, match="--accept"):
        call_command("verify_history", "--checkpoints", stdout=StringIO(), stderr=told)
    assert re.search(sentence, told.getvalue())


def test_a_fresh_start_without_any_checkpoint_is_accepted(checkpoints_at):
    make_company()
    assert not checkpoints_at.exists()
    startup.refuse_unsafe()


def test_a_missing_file_is_refused_and_nothing_more_is_signed(company, checkpoints_at):
    checkpoints_at.unlink()
    refused("is missing, though [0-9]+ bytes of it were signed")
    with pytest.raises(CheckpointFileError, match="was cut back: it holds 0 bytes"):
        signing.write_due(NOW + A_MINUTE)
    assert stated(company) == []
    refused("was cut back: it holds 0 bytes")


def test_a_file_that_was_cut_back_is_refused(company, checkpoints_at):
    signing.write_due(NOW + A_MINUTE)
    assert stated(company) == [3, 4]
    whole = checkpoints_at.read_text()
    checkpoints_at.write_text(whole[: whole.rindex("svc.checkpoint/1")])
    refused("was cut back")
    refused(f"lacks the checkpoint of organization {company.organization_id} at capture 4.*its newest states capture 3")


def test_each_of_both_witnesses_is_enough(company, checkpoints_at):
    """Who cuts the file back and mends one of the two in the database is still refused by the other."""
    whole = checkpoints_at.read_text()
    checkpoints_at.write_text("")
    SignedFile.objects.update(size=0)
    refused("lacks the checkpoint of organization .* at capture 3, which was signed: it holds none")
    CompanyStanding.objects.update(checkpoint_sequence=0)
    SignedFile.objects.update(size=len(whole.encode()))
    refused("was cut back")


def test_another_file_of_the_same_length_is_refused(company, checkpoints_at):
    checkpoints_at.write_text("x" * checkpoints_at.stat().st_size)
    refused("lacks the checkpoint of organization")


def test_the_night_closes_a_company_whose_file_was_cut_back(company, checkpoints_at):
    checkpoints_at.write_text("")
    findings = verification.verify_company(company.organization_id, lambda: NOW)
    assert "was cut back" in findings[VerificationRun.Kind.CHECKPOINTS].fault
    assert not queries.head(company.organization_id).available


def test_a_file_that_was_rotated_is_refused_until_it_is_accepted_by_signature(company, checkpoints_at):
    checkpoints_at.rename(checkpoints_at.with_suffix(".old"))
    refused("is missing")
    call_command("verify_history", "--checkpoints", "--accept", stdout=StringIO(), stderr=StringIO())
    startup.refuse_unsafe()
    signing.write_due(NOW + A_MINUTE)
    assert stated(company) == [4]
    startup.refuse_unsafe()
    accepted = checkpoints_at.with_name(checkpoints_at.name + ".accepted").read_text()
    assert f"svc.accepted/1\n{company.organization_id}\n" in accepted


def forge_capture(company, **more):
    """What a hand with the application's rights can append: a capture that claims what no row says."""
    head = queries.head(company.organization_id)
    number = head.capture_sequence + 1
    with context.company(company.organization_id):
        Capture.objects.create(
            **{
                "organization_id": company.organization_id, "capture_sequence": number, "captured_at": NOW,
                "first_sequence": head.sequence + 1, "last_sequence": head.sequence, "rows_sha256": "0" * 64,
                "chain_hash": "f" * 64, "logic_version": head.logic_version, "why": "facts",
            } | more
        )  # fmt: skip
    HistoryHead.objects.filter(organization_id=company.organization_id).update(
        capture_sequence=number, chain_hash="f" * 64, sequence=more.get("last_sequence", head.sequence)
    )


def closed(company, sentence):
    signing.write_due(NOW + A_MINUTE)
    assert stated(company) == [3]
    head = queries.head(company.organization_id)
    assert not head.available
    assert sentence in head.unavailable_reason
    signing.write_due(NOW + 3 * A_MINUTE)
    assert stated(company) == [3]


def test_a_forged_capture_is_not_signed_and_closes_the_company(company):
    other = make_company()
    forge_capture(company)
    closed(company, "are not those that were captured")
    assert stated(other) == [1]


def test_a_forged_row_is_not_signed(company):
    head = queries.head(company.organization_id)
    with context.company(company.organization_id):
        row = HistoryRow.objects.filter(organization_id=company.organization_id).order_by("sequence").last()
        row.sequence, row.capture_sequence = head.sequence + 1, head.capture_sequence + 1
        row.body = row.body.replace("active", "suspended")
        row.save(force_insert=True)
    forge_capture(company, last_sequence=head.sequence + 1)
    closed(company, "is not what was captured")


def test_a_head_that_names_another_hash_is_not_signed(company):
    HistoryHead.objects.filter(organization_id=company.organization_id).update(chain_hash="e" * 64)
    closed(company, "chain_hash of the head")


def test_a_signed_capture_that_was_exchanged_is_noticed_before_anything_follows_it(company):
    """The newest note states another hash than the one that is stored."""
    signed = checkpoints.newest_counted(company.organization_id)
    with checkpoint_file.appending() as descriptor:
        checkpoint_file.write(descriptor, [signed.__class__(company.organization_id, 3, "d" * 64)])
    signing.write_due(NOW + A_MINUTE)
    assert not queries.head(company.organization_id).available
    assert stated(company) == [3, 3]


def test_only_what_is_new_is_recomputed_with_as_many_statements_for_one_capture_as_for_many(company):
    def statements(minutes):
        with CaptureQueriesContext(
            connection,
        ) as found:
            signing.write_due(NOW + minutes * A_MINUTE)
        return len(found)

    first = statements(1)
    for number in range(12):
        company.join(f"Person {number}")
        actions.capture_all(company.organization_id, NOW)
    assert statements(2) == first
    assert stated(company) == [3, 4, 16]


def test_a_pack_gets_the_checkpoint_of_its_pin_though_the_history_has_gone_on(company):
    signing.write_due(NOW + A_MINUTE)
    for name in ("Dora", "Emil"):
        company.join(name)
        actions.capture_all(company.organization_id, NOW)
    signing.wait_for(company.organization_id, 5, NOW + A_MINUTE)
    assert stated(company) == [3, 4, 5, 6]
    assert not CompanyStanding.objects.filter(checkpoint_asked__isnull=False).exists()


def test_a_process_without_the_key_checks_and_cannot_sign(company, settings):
    settings.CHECKPOINT_VERIFIER_KEYS = checkpoint_file.verifier_keys()
    settings.CHECKPOINT_KEYS = []
    startup.refuse_unsafe()
    assert checkpoints.verify_all(company.organization_id) == (1, [])
    for sign in (
        lambda: signing.write_due(NOW + A_MINUTE),
        lambda: signing.accept([], NOW),
        lambda: call_command("signer", "--once", stderr=StringIO()),
    ):
        with pytest.raises((CheckpointFileError, CommandError), match="does not hold the key"):
            sign()
    assert stated(company) == [3]


def test_the_command_tells_the_verifier_key_and_signs(company):
    told = StringIO()
    call_command("signer", "--verifier-key", stdout=told)
    assert told.getvalue().strip() == checkpoint_file.signers()[0].verifier_key


def test_what_the_worker_keeps_touches_no_column_that_its_role_may_not_write(company):
    """`app_worker` may update the columns of verification and of asking, and no witness of what was signed."""
    with CaptureQueriesContext(connection) as found:
        verification.verify_company(company.organization_id, lambda: NOW)
        standings.keep(company.organization_id, checkpoint_asked=4)
    updates = [query["sql"] for query in found if query["sql"].startswith('UPDATE "operations_companystanding"')]
    assert len(updates) == 2
    allowed = set(roles.granted(roles.WORKER, "operations_companystanding", append_only=False).updates)
    for update in updates:
        assert set(re.findall(r'"([a-z_]+)" = ', update.partition(" WHERE ")[0])) <= allowed
