"""What stands of the records that the claimed subjects may change, as the history has it (design 5)."""

import uuid
from collections import defaultdict

from compliance.facts.pending.models import SubjectKind
from compliance.facts.reach import Subject
from compliance.history import numbers
from compliance.history.append import Said, StoredRecord
from compliance.tenancy import arrays, sql

Key = tuple[int, uuid.UUID]

# One statement for each way in which a subject finds its records. LATERAL with OFFSET 0 holds the planner to one
# index look-up a subject. The company is a sub-select because as a constant it misleads the planner: one that is not
# in the statistics yet seems to have no rows, so any index that starts with it seems as good as the one that fits, and
# after an import each look-up scanned the whole company.
_BY_PAIR = """
SELECT w.first, w.second, r.register, r.record_id, r.birth
FROM unnest(%(firsts)b::uuid[], %(seconds)b::uuid[]) AS w (first, second)
CROSS JOIN LATERAL (
    SELECT register, record_id, birth FROM history_historyrecord
    WHERE organization_id = (SELECT %(organization_id)b::uuid)
        AND learner_profile_id = w.first AND course_id = w.second OFFSET 0
) r WHERE r.register = ANY(%(registers)b::smallint[])
"""
_BY_PERSON = """
SELECT w.first, NULL::uuid, r.register, r.record_id, r.birth FROM unnest(%(firsts)b::uuid[]) AS w (first)
CROSS JOIN LATERAL (
    SELECT register, record_id, birth FROM history_historyrecord
    WHERE organization_id = (SELECT %(organization_id)b::uuid)
        AND learner_profile_id = w.first AND course_id IS NULL OFFSET 0
) r WHERE r.register = ANY(%(registers)b::smallint[])
"""
_BY_COURSE = """
SELECT w.first, NULL::uuid, 4::smallint, r.record_id, r.birth FROM unnest(%(firsts)b::uuid[]) AS w (first)
CROSS JOIN LATERAL (
    SELECT record_id, birth FROM history_historyrecord
    WHERE organization_id = (SELECT %(organization_id)b::uuid) AND register = 4 AND course_id = w.first OFFSET 0
) r
"""
_BY_ID = """
SELECT w.first, NULL::uuid, r.register, r.record_id, r.birth FROM unnest(%(firsts)b::uuid[]) AS w (first)
CROSS JOIN LATERAL (
    SELECT register, record_id, birth FROM history_historyrecord
    WHERE organization_id = (SELECT %(organization_id)b::uuid) AND record_id = w.first OFFSET 0
) r WHERE r.register = ANY(%(registers)b::smallint[])
"""
_WAYS: dict[str, tuple[str, tuple[int, ...]]] = {
    SubjectKind.PERSON_COURSE.value: (_BY_PAIR, (numbers.TRAINING_RECORDS, numbers.CERTIFICATES)),
    SubjectKind.PERSON_POLICY.value: (_BY_PAIR, (numbers.POLICY_RECORDS,)),
    SubjectKind.PERSON.value: (_BY_PERSON, (numbers.PEOPLE,)),
    SubjectKind.INVITATION.value: (_BY_ID, (numbers.PEOPLE,)),
    SubjectKind.COURSE.value: (_BY_COURSE, (numbers.COURSES,)),
    SubjectKind.POLICY_VERSION.value: (_BY_ID, (numbers.POLICIES,)),
    SubjectKind.RECEIPT.value: (_BY_ID, (numbers.ACKNOWLEDGEMENTS,)),
}

_STANDING = """
SELECT v.birth, v.valid_from, v.body, v.state, v.state_before_end
FROM unnest(%b::bigint[]) AS w (birth)
CROSS JOIN LATERAL (
    SELECT DISTINCT ON (valid_from) birth, valid_from, body, state, state_before_end FROM history_historyrow
    WHERE organization_id = (SELECT %b::uuid) AND birth = w.birth ORDER BY valid_from DESC, sequence DESC
) v
ORDER BY v.birth, v.valid_from
"""


def load(organization_id: uuid.UUID, subjects: list[Subject]) -> dict[Subject, dict[Key, StoredRecord]]:
    """The records that stand, by subject, then by register and id; subjects without any are missing.

    A statement a kind, and one for the versions.
    """
    by_kind: dict[str, list[Subject]] = defaultdict(list)
    for subject in subjects:
        by_kind[subject[0]].append(subject)
    of_subject: dict[Subject, dict[Key, StoredRecord]] = defaultdict(dict)
    by_birth: dict[int, StoredRecord] = {}
    for kind, own in by_kind.items():
        statement, registers = _WAYS[kind]
        parameters = {
            "organization_id": organization_id,
            "firsts": arrays.uuids([first for _, first, _ in own]),
            "seconds": arrays.uuids([second for _, _, second in own]),
            "registers": arrays.smallints(registers),
        }
        for first, second, register, record_id, birth in sql.fetch(statement, parameters):
            record = StoredRecord(register, record_id, birth, [])
            by_birth[birth] = of_subject[kind, first, second][register, record_id] = record
    if by_birth:
        for birth, valid_from, body, state, state_before_end in sql.fetch(
            _STANDING, [arrays.bigints(list(by_birth)), organization_id]
        ):
            by_birth[birth].standing.append((valid_from, Said(body, state, state_before_end)))
    return of_subject
