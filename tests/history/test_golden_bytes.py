"""The bytes that stored bodies, digests, chains and served rows have always had, for a story with every kind of row.

What is stored is hashed and chained, so a change of the code may change no byte of it. The files beside this module
were written by earlier code; a change in them would break every existing history.

`stored_before_hidden_members.tsv` is the same story in the form of rows whose hidden values are columns beside the
body. Such rows exist, so their digests must never change, and their visible content is that of today's rows.

The version of the logic that decided a row is hashed with it. `stored_by_logic_2.tsv` is the story as logic 2 decided
it, which knew no absences, and `stored_by_logic_3.tsv` as logic 3 did; no outcome of the story changed since.
"""

import hashlib
import secrets
import uuid
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from compliance.catalogue import REGISTERS
from compliance.facts.certificates.models import CheckCode
from compliance.history.actions import capture_all, sweep_company
from compliance.history.models import HistoryRecord
from compliance.history.projections import hashed_body
from compliance.history.text import instant
from compliance.history.verify import Verified, verify_history
from compliance.proofs.history import row_hasher, visible_text
from compliance.registers import pages
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Company, Pin, Position, Question
from compliance.rules.owed_learning.identity import certificate_id
from compliance.tenancy import context
from tests.companies import make_company
from tests.facts import files
from tests.facts.files import EMPLOYEES, EVERYONE, NEVER, fact, identifier, ids, moment
from tests.history.reading import captures, rows

pytestmark = pytest.mark.django_db

FOLDER = Path(__file__).parent / "golden"
ORGANIZATION_ID = uuid.UUID("0d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11")
DEPLOYMENT_ID = uuid.UUID("dddddddd-0000-4000-8000-000000000001")
SPACE_ID = uuid.UUID("eeeeeeee-0000-4000-8000-000000000001")
HTML = '<h1>Håndbok “2”</h1>\n<p title="a">Tab\there, back\\slash, \u2028 line, 😀, </p>\n'


def _lesson(name, version=1):
    return {
        "release_id": identifier(f"lesson {name} {version}"),
        "title": f"{name} «{version}»",
        "version": version,
        "content_sha256": f"{version}" * 64,
    }


def _certificate(title, **more):
    return {"title": title, "kind": "completion"} | more


def _earned(person, name, key=""):
    return str(certificate_id(ORGANIZATION_ID, uuid.UUID(identifier(f"receipt {person} {name}{key}"))))


def _released(name, version, day, lessons, **more):
    return fact(
        "release_published",
        f"{name} {version}",
        day,
        course_id=f"course {name}",
        course_release_id=f"release {name} {version}",
        version=version,
        lessons=lessons,
        **more,
    )


def _policy(name, version, day, **more):
    rest = {"act": "sign", "doors": ["partner", "employee"], "statement": "I have read it\n and agre\u0301e \"fully\".",
            "effective_on": "2025-02-01", "renew_months": 12, "change_kind": "first", "html": HTML}  # fmt: skip
    return fact(
        "policy_published",
        f"{name} {version}",
        day,
        course_id=f"policy {name}",
        course_release_id=f"policy {name} {version}",
        version=version,
        **rest | more,
    )


def _signed(person, name, version, day, **more):
    rest = {"door": "employee", "signature": {"typed": "Anna Ångström"}, "sign_in_methods": "password, totp"}
    return fact(
        "policy_signed",
        f"{person} {name} {version}",
        day,
        receipt_id=f"receipt {person} {name} {version}",
        share_id=f"share {name}",
        learner_profile_id=person,
        course_release_id=f"policy {name} {version}",
        **rest | more,
    )


def _recorded_first():
    """A year with every kind of fact, recorded at once, as by an import."""
    yield files.team("Drift")
    yield files.team("Lager", 1)
    yield from files.course("Fire", certificate=_certificate('Brann "sikker" \\', valid_months=2, renew_days_before=20))
    yield _released("Fire", 2, 40, [_lesson("Doors"), _lesson("Exits", 3)], content_sha256="a" * 64,
                    contents_sha256="b" * 64, publisher_id="publisher", retake=True)  # fmt: skip
    yield from files.course("First aid", 2, certificate=_certificate("Førstehjelp", kind="assessed"))
    yield from files.course("Gone", 3)
    yield fact("release_withdrawn", "Gone", 50, course_release_id="release Gone 1")
    yield from files.course("Old", 3)
    yield files.joined("Anna", 4, person_name='Anna "Å" Ångström', team_ids=ids("team Drift"))
    yield files.joined("Bo", 4.123456)
    yield files.joined("Cleo", 5)
    yield files.joined("Dora", 6)
    yield files.joined("Practice", 6, staff_practice=True)
    yield fact("contact_joined", "Egil", 5, learner_profile_id="Egil", door="partner", company="Atlas & Sønner",
               person_name="Egil", account_email="egil@example.org")  # fmt: skip
    yield fact("contact_joined", "Frida", 5, learner_profile_id="Frida", door="customer", company="Kunde",
               person_name="Frida")  # fmt: skip
    for name, expires in (("Gus", None), ("Hanna", moment(30)), ("Ivar", moment(900)), ("Jon", None)):
        yield fact("person_invited", name, 7, invitation_id=f"invitation {name}", person_name=name,
                   work_email=f"{name}@example.org", expires_at=expires, team_ids=ids("team Lager"))  # fmt: skip
    yield fact("invitation_revoked", "Gus", 9, invitation_id="invitation Gus")
    yield files.joined("Jon", 10, invitation_id="invitation Jon")
    yield files.shared("Fire", 10, deadline={"basis": "days_after_added", "days": 14})
    yield files.shared("First aid", 10, deadline={"basis": "share_deadline", "due_at": moment(60)})
    yield files.shared("Old", 10, requirement="optional")
    yield files.shared("Gone", 11, audience={"team_ids": ids("team Drift")})
    yield fact("lesson_shared", "Ladders", 12, share_id="share Ladders", lesson_release_id="lesson Ladders 1",
               title="Ladders", version=4, content_sha256="c" * 64, course_id="course First aid", doors=EMPLOYEES,
               audience=EVERYONE, requirement="required", deadline=NEVER)  # fmt: skip
    yield files.completed("Anna", "Fire", 20)
    yield files.completed("Anna", "Fire", 75, " again")
    yield files.completed("Bo", "Fire", 8)
    yield files.completed("Cleo", "Fire", 33)
    yield files.completed("Dora", "Old", 15)
    yield fact("course_completed", "Bo First aid", 25, completion_receipt_id="receipt Bo First aid",
               learner_profile_id="Bo", course_release_id="release First aid 1", assessed=True)  # fmt: skip
    yield fact("course_completed", "Anna Ladders", 26, completion_receipt_id="receipt Anna Ladders",
               learner_profile_id="Anna", lesson_release_id="lesson Ladders 1")  # fmt: skip
    yield fact("trainer_named", "Kari", 20, trainer_profile_id="Kari", trainer_name="Kari Træner")
    yield fact("live_session_held", "one", 45, live_session_id="session one", course_release_id="release Fire 2",
               format="on_site", starts_at=moment(44.5), ends_at=moment(44.75), minutes=360,
               trainer_profile_id="Kari")  # fmt: skip
    for person, attended in (("Jon", "full"), ("Dora", "partial")):
        yield fact("attendance_marked", person, 45, live_session_id="session one", learner_profile_id=person,
                   attended=attended, marked_by="trainer")  # fmt: skip
    yield files.waived(1, "Dora", "Fire", 16)
    yield files.waived(2, "Dora", "Fire", 70, "reinstate")
    yield files.waived(3, "Jon", "Fire", 18, "set_deadline", due_at=moment(90))
    for key, day in (("one", 21), ("two", 61)):
        yield fact("reminder_sent", key, day, learner_profile_id="Dora", course_id="course Fire")
    yield fact("employee_suspended", "Cleo", 80, person_id="stay Cleo")
    yield fact("employee_resumed", "Cleo", 81, person_id="stay Cleo")
    yield fact("employee_left", "Bo", 100, person_id="stay Bo")
    yield fact("team_joined", "Cleo", 82, team_id="team Lager", learner_profile_id="Cleo")
    yield fact("team_left", "Anna", 83, team_id="team Drift", learner_profile_id="Anna")
    yield fact("share_ended", "Old", 120, share_id="share Old")
    yield _policy("Devices", 1, 13)
    yield _policy("Devices", 2, 150, change_kind="ask_again", effective_on=None)
    yield _policy("Visits", 1, 14, act="acknowledge", doors=["customer", "employee"], effective_on=None, renew_months=0)
    yield fact("policy_shared", "Devices", 15, share_id="share Devices", course_id="policy Devices",
               doors=["employee", "partner"], audience=EVERYONE,
               deadline={"basis": "days_after_added", "days": 30})  # fmt: skip
    yield fact("policy_shared", "Visits", 15, share_id="share Visits", course_id="policy Visits",
               doors=["customer", "employee"], audience=EVERYONE, deadline=NEVER)  # fmt: skip
    yield _signed("Anna", "Devices", 1, 28)
    yield _signed("Egil", "Devices", 1, 28.5, door="partner", signature={"drawn": [[1, 2, 3.5], [4, 5]]})
    yield _signed("Frida", "Visits", 1, 29, door="customer", signature=None, sign_in_methods=None)


def _recorded_late():
    """Facts that change stored records afterwards: late facts, voids, revocations, corrections, an erasure."""
    yield fact("completion_voided", "Anna Fire", 200, completion_receipt_id="receipt Anna Fire", actor_id="admin")
    yield fact("employee_left", "Dora", 95, person_id="stay Dora")
    yield fact("certificate_revoked", "Cleo", 210, actor_id="admin") | {"certificate_id": _earned("Cleo", "Fire")}
    yield fact(
        "certificate_corrected", "Bo", 211, certificate_id="corrected Bo", person_name="Bo Riktig", actor_id="admin"
    ) | {"supersedes_id": _earned("Bo", "First aid")}
    yield fact("share_changed", "First aid", 55, share_id="share First aid", requirement="optional")
    yield fact("share_ended", "Visits", 220, share_id="share Visits")
    yield _signed("Jon", "Visits", 1, 190, signature=None)
    yield files.joined("Kim", 200)
    yield fact("course_completed", "Kim Fire", 225, completion_receipt_id="receipt Kim Fire", learner_profile_id="Kim",
               course_release_id="release Fire 2", assessed=True)  # fmt: skip
    yield fact("person_erased", "Cleo", 230, learner_profile_id="Cleo")


@pytest.fixture
def story(monkeypatch):
    """The company of the story, captured, and swept once when a certificate's renewal had opened.

    Salts are random; here they are always the same.
    """
    lots = count()
    monkeypatch.setattr(secrets, "token_bytes", lambda size: hashlib.shake_256(b"%d" % next(lots)).digest(size))
    now = datetime(2025, 9, 1, 12, tzinfo=UTC)
    begun = datetime(2025, 1, 1, tzinfo=UTC)
    make_company("Gull & Ør", "Europe/Oslo", date(2024, 1, 1), at=begun, organization_id=ORGANIZATION_ID)
    for lines in (_recorded_first(), _recorded_late()):
        report = files.take_in(ORGANIZATION_ID, lines, now=now)
        assert not report.errors, report.errors
        capture_all(ORGANIZATION_ID, now)
        now += timedelta(days=1)
    sweep_company(ORGANIZATION_ID, now + timedelta(days=200))
    return ORGANIZATION_ID


def _lines(name):
    return [line.split("\t") for line in (FOLDER / name).read_text().removesuffix("\n").split("\n")]


def _compare(name, found):
    """The lines found with those of the file."""
    expected = (FOLDER / name).read_text().removesuffix("\n").split("\n")
    for number, (line, before) in enumerate(zip(found, expected, strict=False), 1):
        assert line == before, f"line {number} of {name}"
    assert len(found) == len(expected)


def test_every_stored_row_and_every_chain_hash_is_what_it_always_was(story):
    stored = rows(story)
    with context.company(story):
        records = {record.birth: record for record in HistoryRecord.objects.filter(organization_id=story)}
    assert {row.register for row in stored} == set(REGISTERS)
    assert {row.cause for row in stored} == {"first", "change", "sweep"}
    assert any(not row.body for row in stored)
    lines = []
    for row in stored:
        values = (
            row.sequence, row.register, row.birth, records[row.birth].record_id, row.valid_from.isoformat(),
            row.recorded_at.isoformat(), row.cause, row.state, row.state_before_end, bytes(row.row_sha256).hex(),
            row.body,
        )  # fmt: skip
        lines.append("\t".join(map(str, values)))
    lines += [
        f"{each.capture_sequence}\t{each.tree_root.hex()}\t{each.ledger_head.hex()}\t{each.chain_hash}"
        for each in captures(story)
    ]
    _compare("stored.tsv", lines)
    assert isinstance(verify_history(story), Verified)


@pytest.mark.parametrize("logic", ["2", "3"])
def test_rows_decided_by_a_former_logic_keep_their_digests_and_only_these_differ_now(logic):
    digest = row_hasher(str(ORGANIZATION_ID))
    numbers = {register.number: register.name for register in REGISTERS.values()}
    before, now = _lines(f"stored_by_logic_{logic}.tsv"), _lines("stored.tsv")
    assert len(before) == len(now)
    for line, later in zip(before, now, strict=True):
        if len(line) != 11:
            continue  # a capture
        assert (line[:9], line[10]) == (later[:9], later[10])
        sequence, register, _, record_id, valid_from, recorded_at, cause, *_, row_sha256, body = line
        moments = [instant(datetime.fromisoformat(moment)) for moment in (valid_from, recorded_at)]
        valid, recorded = moments
        recomputed = digest(sequence, numbers[int(register)], record_id, valid, recorded, cause, logic, body.encode())
        assert recomputed == row_sha256


def test_rows_written_before_bodies_had_hidden_members_keep_their_digests():
    digest = row_hasher(str(ORGANIZATION_ID))
    numbers = {register.number: register.name for register in REGISTERS.values()}
    beside = 0
    for line in _lines("stored_before_hidden_members.tsv"):
        if len(line) != 11:
            continue  # a capture
        sequence, register, _, record_id, valid_from, recorded_at, cause, *words, row_sha256, body = line
        moments = [instant(datetime.fromisoformat(moment)) for moment in (valid_from, recorded_at)]
        state, state_before_end = (None if word == "None" else word for word in words)
        hashed = hashed_body(int(register), body.encode(), state, state_before_end)
        beside += hashed != body.encode()
        recomputed = digest(sequence, numbers[int(register)], record_id, moments[0], moments[1], cause, "2", hashed)
        assert recomputed == row_sha256
    assert beside


def test_visible_content_did_not_change_when_bodies_got_hidden_members():
    content_before, content_now = (
        {(*line[1:2], *line[3:5], *line[7:9], visible_text(line[10])) for line in _lines(name) if len(line) == 11}
        for name in ("stored_before_hidden_members.tsv", "stored.tsv")
    )
    assert content_now == content_before


def test_every_served_row_is_what_it_always_was(story):
    with context.company(story):
        for given, code in enumerate(CheckCode.objects.filter(organization_id=story).order_by("certificate_id")):
            if code.check_code is not None:  # they are random
                CheckCode.objects.filter(pk=code.pk).update(check_code=f"CODE-{given}")
    last = captures(story)[-1]
    pin = Pin(last.last_sequence, last.capture_sequence, last.chain_hash, last.captured_at, last.logic_version)
    company = Company(story, DEPLOYMENT_ID, SPACE_ID, "Europe/Oslo", datetime(2023, 12, 31, 23, tzinfo=UTC))
    lines = []
    for name, listing in LISTINGS.items():
        for day, personal in ((30, True), (70, False), (300, True)):
            start = files.START + timedelta(days=day - 20)
            question = Question(company, pin, files.START + timedelta(days=day), start=start, personal=personal)
            with context.company(story):
                page = pages.page(listing, question, Position(), pages.MAXIMUM_ROWS, pages.MAXIMUM_ROWS)
            lines += [f"{name}\t{day}\t{page.held}", *page.content.decode().replace("},{", "}\n{").split("\n")]
    _compare("served.jsonl", lines)
