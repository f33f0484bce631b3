"""`/v1/courses`: the published course versions behind employee training records.

Behind a record is the release that some version of it names which is known at the pin or, where a lesson was shared
alone, that lesson: of records that have ended or vanished too, for they are listed as at another moment. What was
published or shared and never reached an employee is not listed.

The only register whose stored bodies are opened: titles of courses and of their lessons are current ones, joined at
read.
"""

from collections.abc import Sequence
from uuid import UUID

import orjson

from compliance.catalogue.courses import COURSES
from compliance.facts.courses import queries as courses
from compliance.history import in_force
from compliance.registers.pages import Listing, Record
from compliance.registers.questions import Question
from compliance.tenancy import reading


def _present(question: Question, records: Sequence[Record]) -> list[str]:
    stored = [orjson.loads(body) for _, _, body, _ in records]
    titles = _lesson_titles(question, {lesson["release_id"] for each in stored for lesson in each["lessons"]})
    rows = []
    for (_, _, _, course_title), each in zip(records, stored, strict=True):
        row = {
            "row_id": each["row_id"],
            "course_id": each["course_id"],
            "course_release_id": each["course_release_id"],
            "course_title": course_title,
        } | each
        row["lessons"] = [
            {
                "release_id": lesson["release_id"],
                "title": titles.get(lesson["release_id"], ""),
                "version": lesson["version"],
                "content_sha256": lesson["content_sha256"],
            }
            for lesson in each["lessons"]
        ]
        rows.append(orjson.dumps(row).decode())
    return rows


LISTINGS = (
    Listing(
        register=COURSES,
        # Nothing of the row itself changes when its first record comes, so a kept total could not be brought up to
        # date: no company has so many course versions that counting them takes long.
        condition=in_force.BEHIND_RECORDS,
        wanted="r.body, c.title",
        present=_present,
        joined=courses.looked_up("r"),
    ),
)


def _lesson_titles(question: Question, releases: set[str]) -> dict[str, str]:
    if not releases:
        return {}
    found = reading.fetch(
        courses.LESSON_TITLES,
        {"organization": question.company.organization_id, "lessons": [UUID(release) for release in releases]},
    )
    return {str(release): title for release, title in found}
