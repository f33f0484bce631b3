"""An invitation ends once, in `/v1/people`, in the views of docs/feed.md and for the verifier of packs."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from compliance.facts.lines import kinds
from compliance.facts.people.erasing import erase_invitation, erase_person
from compliance.history.actions import capture_all
from compliance.history.models import HistoryRecord, HistoryRow
from compliance.history.text import instant
from compliance.history.verify import Verified, verify_history
from compliance.proofs import pack_history, pack_registers
from compliance.tenancy import context
from tests.facts.story import Story
from tests.interfaces.api.conftest import Caller, issue_everything
from tests.interfaces.feed.reading import follow
from tests.interfaces.feed.warehouse import DuckDb, Warehouse

pytestmark = pytest.mark.django_db

SENT = datetime(2026, 1, 1, 9, tzinfo=UTC)
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def day(number: int) -> datetime:
    return SENT + timedelta(days=number)


def invite(story: Story, address: str, expires: int | None = None, revoked: int | None = None) -> uuid.UUID:
    invitation_id = uuid.uuid4()
    story.tell(
        [
            kinds.PersonInvited(
                fact_id=uuid.uuid4(), at=SENT, invitation_id=invitation_id, work_email=address,
                expires_at=None if expires is None else day(expires),
            )
        ]
    )  # fmt: skip
    if revoked is not None:
        revoke(story, invitation_id, revoked)
    return invitation_id


def revoke(story: Story, invitation_id: uuid.UUID, at: int) -> None:
    story.tell([kinds.InvitationRevoked(fact_id=uuid.uuid4(), at=day(at), invitation_id=invitation_id)])


def by_the_verifier(organization_id: uuid.UUID, start: datetime, end: datetime) -> set[str]:
    """The people whom the offline verifier expects in a pack of this period."""
    (reading,) = pack_registers.READINGS["people"]
    period, found = pack_history.Period(instant(start), instant(end)), set()
    with context.company(organization_id):
        for record in HistoryRecord.objects.filter(organization_id=organization_id, register=2):
            rows = HistoryRow.objects.filter(organization_id=organization_id, birth=record.birth)
            versions = [
                pack_history.Version(
                    "here", row.sequence, str(record.record_id), instant(row.valid_from), instant(row.recorded_at),
                    row.cause, row.logic_version, row.body,
                )
                for row in rows.order_by("valid_from", "sequence")
            ]  # fmt: skip
            frames = [
                pack_registers.frame_of("people", version, until)
                for version, until in pack_history.in_force(versions, period, [])
            ]
            if reading.lists(frames, period) is not None:
                found.add(str(record.record_id))
    return found


def test_what_follows_the_end_of_an_invitation_does_not_move_it(settings, tmp_path):
    settings.ERASURE_LIST_FILE = str(tmp_path / "erasures")
    story = Story(NOW)
    company: dict[str, Any] = {"organization_id": story.organization_id}
    ben, cleo = (
        story.employee(name, SENT, account_email=f"{name}@example.org", person_id=uuid.uuid4())
        for name in ("ben", "cleo")
    )
    over = {
        "revoked, then erased": invite(story, "ada@example.org", revoked=10),
        "expired, then erased": invite(story, "ida@example.org", expires=10),
        "expired, then revoked": invite(story, "eva@example.org", expires=10, revoked=60),
        "revoked, then the person erased": invite(story, "ben@example.org", revoked=10),
        "expired, then the person erased": invite(story, "ben@example.org", expires=10),
        "the person erased, then revoked": invite(story, "cleo@example.org"),
    }
    later = {
        "revoked": invite(story, "kim@example.org", revoked=60),
        "revoked before its end": invite(story, "kay@example.org", expires=70, revoked=60),
        "erased": invite(story, "lea@example.org"),
        "accepted after its end": invite(story, "may@example.org", expires=10),
        "open": invite(story, "sam@example.org"),
    }
    story.employee("may", day(20), invitation_id=later["accepted after its end"])
    capture_all(story.organization_id, NOW)
    for name in ("revoked, then erased", "expired, then erased"):
        erase_invitation(invitation_id=over[name], at=day(60), **company)
    erase_invitation(invitation_id=later["erased"], at=day(60), **company)
    erase_person(learner_profile_id=ben, at=day(60), **company)
    erase_person(learner_profile_id=cleo, at=day(10), **company)
    capture_all(story.organization_id, NOW)
    revoke(story, over["the person erased, then revoked"], 60)
    capture_all(story.organization_id, NOW)

    call = Caller(issue_everything(story.organization_id, datetime.now(UTC)))
    warehouse = Warehouse(DuckDb(), "duckdb")
    warehouse.add(follow(call)[0])
    names = {str(invitation): name for name, invitation in (over | later).items()}
    every = set(names.values())
    for start, end, expected in (
        (5, 90, every),
        (9, 9, every),
        (10, 30, set(later)),
        (30, 30, set(later)),
        (30, 90, set(later)),
        (60, 90, {"accepted after its end", "open"}),
    ):
        rows = call.pull(f"/v1/people?from={instant(day(start))}&to={instant(day(end))}")
        listed = {row["person_id"] for row in rows}
        assert {names[each] for each in listed if each in names} == expected, (start, end)
        assert warehouse.at(day(end), day(start))["people"].keys() == listed
        assert by_the_verifier(story.organization_id, day(start), day(end)) == listed
    with context.company(story.organization_id):
        assert isinstance(verify_history(story.organization_id), Verified)
