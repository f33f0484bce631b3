"""What stands of the records that the claimed subjects may change, as the history has it (design 5)."""

import uuid
from collections import defaultdict
from typing import NamedTuple

from compliance.facts.decision_facts import Subject
from compliance.history import arrays, numbers
from compliance.history.append import Said, StoredRecord
from compliance.history.arrays import word_piece
from compliance.tenancy import sql

Key = tuple[int, uuid.UUID]

# Which records each kind of subject decides: those found by their person and course, or by their own id.
_RECORDS = """
SELECT w.kind, w.first, w.second, r.register, r.record_id, r.birth
FROM unnest(%(kinds)b::text[], %(firsts)b::uuid[], %(seconds)b::uuid[]) AS w (kind, first, second)
JOIN history_historyrecord r ON r.organization_id = %(organization_id)b
    AND r.learner_profile_id = w.first AND r.course_id = w.second
WHERE (w.kind = 'person_course' AND r.register IN (1, 3)) OR (w.kind = 'person_policy' AND r.register = 6)
UNION ALL
SELECT w.kind, w.first, w.second, r.register, r.record_id, r.birth
FROM unnest(%(kinds)b::text[], %(firsts)b::uuid[], %(seconds)b::uuid[]) AS w (kind, first, second)
JOIN history_historyrecord r ON r.organization_id = %(organization_id)b
    AND r.learner_profile_id = w.first AND r.course_id IS NULL
WHERE w.kind = 'person' AND r.register = 2
UNION ALL
SELECT w.kind, w.first, w.second, r.register, r.record_id, r.birth
FROM unnest(%(kinds)b::text[], %(firsts)b::uuid[], %(seconds)b::uuid[]) AS w (kind, first, second)
JOIN history_historyrecord r ON r.organization_id = %(organization_id)b AND r.course_id = w.first AND r.register = 4
WHERE w.kind = 'course'
UNION ALL
SELECT w.kind, w.first, w.second, r.register, r.record_id, r.birth
FROM unnest(%(kinds)b::text[], %(firsts)b::uuid[], %(seconds)b::uuid[]) AS w (kind, first, second)
JOIN history_historyrecord r ON r.organization_id = %(organization_id)b AND r.record_id = w.first
WHERE (w.kind = 'invitation' AND r.register = 2) OR (w.kind = 'policy_version' AND r.register = 5)
    OR (w.kind = 'receipt' AND r.register = 7)
"""

_STANDING = """
SELECT v.birth, v.valid_from, v.body, v.state, v.state_before_end
FROM unnest(%b::bigint[]) AS w (birth)
CROSS JOIN LATERAL (
    SELECT DISTINCT ON (valid_from) birth, valid_from, body, state, state_before_end FROM history_historyrow
    WHERE organization_id = %b AND birth = w.birth ORDER BY valid_from DESC, sequence DESC
) v
ORDER BY v.birth, v.valid_from
"""


class Stored(NamedTuple):
    """The records by register and id, and the records of each subject."""

    records: dict[Key, StoredRecord]
    of_subject: dict[Subject, list[Key]]


def load(organization_id: uuid.UUID, subjects: list[Subject]) -> Stored:
    """What stands of the subjects' records: one statement for the records, one for their versions."""
    kinds, firsts, seconds = zip(*subjects, strict=True)
    found = sql.fetch(
        _RECORDS,
        {
            "organization_id": organization_id,
            "kinds": arrays.texts([word_piece(kind) for kind in kinds]),
            "firsts": arrays.uuids(firsts),
            "seconds": arrays.uuids(seconds),
        },
    )
    records: dict[Key, StoredRecord] = {}
    of_subject: dict[Subject, list[Key]] = defaultdict(list)
    by_birth: dict[int, StoredRecord] = {}
    for kind, first, second, register, record_id, birth in found:
        record = StoredRecord(register, record_id, birth, [])
        records[register, record_id] = by_birth[birth] = record
        of_subject[kind, first, second].append((register, record_id))
    if by_birth:
        for birth, valid_from, body, state, state_before_end in sql.fetch(
            _STANDING, [arrays.bigints(list(by_birth)), organization_id]
        ):
            by_birth[birth].standing.append((valid_from, Said(body, state, state_before_end)))
    return Stored(records, of_subject)


NOTHING_STORED = Stored({}, {})

# The statement above spells the registers' numbers.
assert (numbers.TRAINING_RECORDS, numbers.PEOPLE, numbers.CERTIFICATES, numbers.COURSES) == (1, 2, 3, 4)
assert (numbers.POLICIES, numbers.POLICY_RECORDS, numbers.ACKNOWLEDGEMENTS) == (5, 6, 7)
