"""The demo's story, read through the registers: counts on person rows, and every value of an enumeration.

The counts equal those computed from the training register at the same moment; the story contains every value of the
registers' enumerations.
"""

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

import pytest
from django.db import transaction

from compliance.history.models import HistoryHead
from compliance.registers import training
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Company, Pin, Question
from compliance.rules import vocabulary
from development.demo import story
from tests.registers.pulling import pull

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
MOMENTS = [NOW - timedelta(days=days) for days in (0, 19, 119, 329, 604)]
COMPANIES = [story.organization_id(each) for each in story.STORIES]


@pytest.fixture(scope="module")
def stories(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Both stories, in a transaction that is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        story.tell_all(NOW, lambda _: None)
        yield
        transaction.set_rollback(True)


def _question(organization_id: uuid.UUID, moment: datetime, start: datetime | None = None) -> Question:
    head = HistoryHead.objects.get(organization_id=organization_id)
    pin = Pin(head.sequence, head.capture_sequence, head.chain_hash, head.captured_at, head.logic_version)
    company = Company(organization_id, organization_id, organization_id, "UTC", moment)
    return Question(company, pin, moment, start=start)


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: f"{moment:%Y-%m-%d}")
def test_counts_on_every_person_row_are_those_of_the_training_register(stories: None, moment: datetime) -> None:
    counted = 0
    for organization_id in COMPANIES:
        question = _question(organization_id, moment)
        owed: Counter[str] = Counter()
        completed: Counter[str] = Counter()
        for row in pull(training.RECORDS, question):
            owed[row["learner_profile_id"]] += row["requirement"] == "required" and row["outcome"] in {
                "not_due_yet",
                "overdue",
            }
            completed[row["learner_profile_id"]] += row["completed_at"] is not None
        for row in pull(LISTINGS["people"], question._replace(start=moment)):
            here = row["entry_type"] == "employee" and row["access_state"] not in {"ended", "erased"}
            learner = row["learner_profile_id"] if here else None
            assert (row["records_owed"], row["records_completed"]) == (owed[learner], completed[learner])
            assert row["no_required_records"] == (row["records_owed"] == 0)
            counted += row["records_owed"] + row["records_completed"]
        # Everybody who owes or has completed something has a row.
        assert owed.keys() <= {
            row["learner_profile_id"] for row in pull(LISTINGS["people"], question._replace(start=moment))
        }
    assert counted > 50


VOCABULARY: dict[str, type[StrEnum]] = {
    "outcome": vocabulary.Outcome,
    "requirement": vocabulary.Requirement,
    "due_basis": vocabulary.DueBasis,
    "ended_reason": vocabulary.EndedReason,
    "cause": vocabulary.Cause,
    "waiver_reason_code": vocabulary.WaiverReasonCode,
    "entry_type": vocabulary.EntryType,
    "access_state": vocabulary.AccessState,
    "invitation_status": vocabulary.InvitationStatus,
    "status": vocabulary.CertificateStatus,
    "kind": vocabulary.CertificateKind,
    "live_session_format": vocabulary.LiveSessionFormat,
    "live_session_marked_by": vocabulary.MarkedBy,
    "source_kind": vocabulary.SourceKind,
    "policy act": vocabulary.PolicyAct,
    "receipt act": vocabulary.ReceiptAct,
    "change_kind": vocabulary.ChangeKind,
    "state": vocabulary.PolicyRecordState,
    "door": vocabulary.Door,
}


@pytest.fixture(scope="module")
def words(stories: None) -> dict[str, set[str]]:
    """The values of the fuller company's rows today and in its last two years, by field."""
    found: dict[str, set[str]] = defaultdict(set)
    question = _question(COMPANIES[0], NOW)
    two_years = question._replace(start=NOW - timedelta(days=729))
    rows = [
        *pull(LISTINGS["period"], two_years),
        *pull(LISTINGS["people"], two_years),
        *pull(LISTINGS["certificates"], question),
        *pull(LISTINGS["courses"], question),
        *pull(LISTINGS["policy-records"], question),
    ]
    versions, receipts = pull(LISTINGS["policies"], question), pull(LISTINGS["acknowledgements"], two_years)
    for row in [*rows, *versions, *receipts]:
        for name, value in row.items():
            if isinstance(value, str):
                found[name].add(value)
    found["policy act"] = {row["act"] for row in versions}
    found["receipt act"] = {row["act"] for row in receipts}
    return found


@pytest.mark.parametrize("name", VOCABULARY)
def test_the_demo_shows_every_word(words: dict[str, set[str]], name: str) -> None:
    assert set(VOCABULARY[name]) <= words[name]
