"""Importing a facts file: what is recorded, known and refused, and that the order of lines makes no difference."""

import random
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from compliance.facts.importing import reported, staging
from compliance.facts.lines.kinds import KINDS
from compliance.facts.people.queries import displayed_people
from compliance.facts.training.loading import load_person_courses
from compliance.rules.owed_learning.decide import decide, prepare
from compliance.rules.owed_learning.identity import certificate_id
from compliance.tenancy import context, sql
from compliance.tenancy.errors import NoSuchCompanyError
from tests.companies import make_company
from tests.facts.files import (
    NOW,
    SHA256,
    completed,
    course,
    fact,
    identifier,
    ids,
    joined,
    moment,
    release,
    shared,
    take_in,
    team,
    waived,
)

pytestmark = pytest.mark.django_db

DUE = {"basis": "share_deadline", "due_at": moment(60)}
STORY: list[dict[str, Any]] = [
    team("blue"),
    team("red"),
    fact("team_renamed", "red", 5, team_id="team red", name="crimson"),
    *course("fire", certificate={"title": "Fire", "kind": "completion", "valid_months": 12}),
    *course("safety"),
    fact("course_changed", "fire", 9, course_id="course fire", title="Fire safety"),
    release("fire", 2, 200, retake=True),
    fact("release_withdrawn", "fire 2", 300, course_release_id="release fire 2"),
    fact("person_invited", "ben", 1, invitation_id="invitation ben", work_email="ben@work.example"),
    fact("person_invited", "zoe", 1, invitation_id="invitation zoe", work_email="z@work.example", expires_at=moment(9)),
    fact("invitation_revoked", "zoe", 3, invitation_id="invitation zoe"),
    joined("anna", 0, team_ids=ids("team blue")),
    joined("ben", 2, invitation_id="invitation ben", person_name=None),
    joined("cleo", 3, staff_practice=True),
    fact("employee_suspended", "anna", 10, person_id="stay anna"),
    fact("employee_resumed", "anna", 12, person_id="stay anna"),
    fact("employee_left", "ben", 50, person_id="stay ben"),
    joined("ben", 90, stay=" again"),
    fact("contact_joined", "dora", 4, learner_profile_id="dora", door="partner", company="Partner Ltd"),
    fact("contact_left", "dora", 40, learner_profile_id="dora", door="partner"),
    fact("person_changed", "anna", 20, learner_profile_id="anna", person_name="Anna Maria"),
    fact("team_joined", "anna", 6, team_id="team red", learner_profile_id="anna"),
    fact("team_left", "anna", 30, team_id="team red", learner_profile_id="anna"),
    fact(
        "absence_recorded", "anna", 31, absence_id="absence anna", learner_profile_id="anna", reason_code="leave",
        **{"from": "2025-03-01", "to": "2025-03-20"},
    ),
    fact("absence_voided", "anna", 32, absence_id="absence anna"),
    shared("fire", 1, deadline={"basis": "days_after_added", "days": 30}),
    shared("safety", 1, audience={"team_ids": ids("team blue")}, deadline=DUE),
    fact(
        "lesson_shared", "lesson", 2, share_id="share lesson", lesson_release_id="lesson", title="A lesson",
        version=1, content_sha256=SHA256,
        course_id="course safety", doors=["employee"], audience={"learner_profile_ids": ids("anna")},
        requirement="optional", deadline={"basis": "none"},
    ),
    fact("share_changed", "fire", 70, share_id="share fire", requirement="optional"),
    fact("share_ended", "safety", 80, share_id="share safety"),
    completed("anna", "fire", 15),
    completed("anna", "safety", 16),
    fact(
        "course_completed", "lesson", 17, completion_receipt_id="receipt lesson", learner_profile_id="anna",
        lesson_release_id="lesson",
    ),
    fact(
        "completion_voided", "safety", 18, completion_receipt_id="receipt anna safety", actor_id="administrator"
    ),
    waived(1, "ben", "fire", 10),
    waived(2, "ben", "fire", 11, "reinstate"),
    waived(3, "ben", "fire", 12, "set_deadline", due_at=moment(45)),
    fact("reminder_sent", "ben", 13, learner_profile_id="ben", course_id="course fire"),
    fact("trainer_named", "tim", 1, trainer_profile_id="tim", trainer_name="Tim"),
    fact(
        "live_session_held", "fire", 95, live_session_id="session", course_release_id="release fire 1",
        format="online", starts_at=moment(94), ends_at=moment(94.1), minutes=120, trainer_profile_id="tim",
    ),
    fact(
        "attendance_marked", "ben", 95, live_session_id="session", learner_profile_id="ben", attended="full",
        marked_by="trainer",
    ),
]  # fmt: skip

SOURCES = (
    "people_profile", "people_personaldetail", "people_personroles", "people_team", "people_invitation",
    "people_employment", "people_suspension", "people_contact", "people_teammembership", "courses_course",
    "courses_certificateedition", "courses_lesson", "courses_release", "shares_share", "shares_sharestep",
    "training_completion", "training_obligationchange", "training_reminder", "training_livesession",
    "training_attendancemark", "training_trainer", "people_absence",
)  # fmt: skip


@pytest.fixture
def company() -> uuid.UUID:
    return make_company().organization_id


@pytest.fixture
def inside(company: uuid.UUID) -> Iterator[uuid.UUID]:
    with context.company(company):
        yield company


def stored(organization_id: uuid.UUID) -> dict[str, list[str]]:
    """Everything stored in the rooms of facts except origins and the order of recording."""
    with context.company(organization_id):
        return {
            table: sorted(
                row[0]
                for row in sql.fetch(
                    f"SELECT (to_jsonb(t) - 'id' - 'organization_id' - 'recorded_at' - 'origin')::text FROM {table} t"
                    " WHERE organization_id = %s",
                    (organization_id,),
                )
            )
            for table in (*SOURCES, "pending_fact")
        }


def reasons(report: Any) -> dict[int, str]:
    return {each.line: each.reason for each in report.errors}


def test_every_fact_of_a_story_is_recorded_and_known_the_second_time(company: uuid.UUID) -> None:
    first = take_in(company, STORY)
    assert first.errors == []
    assert first.recorded == len(STORY)
    before = stored(company)
    second = take_in(company, STORY)
    assert (second.recorded, second.known, second.errors) == (0, len(STORY), [])
    assert stored(company) == before
    assert sum(first.facts.values()) == len(STORY)


def test_the_order_of_lines_and_the_parts_of_a_file_decide_nothing() -> None:
    straight, shuffled, parts = (make_company().organization_id for _ in range(3))
    take_in(straight, STORY)
    mixed = STORY.copy()
    random.Random(7).shuffle(mixed)
    assert take_in(shuffled, mixed).errors == []
    order = list(KINDS)
    for kinds in (order[:8], order[8:18], order[18:]):
        part = [line for line in mixed if line["fact"] in kinds]
        assert take_in(parts, part).errors == []
    assert stored(straight) == stored(shuffled) == stored(parts)


def test_long_files_wait_on_disk_and_are_recorded_in_batches(
    company: uuid.UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "KEPT_LINES", 3)
    monkeypatch.setattr(staging, "BATCH_LINES", 2)
    assert take_in(company, STORY).recorded == len(STORY)
    other = make_company().organization_id
    monkeypatch.undo()
    take_in(other, STORY)
    assert stored(company) == stored(other)


def test_the_number_of_statements_does_not_grow_with_the_file(
    company: uuid.UUID, django_assert_max_num_queries: Any
) -> None:
    def story(people: int) -> list[dict[str, Any]]:
        names = [f"person-{people}-{number}" for number in range(people)]
        return [
            *(joined(name) for name in names),
            *course(f"course {people}"),
            shared(f"course {people}"),
            *(completed(name, f"course {people}", 3) for name in names),
        ]

    take_in(company, [team("known")])  # a company's first import does not look for known facts
    with django_assert_max_num_queries(60) as few:
        take_in(company, story(2))
    with django_assert_max_num_queries(60) as many:
        assert take_in(company, story(200)).recorded == 403
    assert len(many) <= len(few) + 2


def test_good_lines_are_recorded_beside_bad_ones_unless_strict(company: uuid.UUID) -> None:
    lines: list[dict[str, Any] | bytes] = [
        joined("anna"),
        b"nonsense\n",
        joined("ben", nickname="Benny"),
        joined("cleo", 900),
        team("blue"),
    ]
    strict = take_in(company, lines, strict=True)
    assert strict.recorded == 0
    assert stored(company)["people_profile"] == []
    report = take_in(company, lines)
    assert report.recorded == 2
    assert sorted(reasons(report)) == sorted(reasons(strict)) == [2, 3, 4]
    assert "five minutes" in reasons(report)[4]
    assert report.errors[1].fact_id == joined("ben")["fact_id"]


def test_a_report_is_the_same_when_it_waits_on_disk(company: uuid.UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    again = {**team("blue"), "name": "Another name"}
    lines: list[dict[str, Any] | bytes] = [
        b"nonsense\n",
        *STORY,
        completed("nobody", "fire", 1),
        b"{}\n",
        team("blue"),
        again,
        joined("ben", 900),
    ]
    report = take_in(company, lines)
    assert len(report.errors) == 6
    monkeypatch.setattr(reported, "MOST_IN_MEMORY", 1)
    assert list(take_in(make_company().organization_id, lines).errors) == report.errors


def test_references_are_looked_for_in_the_whole_file_and_the_store(company: uuid.UUID) -> None:
    assert take_in(company, [completed("anna", "fire", 1), *course("fire", 5), joined("anna", 9)]).errors == []
    assert take_in(company, [completed("anna", "fire", 2, "again")]).errors == []


@pytest.mark.parametrize(
    "line, names",
    [
        (joined("zoe", invitation_id="nothing"), "invitation_id"),
        (joined("zoe", team_ids=ids("nothing")), "team_ids"),
        (fact("team_renamed", "x", team_id="nothing", name="x"), "team_id"),
        (fact("team_joined", "x", team_id="nothing", learner_profile_id="anna"), "team_id"),
        (fact("team_joined", "x", team_id="team blue", learner_profile_id="nobody"), "learner_profile_id"),
        (fact("invitation_revoked", "x", invitation_id="nothing"), "invitation_id"),
        (fact("employee_left", "x", person_id="nobody"), "person_id"),
        (fact("employee_suspended", "x", person_id="nobody"), "person_id"),
        (fact("person_changed", "x", learner_profile_id="nobody", person_name="x"), "learner_profile_id"),
        (fact("contact_left", "x", learner_profile_id="nobody", door="partner"), "learner_profile_id"),
        (fact("course_changed", "x", course_id="nothing", title="x"), "course_id"),
        (release("nothing", 1), "course_id"),
        (fact("release_withdrawn", "x", course_release_id="nothing"), "course_release_id"),
        (shared("nothing"), "course_id"),
        (shared("fire", audience={"team_ids": ids("nothing")}), "team_ids"),
        (shared("fire", audience={"learner_profile_ids": ids("nobody")}), "learner_profile_ids"),
        (fact("share_ended", "x", share_id="nothing"), "share_id"),
        (fact("share_changed", "x", share_id="nothing", doors=["employee"]), "share_id"),
        (completed("nobody", "fire", 1), "learner_profile_id"),
        (completed("anna", "nothing", 1), "course_release_id"),
        (fact("completion_voided", "x", completion_receipt_id="nothing", actor_id="a"), "completion_receipt_id"),
        (fact("reminder_sent", "x", learner_profile_id="anna", course_id="nothing"), "course_id"),
        (waived(1, "anna", "nothing", 1), "course_id"),
        (waived(1, "nobody", "fire", 1), "learner_profile_id"),
    ],
)
def test_a_reference_to_nothing_is_refused_by_name_and_ids_of_others_do_not_count(
    company: uuid.UUID, line: dict[str, Any], names: str
) -> None:
    other = make_company().organization_id
    take_in(other, [joined("nobody"), team("nothing"), *course("nothing"), shared("nothing")])
    beginning = [team("blue"), joined("anna"), *course("fire")]
    report = take_in(company, [line, *beginning])
    assert report.recorded == len(beginning)
    [error] = report.errors
    assert (error.line, error.fact_id) == (1, line["fact_id"])
    assert error.reason.startswith(f"{names}: the company knows no such")


OTHER = {"fact_id": ids("another fact")[0]}
ANNA_WORKS = [joined("anna", 0), *course("fire"), shared("fire", 1), team("blue")]


@pytest.mark.parametrize(
    "story, refused",
    [
        # Resuming the active, suspending the suspended, ending the ended.
        ([fact("employee_resumed", "x", 3, person_id="stay anna")], [0]),
        ([fact("employee_suspended", str(day), day, person_id="stay anna") for day in (4, 3)], [0]),
        ([fact("employee_left", str(day), day, person_id="stay anna") for day in (9, 8)], [0]),
        ([fact("employee_left", "x", -1, person_id="stay anna")], [0]),
        ([joined("anna", 5, " again")], [0]),
        ([joined("anna", 5, " again"), fact("employee_left", "x", 4, person_id="stay anna")], []),
        ([fact("employee_suspended", "x", 9, person_id="stay anna"),
          fact("employee_left", "x", 8, person_id="stay anna")], [0]),
        ([fact("share_ended", str(day), day, share_id="share fire") for day in (4, 3)], [0]),
        ([fact("share_ended", "x", 0.5, share_id="share fire")], [0]),
        ([fact("release_withdrawn", str(day), day, course_release_id="release fire 1") for day in (4, 3)], [0]),
        ([fact("team_left", "x", 3, team_id="team blue", learner_profile_id="anna")], [0]),
        ([fact("contact_left", "x", 3, learner_profile_id="anna", door="customer")], [0]),
        # Changes of obligations: with no record, of the completed.
        ([waived(1, "anna", "fire", 0.5)], [0]),
        ([waived(1, "anna", "fire", 6), completed("anna", "fire", 5)], [0]),
        ([waived(1, "anna", "fire", 5), completed("anna", "fire", 6)], []),
        ([waived(1, "anna", "fire", 5), waived(1, "anna", "fire", 6, "set_deadline") | OTHER], [1]),
        # Identifiers that are already in use.
        ([joined("anna", 3) | OTHER], [0]),
        ([team("blue", 3) | OTHER], [0]),
        ([course("fire", 3)[0] | OTHER], [0]),
        ([release("fire", 1, 3) | OTHER | {"course_release_id": ids("other")[0]}], [0]),
        ([completed("anna", "fire", 3), completed("anna", "fire", 4) | OTHER], [1]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("order", ["after", "before"])
def test_what_the_rules_refuse_is_an_error_and_nothing_else_is_lost(
    company: uuid.UUID, story: list[dict[str, Any]], refused: list[int], order: str
) -> None:
    lines = [*ANNA_WORKS, *story] if order == "after" else [*reversed(story), *reversed(ANNA_WORKS)]
    report = take_in(company, lines)
    assert {error.fact_id for error in report.errors} == {story[place]["fact_id"] for place in refused}
    assert report.recorded == len(lines) - len(refused)
    good = make_company().organization_id
    take_in(good, [line for line in lines if line["fact_id"] not in {story[place]["fact_id"] for place in refused}])
    assert stored(company) == stored(good)


def test_a_fact_id_with_other_content_is_an_error_within_a_file_and_against_the_store(company: uuid.UUID) -> None:
    first, other = team("blue"), team("blue") | {"name": "azure"}
    assert take_in(company, [first, first]).known == 1
    report = take_in(company, [other])
    assert "other content" in reasons(report)[1]
    assert report.recorded == 0
    results = []
    for lines in ([first, other], [other, first]):
        elsewhere = make_company().organization_id
        report = take_in(elsewhere, lines)
        assert len(report.errors) == report.recorded == 1
        results.append(stored(elsewhere)["people_team"])
    assert results[0] == results[1]


def test_two_companies_may_import_the_same_file_and_see_their_own_rows_only(company: uuid.UUID) -> None:
    other = make_company().organization_id
    assert take_in(company, STORY).recorded == take_in(other, STORY).recorded == len(STORY)
    with context.company(other):
        assert {row[0] for row in sql.fetch("SELECT DISTINCT organization_id FROM people_profile")} == {other}


def test_a_company_that_does_not_exist_is_named() -> None:
    with pytest.raises(NoSuchCompanyError):
        take_in(uuid.uuid4(), STORY)


def test_names_and_addresses_are_the_latest_told_whatever_came_last(inside: uuid.UUID) -> None:
    take_in(inside, STORY)
    people = displayed_people(inside, [uuid.UUID(each) for each in ids("anna", "ben", "dora")])
    anna, ben, dora = (people[uuid.UUID(each)] for each in ids("anna", "ben", "dora"))
    assert (anna.person_name, anna.account_email, anna.work_email) == ("Anna Maria", "anna@example.org", None)
    assert (ben.person_name, ben.work_email) == ("ben", "ben@work.example")
    assert dora.person_name is None
    take_in(inside, [fact("person_changed", "late", 19, learner_profile_id="anna", person_name="Too early")])
    assert displayed_people(inside, [uuid.UUID(ids("anna")[0])])[uuid.UUID(ids("anna")[0])].person_name == "Anna Maria"


def test_a_profile_shows_nothing_of_a_line_that_was_refused_after_the_profile_was_made(inside: uuid.UUID) -> None:
    invited = {"work_email": "revoked@work.example"}
    for name in ("ben", "cleo"):
        take_in(inside, [fact("person_invited", name, 1, invitation_id=f"invitation {name}", **invited),
                         fact("invitation_revoked", name, 2, invitation_id=f"invitation {name}")])  # fmt: skip
    refused = [joined(name, 5, invitation_id=f"invitation {name}", person_name="Refused") for name in ("ben", "cleo")]
    stands = joined("ben", 9, " again", person_name=None, account_email="ben@here.example")
    report = take_in(inside, [*refused, stands])
    assert {error.fact_id for error in report.errors} == {line["fact_id"] for line in refused}
    people = displayed_people(inside, [uuid.UUID(each) for each in ids("ben", "cleo")])
    shown = [(each.person_name, each.account_email, each.work_email) for each in people.values()]
    assert sorted(shown, key=str) == [(None, "ben@here.example", None), (None, None, None)]


def test_a_course_keeps_its_certificate_when_renamed_and_loses_it_by_null(inside: uuid.UUID) -> None:
    certificate = {"title": "Fire", "kind": "completion"}
    take_in(inside, [*course("fire", certificate=certificate), shared("fire", 1)])
    take_in(inside, [fact("course_changed", "rename", 5, course_id="course fire", title="Fire safety")])
    take_in(inside, [fact("course_changed", "end", 9, course_id="course fire", title="Fire", certificate=None)])
    take_in(inside, [*(joined(name) for name in ("anna", "ben")), completed("anna", "fire", 6)])
    take_in(inside, [completed("ben", "fire", 10)])
    course_id = uuid.UUID(ids("course fire")[0])
    pairs = [(uuid.UUID(each), course_id) for each in ids("anna", "ben")]
    facts = load_person_courses(inside, pairs)
    earned = [
        len(
            decide(
                inside, "UTC", prepare(facts.courses[course_id]), facts.learners[learner], facts.doings[place], NOW
            ).certificates
        )
        for place, (learner, _) in enumerate(pairs)
    ]
    assert earned == [1, 0]


def test_an_erased_person_accepts_no_facts_and_importing_again_restores_nothing(company: uuid.UUID) -> None:
    erasure = fact("person_erased", "anna", 100, learner_profile_id="anna")
    assert take_in(company, [*ANNA_WORKS, completed("anna", "fire", 5), erasure]).errors == []
    before = stored(company)
    assert "anna@example.org" not in str(before)
    again = take_in(company, ANNA_WORKS)
    assert (again.known, again.errors) == (len(ANNA_WORKS), [])
    late = [
        completed("anna", "fire", 9, "late"),
        fact("person_changed", "late", 9, learner_profile_id="anna", person_name="Anna"),
        fact("employee_left", "late", 9, person_id="stay anna"),
        joined("anna", 200, " again"),
    ]
    report = take_in(company, late)
    assert report.recorded == 0
    assert all("erased" in each.reason for each in report.errors)
    assert len(report.errors) == len(late)
    assert stored(company) == before


def test_a_fact_that_is_known_is_known_also_beside_an_erasure_dated_before_it(company: uuid.UUID) -> None:
    take_in(company, ANNA_WORKS)
    later = completed("anna", "fire", 5)
    assert take_in(company, [later]).recorded == 1
    erasure = fact("person_erased", "anna", 4, learner_profile_id="anna")
    report = take_in(company, [later, completed("anna", "fire", 6, "new"), erasure])
    assert (report.recorded, report.known, [error.line for error in report.errors]) == (1, 1, [2])
    assert "erase" in reasons(report)[2]


def test_no_fact_about_a_person_is_recorded_whose_erasure_comes_before_it_in_the_same_file(company: uuid.UUID) -> None:
    absence = fact(
        "absence_recorded", "anna", 2, absence_id="absence anna", learner_profile_id="anna", reason_code="leave",
        **{"from": "2025-03-01", "to": "2025-03-20"},
    )  # fmt: skip
    earned = str(certificate_id(company, uuid.UUID(identifier("receipt anna fire"))))
    certified = course("fire", certificate={"title": "Fire", "kind": "completion"})
    before = [*certified, joined("anna", 0), absence, completed("anna", "fire", 5)]
    assert take_in(company, before).errors == []
    later = [
        fact("employee_suspended", "later", 11, person_id="stay anna"),
        fact("employee_left", "later", 12, person_id="stay anna"),
        fact("absence_voided", "later", 11, absence_id="absence anna"),
        fact("completion_voided", "later", 13, completion_receipt_id="receipt anna fire", actor_id="administrator"),
        fact("certificate_revoked", "later", 11, certificate_id=earned, actor_id="administrator"),
        fact("trainer_named", "later", 11, trainer_profile_id="anna", trainer_name="Anna"),
        completed("anna", "fire", 11, "later"),
    ]
    for line in later:
        if line["fact"] == "certificate_revoked":
            line["certificate_id"] = earned
    erasure = fact("person_erased", "anna", 10, learner_profile_id="anna")
    report = take_in(company, [*later, erasure])
    assert [error.code for error in report.errors] == ["erased_person"] * len(later)
    assert report.recorded == 1


def test_an_end_that_is_refused_does_not_have_a_possible_one_refused_too(company: uuid.UUID) -> None:
    earned, corrected = certificate_id(company, uuid.UUID(identifier("receipt anna fire"))), "corrected"
    take_in(
        company,
        [
            *course("fire", certificate={"title": "Fire", "kind": "completion"}),
            joined("anna", 0),
            completed("anna", "fire", 5),
            fact("employee_suspended", "anna", 10, person_id="stay anna"),
            fact("person_invited", "zoe", 5, invitation_id="invitation zoe", work_email="z@work.example"),
        ],
    )

    def correction(key: str, day: float) -> dict[str, Any]:
        line = fact("certificate_corrected", key, day, certificate_id=key, actor_id="administrator")
        return line | {"supersedes_id": str(earned)}

    file = [
        fact("employee_left", "impossible", 9, person_id="stay anna"),  # she was suspended afterwards
        fact("employee_left", "possible", 20, person_id="stay anna"),
        fact("employee_left", "once more", 21, person_id="stay anna"),
        fact("invitation_revoked", "impossible", 4, invitation_id="invitation zoe"),
        fact("invitation_revoked", "possible", 6, invitation_id="invitation zoe"),
        fact("invitation_revoked", "once more", 7, invitation_id="invitation zoe"),
        correction("impossible", 4),
        correction(corrected, 6),
        correction("once more", 7),
        fact("certificate_revoked", "impossible", 5.5, certificate_id=corrected, actor_id="administrator"),
        fact("certificate_revoked", "possible", 8, certificate_id=corrected, actor_id="administrator"),
        fact("certificate_revoked", "once more", 9, certificate_id=corrected, actor_id="administrator"),
    ]
    report = take_in(company, file)
    assert [error.line for error in report.errors] == [1, 3, 4, 6, 7, 9, 10, 12]
    assert {error.code for error in report.errors} == {"refused_by_rule"}


def test_each_fact_leaves_the_subjects_that_may_be_decided_differently(inside: uuid.UUID) -> None:
    def pending() -> set[tuple[str, str]]:
        rows = sql.fetch(
            "DELETE FROM pending_pendingsubject WHERE organization_id = %s RETURNING kind, first", (inside,)
        )
        return {(kind, str(first)) for kind, first in rows}

    anna, fire = ids("anna", "course fire")
    take_in(inside, ANNA_WORKS)
    assert pending() == {("everything_of_person", anna), ("course", fire)}, "a first import decides people whole"
    take_in(inside, [completed("anna", "fire", 5)])
    assert pending() == {("person_course", anna)}
    take_in(inside, [fact("share_changed", "x", 9, share_id="share fire", requirement="optional")])
    assert pending() == {("share", ids("share fire")[0])}
    take_in(inside, [fact("employee_suspended", "x", 9, person_id="stay anna")])
    assert pending() == {("person", anna)}
    take_in(
        inside, [joined("ben", 3), completed("ben", "fire", 4), shared("fire", 20) | OTHER | {"share_id": ids("s")[0]}]
    )
    assert pending() == {("everything_of_person", ids("ben")[0]), ("share", ids("s")[0])}
    take_in(inside, ANNA_WORKS)
    assert pending() == set()
    invited = fact("person_invited", "cleo", 1, invitation_id="invitation cleo", work_email="cleo@example.org")
    take_in(inside, [invited, joined("cleo", 2, invitation_id="invitation cleo")])
    invitation = ("invitation", ids("invitation cleo")[0])
    assert pending() == {("everything_of_person", ids("cleo")[0]), invitation}
    take_in(inside, [fact("employee_suspended", "cleo", 9, person_id="stay cleo")])
    assert pending() == {("person", ids("cleo")[0]), invitation}
    # A fact that changes no row also gets a capture: equal sequences mean that no fact was recorded.
    take_in(inside, [fact("team_created", "x", 9, team_id="team sea", name="Sea")])
    assert pending() == {("team", ids("team sea")[0])}
    take_in(inside, [fact("trainer_named", "x", 9, trainer_profile_id="tom", trainer_name="Tom")])
    assert pending() == {("person", ids("tom")[0])}
