"""A company for runs on real processes, made by the product's actions, and the checks of it afterwards."""

import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from tests.operations.service import Service


class Company(NamedTuple):
    """A company in which everyone owes one course."""

    organization_id: str
    course_id: uuid.UUID
    course_release_id: uuid.UUID


def make_company(service: Service, name: str) -> Company:
    """Makes a company with a course that is shared with everyone. Django must be set up."""
    from compliance.facts.lines.kinds import Audience, DaysAfterAdded
    from tests import verbs

    organization_id = service.create_company(name)
    when = {
        "organization_id": uuid.UUID(organization_id),
        "at": datetime.now(UTC) - timedelta(days=1),
        "now": datetime.now(UTC),
    }
    course_id = verbs.create_course(**when, title="Fire safety")
    release_id = verbs.publish_release(**when, course_id=course_id, version=1)
    verbs.share_course(**when, course_id=course_id, audience=Audience(everyone=True), deadline=DaysAfterAdded(days=30))
    return Company(organization_id, course_id, release_id)


class Outcome(NamedTuple):
    """What became of the acknowledged facts."""

    acknowledged: int
    lost: int
    captured_twice: int
    pending: int


def outcome(service: Service, organization_id: str, acknowledged: Path) -> Outcome:
    """Compares the facts that were acknowledged to writers with those in the history."""
    lines = [line.split() for line in acknowledged.read_text().splitlines() if len(line.split()) >= 5]
    people = {line[0]: (line[1], line[2]) for line in lines}
    facts = {fact for line in lines for fact in line[3:-1]}
    known = {
        str(row[0])
        for row in service.ask("SELECT fact_id FROM pending_fact WHERE organization_id = %s", organization_id)
    }
    captured = {
        str(row[0])
        for row in service.ask(
            "SELECT record_id FROM history_historyrecord WHERE organization_id = %s AND register = 2", organization_id
        )
    }
    training = {
        str(learner): done
        for learner, done in service.ask(
            "SELECT r.learner_profile_id, bool_or(v.done_at IS NOT NULL) FROM history_historyrecord r"
            " JOIN history_historyrow v ON v.organization_id = r.organization_id AND v.birth = r.birth"
            " WHERE r.organization_id = %s AND r.register = 1 GROUP BY 1",
            organization_id,
        )
    }
    lost = len(facts - known)
    for person, (learner, done) in people.items():
        if person not in captured or training.get(learner) is not (done == "completed"):
            lost += 1
    ((twice,),) = service.ask(
        "SELECT count(*) FROM (SELECT 1 FROM history_historyrow WHERE organization_id = %s"
        " GROUP BY register, birth, valid_from, body HAVING count(*) > 1) doubled",
        organization_id,
    )
    ((pending,),) = service.ask(
        "SELECT count(*) FROM pending_pendingsubject WHERE organization_id = %s", organization_id
    )
    return Outcome(len(facts), lost, twice, pending)


def gaps(service: Service, organization_id: str) -> int:
    """How many sequences and capture sequences are missing below the head."""
    ((missing,),) = service.ask(
        "SELECT h.sequence - (SELECT count(*) FROM history_historyrow v WHERE v.organization_id = h.organization_id)"
        " + h.capture_sequence - (SELECT count(*) FROM history_capture c WHERE c.organization_id = h.organization_id)"
        " FROM history_historyhead h WHERE h.organization_id = %s",
        organization_id,
    )
    return abs(int(missing))


def drained(service: Service, organization_id: str) -> bool:
    """Whether nothing waits for the writer."""
    ((pending,),) = service.ask(
        "SELECT count(*) FROM pending_pendingsubject WHERE organization_id = %s", organization_id
    )
    return pending == 0
