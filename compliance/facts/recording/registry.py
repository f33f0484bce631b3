"""Which recorder takes which kind of line, and which judges look at what was recorded (design 3).

Recorders are named, not imported: the rooms of facts import this room, and a console action of one kind need not load
the others. The order of recording is the order of `lines.KINDS`.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from django.utils.module_loading import import_string

from compliance.facts.recording.batch import Batch

Recorder = Callable[[Batch[Any]], None]

_FACTS = "compliance.facts."
_PEOPLE = _FACTS + "people.recorders."
_COURSES = _FACTS + "courses.recorders."
_SHARES = _FACTS + "shares.recorders."
_TRAINING = _FACTS + "training.recorders."
_LIVE_SESSIONS = _FACTS + "training.live_sessions."
_CERTIFICATES = _FACTS + "certificates.recorders."
_POLICIES = _FACTS + "policies.recorders."

RECORDERS: dict[str, str] = {
    "team_created": _PEOPLE + "record_team_created",
    "team_renamed": _PEOPLE + "record_team_renamed",
    "course_created": _COURSES + "record_course_created",
    "course_changed": _COURSES + "record_course_changed",
    "person_invited": _PEOPLE + "record_person_invited",
    "invitation_revoked": _PEOPLE + "record_invitation_revoked",
    "employee_joined": _PEOPLE + "record_employee_joined",
    "employee_left": _PEOPLE + "record_employee_left",
    "employee_suspended": _PEOPLE + "record_employee_suspended",
    "employee_resumed": _PEOPLE + "record_employee_resumed",
    "contact_joined": _PEOPLE + "record_contact_joined",
    "contact_left": _PEOPLE + "record_contact_left",
    "person_changed": _PEOPLE + "record_person_changed",
    "team_joined": _PEOPLE + "record_team_joined",
    "team_left": _PEOPLE + "record_team_left",
    "release_published": _COURSES + "record_release_published",
    "release_withdrawn": _COURSES + "record_release_withdrawn",
    "policy_published": _POLICIES + "record_policy_published",
    "course_shared": _SHARES + "record_course_shared",
    "lesson_shared": _SHARES + "record_lesson_shared",
    "policy_shared": _SHARES + "record_policy_shared",
    "share_changed": _SHARES + "record_share_changed",
    "share_ended": _SHARES + "record_share_ended",
    "course_completed": _TRAINING + "record_course_completed",
    "completion_voided": _TRAINING + "record_completion_voided",
    "trainer_named": _LIVE_SESSIONS + "record_trainer_named",
    "live_session_held": _LIVE_SESSIONS + "record_live_session_held",
    "attendance_marked": _LIVE_SESSIONS + "record_attendance_marked",
    "obligation_changed": _TRAINING + "record_obligation_changed",
    "reminder_sent": _TRAINING + "record_reminder_sent",
    "certificate_corrected": _CERTIFICATES + "record_certificate_corrected",
    "certificate_revoked": _CERTIFICATES + "record_certificate_revoked",
    "policy_signed": _POLICIES + "record_policy_signed",
    "person_erased": _FACTS + "people.erasing.record_person_erased",
}

# A judge is a function of (batches of its kinds) that refuses what the rules refuse with all of the file and the store
# read, and takes the rows of what it refuses away again. It runs once, after the last batch of the last of its kinds;
# the ledger learns of these kinds only then.
JUDGES: dict[str, tuple[str, ...]] = {
    _FACTS + "people.judging.judge_people": (
        "invitation_revoked",
        "employee_joined",
        "employee_left",
        "employee_suspended",
        "employee_resumed",
        "contact_joined",
        "contact_left",
        "team_joined",
        "team_left",
    ),
    _FACTS + "training.judging.judge_training": (
        "obligation_changed",
        "certificate_corrected",
        "certificate_revoked",
    ),
}

# Kinds whose lines may refer to lines of the same kind: what is unresolved is tried again while others get recorded.
REFERRING_TO_THEIR_OWN_KIND = frozenset({"certificate_corrected"})

Judge = Callable[[dict[str, list[Batch[Any]]]], None]


@cache
def recorder(kind: str) -> Recorder:
    """The recorder of a kind of line."""
    return import_string(RECORDERS[kind])


def load() -> None:
    """Imports all recorders and judges now: an import needs them all, and better before the first file than amid it."""
    for kind in RECORDERS:
        recorder(kind)
    for name in JUDGES:
        judge(name)


@cache
def judge(name: str) -> Judge:
    """The judge of that name."""
    return import_string(name)
