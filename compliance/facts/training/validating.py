"""Validates changes of obligations and of certificates together with the whole file and all recorded facts.

Only the decider can tell whether a record or a certificate exists at a moment. So the facts of the people and courses
concerned are loaded as the history's writer loads them, the unwritten lines are added, and what the decider refuses is
refused.
"""

import uuid
from collections import defaultdict
from datetime import datetime
from itertools import islice
from typing import Any

from compliance.facts.lines.kinds import CertificateCorrected, CertificateRevoked
from compliance.facts.recording.batch import Batch, Staged
from compliance.facts.refusal_reasons import RefusalReason
from compliance.facts.training.loading import load_person_courses
from compliance.rules.owed_learning.decide import decide, prepare
from compliance.rules.owed_learning.facts import (
    NOTHING_DONE,
    CertificateCorrection,
    CertificateRevocation,
    DoingFacts,
    ObligationChange,
)
from compliance.tenancy import queries

PAIRS_AT_ONCE = 5_000
"""The number of pairs of a learner and a course that are loaded at a time, which limits the memory used."""


def validate_training(batches: dict[str, list[Batch[Any]]]) -> None:
    """Refuses, among the lines of `batches`, those that the decider refuses."""
    waiting: dict[tuple[str, Any, datetime], tuple[Batch[Any], Staged[Any]]] = {}
    doings: dict[tuple[uuid.UUID, uuid.UUID], list[Any]] = defaultdict(list)
    for each in batches.values():
        for batch in each:
            for staged in batch.accepted():
                line = staged.line
                if isinstance(line, CertificateCorrected | CertificateRevoked):
                    waiting[line.fact, line.certificate_id, line.at] = (batch, staged)
                    doings[batch.unwritten["owner"][line.certificate_id]].append(line)
                else:
                    waiting[line.fact, line.obligation_change_id, line.at] = (batch, staged)
                    doings[line.learner_profile_id, line.course_id].append(line)
    if not waiting:
        return
    batch = next(batch for each in batches.values() for batch in each)
    zone = queries.organization(batch.organization_id).time_zone
    remaining = iter(doings.items())
    while some := list(islice(remaining, PAIRS_AT_ONCE)):
        facts = load_person_courses(batch.organization_id, [pair for pair, _ in some])
        prepared = {course_id: prepare(course) for course_id, course in facts.courses.items()}
        for place, ((profile_id, course_id), lines) in enumerate(some):
            doing = _with(facts.doings.get(place, NOTHING_DONE), lines)
            decision = decide(
                batch.organization_id, zone, prepared[course_id], facts.learners[profile_id], doing, batch.now
            )
            for refusal in decision.refusals:
                found = waiting.get((refusal.fact, refusal.fact_key, refusal.at))
                if found is not None:
                    own, staged = found
                    own.refuse(staged, RefusalReason.RULE, refusal.sentence)


def _with(doing: DoingFacts, lines: list[Any]) -> DoingFacts:
    """What a learner did in a course, with `lines` added."""
    changes, revocations, corrections = list(doing.changes), list(doing.revocations), list(doing.corrections)
    for line in lines:
        if isinstance(line, CertificateCorrected):
            corrections.append(CertificateCorrection(line.certificate_id, line.supersedes_id, line.at, line.actor_id))
        elif isinstance(line, CertificateRevoked):
            revocations.append(CertificateRevocation(line.certificate_id, line.at, line.actor_id))
        else:
            changes.append(
                ObligationChange(
                    line.obligation_change_id, line.at, line.change, line.reason_code, line.due_at, line.actor_id
                )
            )
    return doing._replace(changes=tuple(changes), revocations=tuple(revocations), corrections=tuple(corrections))
