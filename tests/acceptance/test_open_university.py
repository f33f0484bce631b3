"""The Open University's submissions, imported and read back, against an independent reading of its CSV.

Every assessment is a course that one team owes by a deadline; every submission is a completion. The expected answers
below are computed from the CSV with nothing of the product. Skipped where ../shared is absent.
"""

import csv
import gzip
import io
import json
import math
import random
import subprocess
import sys
import uuid
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from compliance.access import actions as access
from compliance.facts.importing import import_facts
from compliance.history import actions as history

SHARED = Path(__file__).resolve().parents[3] / "shared"
DATA = SHARED / "data" / "oulad"
pytestmark = [
    pytest.mark.skipif(
        not DATA.is_dir(), reason="../shared/data/oulad is absent: the Open University's data is not here"
    ),
    pytest.mark.django_db,
    pytest.mark.timeout(600),
]
LONDON = ZoneInfo("Europe/London")
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
NAMESPACE = uuid.UUID("6f0c2f52-5d0b-5c53-9f0e-0c1b6a0d7a11")
MOMENTS = [datetime(2013, 11, 20, 9, tzinfo=UTC), datetime(2014, 3, 3, 23, 59, tzinfo=UTC),
           datetime(2014, 12, 24, 18, tzinfo=UTC), datetime(2016, 1, 1, tzinfo=UTC)]  # fmt: skip


def _rows(name):
    with gzip.open(DATA / f"{name}.csv.gz", "rt", newline="") as file:
        return list(csv.DictReader(file))


def _identifier(*parts):
    return str(uuid.uuid5(NAMESPACE, "/".join(parts)))


def _day(presentation, days):
    return date(int(presentation[:4]), {"B": 2, "J": 10}[presentation[4]], 1) + timedelta(days=days)


def _noon(presentation, days):
    return datetime.combine(_day(presentation, days), time(12), LONDON).astimezone(UTC)


def _expected():
    """(profile, course) -> (assigned, due, completed), read off the CSV."""
    submitted = {
        (row["id_student"], row["id_assessment"]): int(row["date_submitted"]) for row in _rows("studentAssessment")
    }
    assessments = _rows("assessments")
    owed = {}
    for registration in _rows("studentRegistration"):
        presentation = registration["code_presentation"]
        registered = _noon(presentation, int(float(registration["date_registration"] or 0)))
        for assessment in assessments:
            if (assessment["code_module"], assessment["code_presentation"]) != (
                registration["code_module"],
                presentation,
            ):
                continue
            opened = datetime.combine(_day(presentation, 0), time(0), LONDON).astimezone(UTC)
            due = None
            if assessment["date"]:
                midnight = datetime.combine(_day(presentation, int(assessment["date"]) + 1), time(0), LONDON)
                due = midnight.astimezone(UTC) - timedelta(microseconds=1)
            day = submitted.get((registration["id_student"], assessment["id_assessment"]))
            completed = None if day is None else _noon(presentation, day)
            key = _identifier("profile", registration["id_student"]), _identifier("course", assessment["id_assessment"])
            owed[key] = (max(registered, opened), due, completed)
    return owed


def _outcome(assigned, due, completed, moment):
    def late(since):
        return math.ceil((since - due) / timedelta(days=1))

    if completed is not None and completed <= moment:
        if completed < assigned:
            return "completed_before_requirement", None
        return ("completed_on_time", None) if due is None or completed <= due else ("completed_late", late(completed))
    return ("overdue", late(moment)) if due is not None and moment > due else ("not_due_yet", None)


@pytest.fixture(scope="module")
def lines():
    done = subprocess.run([sys.executable, SHARED / "tools" / "oulad_facts.py", DATA], capture_output=True, check=True)
    return done.stdout.splitlines(keepends=True)


@pytest.fixture(scope="module")
def expected():
    return {moment: dict(_at(moment)) for moment in MOMENTS}


def _at(moment):
    for key, (assigned, due, completed) in _expected().items():
        if assigned <= moment:
            yield key, _outcome(assigned, due, completed, moment)


def _company(parts):
    organization_id = uuid.uuid4()
    history.create_company(
        name="Open University",
        time_zone="Europe/London",
        history_from=date(2011, 1, 1),
        now=NOW,
        organization_id=organization_id,
    )
    for part in parts:
        report = import_facts(organization_id=organization_id, stream=io.BytesIO(b"".join(part)), now=NOW, strict=False)
        assert not report.errors
        history.capture_all(organization_id, NOW)
    return organization_id


def _pull(client, organization_id, moment, settings):
    settings.RATE_LIMIT_KEY_PER_MINUTE = settings.RATE_LIMIT_COMPANY_PER_MINUTE = 100_000
    settings.READ_TIMEOUT_MILLISECONDS = 300_000  # the machine may be busy; how long it takes is not what is tested
    token, _ = access.issue_key(
        organization_id=organization_id, scopes=["training:read"], environment="test", at=NOW, actor="test"
    )
    found, cursor, total = {}, "", None
    while True:
        page = client.get(
            "/v1/training-records",
            {"cursor": cursor} if cursor else {"as_at": moment.isoformat().replace("+00:00", "Z")},
            headers={"Authorization": f"Bearer {token}"},
        )
        assert page.status_code == 200, page.content
        content = json.loads(page.content)
        total = content["total"]
        for row in content["data"]:
            found[row["learner_profile_id"], row["course_id"]] = (row["outcome"], row["days_late"])
        cursor = content["next_cursor"]
        if cursor is None:
            assert len(found) == total
            return found


def test_the_answers_are_those_of_the_csv_and_a_second_import_knows_every_fact(lines, expected, client, settings):
    organization_id = _company([lines])
    again = import_facts(organization_id=organization_id, stream=io.BytesIO(b"".join(lines)), now=NOW, strict=False)
    assert (again.recorded, again.known, len(again.errors)) == (0, 18_381, 0)
    for moment in MOMENTS:
        assert _pull(client, organization_id, moment, settings) == expected[moment]
    assert Counter(outcome for outcome, _ in expected[MOMENTS[1]].values()).keys() >= {
        "completed_on_time", "completed_late", "overdue", "not_due_yet",
    }  # fmt: skip


def test_shuffled_whole_gives_the_same_answers(lines, expected, client, settings):
    shuffled = list(lines)
    random.Random(7).shuffle(shuffled)
    organization_id = _company([shuffled])
    for moment in MOMENTS:
        assert _pull(client, organization_id, moment, settings) == expected[moment]


def test_in_three_parts_by_kind_gives_the_same_answers(lines, expected, client, settings):
    # Completions need the releases that they name, so they come last; within each part the order is chance.
    kinds = (
        {"team_created", "course_created", "release_published"},
        {"employee_joined", "team_joined", "course_shared"},
        {"course_completed"},
    )
    parts = [[line for line in lines if json.loads(line)["fact"] in wanted] for wanted in kinds]
    for part in parts:
        random.Random(11).shuffle(part)
    organization_id = _company(parts)
    for moment in MOMENTS[1:3]:
        assert _pull(client, organization_id, moment, settings) == expected[moment]
