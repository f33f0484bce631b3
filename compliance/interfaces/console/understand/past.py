"""Completion over time as the history knows it: when each training record was required, and when it was done.

A record adds one to a number at the moment it begins to count and takes it away when it ceases to: added up, these
steps say for any moment what the register says as at that moment (issue 8, part 2). Requirements that have ended,
waivers, voided completions and people who have left are therefore in the weeks in which they held, and only there.
"""

import uuid
from datetime import datetime

from compliance.history import numbers
from compliance.rules.vocabulary import Requirement
from compliance.tenancy import sql


def replace(organization_id: uuid.UUID, births: list[int], upto: int) -> None:
    """Writes the steps of these training records anew, as known at the sequence `upto`."""
    values = {
        "company": organization_id,
        "births": births,
        "upto": upto,
        "training": numbers.TRAINING_RECORDS,
        "required": Requirement.REQUIRED.value,
    }
    sql.execute("DELETE FROM console_step WHERE organization_id = %(company)s AND birth = ANY(%(births)s)", values)
    sql.execute(_STEPS, values)


# A version holds until the next one that takes effect; of those that take effect at once, the last one written counts.
_STEPS = """
INSERT INTO console_step (organization_id, birth, course_id, at, required, done)
SELECT %(company)s, birth, course_id, at, sum(required), sum(done) FROM (
    SELECT r.birth, r.course_id, v.*
    FROM history_historyrecord r CROSS JOIN LATERAL (
        SELECT greatest(h.valid_from, h.begins_at) AS low, least(h.until, h.ends_at) AS high, h.done_at FROM (
            SELECT d.*, lead(valid_from) OVER (ORDER BY valid_from) AS until FROM (
                SELECT DISTINCT ON (v.valid_from) v.valid_from, v.state, v.begins_at, v.done_at, v.waived_at, v.ends_at,
                       v.body <> '' AS present
                FROM history_historyrow v
                WHERE v.organization_id = (SELECT %(company)s::uuid) AND v.birth = r.birth
                  AND v.sequence + 0 <= %(upto)s
                ORDER BY v.valid_from DESC, v.sequence DESC) d) h
        WHERE h.present AND h.state = %(required)s AND (h.waived_at IS NULL OR h.done_at IS NOT NULL)) v
    WHERE r.organization_id = (SELECT %(company)s::uuid) AND r.register = %(training)s AND r.birth = ANY(%(births)s)
      AND (v.high IS NULL OR v.low < v.high)) held
CROSS JOIN LATERAL (SELECT CASE WHEN done_at < high OR (done_at IS NOT NULL AND high IS NULL)
                                THEN greatest(low, done_at) END AS done_low) finished
CROSS JOIN LATERAL (VALUES
    (low, 1, 0), (high, -1, 0), (done_low, 0, 1), (CASE WHEN done_low IS NOT NULL THEN high END, 0, -1)
) AS step(at, required, done)
WHERE at IS NOT NULL
GROUP BY birth, course_id, at HAVING sum(required) <> 0 OR sum(done) <> 0"""


def add_up(organization_id: uuid.UUID, now: datetime, weeks: int) -> None:
    """By week and course, by how many what is required and what is done of it grew. Weeks begin on Monday in the
    company's zone; what came before the last `weeks` is in the first of them.
    """
    sql.execute(_WEEKS, {"company": organization_id, "now": now, "weeks": weeks})


_WEEKS = """
WITH zone AS (SELECT time_zone FROM tenancy_organization WHERE organization_id = %(company)s),
first AS (SELECT date_trunc('week', %(now)s AT TIME ZONE time_zone) - (%(weeks)s - 1) * interval '1 week' AS week
          FROM zone)
INSERT INTO console_tally (organization_id, kind, course_id, bucket, number)
SELECT %(company)s, kind, course_id, week::date::text, number FROM (
    SELECT course_id, greatest(date_trunc('week', at AT TIME ZONE time_zone), first.week) AS week,
           sum(required) AS required, sum(done) AS done
    FROM console_step, zone, first WHERE organization_id = (SELECT %(company)s::uuid) AND at <= %(now)s
    GROUP BY 1, 2) grown
CROSS JOIN LATERAL (VALUES ('required', required), ('done', done)) AS each(kind, number) WHERE number <> 0"""
