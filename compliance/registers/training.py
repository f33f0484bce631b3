"""`/v1/training-records` and `/period`: what each employee owes, and its outcome at a moment (contract; design 6)."""

from collections.abc import Callable, Sequence
from datetime import datetime

from compliance.history import numbers
from compliance.registers import pages, splicing
from compliance.registers.pages import Listing, Record
from compliance.registers.questions import Question
from compliance.rules.owed_learning.outcome import DAY_IN_MICROSECONDS, outcome_at
from compliance.tenancy import arrays, reading
from compliance.tenancy.sql import Row

_WANTED = (
    "r.sequence, r.valid_from, r.recorded_at, r.cause, r.logic_version, r.state_before_end, r.begins_at, r.due_at,"
    " r.done_at, r.waived_at, r.ends_at, r.body, r.learner_profile_id"
)
# A page holds several records of most people: these are looked up once, and with them whether they were ever reminded.
_PEOPLE = """
SELECT learner_profile_id, person_name, work_email, erased_at,
    EXISTS (SELECT FROM training_reminder s WHERE s.organization_id = (SELECT %(organization)s::uuid)
        AND s.learner_profile_id = p.learner_profile_id)
FROM people_profile p
WHERE p.organization_id = (SELECT %(organization)s::uuid) AND p.learner_profile_id = ANY(%(learners)s)"""


def _present(question: Question, records: Sequence[Record]) -> list[str]:
    told = _ask_for_people(question, {record[14] for record in records})
    opening = splicing.opening(question) + '"sequence":'
    moment = arrays.in_microseconds(question.moment)
    instant = splicing.instant
    fronts = []
    for (
        _, _, sequence, valid_from, recorded_at, cause, logic_version, requirement_before_end, assigned_at, due_at,
        completed_at, waived_at, ended_at, body, _,
    ) in records:  # fmt: skip
        outcome, days_late = outcome_at(
            moment if ended_at is None or ended_at > moment else ended_at,
            requirement_before_end=requirement_before_end,
            assigned_at=assigned_at,
            due_at=due_at,
            completed_at=completed_at,
            ended_at=ended_at,
            waived_at=waived_at,
            one_day=DAY_IN_MICROSECONDS,
        )
        fronts.append(
            f'{opening}{sequence},"valid_from":"{instant(valid_from)}"'
            f',"recorded_at":"{instant(recorded_at)}"'
            f',"cause":"{cause}","logic_version":{logic_version},{body[1:-1]},"outcome":"{outcome}"'
            f',"days_late":{"null" if days_late is None else days_late},"reminders_sent":'
        )
    people, reminders = _people(question, told())
    unknown = splicing.ending(question, "work_email", None, None, None)
    sent_to, who_of = reminders.get, people.get
    return [
        f"{front}{sent_to(record[0], 0)}{who_of(record[14], unknown)}"
        for front, record in zip(fronts, records, strict=True)
    ]


def _ask_for_people(question: Question, learners: set[bytes]) -> Callable[[], list[Row]]:
    """Lets PostgreSQL look the learners up while rows are written."""
    if not learners:
        return list
    values = {"organization": question.company.organization_id, "learners": list(learners)}
    return reading.ask(_PEOPLE, values, raw=True)


def _people(question: Question, found: list[Row]) -> tuple[dict[bytes, str], dict[int, int]]:
    """How the rows of each learner end, and how many reminders each record of theirs has, by birth."""
    reminders = _reminders_by_birth(question, [learner for learner, _, _, _, reminded in found if reminded])
    reading.finish()
    return {learner: splicing.ending(question, "work_email", *personal) for learner, *personal, _ in found}, reminders


RECORDS = Listing(
    register=numbers.TRAINING_RECORDS,
    condition="v.begins_at <= %(moment)s AND (v.ends_at IS NULL OR v.ends_at > %(moment)s)",
    wanted=_WANTED,
    present=_present,
    settles=True,
    raw=True,
)

PERIOD = Listing(
    register=numbers.TRAINING_RECORDS,
    condition="v.begins_at <= %(moment)s AND (v.ends_at IS NULL OR v.ends_at > %(start)s)",
    wanted=_WANTED,
    present=_present,
    raw=True,
)

_REMINDED = f"""
SELECT owner.birth, count(*)
FROM training_reminder s
JOIN pending_fact f ON f.organization_id = (SELECT %(organization)s::uuid) AND f.fact_id = s.fact_id
      AND f.recorded_at <= %(known_at)s
CROSS JOIN LATERAL (
    SELECT r.birth FROM history_historyrecord r
    CROSS JOIN LATERAL {pages.IN_FORCE.format(columns="v.*", moment="s.at")} v
    WHERE r.organization_id = (SELECT %(organization)s::uuid) AND r.register = {numbers.TRAINING_RECORDS}
      AND r.learner_profile_id = s.learner_profile_id AND r.course_id = s.course_id
      AND v.body <> '' AND v.begins_at <= s.at AND (v.ends_at IS NULL OR v.ends_at > s.at)
      AND v.waived_at IS NULL AND (v.done_at IS NULL OR v.done_at > s.at)
    ORDER BY strpos(v.body, '"course_release_id":null') > 0, strpos(v.body, '"renews_certificate_id":null') = 0, r.birth
    LIMIT 1) owner
WHERE s.organization_id = (SELECT %(organization)s::uuid) AND s.learner_profile_id = ANY(%(learners)s)
GROUP BY owner.birth"""  # noqa: S608


def _reminders_by_birth(question: Question, learners: Sequence[bytes]) -> dict[int, int]:
    """Sends captured by the pin, counted for the record that was open when each was sent (design 6).

    Of several undone records they go to the release's before the renewal's before a lesson's (ADR 31).
    """
    if not learners:
        return {}
    known_at: datetime = question.pin.captured_at
    counted = reading.fetch(
        _REMINDED,
        {
            "organization": question.company.organization_id,
            "sequence": question.pin.sequence,
            "known_at": known_at,
            "learners": learners,
        },
    )
    return dict(counted)
