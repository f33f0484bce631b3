"""The file holds all that is kept about a person, nothing of anybody else, and no credentials."""

import json
import re
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.facts.lines.kinds import ObligationChanged
from compliance.facts.personal_columns import PERSONAL_COLUMNS
from compliance.history.actions import capture_all
from compliance.interfaces.personal_file.gathering import PARTS, REGISTERS, as_text, personal_file
from compliance.learning import links, sessions
from compliance.learning.models import Answer, MoreAttempts, PageRead, Take
from compliance.letters.models import Letter
from compliance.tenancy import context
from compliance.tenancy.models import Organization
from tests import verbs
from tests.facts.people.test_erasing import Remembered
from tests.facts.story import Story

ROOT = Path(__file__).parents[3]
STAFF = uuid.UUID("5a5a5a5a-0000-4000-8000-000000000001")

# Tables that name a person and are not in the file, with the reason.
NO_PART = {
    "history_historyrecord": "its rows are those of the registers, which the file has",
    "console_job": "what staff prepared; it names staff, and what comes of it stands in the other parts",
    "console_standing": "a summary of the registers' rows",
    "reports_reportline": "what reports said of the registers' rows, kept for some weeks",
    "console_accesslog": "who saw the records: it names staff, who are others, and is given out by the company",
}


@pytest.fixture(autouse=True)
def erasure_list(settings: Any, tmp_path: Path) -> None:
    settings.ERASURE_LIST = str(tmp_path / "erasures.jsonl")


class Learner(Remembered):
    """A person with rows in every table, including those of learning."""

    def learns_here(self) -> None:
        now = self.story.now
        mine = {"organization_id": self.story.organization_id}
        with context.company(self.story.organization_id):
            self.token = sessions.begin(self.story.organization_id, self.profile_id, self.said("Firefox"), now)
            self.link = links.make(
                self.story.organization_id, now=now, life=timedelta(days=1), learner_profile_id=self.profile_id,
                leads_to=self.said("courses/"),
            )  # fmt: skip
            take_id = uuid.uuid4()
            Take.objects.create(
                **mine, take_id=take_id, learner_profile_id=self.profile_id, record_id=uuid.uuid4(),
                course_id=uuid.uuid4(), course_release_id=uuid.uuid4(), begun_at=now, seen_at=now,
            )  # fmt: skip
            PageRead.objects.create(**mine, take_id=take_id, lesson_sha256="a" * 64, page_id=self.said("page"), at=now)
            Answer.objects.create(
                **mine, take_id=take_id, lesson_sha256="a" * 64, question_id=self.said("question"), number=1, at=now,
                right=True, choices=[self.said("choice")],
            )  # fmt: skip
            MoreAttempts.objects.create(
                **mine, take_id=take_id, question_id=self.said("again"), attempts=2, at=now, actor_id=STAFF
            )
            Letter.objects.create(
                **mine, letter_id=uuid.uuid4(), kind="link", learner_profile_id=self.profile_id, made_at=now,
                failure=self.said("refused"),
            )  # fmt: skip


def file_of(story: Story, learner_profile_id: uuid.UUID) -> str:
    with context.company(story.organization_id):
        company = Organization.objects.get(organization_id=story.organization_id)
        return as_text(personal_file(company, learner_profile_id, story.now)).decode()


@pytest.mark.django_db
def test_all_of_a_person_is_in_it_and_nothing_of_anybody_else() -> None:
    story = Story(datetime.now(UTC))
    person = Learner(story)
    person.learns_here()
    person.captured()
    other = Learner(story)
    other.learns_here()
    capture_all(story.organization_id, story.now)
    text = file_of(story, person.profile_id)
    assert [said for said in person.strings if said.casefold() not in text.casefold()] == []
    assert [said for said in other.strings if said.casefold() in text.casefold()] == []
    assert str(other.profile_id) not in text
    assert str(STAFF) not in text
    for token in (person.token, person.link):
        assert token not in text
    found = json.loads(text)
    assert found["format"] == "svc.person/1"
    assert found["learner_profile_id"] == str(person.profile_id)
    assert {name for name, rows in found["kept"].items() if not rows} == {
        "suspensions", "changes_of_obligations", "reminders", "live_sessions", "certificate_revocations",
        "signing_links", "erasure", "teams", "live_sessions_led", "reminder_letters",
    }  # fmt: skip
    assert all(found["registers"].values())
    assert set(found["titles"]) >= {row["course_id"] for row in found["registers"]["training"]}


@pytest.mark.django_db
def test_who_acted_is_left_out() -> None:
    story = Story(datetime.now(UTC))
    ana = story.employee()
    course_id, _ = story.shared_course()
    verbs.waive(
        organization_id=story.organization_id, at=story.now, learner_profile_id=ana, course_id=course_id,
        reason_code=ObligationChanged.model_fields["reason_code"].annotation.__args__[0].MEDICAL, actor_id=STAFF,
    )  # fmt: skip
    capture_all(story.organization_id, story.now)
    text = file_of(story, ana)
    assert '"change": "waive"' in text
    assert '"waived_at"' in text
    assert str(STAFF) not in text


def test_no_column_that_erasure_clears_is_forgotten() -> None:
    given = {part.model._meta.db_table: set(part.fields) for part in PARTS}
    missing = {
        f"{table}.{column}"
        for table, columns in PERSONAL_COLUMNS.items()
        for column in columns
        if column not in given.get(table, ())
    }
    assert missing == set()


def test_every_table_that_names_a_person_is_a_part() -> None:
    named = {"learner_profile_id", "trainer_profile_id", "take_id", "person_id", "invitation_id"}
    tables = {
        model._meta.db_table
        for model in apps.get_models()
        if any(field.name in named for field in model._meta.get_fields())
    }
    assert tables - {part.model._meta.db_table for part in PARTS} - set(NO_PART) == set()


def test_no_column_that_is_given_opens_anything_or_names_somebody_else() -> None:
    given = {f"{part.name}.{field}" for part in PARTS for field in part.fields}
    assert {each for each in given if re.search("token|secret|password|actor|_by$", each)} == {
        "live_sessions.marked_by"
    }


def test_every_member_is_described() -> None:
    described = (ROOT / "docs" / "privacy.md").read_text()
    for name in [*(part.name for part in PARTS), *REGISTERS]:
        assert f"`{name}`" in described, name


@pytest.mark.django_db
def test_the_number_of_statements_does_not_grow() -> None:
    story = Story(datetime.now(UTC))
    person = Learner(story)
    person.learns_here()
    person.captured()

    def statements() -> int:
        with CaptureQueriesContext(connection) as queries:
            file_of(story, person.profile_id)
        return len(queries)

    few = statements()
    for _ in range(5):
        person._learns()
        person.learns_here()
    capture_all(story.organization_id, story.now)
    assert statements() == few
