"""Titles of courses: what the filters of a register page offer."""

import uuid

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
