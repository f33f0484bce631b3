"""A process that records facts without end and notes each acknowledged one: `python -m tests.operations.writer`.

Arguments: organization, file of acknowledged facts, seconds between facts. A fact whose fate is unknown (the database
died while it was sent) is sent again under the same fact_id until it is acknowledged, as an importer would.
"""

import os
import sys
import time
import uuid
from datetime import UTC, datetime

import django
from django.db import DatabaseError, InterfaceError, connection


def main() -> None:
    """Runs until it is killed."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from compliance.facts.lines.kinds import CourseCompleted, EmployeeJoined, FactLine
    from compliance.facts.recording import record
    from compliance.tenancy import sql

    organization_id, pause = uuid.UUID(sys.argv[1]), float(sys.argv[3])
    release = uuid.UUID(sys.argv[4])
    assert sql
    with open(sys.argv[2], "a", buffering=1) as acknowledged:
        number = 0
        while True:
            number += 1
            person, learner, at = uuid.uuid4(), uuid.uuid4(), datetime.now(UTC)
            facts: list[FactLine] = [
                EmployeeJoined(
                    fact_id=uuid.uuid4(), at=at, person_id=person, learner_profile_id=learner,
                    person_name=f"Person {number}", account_email=f"{learner.hex}@example.org",
                )
            ]  # fmt: skip
            if number % 2 == 0:
                facts.append(
                    CourseCompleted(
                        fact_id=uuid.uuid4(), at=at, completion_receipt_id=uuid.uuid4(), learner_profile_id=learner,
                        course_release_id=release,
                    )
                )  # fmt: skip
            while True:
                started = time.monotonic()
                try:
                    record(organization_id, facts, now=datetime.now(UTC))
                    break
                except (DatabaseError, InterfaceError):
                    connection.close()
                    time.sleep(0.1)
            took = time.monotonic() - started
            done = "completed" if len(facts) == 2 else "owed"
            acknowledged.write(
                f"{person} {learner} {done} {' '.join(str(fact.fact_id) for fact in facts)} {took:.4f}\n"
            )
            time.sleep(pause)


if __name__ == "__main__":
    main()
