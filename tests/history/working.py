"""One worker of the concurrency test, as a real process: `python -m tests.history.working ROLE ORGANIZATION SECONDS`.

Roles: `facts` records completions and departures and prints each that was acknowledged; `writer` captures and prints
each capture; `reader` reads the head before the rows, and fails if it sees a gap or a change of the past.
"""

import os
import random
import sys
import time
import uuid
from datetime import UTC, datetime, timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from compliance.facts.errors import FactsError  # noqa: E402 - needs the settings
from compliance.history import actions, queries  # noqa: E402
from compliance.tenancy import context, sql  # noqa: E402
from config.celery import app  # noqa: E402
from tests import verbs  # noqa: E402

app.conf.broker_url = "memory://"


def facts(organization_id: uuid.UUID, until: float) -> None:
    chance = random.Random(os.getpid())
    with context.company(organization_id):
        people = sql.fetch(
            "SELECT learner_profile_id, joined_at FROM people_employment WHERE organization_id = %s", [organization_id]
        )
        releases = sql.fetch(
            "SELECT course_release_id FROM courses_release WHERE organization_id = %s", [organization_id]
        )
    printed = 0
    # On a busy machine the other processes may start late, so each does something before it ends.
    while time.monotonic() < until or printed < 5:
        learner_profile_id, joined_at = chance.choice(people)
        at = joined_at + timedelta(minutes=chance.randrange(60 * 24 * 300))
        try:
            receipt_id = verbs.complete_course(
                organization_id=organization_id, learner_profile_id=learner_profile_id,
                course_release_id=chance.choice(releases)[0], at=at, now=datetime.now(UTC),
            )  # fmt: skip
        except FactsError:
            continue
        print(receipt_id, flush=True)
        printed += 1


def writer(organization_id: uuid.UUID, until: float) -> None:
    printed = 0
    while time.monotonic() < until or not printed:
        captured = actions.capture(organization_id, datetime.now(UTC))
        if captured.found:
            print(captured.capture_sequence, flush=True)
            printed += 1


def reader(organization_id: uuid.UUID, until: float) -> None:
    seen: dict[int, bytes] = {}
    chance = random.Random(os.getpid())
    while time.monotonic() < until:
        last = queries.head(organization_id).sequence
        since = len(seen) if chance.random() < 0.8 else chance.randrange(len(seen) + 1)
        with context.company(organization_id):
            found = sql.fetch(
                "SELECT sequence, row_sha256 FROM history_historyrow WHERE organization_id = %s AND sequence > %s"
                " AND sequence <= %s ORDER BY sequence",
                [organization_id, since, last],
            )
        if [sequence for sequence, _ in found] != list(range(since + 1, last + 1)):
            sys.exit(f"A hole between {since} and {last}.")
        for sequence, digest in found:
            if seen.setdefault(sequence, bytes(digest)) != bytes(digest):
                sys.exit(f"Row {sequence} changed.")
        print(last, flush=True)


if __name__ == "__main__":
    role, organization, seconds = sys.argv[1:]
    {"facts": facts, "writer": writer, "reader": reader}[role](
        uuid.UUID(organization), time.monotonic() + float(seconds)
    )
