"""`/v1/courses`: the published course versions behind employee training records.

A record's releases are those that its versions known at the pin name or, if a lesson was shared alone, that lesson.
Records that have ended or vanished count too, because they are listed as at other moments. A release or lesson without
any training record is not listed.

This is the only register whose stored bodies are parsed: it adds the current titles of courses and lessons.
"""

from collections.abc import Sequence
from uuid import UUID

import orjson

from compliance.catalogue.courses import COURSES
from compliance.facts.courses import queries as courses
from compliance.history import in_force
from compliance.registers import splicing
from compliance.registers.pages import Listing, Record
from compliance.registers.questions import Question
from compliance.registers.splicing import Rows
from compliance.tenancy import reading


def _present(question: Question, records: Sequence[Record]) -> Rows:
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
    return splicing.whole(rows)


LISTINGS = (
    Listing(
        register=COURSES,
        # The row itself does not change when its first record is written, so a kept total could not be updated. Each
        # count reads all course versions: no company has so many of them that this takes long.
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
