"""The fan-out of training: who did something in a course, or has an obligation that was changed."""

from compliance.facts.ledger.models import SubjectKind

DONE = " UNION ALL ".join(
    f"SELECT '{SubjectKind.PERSON_COURSE.value}', learner_profile_id, course_id FROM {table}"  # noqa: S608 - ours
    " WHERE organization_id = (SELECT %(organization)s::uuid) AND {column} = ANY(%(values)s::uuid[])"
    for table in ("training_completion", "training_attendancemark", "training_obligationchange")
)
"""SQL of the pairs of a learner and a course, as subjects, whose {column} is one of %(values)s."""
