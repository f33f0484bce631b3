"""At equal `sequence` and `capture_sequence`, two pulls of a register at one `as_at` are the same bytes.

That holds whatever was recorded, committed or came due between them, including recordings that began before the pin and
commit after it; and at one pin no stored content ever changes. Left out are what the contract reads as current (names,
addresses, titles) and personal data of the erased; and, where the moments differ, what the clock decides.
PROPERTY_EXAMPLES sets the number of companies.
"""

import io
import json
import os
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from django.test import override_settings
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from compliance.catalogue.certificates import CERTIFICATES
from compliance.facts.errors import FactsError
from compliance.facts.ledger import queries as ledger
from compliance.facts.lines.kinds import FactLine
from compliance.facts.lines.reading import ReadLine, read
from compliance.facts.recording import record
from compliance.history import actions
from compliance.history.models import HistoryRecord
from compliance.history.verify import Verified, verify_history
from compliance.tenancy import context
from tests.companies import make_company
from tests.facts.files import EVERYONE, course, fact, identifier, ids, joined, release, shared, team
from tests.history.reading import rows
from tests.interfaces.api.conftest import Caller, issue_everything
from tests.registers.recording_elsewhere import RecordingElsewhere

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "5"))
CURRENT = {"person_name", "work_email", "account_email", "course_title", "trainer_name"}
OF_THE_ERASED = {"company", "signer_company", "check_code"}
BY_THE_CLOCK = frozenset({"outcome", "days_late", "status", "state", "invitation_status", "access_state"})

PEOPLE = ("anna", "ben", "cleo", "partner")
COURSES = ("fire", "safety")
HTML = "<h1>Devices</h1>\n<p>Lock your screen.</p>\n"
NEVER = {"basis": "none"}


def story() -> list[dict[str, Any]]:
    """The beginning of every company; day 0 is START of `tests.facts.files`, which `line` moves to eighty days ago."""
    certificate = {"title": "Fire", "kind": "completion", "valid_months": 2, "renew_days_before": 7}
    return [
        team("blue"),
        *course("fire", certificate=certificate),
        *course("safety"),
        fact("person_invited", "zoe", 1, invitation_id="invitation zoe", work_email="zoe@work.example"),
        fact("person_invited", "ben", 1, invitation_id="invitation ben", work_email="ben@work.example"),
        joined("anna", 0, team_ids=ids("team blue")),
        joined("ben", 2, invitation_id="invitation ben"),
        joined("cleo", 3),
        fact("contact_joined", "p", 4, learner_profile_id="partner", door="partner", company="Atlas", person_name="Bo"),
        shared("fire", 1, deadline={"basis": "days_after_added", "days": 30}),
        shared("safety", 1, audience={"team_ids": ids("team blue")}),
        fact(
            "live_session_held", "live", 9, live_session_id="session", course_release_id="release safety 1",
            format="on_site", starts_at=9.0, ends_at=9.1, minutes=90, trainer_profile_id="trainer",
        ),
        fact(
            "policy_published", "devices", 5, course_id="policy", course_release_id="policy 1", version=1, act="sign",
            doors=["employee", "partner"], statement="I will.", effective_on="2025-02-01", renew_months=1,
            change_kind="first", html=HTML,
        ),
        fact(
            "policy_shared", "devices", 6, share_id="share policy", course_id="policy", doors=["employee", "partner"],
            audience=EVERYONE, deadline=NEVER,
        ),
        fact("course_completed", "first", 10, completion_receipt_id="receipt", learner_profile_id="anna",
             course_release_id="release fire 1"),
        fact("reminder_sent", "first", 8, learner_profile_id="anna", course_id="course fire"),
    ]  # fmt: skip


def lines_of(kind: str, who: str, what: str, day: float, certificate: str, key: str) -> list[dict[str, Any]]:
    """The lines of one event; many are refused, as intended."""
    person = {"learner_profile_id": who}
    course_id = f"course {what}"
    obligation = {"obligation_change_id": int(key), **person, "course_id": course_id, "actor_id": "administrator"}
    terms: dict[str, list[dict[str, Any]]] = {
        "complete": [
            fact("course_completed", key, day, completion_receipt_id=f"receipt {key}", **person,
                 course_release_id=f"release {what} 1")
        ],
        "void": [fact("completion_voided", key, day, completion_receipt_id="receipt", actor_id="administrator")],
        "remind": [fact("reminder_sent", key, day, **person, course_id=course_id)],
        "waive": [fact("obligation_changed", key, day, **obligation, change="waive", reason_code="administrative")],
        "deadline": [fact("obligation_changed", key, day, **obligation, change="set_deadline", due_at=day + 90)],
        "leave": [fact("employee_left", key, day, person_id=f"stay {who}")],
        "suspend": [fact("employee_suspended", key, day, person_id=f"stay {who}")],
        "join": [joined(f"new{key}", day, team_ids=ids("team blue"))],
        "team": [fact("team_joined", key, day, team_id="team blue", **person)],
        "rename": [fact("person_changed", key, day, **person, person_name=f"Name {key}")],
        "retitle": [fact("course_changed", key, day, course_id=course_id, title=f"Title {key}")],
        "certificate": [
            fact("course_changed", key, day, course_id=course_id, title=f"T {key}",
                 certificate={"title": f"C {key}", "kind": "completion", "valid_months": 1, "renew_days_before": 5})
        ],
        "moves": [
            fact("contact_left", key, day, learner_profile_id="partner", door="partner"),
            fact("contact_joined", key, day + 0.00001, learner_profile_id="partner", door="partner",
                 company=f"Company {key}"),
        ],
        "sign": [
            fact("policy_signed", key, day, receipt_id=f"signed {key}", share_id="share policy", **person,
                 door="partner" if who == "partner" else "employee", course_release_id="policy 1",
                 signature={"typed": "Me"})
        ],
        "ask again": [
            fact("policy_published", key, day, course_id="policy", course_release_id=f"policy {key}", version=2,
                 act="sign", doors=["employee", "partner"], statement="I will.", effective_on="2025-02-01",
                 renew_months=0, change_kind="ask_again", html=HTML)
        ],
        "end share": [fact("share_ended", key, day, share_id=f"share {what}")],
        "share all": [fact("share_changed", key, day, share_id=f"share {what}", audience=EVERYONE)],
        "publish": [release(what, 2, day, retake=True)],
        "withdraw": [fact("release_withdrawn", key, day, course_release_id=f"release {what} 1")],
        "attend": [
            fact("attendance_marked", key, day, live_session_id="session", **person, attended="full",
                 marked_by="trainer")
        ],
        "trainer": [fact("trainer_named", key, day, trainer_profile_id="trainer", trainer_name=f"Trainer {key}")],
        "revoke": [fact("certificate_revoked", key, day, actor_id="administrator") | {"certificate_id": certificate}],
        "correct": [
            fact("certificate_corrected", key, day, actor_id="administrator", person_name=f"Name {key}")
            | {"certificate_id": identifier(f"corrected {key}"), "supersedes_id": certificate}
        ],
        "invite": [
            fact("person_invited", key, day, invitation_id=f"invited {key}", work_email=f"i{key}@example.org")
        ],
        "take back": [fact("invitation_revoked", key, day, invitation_id="invitation zoe")],
        "erase": [fact("person_erased", key, day, **person)],
    }  # fmt: skip
    return terms[kind]


KINDS = (
    "complete", "void", "remind", "waive", "deadline", "leave", "suspend", "join", "team", "rename", "retitle",
    "certificate", "moves", "sign", "ask again", "end share", "share all", "publish", "withdraw", "attend", "trainer",
    "revoke", "correct", "invite", "take back", "erase",
)  # fmt: skip

# The events: kind, who, in which course, on which day of the company, or how many seconds ahead of time.
HAPPENS = st.tuples(
    st.sampled_from(KINDS),
    st.sampled_from(PEOPLE),
    st.sampled_from(COURSES),
    st.one_of(st.floats(11, 79, width=32), st.none()),
    st.integers(1, 290),
)
SEVERAL = st.lists(HAPPENS, min_size=1, max_size=4)


class World:
    """A company whose history began eighty days ago, read through /v1."""

    def __init__(self) -> None:
        self.present = datetime.now(UTC) - timedelta(minutes=30)
        self.start = self.present - timedelta(days=80)
        self.erased: set[str] = set()
        self.certificate = str(uuid.UUID(int=0))
        self._keys = 0
        self.organization_id = make_company("Pinned", "Europe/Lisbon", at=self.present).organization_id
        self.call = Caller(issue_everything(self.organization_id, self.present))

    def lines(self, happens: list[dict[str, Any]], ahead: int | None = None) -> list[FactLine]:
        """The lines as the facts file's parser reads them; a number in place of an instant is a day of this history."""

        def moment(day: float) -> str:
            when = self.start + timedelta(days=day) if ahead is None else self.present + timedelta(seconds=ahead + day)
            return when.isoformat().replace("+00:00", "Z")

        found = []
        for each in happens:
            days = (datetime.fromisoformat(each["at"]) - datetime(2025, 1, 6, 9, tzinfo=UTC)) / timedelta(days=1)
            fields = {name: moment(value) if name.endswith("_at") else value for name, value in each.items()}
            if ahead is None:
                fields["at"] = moment(days)
            else:
                fields["at"] = moment(0 if days < 0.000001 else days * 1e5)
            [line] = read(io.BytesIO(json.dumps(fields).encode()))
            assert isinstance(line, ReadLine), line
            found.append(line.line)
        return found

    def happening(self, happens: tuple[str, str, str, float | None, int]) -> list[FactLine]:
        kind, who, what, day, ahead = happens
        self._keys += 1
        fields = lines_of(kind, who, what, 0.0 if day is None else day, self.certificate, str(self._keys))
        if kind == "erase":
            self.erased.add(identifier(who))
        return self.lines(fields, None if day is not None else ahead)

    def tell(self, several: list[tuple[str, str, str, float | None, int]]) -> None:
        for each in several:
            try:
                record(self.organization_id, self.happening(each), now=self.present)
            except FactsError:
                continue

    def tell_elsewhere(self, several: list[tuple[str, str, str, float | None, int]]) -> RecordingElsewhere | None:
        """Records in a transaction that is not committed yet; None where all of it is refused."""
        for each in several:
            try:
                return RecordingElsewhere(self.organization_id, self.happening(each), self.present)
            except FactsError:
                continue
        return None

    def find_a_certificate(self) -> None:
        with context.company(self.organization_id):
            found = HistoryRecord.objects.filter(
                organization_id=self.organization_id, register=CERTIFICATES.number
            ).first()
        if found is not None:
            self.certificate = str(found.record_id)

    def targets(self, moment: datetime) -> list[str]:
        """Every register at `moment`."""
        at, since = (each.strftime("%Y-%m-%dT%H:%M:%S.%fZ") for each in (moment, moment - timedelta(days=60)))
        return [
            f"/v1/training-records?as_at={at}",
            f"/v1/training-records/period?from={since}&to={at}",
            f"/v1/certificates?as_at={at}",
            f"/v1/people?from={since}&to={at}",
            "/v1/courses?limit=200",
            f"/v1/policies?as_at={at}",
            f"/v1/policy-records?as_at={at}",
            f"/v1/acknowledgements?as_at={at}",
        ]

    def page(self, target: str) -> dict[str, Any]:
        answer = self.call(target)
        assert answer.status_code == 200, (target, answer.content)
        page: dict[str, Any] = orjson.loads(answer.content)
        return page

    def seen(self, page: dict[str, Any], but: frozenset[str] = frozenset()) -> list[bytes]:
        """The rows, each as bytes, without what is current by contract."""
        found = []
        for row in page["data"]:
            hidden = CURRENT | but
            if "certificate_title" in row:
                hidden = hidden - {"person_name"}  # the name on a certificate is the one issued
            if row.get("learner_profile_id") in self.erased:
                hidden = hidden | OF_THE_ERASED | CURRENT
            for lesson in row.get("lessons", ()):
                del lesson["title"]
            found.append(orjson.dumps({name: value for name, value in row.items() if name not in hidden}))
        return found


@pytest.mark.timeout(3600)
@override_settings(WRITER_LAG_SECONDS=24 * 3600)  # the companies have a clock of their own, half an hour late
@settings(
    max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), phases=set(Phase) - {Phase.shrink, Phase.explain}
)
@given(SEVERAL, SEVERAL, SEVERAL, st.floats(0, 79, width=32))
def test_two_pulls_at_one_pin_are_the_same_bytes(committed, before, elsewhere, between, day):
    world = World()
    organization_id = world.organization_id
    record(organization_id, world.lines(story()), now=world.present)
    actions.capture_all(organization_id, world.present)
    world.find_a_certificate()

    world.present += timedelta(minutes=1)
    world.tell(before)
    opened = world.tell_elsewhere(elsewhere)
    try:
        pinned_at = world.present + timedelta(seconds=5)
        actions.sweep_company(organization_id, pinned_at)
        targets = [*world.targets(pinned_at), *world.targets(world.start + timedelta(days=day))]
        first = [world.page(target) for target in targets]
        held = [(target, world.page(f"{target.replace('?limit=200', '?')}&limit=1")) for target in targets]
    finally:
        if opened is not None:
            opened.commit()
    world.present += timedelta(minutes=1)
    world.tell(between)
    world.present += timedelta(minutes=6)  # facts dated ahead have come due

    second = [world.page(target) for target in targets]
    for target, one, other in zip(targets, first, second, strict=True):
        assert world.seen(one) == world.seen(other), target
        if target.startswith("/v1/courses"):  # it takes no moment, so its snapshot is that of the present
            one["snapshot"]["as_at"] = other["snapshot"]["as_at"]
        assert (one["total"], one["snapshot"]) == (other["total"], other["snapshot"]), target
    for target, later in zip(world.targets(pinned_at), world.targets(world.present), strict=True):
        assert world.seen(world.page(target), BY_THE_CLOCK) == world.seen(world.page(later), BY_THE_CLOCK), target

    actions.sweep_company(organization_id, world.present)
    for (target, page), whole in zip(held, first, strict=True):
        found = world.seen(page)
        while page["next_cursor"] is not None:
            page = world.page(f"{target.partition('?')[0]}?limit=2&cursor={page['next_cursor']}")
            found += world.seen(page)
        assert found == world.seen(whole), target
        assert page["snapshot"]["capture_sequence"] == whole["snapshot"]["capture_sequence"]
    assert all(row.valid_from <= row.recorded_at for row in rows(organization_id))
    with context.company(organization_id):
        assert sum(ledger.waiting(organization_id)[:2]) == 0
    assert isinstance(verify_history(organization_id), Verified)
