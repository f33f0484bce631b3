"""Days, moments and states are written in one form, in the words of a compliance manager."""

from datetime import UTC, date, datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation

from compliance.catalogue import REGISTERS
from compliance.interfaces.console import wording
from compliance.rules import vocabulary

LISTED = [
    vocabulary.Outcome, vocabulary.Requirement, vocabulary.DueBasis, vocabulary.EndedReason, vocabulary.AccessState,
    vocabulary.WaiverReasonCode, vocabulary.InvitationStatus, vocabulary.InvitationState, vocabulary.CertificateKind,
    vocabulary.CertificateStatus, vocabulary.PolicyRecordState, vocabulary.ReceiptAct, vocabulary.PolicyAct,
    vocabulary.ChangeKind, vocabulary.Door, vocabulary.EntryType, vocabulary.ObligationChangeKind,
    vocabulary.SourceKind, vocabulary.LiveSessionFormat, vocabulary.Attendance, vocabulary.Cause,
]  # fmt: skip
ONLY_PROGRAMS_READ = ("deployment_id", "learning_space_id", "organization_id", "sequence", "valid_from", "recorded_at")


@pytest.mark.parametrize("values", LISTED)
def test_every_state_that_pages_show_has_words(values: type[StrEnum]) -> None:
    assert [value for value in values if value not in wording.STATES] == []


def test_every_field_of_a_row_that_people_read_has_words() -> None:
    named = {name for register in REGISTERS.values() for name in register.row.model_fields}
    technical = {name for name in named if name.endswith(("_sha256", "_digest", "_change_id", "_by"))}
    rest = named - technical - set(wording.FIELDS) - set(ONLY_PROGRAMS_READ)
    assert rest == {"cause", "html", "logic_version", "row_id"}


def test_a_day_and_a_moment_have_one_form_on_the_company_s_clock() -> None:
    moment = datetime(2026, 11, 22, 23, 5, tzinfo=UTC)
    assert wording.written_day(date(2026, 11, 22)) == "22 November 2026"
    assert wording.written_moment(moment, ZoneInfo("UTC")) == "22 November 2026, 23:05"
    assert wording.written_moment(moment, ZoneInfo("Europe/Paris")) == "23 November 2026, 00:05"


def test_months_and_numbers_follow_the_language_of_the_reader() -> None:
    assert wording.written_number(12345) == "12,345"
    with translation.override("de"):
        assert wording.written_number(12345) == "12.345"
        assert "November" in wording.written_day(date(2026, 11, 22))
        assert "März" in wording.written_day(date(2026, 3, 1))
