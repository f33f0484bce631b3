"""Reads the stored records that the claimed subjects may change, each with its versions as known now."""

import uuid
from collections import defaultdict

from compliance.catalogue import REGISTERS
from compliance.catalogue.courses import COURSES
from compliance.facts.fan_out import Subject
from compliance.facts.ledger.models import SubjectKind
from compliance.history.append import Content, StoredRecord
from compliance.history.projections import stored_identity
from compliance.proofs.history import visible_text
from compliance.tenancy import arrays, sql

Key = tuple[int, uuid.UUID]

# One statement per way in which a kind of subject finds its records. LATERAL with OFFSET 0 makes the planner use one
# index look-up per subject. The company is a sub-select because the planner assumes that a constant which is not in its
# statistics yet has no rows: any index that begins with the company then seems as good as the right one, and after an
# import each look-up would scan the whole company.
_FOUND = """
SELECT w.first, w.second, r.register, r.record_id, r.birth
FROM unnest(%(firsts)b::uuid[], %(seconds)b::uuid[]) AS w (first, second)
CROSS JOIN LATERAL (
    SELECT register, record_id, birth FROM history_historyrecord
    WHERE organization_id = (SELECT %(organization_id)b::uuid) AND {way} OFFSET 0
) r WHERE r.register = ANY(%(registers)b::smallint[])
"""
_OF_PAIR = "learner_profile_id = w.first AND course_id = w.second"
_WAYS: dict[str, str] = {
    kind.value: _FOUND.format(way=way)
    for kind, way in {
        SubjectKind.PERSON_COURSE: _OF_PAIR,
        SubjectKind.PERSON_POLICY: _OF_PAIR,
        SubjectKind.PERSON: "learner_profile_id = w.first AND course_id IS NULL",
        SubjectKind.COURSE: f"register = {COURSES.number} AND course_id = w.first",
        SubjectKind.INVITATION: "record_id = w.first",
        SubjectKind.POLICY_VERSION: "record_id = w.first",
        SubjectKind.RECEIPT: "record_id = w.first",
    }.items()
}
_WRITES = {kind: tuple(number for number, register in REGISTERS.items() if kind in register.subjects) for kind in _WAYS}
"""The registers whose records each kind of subject may change."""

_TIMELINES = """
SELECT v.birth, v.valid_from, v.body, v.state, v.state_before_end
FROM unnest(%b::bigint[]) AS w (birth)
CROSS JOIN LATERAL (
    SELECT DISTINCT ON (valid_from) birth, valid_from, body, state, state_before_end FROM history_historyrow
    WHERE organization_id = (SELECT %b::uuid) AND birth = w.birth ORDER BY valid_from DESC, sequence DESC
) v
ORDER BY v.birth, v.valid_from
"""


def load(organization_id: uuid.UUID, subjects: list[Subject]) -> dict[Subject, dict[Key, StoredRecord]]:
    """The stored records, by subject, then by register and id; subjects without records are missing.

    One statement per kind of subject, and one for the versions.
    """
    by_kind: dict[str, list[Subject]] = defaultdict(list)
    for subject in subjects:
        by_kind[subject[0]].append(subject)
    of_subject: dict[Subject, dict[Key, StoredRecord]] = defaultdict(dict)
    by_number: dict[int, StoredRecord] = {}
    for kind, own in by_kind.items():
        parameters = {
            "organization_id": organization_id,
            "firsts": arrays.uuids([first for _, first, _ in own]),
            "seconds": arrays.uuids([second for _, _, second in own]),
            "registers": arrays.smallints(_WRITES[kind]),
        }
        for first, second, register, record_id, record_number in sql.fetch(_WAYS[kind], parameters):
            record = StoredRecord(register, record_id, record_number, [])
            by_number[record_number] = of_subject[kind, first, second][register, record_id] = record
    if by_number:
        for record_number, valid_from, body, state, state_before_end in sql.fetch(
            _TIMELINES, [arrays.bigints(list(by_number)), organization_id]
        ):
            content = Content(visible_text(body).encode(), state, state_before_end, stored_identity(body))
            by_number[record_number].timeline.append((valid_from, content))
    return of_subject
