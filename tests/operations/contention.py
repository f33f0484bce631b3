"""`make contention`: two beats and four workers; each due change captured once, each reminder sent once.

It runs for CONTENTION_SECONDS (300). About every second a new company appears whose renewals opened a while ago and
whose people are to be reminded: it is recorded and captured in one transaction as of two days ago, so that only the
sweep can find what has become due since. Both beats sweep every second, and every reminder run is ordered twice.
"""

import email
import email.policy
import os
import sys
import time
import uuid
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from celery import Celery

from tests.operations.service import Service, running, set_up_django, wait_for

PEOPLE = 8
REMINDERS = 2 * PEOPLE
"""Each person is reminded of the course that is due in a week, and of the renewal once the sweep has captured it."""

WORKERS = tuple(f"worker{number}" for number in range(1, 5))


class Counted(NamedTuple):
    """What the run found."""

    companies: int
    changes: int
    captured: int
    captured_twice: int
    reminders: int
    sent: int
    sent_twice: int
    recorded: int


def main() -> int:
    """Prints the counts; exit code 1 when anything was done twice or not at all."""
    seconds = int(os.environ.get("CONTENTION_SECONDS", "300"))
    with running(*WORKERS, "beat1", "beat2", SWEEP_SECONDS="1", REMINDERS="on") as service:
        set_up_django(service)
        counted = run(service, seconds)
        faults = service.verify()
    sys.stdout.write(
        f"| two beats, four workers, {seconds} s | |\n| --- | --- |\n"
        f"| companies | {counted.companies} |\n"
        f"| changes by the clock / captured / captured twice |"
        f" {counted.changes} / {counted.captured} / {counted.captured_twice} |\n"
        f"| reminders due / sent / sent twice / recorded as facts |"
        f" {counted.reminders} / {counted.sent} / {counted.sent_twice} / {counted.recorded} |\n"
    )
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    well = is_well(counted) and not faults
    sys.stdout.write("Each once; chains verify.\n" if well else "FAILED.\n")
    return 0 if well else 1


def is_well(counted: Counted) -> bool:
    """Each due change captured once, each reminder sent and recorded once."""
    return (
        counted.changes == counted.captured
        and counted.reminders == counted.sent == counted.recorded
        and not counted.captured_twice
        and not counted.sent_twice
    )


def run(service: Service, seconds: float, pause: float = 1.0) -> Counted:
    """Makes companies with due changes until the time is over, waits until all is done, and counts."""
    queue = Celery(broker=service.addresses["REDIS_URL"])
    companies: list[uuid.UUID] = []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        companies.append(company_with_due_changes())
        if len(companies) % 10 == 1:
            for _ in range(2):  # as two beats would: each company's letters are asked for twice at once
                queue.send_task("compliance.operations.remind_all")
        time.sleep(pause)
    names = [str(each) for each in companies]

    def done() -> bool:
        ((due, waiting, letters),) = service.ask(
            "SELECT (SELECT count(*) FROM history_historyhead WHERE organization_id = ANY(%s::uuid[])"
            " AND next_change_at <= now()), (SELECT count(*) FROM pending_pendingsubject), (SELECT count(*)"
            " FROM operations_reminderdelivery WHERE state = 'sent')",
            names,
        )
        missing = REMINDERS * len(companies) - letters
        left["what"] = f"{due} companies due, {waiting} subjects pending, {missing} letters missing"
        finished = due == 0 and waiting == 0 and missing <= 0
        if not finished:
            queue.send_task("compliance.operations.remind_all")
            time.sleep(10)  # not more often: what is sent waits in the queue before what it waits for
        return finished

    left: dict[str, str] = {}
    try:
        wait_for(done, 120, "everything due done")
    except TimeoutError as late:
        raise TimeoutError(f"{late}; {left['what']}") from late
    ((captured, twice),) = service.ask(
        "SELECT count(*) FILTER (WHERE cause = 'sweep'), count(*) - count(DISTINCT (organization_id, register, birth,"
        " valid_from, body)) FROM history_historyrow WHERE organization_id = ANY(%s::uuid[]) AND register = 1",
        names,
    )
    ((recorded,),) = service.ask(
        "SELECT count(*) FROM training_reminder WHERE organization_id = ANY(%s::uuid[])", names
    )
    reminded = Counter(
        (str(letter["To"]), line)
        for file in (service.folder / "letters").glob("*.log")
        for letter in _letters(file.read_text())
        for line in letter.get_content().splitlines()
        if line.startswith("- ")
    )
    return Counted(
        len(companies), PEOPLE * len(companies), captured, twice, REMINDERS * len(companies), len(reminded),
        sum(reminded.values()) - len(reminded), recorded,
    )  # fmt: skip


def _letters(content: str) -> list[Any]:
    return [
        email.message_from_string(part.lstrip("\n"), policy=email.policy.default)
        for part in content.split("-" * 79 + "\n")
        if part.strip()
    ]


def company_with_due_changes() -> uuid.UUID:
    """A company as of two days ago: every renewal has opened since, and every second course is due in a week."""
    from compliance.facts.lines.kinds import Audience, Certificate, FixedDeadline, NoDeadline
    from compliance.history.actions import capture_all, create_company
    from compliance.rules.vocabulary import CertificateKind
    from compliance.tenancy import context
    from tests import verbs

    present = datetime.now(UTC)
    then = present - timedelta(days=2)
    made = create_company(
        name="Contended", time_zone="UTC", history_from=(present - timedelta(days=500)).date(), now=then
    )
    when: dict[str, Any] = {"organization_id": made.organization_id, "now": then}
    with context.company(made.organization_id):
        began = then - timedelta(days=420)
        certificate = Certificate(
            title="Fire safety", kind=CertificateKind.COMPLETION, valid_months=12, renew_days_before=1
        )
        renewed = verbs.create_course(**when, at=began, title="Fire safety", certificate=certificate)
        release = verbs.publish_release(**when, at=began, course_id=renewed, version=1)
        owed = verbs.create_course(**when, at=began, title="Phishing")
        verbs.publish_release(**when, at=began, course_id=owed, version=1)
        everyone = Audience(everyone=True)
        verbs.share_course(**when, at=began, course_id=renewed, audience=everyone, deadline=NoDeadline())
        due = FixedDeadline(due_at=present + timedelta(days=6, hours=12))
        verbs.share_course(**when, at=began, course_id=owed, audience=everyone, deadline=due)
        # A certificate for a year whose last day is today: its renewal opened at the end of yesterday.
        earned = _a_year_before(present)
        for _ in range(PEOPLE):
            learner = uuid.uuid4()
            verbs.join_employee(
                **when, at=began, learner_profile_id=learner, account_email=f"{learner.hex}@example.org"
            )
            verbs.complete_course(**when, at=earned, learner_profile_id=learner, course_release_id=release)
        capture_all(made.organization_id, then)
    return made.organization_id


def _a_year_before(present: datetime) -> datetime:
    day = 28 if (present.month, present.day) == (2, 29) else present.day
    return present.replace(year=present.year - 1, day=day, hour=0, minute=30)


if __name__ == "__main__":
    sys.exit(main())
