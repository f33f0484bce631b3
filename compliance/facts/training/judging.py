"""Judges changes of obligations and of certificates with the whole file and the store read (design 3 and 4).

Only the decider knows whether a record or a certificate exists at a moment, so it is asked: the facts of the persons
and courses concerned are loaded as the history's writer loads them, and what it refuses is taken away again.
"""

import uuid
from collections import defaultdict
from typing import Any

from compliance.facts.decision_facts import load_person_courses
from compliance.facts.recording.batch import Batch, Staged, Why
from compliance.rules.owed_learning.decide import decide, prepare
from compliance.rules.owed_learning.decisions import RefusedFact
from compliance.tenancy import queries, sql

_Key = tuple[str, Any]


def judge_training(batches: dict[str, list[Batch[Any]]]) -> None:
    """Refuses, among the lines of `batches`, those that the decider refuses."""
    waiting: dict[_Key, tuple[Batch[Any], Staged[Any]]] = {}
    pairs: set[tuple[uuid.UUID, uuid.UUID]] = set()
    for each in batches.values():
        for batch in each:
            for staged in batch.standing():
                waiting[_key(staged.line)] = (batch, staged)
            pairs |= {
                (first, second) for _, first, second in batch.subjects if first is not None and second is not None
            }
    if not waiting:
        return
    batch = next(batch for each in batches.values() for batch in each)
    zone = queries.organization(batch.organization_id).time_zone
    asked = list(pairs)
    facts = load_person_courses(batch.organization_id, asked)
    prepared = {course_id: prepare(course) for course_id, course in facts.courses.items()}
    gone: dict[str, list[Any]] = defaultdict(list)
    for place, doing in facts.doings.items():
        profile_id, course_id = asked[place]
        decision = decide(
            batch.organization_id, zone, prepared[course_id], facts.learners[profile_id], doing, batch.now
        )
        for refusal in decision.refusals:
            found = waiting.get((refusal.fact, refusal.fact_key))
            if found is not None:
                own, staged = found
                own.refuse(staged, Why.RULE, refusal.sentence)
                gone[staged.line.fact].append(refusal.fact_key)
    for kind, keys in gone.items():
        sql.execute(_TAKE_AWAY[kind], (batch.organization_id, keys))


def _key(line: Any) -> _Key:
    if line.fact == RefusedFact.OBLIGATION_CHANGED:
        return line.fact, line.obligation_change_id
    return line.fact, line.certificate_id


_TAKE_AWAY = {
    "obligation_changed": "DELETE FROM training_obligationchange"
    " WHERE organization_id = %s AND obligation_change_id = ANY(%s)",
    "certificate_corrected": "DELETE FROM certificates_certificatecorrection"
    " WHERE organization_id = %s AND certificate_id = ANY(%s)",
    "certificate_revoked": "DELETE FROM certificates_certificaterevocation"
    " WHERE organization_id = %s AND certificate_id = ANY(%s)",
}
