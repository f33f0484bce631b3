"""Erasure clears what is personal, everywhere, and changes nothing else."""

import json
import logging
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.core.management import CommandError, call_command
from django.db import connections
from django.test import Client

from compliance.access.actions import issue_key
from compliance.facts.certificates.models import CheckCode, IssuedName
from compliance.facts.errors import (
    AlreadyExistsError,
    ErasedPersonError,
    RefusedByRuleError,
    UnresolvedReferenceError,
)
from compliance.facts.ledger.models import Fact
from compliance.facts.lines import kinds
from compliance.facts.people.erasing import erase_invitation, erase_person, repeat, whose, would_clear
from compliance.facts.people.erasure_list import Entry, Unreadable, append, read
from compliance.facts.people.models import Absence, Erasure, Identity, Invitation, Profile
from compliance.facts.personal_columns import PERSONAL_COLUMNS
from compliance.facts.policies.chain import verify
from compliance.history.actions import capture_all
from compliance.history.models import Capture
from compliance.history.verify import Verified, verify_history
from compliance.learning import preferences, sessions
from compliance.learning.models import Answer, Take
from compliance.provisioning.models import EmployeeNumber, ProvisionedAddress, ProvisionedUser
from compliance.rules.owed_learning.identity import certificate_id
from compliance.rules.vocabulary import Attendance, Door, LiveSessionFormat, MarkedBy, Scope
from compliance.tenancy import context
from tests.facts.story import BEGIN, Story


@pytest.fixture(autouse=True)
def erasure_list(settings: Any, tmp_path: Path) -> Path:
    """The list outside the database, in a folder of the test's own."""
    settings.ERASURE_LIST = str(tmp_path / "kept" / "erasures.jsonl")
    return tmp_path / "kept" / "erasures.jsonl"


class Remembered:
    """A person with every kind of personal data in every table; each of their strings occurs nowhere else."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.mark = uuid.uuid4().hex[:12]
        self.strings: list[str] = []
        self.profile_id = uuid.uuid4()
        self._joins()
        self._learns()
        self._signs()
        self._takes_a_course()
        self._is_provisioned()

    def said(self, word: str) -> str:
        """A personal string that contains `word`."""
        text = f"{word}{self.mark}"
        self.strings.append(text)
        return text

    def _joins(self) -> None:
        invitation_id = uuid.uuid4()
        work_email = self.said("work") + "@example.com"
        self.story.tell(
            [
                kinds.PersonInvited(
                    fact_id=uuid.uuid4(),
                    at=BEGIN - timedelta(days=9),
                    invitation_id=uuid.uuid4(),
                    work_email=work_email.upper(),  # an earlier invitation to the same person, never accepted
                    person_name=self.said("Early"),
                ),
                kinds.PersonInvited(
                    fact_id=uuid.uuid4(),
                    at=BEGIN - timedelta(days=1),
                    invitation_id=invitation_id,
                    work_email=work_email,
                    person_name=self.said("Invited"),
                ),
                kinds.EmployeeJoined(
                    fact_id=uuid.uuid4(),
                    at=BEGIN,
                    person_id=uuid.uuid4(),
                    learner_profile_id=self.profile_id,
                    person_name=self.said("First"),
                    account_email=self.said("account") + "@example.com",
                    invitation_id=invitation_id,
                ),
                kinds.PersonChanged(
                    fact_id=uuid.uuid4(),
                    at=BEGIN + timedelta(days=1),
                    learner_profile_id=self.profile_id,
                    person_name=self.said("Märried"),
                    work_email=self.said("new") + "@example.com",
                    role_ids=(self.said("first-aider-"),),
                ),
                kinds.ContactJoined(
                    fact_id=uuid.uuid4(),
                    at=BEGIN,
                    learner_profile_id=self.profile_id,
                    door=Door.PARTNER,
                    company=self.said("Company"),
                ),
                kinds.TrainerNamed(
                    fact_id=uuid.uuid4(),
                    at=BEGIN,
                    trainer_profile_id=self.profile_id,
                    trainer_name=self.said("Trainer"),
                ),
            ]
        )

    def _learns(self) -> None:
        _, release_id = self.story.shared_course()
        receipt_id = self.story.completed(self.profile_id, release_id, BEGIN + timedelta(days=5))
        earned = certificate_id(self.story.organization_id, receipt_id)
        self.story.tell(
            [
                kinds.CertificateCorrected(
                    fact_id=uuid.uuid4(),
                    at=BEGIN + timedelta(days=6),
                    certificate_id=uuid.uuid4(),
                    supersedes_id=earned,
                    person_name=self.said("Corrected"),
                    actor_id=uuid.UUID(int=7),
                )
            ]
        )

    def _signs(self) -> None:
        for signature in (
            kinds.Signature(typed=self.said("Signed")),
            kinds.Signature(drawn=((self._number(), 2.5, 3.0),)),
        ):
            version, share_id = self.story.shared_policy()
            self.story.tell(
                [
                    self.story.signed(version, share_id, self.profile_id, signature=signature),
                    self.story.signed(
                        version,
                        share_id,
                        self.profile_id,
                        door=Door.PARTNER,
                        at=BEGIN + timedelta(days=11),
                        signature=signature,
                    ),
                ]
            )

    def _takes_a_course(self) -> None:
        company, at, take_id = self.story.organization_id, self.story.now, uuid.uuid4()
        with context.company(company):
            sessions.begin(company, self.profile_id, self.said("Telephone"), at)
            preferences.choose_language(company, self.profile_id, self.said("de-x-"))
            Take.objects.create(
                organization_id=company,
                take_id=take_id,
                learner_profile_id=self.profile_id,
                record_id=uuid.uuid4(),
                course_id=uuid.uuid4(),
                course_release_id=uuid.uuid4(),
                begun_at=at,
                seen_at=at,
            )
            Answer.objects.create(
                organization_id=company,
                take_id=take_id,
                lesson_sha256="0" * 64,
                question_id="question",
                number=1,
                at=at,
                right=False,
                choices=[self.said("choice")],
            )

    def _is_provisioned(self) -> None:
        company, about = self.story.organization_id, {"learner_profile_id": self.profile_id}
        with context.company(company):
            EmployeeNumber.objects.create(organization_id=company, employee_number=self.said("number"), **about)
            self.strings.append(f"x{self.mark[:12]}")  # in place of the reason, a word that others have too
            Absence.objects.create(
                organization_id=company,
                absence_id=uuid.uuid4(),
                at=self.story.now,
                first_day=self.story.now.date(),
                last_day=self.story.now.date(),
                reason_code=self.strings[-1],
                **about,
            )
            ProvisionedUser.objects.create(
                organization_id=company,
                source_id=uuid.uuid4(),
                external_id=self.said("external"),
                attributes={"department": self.said("department")},
                changed_at=self.story.now,
                **about,
            )
            ProvisionedAddress.objects.create(
                organization_id=company, source_id=uuid.uuid4(), address=self.said("private@"), **about
            )

    def _number(self) -> float:
        number = int(self.mark[:7], 16) + 0.53125
        self.strings.append(repr(number))
        return number

    def captured(self) -> None:
        """Captures: check codes are made, and salts for every name to which rows commit."""
        capture_all(self.story.organization_id, self.story.now)
        with context.company(self.story.organization_id):
            for model in (Identity, IssuedName):
                salts = model.objects.filter(organization_id=self.story.organization_id).values_list("salt", flat=True)
                self.strings += [bytes(salt).hex() for salt in salts]
            codes = CheckCode.objects.filter(learner_profile_id=self.profile_id, check_code__isnull=False)
            self.strings += [str(code.check_code) for code in codes if str(code.check_code) not in self.strings]


def hits(strings: list[str]) -> dict[str, set[str]]:
    """Where each string occurs, by table: every row of every table as text, and bytes also as hexadecimal."""
    found: dict[str, set[str]] = {text: set() for text in strings}
    with connections["owner"].cursor() as cursor:  # row-level security does not apply to the owner
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        forms = [(text, form) for text in strings for form in (text, text.encode().hex(), json.dumps(text)[1:-1])]
        for (table,) in cursor.fetchall():
            cursor.execute(
                # OFFSET 0: each row is converted to text once, and not once for each form.
                f'SELECT DISTINCT f.said FROM (SELECT lower(t::text) AS row FROM "{table}" t OFFSET 0) t'
                " JOIN unnest(%s::text[], %s::text[]) AS f (said, form) ON strpos(t.row, f.form) > 0",
                [[said for said, _ in forms], [form.lower() for _, form in forms]],
            )
            for (said,) in cursor.fetchall():
                found[said].add(table)
    connections["owner"].close()
    return found


def in_redis(strings: list[str], address: str) -> list[str]:
    """The strings that occur in any key or value of Redis."""
    client = redis.Redis.from_url(address)
    readers = {b"string": "get", b"list": "lrange", b"hash": "hgetall", b"set": "smembers", b"zset": "zrange"}
    held = []
    for key in client.scan_iter(count=1000):
        kind = client.type(key)
        more = (0, -1) if kind in (b"list", b"zset") else ()
        try:
            held.append((key, getattr(client, readers[kind])(key, *more) if kind in readers else None))
        except redis.ResponseError:
            continue  # it was deleted or replaced while we looked
    client.close()
    return [text for text in strings if text in repr(held)]


def client_of(story: Story) -> Client:
    """A caller of the company's API, with every scope."""
    token, _ = issue_key(
        organization_id=story.organization_id,
        scopes=tuple(Scope),
        environment="test",
        at=story.now,
        actor="a test",
    )
    return Client(headers={"authorization": f"Bearer {token}"}, REMOTE_ADDR="10.77.1.2")


def read_api(story: Story, register: str, query: dict[str, str]) -> Any:
    """One page of a register."""
    answer = client_of(story).get(f"/v1/{register}", query)
    assert answer.status_code == 200, answer.content
    return answer.json()


REGISTERS = (
    "training-records",
    "training-records/period",
    "people",
    "certificates",
    "courses",
    "policies",
    "policy-records",
    "acknowledgements",
)


def asked(story: Story, register: str) -> dict[str, str]:
    """The parameters that a register needs."""
    if register not in ("training-records/period", "people"):
        return {}
    return {"from": str((story.now - timedelta(days=390)).date()), "to": str(story.now.date())}


def api_answers(story: Story) -> str:
    """All that the API returns about the company, with every scope."""
    client = client_of(story)
    answers = []
    for register in REGISTERS:
        answer = client.get(f"/v1/{register}", asked(story, register))
        assert answer.status_code == 200, answer.content
        answers.append(answer.content.decode())
    return "\n".join(answers)


def pinned_cursors(story: Story) -> dict[str, str]:
    """The cursor of each register's pull after its first row."""
    client = client_of(story)
    pages = {each: client.get(f"/v1/{each}", asked(story, each) | {"limit": "1"}).json() for each in REGISTERS}
    found = {register: page["next_cursor"] for register, page in pages.items() if page["next_cursor"]}
    assert {"certificates", "policy-records", "acknowledgements", "people"} <= set(found)
    return found


def second_pages(story: Story, cursors: dict[str, str]) -> str:
    """The next pages of those pulls, from the snapshots to which they are pinned."""
    client = client_of(story)
    answers = [client.get(f"/v1/{register}", {"cursor": cursor}) for register, cursor in cursors.items()]
    assert {answer.status_code for answer in answers} == {200}
    assert all(answer.json()["data"] for answer in answers)
    return "\n".join(answer.content.decode() for answer in answers)


def test_nothing_personal_is_left_anywhere_and_no_hash_changes(
    committed: None, settings: Any, caplog: pytest.LogCaptureFixture, erasure_list: Path
) -> None:
    story = Story(datetime.now(UTC))
    with caplog.at_level(logging.DEBUG):
        person = Remembered(story)
        person.captured()
        before = hits(person.strings)
        assert all(before.values()), {text: tables for text, tables in before.items() if not tables}
        assert set().union(*before.values()) == set(PERSONAL_COLUMNS)
        answers = api_answers(story)
        assert [text for text in person.strings if text in answers] != []
        cursors = pinned_cursors(story)
        assert isinstance(verify_history(story.organization_id), Verified)
        with context.company(story.organization_id):
            captures = list(Capture.objects.order_by("capture_sequence").values_list("chain_hash", flat=True))
            receipts = verify(story.organization_id)
            listed = would_clear(organization_id=story.organization_id, learner_profile_id=person.profile_id)
        assert {each.table for each in listed if each.values} == set(PERSONAL_COLUMNS)

        erase_person(organization_id=story.organization_id, learner_profile_id=person.profile_id, at=story.now)
        capture_all(story.organization_id, story.now)

        assert hits(person.strings) == {text: set() for text in person.strings}
        answers = api_answers(story)
        assert [text for text in person.strings if text in answers] == []
        assert str(person.profile_id) in answers
        assert "Erased person" in answers
        assert "source_removed" in answers
        assert [text for text in person.strings if text in second_pages(story, cursors)] == []
    assert in_redis(person.strings, settings.REDIS_URL) == []
    assert [text for text in person.strings if text in caplog.text] == []
    assert [text for text in person.strings if text in erasure_list.read_text()] == []
    with context.company(story.organization_id):
        after = list(Capture.objects.order_by("capture_sequence").values_list("chain_hash", flat=True))
        assert verify(story.organization_id) == receipts == 4
    assert after[: len(captures)] == captures
    assert len(after) > len(captures)
    assert isinstance(verify_history(story.organization_id), Verified)
    entry, *invitations = read(erasure_list)
    assert isinstance(entry, Entry)
    assert (entry.organization_id, entry.learner_profile_id) == (story.organization_id, person.profile_id)
    with context.company(story.organization_id):
        sent = set(Invitation.objects.values_list("invitation_id", flat=True))
    assert {each.invitation_id for each in invitations if isinstance(each, Entry)} == sent


def test_every_table_with_personal_columns_knows_whose_its_rows_are() -> None:
    assert set(whose()) == set(PERSONAL_COLUMNS)


def test_every_table_with_personal_columns_is_described() -> None:
    described = (Path(__file__).parents[3] / "docs" / "privacy.md").read_text()
    assert [table for table in PERSONAL_COLUMNS if f"`{table}`" not in described] == []


@pytest.mark.django_db
def test_others_keep_what_is_theirs(now: datetime) -> None:
    story = Story(now)
    ana, bo = story.employees(["Ana Reis", "Bo Lind"])
    erase_person(organization_id=story.organization_id, learner_profile_id=ana, at=now)
    with context.company(story.organization_id):
        assert Profile.objects.get(learner_profile_id=bo).person_name == "Bo Lind"
        erased = Profile.objects.get(learner_profile_id=ana)
        assert (erased.person_name, erased.erased_at) == (None, now)


@pytest.mark.django_db
def test_the_erased_the_unknown_and_other_companies_are_refused(now: datetime) -> None:
    story, elsewhere = Story(now), Story(now)
    person = story.employee()

    def erase(company: Story, profile_id: uuid.UUID) -> None:
        erase_person(organization_id=company.organization_id, learner_profile_id=profile_id, at=now)

    with pytest.raises(UnresolvedReferenceError):
        erase(story, uuid.uuid4())
    with pytest.raises(UnresolvedReferenceError):
        erase(elsewhere, person)
    erase(story, person)
    with pytest.raises(ErasedPersonError, match="erased before"):
        erase(story, person)
    with context.company(story.organization_id):
        with pytest.raises(AlreadyExistsError):
            would_clear(organization_id=story.organization_id, learner_profile_id=person)
        assert Erasure.objects.count() == 1


@pytest.mark.django_db
def test_facts_about_the_erased_are_refused_and_restore_nothing(now: datetime) -> None:
    story = Story(now)
    person = story.employee()
    course_id, release_id = story.shared_course()
    erase_person(organization_id=story.organization_id, learner_profile_id=person, at=now)
    session = kinds.LiveSessionHeld(
        fact_id=uuid.uuid4(),
        at=BEGIN,
        live_session_id=uuid.uuid4(),
        course_release_id=release_id,
        format=LiveSessionFormat.ONLINE,
        starts_at=BEGIN,
        ends_at=BEGIN + timedelta(hours=1),
        minutes=60,
    )
    story.tell([session])
    common: dict[str, Any] = {"at": BEGIN + timedelta(days=3), "learner_profile_id": person}
    for line in (
        kinds.PersonChanged(fact_id=uuid.uuid4(), person_name="Ana Again", **common),
        kinds.ReminderSent(fact_id=uuid.uuid4(), course_id=course_id, **common),
        kinds.AttendanceMarked(
            fact_id=uuid.uuid4(),
            live_session_id=session.live_session_id,
            attended=Attendance.FULL,
            marked_by=MarkedBy.TRAINER,
            **common,
        ),
        kinds.TrainerNamed(fact_id=uuid.uuid4(), at=now, trainer_profile_id=person, trainer_name="Ana Again"),
    ):
        with pytest.raises(ErasedPersonError):
            story.tell([line])
    with pytest.raises(ErasedPersonError):
        story.completed(person, release_id, BEGIN + timedelta(days=3))
    with context.company(story.organization_id):
        assert Profile.objects.get(learner_profile_id=person).person_name is None


@pytest.mark.django_db
def test_who_was_only_ever_invited_can_be_erased_too(now: datetime, django_capture_on_commit_callbacks: Any) -> None:
    story = Story(now)
    invitation_id, accepted_id = uuid.uuid4(), uuid.uuid4()
    story.tell(
        kinds.PersonInvited(
            fact_id=uuid.uuid4(), at=BEGIN, invitation_id=each, work_email="a@example.com", person_name="Ana"
        )
        for each in (invitation_id, accepted_id)
    )
    story.employee(invitation_id=accepted_id)

    def erase(which: uuid.UUID) -> None:
        erase_invitation(organization_id=story.organization_id, invitation_id=which, at=now)

    with pytest.raises(UnresolvedReferenceError):
        erase(uuid.uuid4())
    with pytest.raises(RefusedByRuleError, match="erase the person"):
        erase(accepted_id)
    erase(invitation_id)
    with pytest.raises(AlreadyExistsError):
        erase(invitation_id)
    with context.company(story.organization_id):
        row = Invitation.objects.get(invitation_id=invitation_id)
        assert (row.work_email, row.person_name, row.revoked_at) == (None, None, now)


@pytest.mark.django_db
def test_the_rows_of_erased_invitations_say_so(now: datetime) -> None:
    story = Story(now)
    alone, before, accepted, living = (uuid.uuid4() for _ in range(4))
    story.tell(
        kinds.PersonInvited(
            fact_id=uuid.uuid4(), at=BEGIN, invitation_id=each, work_email=f"{word}@example.com", expires_at=now
        )
        for each, word in ((alone, "only"), (before, "Ana"), (accepted, "ana"), (living, "bo"))
    )
    ana = story.employee(invitation_id=accepted)
    story.employee("Bo Lind", invitation_id=living)
    erase_invitation(organization_id=story.organization_id, invitation_id=alone, at=now)
    erase_person(organization_id=story.organization_id, learner_profile_id=ana, at=now)
    capture_all(story.organization_id, now)
    assert isinstance(verify_history(story.organization_id), Verified)
    answer = read_api(story, "people", {"from": "2026-01-01", "to": str(now.date())})
    shown = {
        row["person_id"]: (row["person_name"], row["work_email"], row["access_state"], row["invitation_status"])
        for row in answer["data"]
        if row["entry_type"] == "invitation"
    }
    erased = ("Erased person", None, "erased")
    assert shown == {
        str(alone): (*erased, "revoked"),
        str(before): (*erased, "expired"),
        str(accepted): (*erased, "accepted"),
        str(living): ("Bo Lind", "bo@example.com", "active", "accepted"),
    }


def test_an_erasure_that_the_list_outside_cannot_take_is_done_and_alerts(
    committed: None, erasure_list: Path, caplog: pytest.LogCaptureFixture
) -> None:
    story = Story(datetime.now(UTC))
    (ana,) = story.employees(["Ana Reis"])
    erasure_list.parent.write_text("a disk that is not mounted")
    erase_person(organization_id=story.organization_id, learner_profile_id=ana, at=story.now)
    with context.company(story.organization_id):
        assert Profile.objects.get(learner_profile_id=ana).erased_at == story.now
    (line,) = (each for each in caplog.records if each.message == "erasure_not_listed")
    assert (line.levelname, line.__dict__["learner_profile_id"]) == ("CRITICAL", str(ana))
    assert line.__dict__["at"] == str(story.now)


def test_erasures_are_done_again_after_a_restore(committed: None, erasure_list: Path, capsys: Any) -> None:
    story = Story(datetime.now(UTC))
    ana, bo = story.employees(["Ana Reis", "Bo Lind"])
    erase_person(organization_id=story.organization_id, learner_profile_id=ana, at=story.now)
    (entry,) = read(erasure_list)
    assert isinstance(entry, Entry)
    # If a restored database lacks the erasure, the comparison with the list lists the person.
    missing = entry._replace(learner_profile_id=bo)
    line = json.loads(erasure_list.read_text()) | {"learner_profile_id": str(bo)}
    elsewhere = line | {"organization_id": str(uuid.uuid4())}
    unknown = line | {"learner_profile_id": str(uuid.uuid4())}
    with erasure_list.open("a") as file:
        file.writelines(json.dumps(each) + "\n" for each in (line, elsewhere, unknown))
    call_command("replay_erasures")
    said = capsys.readouterr().out.split("\n")
    assert sorted(text.strip() for text in said if text) == [
        "1 erased again",
        "1 of companies that are not here",
        "1 of people who are not here",
        "1 stood already",
    ]
    with context.company(story.organization_id):
        assert Profile.objects.get(learner_profile_id=bo).erased_at == missing.at
        with pytest.raises(ErasedPersonError):
            repeat(missing, now=story.now)


def test_a_backup_that_is_older_than_a_joining_loses_the_invitation_too(
    committed: None, erasure_list: Path, capsys: Any
) -> None:
    now = datetime.now(UTC)
    story, restored = Story(now), Story(now)
    accepted, other = uuid.uuid4(), uuid.uuid4()
    invited = [
        kinds.PersonInvited(
            fact_id=uuid.uuid4(), at=BEGIN, invitation_id=each, work_email="ana@example.com", person_name="Ana"
        )
        for each in (accepted, other)
    ]
    for each in (story, restored):
        each.tell(invited)
    ana = story.employee(invitation_id=accepted)
    erased_at = now - timedelta(hours=1)
    erase_person(organization_id=story.organization_id, learner_profile_id=ana, at=erased_at)
    call_command("replay_erasures")
    assert capsys.readouterr().out.split() == ["3", "stood", "already"]
    lines = erasure_list.read_text().replace(str(story.organization_id), str(restored.organization_id))
    erasure_list.write_text(lines)
    call_command("replay_erasures")
    assert [text.strip() for text in capsys.readouterr().out.splitlines()] == [
        "2 erased again",
        "1 of people who are not here",
    ]
    with context.company(restored.organization_id):
        rows = Invitation.objects.values_list("invitation_id", "work_email", "person_name", "revoked_at")
        assert set(rows) == {(each, None, None, erased_at) for each in (accepted, other)}
        recorded = Fact.objects.filter(kind="invitation_revoked").values_list("at", "recorded_at")
        assert all(at == erased_at and recorded_at >= now for at, recorded_at in recorded)
        assert len(recorded) == 2


def test_torn_lines_are_named_and_everything_else_on_the_list_is_erased(
    committed: None, erasure_list: Path, capsys: Any
) -> None:
    story = Story(datetime.now(UTC))
    people = story.employees(["Ana Reis", "Bo Lind", "Cy Moe", "Di Roe"])
    lines = []
    for person in people:
        append([Entry(story.organization_id, person, None, story.now)])
        lines.append(erasure_list.read_bytes().splitlines(keepends=True)[-1])
    ana, bo, cy, di = lines
    # Cut in the middle; whole, but appended to a cut line by an older version; not an erasure; zeros; cut at the end.
    erasure_list.write_bytes(ana + bo[:40] + b"\n" + bo[:25] + bo + b"{}\n" + b"\0" * 7 + b"\n" + cy + di[:-20])
    with pytest.raises(CommandError, match="Not read: line 2, line 3, line 4, line 5, line 7") as refused:
        call_command("replay_erasures")
    assert refused.value.returncode == 1
    said = capsys.readouterr()
    assert "3 erased again" in said.out
    assert "Line 7 of the list" in said.err
    with context.company(story.organization_id):
        assert set(Erasure.objects.values_list("learner_profile_id", flat=True)) == {*people[:3]}


def test_a_list_that_is_missing_or_cannot_be_read_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no list of erasures at"):
        call_command("replay_erasures", str(tmp_path / "missing"))
    with pytest.raises(CommandError, match="cannot be read: Is a directory"):
        call_command("replay_erasures", str(tmp_path))


def test_an_erasure_that_cannot_be_done_holds_up_none_of_the_others(
    committed: None, erasure_list: Path, capsys: Any
) -> None:
    story = Story(datetime.now(UTC))
    accepted = uuid.uuid4()
    story.tell(
        [kinds.PersonInvited(fact_id=uuid.uuid4(), at=BEGIN, invitation_id=accepted, work_email="a@example.com")]
    )
    story.employee(invitation_id=accepted)
    bo = story.employee("Bo Lind")
    append([Entry(story.organization_id, None, accepted, story.now), Entry(story.organization_id, bo, None, story.now)])
    with pytest.raises(CommandError, match="1 erasures could not be done"):
        call_command("replay_erasures")
    said = capsys.readouterr()
    assert f"{accepted} of organization {story.organization_id} was not erased" in said.err
    assert "1 erased again" in said.out


def test_what_is_appended_behind_a_torn_line_begins_on_a_line_of_its_own(erasure_list: Path, now: datetime) -> None:
    entry = Entry(uuid.uuid4(), uuid.uuid4(), None, now)
    append([entry])
    erasure_list.write_bytes(erasure_list.read_bytes()[:-9])
    append([entry])
    assert list(read(erasure_list)) == [Unreadable(1), entry]


@pytest.mark.django_db
def test_the_commands_list_erase_and_refuse(now: datetime, capsys: Any) -> None:
    story = Story(now)
    person = story.employee()
    where = ["--organization", str(story.organization_id), "--profile", str(person)]
    call_command("erase", *where, "--dry-run")
    assert "1 people_profile.person_name" in capsys.readouterr().out
    call_command("erase", *where)
    with pytest.raises(CommandError, match="erased before"):
        call_command("erase", *where)
    call_command("verify_receipts", "--organization", str(story.organization_id))
    assert "0 receipts, one unbroken chain" in capsys.readouterr().err
    with pytest.raises(CommandError, match="no organization"):
        call_command("verify_receipts", "--organization", str(uuid.uuid4()))
