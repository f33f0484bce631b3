"""A certificate's whole life: recorded as facts, and read back over HTTP at five past moments."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from compliance.facts.lines import kinds
from compliance.history.actions import capture_all, sweep_company
from compliance.history.verify import Verified, verify_history
from compliance.rules.owed_learning.identity import certificate_id
from compliance.rules.vocabulary import CertificateKind
from tests.facts.story import BEGIN, Story
from tests.interfaces.api.conftest import Caller, issue_everything

pytestmark = pytest.mark.django_db
ACTOR = uuid.UUID(int=7)
# Days in Lisbon. The first certificate, earned on 10 January 2025 for six months, is valid to the end of 10 July; its
# renewal opens 30 days before.
EARNED, CORRECTED, RENEWED, REVOKED = (
    datetime(2025, 1, 10, 12, tzinfo=UTC),
    datetime(2025, 2, 1, 12, tzinfo=UTC),
    datetime(2025, 7, 1, 12, tzinfo=UTC),
    datetime(2025, 9, 1, 12, tzinfo=UTC),
)
ENDS = datetime(2025, 7, 10, 22, 59, 59, 999999, tzinfo=UTC)


def test_a_whole_life_read_back_at_five_past_moments_is_right(now: datetime) -> None:
    story = Story(now)
    course_id, release_id = story.shared_course(valid_months=6)
    story.tell(
        [
            kinds.CourseChanged(
                fact_id=uuid.uuid4(),
                at=BEGIN + timedelta(hours=1),
                course_id=course_id,
                title="Dangerous goods",
                certificate=kinds.Certificate(
                    title="Safe with goods", kind=CertificateKind.COMPLETION, valid_months=6, renew_days_before=30
                ),
            )
        ]
    )
    person = story.employee("Ana Reis")
    first = certificate_id(story.organization_id, story.completed(person, release_id, EARNED))
    capture_all(story.organization_id, EARNED)
    corrected = uuid.uuid4()
    story.tell(
        [
            kinds.CertificateCorrected(
                fact_id=uuid.uuid4(),
                at=CORRECTED,
                certificate_id=corrected,
                supersedes_id=first,
                person_name="Ana Maria Reis",
                actor_id=ACTOR,
            )
        ]
    )
    capture_all(story.organization_id, CORRECTED)
    sweep_company(story.organization_id, RENEWED - timedelta(days=5))
    renewal = certificate_id(story.organization_id, story.completed(person, release_id, RENEWED))
    capture_all(story.organization_id, RENEWED)
    story.tell([kinds.CertificateRevoked(fact_id=uuid.uuid4(), at=REVOKED, certificate_id=renewal, actor_id=ACTOR)])
    capture_all(story.organization_id, REVOKED)
    sweep_company(story.organization_id, now)
    call = Caller(issue_everything(story.organization_id, now))

    def listed_at(moment: datetime) -> dict[uuid.UUID, tuple[str, str, str | None]]:
        rows = call.pull(f"/v1/certificates?as_at={moment:%Y-%m-%dT%H:%M:%S.%fZ}")
        return {
            uuid.UUID(row["certificate_id"]): (row["status"], row["person_name"], row["changed_at"]) for row in rows
        }

    def instant(moment: datetime) -> str:
        return f"{moment:%Y-%m-%dT%H:%M:%S.%fZ}"

    day = timedelta(days=1)
    ana, maria = "Ana Reis", "Ana Maria Reis"
    replaced = ("replaced", ana, instant(CORRECTED))
    assert listed_at(EARNED - day) == {}
    assert listed_at(EARNED + day) == {first: ("valid", ana, None)}  # issued
    assert listed_at(CORRECTED + day) == {first: replaced, corrected: ("valid", maria, None)}  # corrected
    renewed = {first: replaced, corrected: ("valid", maria, None), renewal: ("valid", ana, None)}
    assert listed_at(ENDS) == renewed  # renewed, and the earlier one valid to its last microsecond
    assert listed_at(ENDS + timedelta(microseconds=1)) == renewed | {corrected: ("expired", maria, None)}  # expired
    gone = renewed | {corrected: ("expired", maria, None), renewal: ("revoked", ana, instant(REVOKED))}
    assert listed_at(REVOKED) == gone  # revoked
    (row,) = [each for each in call.pull("/v1/certificates") if each["certificate_id"] == str(renewal)]
    assert (row["renews_id"], row["changed_by"], row["status"]) == (str(corrected), str(ACTOR), "revoked")
    (row,) = [each for each in call.pull("/v1/certificates") if each["certificate_id"] == str(corrected)]
    assert (row["supersedes_id"], row["valid_until"]) == (str(first), instant(ENDS))

    cycles = [row for row in call.pull("/v1/training-records") if row["due_basis"] == "renewal"]
    assert {(row["renews_certificate_id"], row["certificate_id"]) for row in cycles} >= {(str(corrected), str(renewal))}
    assert {row["cause"] for row in cycles if row["completed_at"] is None} <= {"first", "change", "sweep"}
    assert isinstance(verify_history(story.organization_id), Verified)
