"""Completion over time, from the history: when each training record was required, and when it was done.

A record is stored as steps: one is added at the moment it begins to count, and subtracted when it ceases to. The sum of
all steps up to a moment is what the register lists as at that moment. Requirements that have ended, waivers, voided
completions and people who have left therefore count in the weeks in which they were in force, and in no others.
"""

import uuid
from datetime import datetime

from compliance.catalogue.training import TRAINING_RECORDS
from compliance.history import in_force, outcomes
from compliance.tenancy import sql
from compliance.tenancy.queries import organization


def replace(organization_id: uuid.UUID, record_numbers: list[int], upto: int) -> None:
    """Replaces the steps of these training records by those known at the sequence `upto`."""
    values = {
        "organization": organization_id,
        "record_numbers": record_numbers,
        "sequence": upto,
        "training": TRAINING_RECORDS.number,
    }
    sql.execute(
        "DELETE FROM console_step WHERE organization_id = %(organization)s AND birth = ANY(%(record_numbers)s)", values
    )
    sql.execute(_STEPS, values)


# A version is in force until the next one takes effect; of versions from the same moment the last one written counts.
_STEPS = f"""
INSERT INTO console_step (organization_id, birth, course_id, at, required, done)
SELECT %(organization)s::uuid, birth, course_id, at, sum(required), sum(done) FROM (
    SELECT r.birth, r.course_id, v.done_at, greatest(v.valid_from, v.begins_at) AS low,
           least(v.until, v.ends_at) AS high
    FROM {in_force.periods("v.state, v.begins_at, v.done_at, v.waived_at, v.ends_at, v.body")}
      AND r.register = %(training)s AND r.birth = ANY(%(record_numbers)s) AND {in_force.PRESENT} AND {outcomes.REQUIRED}
      AND coalesce(greatest(v.valid_from, v.begins_at) < least(v.until, v.ends_at), true)) held
CROSS JOIN LATERAL (SELECT CASE WHEN done_at < high OR (done_at IS NOT NULL AND high IS NULL)
                                THEN greatest(low, done_at) END AS done_low) finished
CROSS JOIN LATERAL (VALUES
    (low, 1, 0), (high, -1, 0), (done_low, 0, 1), (CASE WHEN done_low IS NOT NULL THEN high END, 0, -1)
) AS step(at, required, done)
WHERE at IS NOT NULL
GROUP BY birth, course_id, at HAVING sum(required) <> 0 OR sum(done) <> 0 RETURNING NULL"""  # noqa: S608 - ours


def add_up(organization_id: uuid.UUID, now: datetime, weeks: int) -> None:
    """Writes for each week and course by how much the numbers of required records and of done ones have changed.

    Weeks begin on Monday in the company's time zone. The first of the last `weeks` also includes all changes before it.
    """
    zone = organization(organization_id).time_zone
    sql.execute(_WEEKS, {"company": organization_id, "now": now, "weeks": weeks, "zone": zone})


_WEEKS = """
WITH zone AS (SELECT %(zone)s::text AS time_zone),
first AS (SELECT date_trunc('week', %(now)s::timestamptz AT TIME ZONE time_zone)
          - (%(weeks)s::integer - 1) * interval '1 week' AS week FROM zone)
INSERT INTO console_tally (organization_id, kind, course_id, bucket, number)
SELECT %(company)s::uuid, kind, course_id, week::date::text, number FROM (
    SELECT course_id, greatest(date_trunc('week', at AT TIME ZONE time_zone), first.week) AS week,
           sum(required) AS required, sum(done) AS done
    FROM console_step, zone, first WHERE organization_id = (SELECT %(company)s::uuid) AND at <= %(now)s
    GROUP BY 1, 2) grown
CROSS JOIN LATERAL (VALUES ('required', required), ('done', done)) AS each(kind, number) WHERE number <> 0
RETURNING NULL"""
