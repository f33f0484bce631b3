"""Makes something happen in a company, and captures it: `python -m tests.clients.happening ORGANIZATION WHAT`.

WHAT is `change`, `removal`, `erasure` or `late`. Run by the product's own Python, for tests of clients that do not know
what happened but must be correct afterwards.
"""

import os
import sys
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from compliance.facts.lines import kinds  # noqa: E402 - needs the settings
from compliance.facts.lines.kinds import FactLine  # noqa: E402
from compliance.facts.recording import record  # noqa: E402
from compliance.history import actions  # noqa: E402
from compliance.tenancy import context, sql  # noqa: E402

NOW = datetime.now(UTC)


def change(organization_id: uuid.UUID) -> list[FactLine]:
    """Three people complete what they owe; one of them gets another name."""
    owed = _owed(organization_id)[:3]
    return [_completed(organization_id, *each, NOW) for each in owed] + [
        kinds.PersonChanged(
            fact_id=uuid.uuid4(), at=NOW, learner_profile_id=owed[0][0], person_name="Newly Named",
            work_email="newly.named@work.example",
        )
    ]  # fmt: skip


def removal(organization_id: uuid.UUID) -> list[FactLine]:
    """The shares of policies end, so nothing is owed by them any more."""
    found = sql.fetch(
        "SELECT s.share_id FROM shares_share s JOIN courses_course c USING (organization_id, course_id)"
        " WHERE s.organization_id = %s AND c.kind = 'policy' AND s.ended_at IS NULL",
        [organization_id],
    )
    return [kinds.ShareEnded(fact_id=uuid.uuid4(), at=NOW, share_id=share_id) for (share_id,) in found]


def erasure(organization_id: uuid.UUID) -> list[FactLine]:
    """Two people are erased, one of them renamed before."""
    named = sql.fetch(
        "SELECT learner_profile_id FROM people_profile WHERE organization_id = %s AND erased_at IS NULL"
        " ORDER BY person_name = 'Newly Named' DESC NULLS LAST, learner_profile_id LIMIT 2",
        [organization_id],
    )
    return [kinds.PersonErased(fact_id=uuid.uuid4(), at=NOW, learner_profile_id=each) for (each,) in named]


def late(organization_id: uuid.UUID) -> list[FactLine]:
    """Completions of three people are recorded weeks late."""
    owed = _owed(organization_id)[-3:]
    return [_completed(organization_id, *each, NOW - timedelta(days=21)) for each in owed]


def _owed(organization_id: uuid.UUID) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """Open training records that began long ago: learner and release, in a fixed order."""
    found = sql.fetch(
        "SELECT DISTINCT ON (r.learner_profile_id) r.learner_profile_id, (v.body::json->>'course_release_id')::uuid"
        " FROM history_historyrecord r CROSS JOIN LATERAL (SELECT * FROM history_historyrow v"
        "  WHERE v.organization_id = r.organization_id AND v.birth = r.birth"
        "  ORDER BY v.valid_from DESC, v.sequence DESC LIMIT 1) v"
        " WHERE r.organization_id = %s AND r.register = 1 AND v.body <> '' AND v.state = 'required'"
        "  AND v.done_at IS NULL AND v.waived_at IS NULL AND v.ends_at IS NULL AND v.begins_at < %s"
        "  AND v.body::json->>'course_release_id' IS NOT NULL"
        " ORDER BY r.learner_profile_id, r.birth",
        [organization_id, NOW - timedelta(days=30)],
    )
    assert len(found) >= 6, "The story has too few people who owe something."
    return found


def _completed(
    organization_id: uuid.UUID, learner_profile_id: uuid.UUID, course_release_id: uuid.UUID, at: datetime
) -> FactLine:
    return kinds.CourseCompleted(
        fact_id=uuid.uuid4(), at=at, completion_receipt_id=uuid.uuid4(), learner_profile_id=learner_profile_id,
        course_release_id=course_release_id,
    )  # fmt: skip


HAPPENINGS: dict[str, Callable[[uuid.UUID], list[FactLine]]] = {
    "change": change, "removal": removal, "erasure": erasure, "late": late,
}  # fmt: skip

if __name__ == "__main__":
    company = uuid.UUID(sys.argv[1])
    with context.company(company):
        facts = HAPPENINGS[sys.argv[2]](company)
    assert facts, "Nothing can happen."
    record(company, facts, now=NOW)
    actions.capture_all(company, datetime.now(UTC))
