"""The fan-out of courses: each course is a subject, whose rows are those of its releases."""

from compliance.facts.ledger.models import SubjectKind

EVERY_COURSE = f"""
SELECT '{SubjectKind.COURSE.value}', course_id FROM courses_course
WHERE organization_id = (SELECT %(organization)s::uuid) AND kind = 'training'
"""  # noqa: S608 - a word of our own
"""SQL of the subjects of this room, as kind and identifier, that concern no person. Policies have versions instead."""
