"""Titles of courses, and how large a register is: what the filters of a register page offer."""

import uuid

from compliance.registers.questions import Question
from compliance.tenancy import sql


def courses(organization_id: uuid.UUID) -> list[tuple[str, str, str]]:
    """The company's courses and policies by title, at most 500: identifier, title, kind."""
    return [
        (str(course_id), title, kind)
        for course_id, title, kind in sql.fetch(
            "SELECT course_id, title, kind FROM courses_course WHERE organization_id = %s"
            " ORDER BY lower(title), course_id LIMIT 500",
            [organization_id],
        )
    ]


def records(question: Question, most: int) -> bool:
    """Whether the company's registers hold at most `most` records together, so that an exact count is quick."""
    ((count,),) = sql.fetch(
        "SELECT count(*) FROM (SELECT 1 FROM history_historyrecord WHERE organization_id = %s LIMIT %s) r",
        [question.company.organization_id, most + 1],
    )
    return int(count) <= most
