"""`/v1/certificates`: certificates issued by a moment, with their state then (contract; design 6).

The holder's name is the one issued on the certificate: of the newest correction that names one, else what was current
when the first of the chain was issued, else the first that became known. An erased holder has the label, and no check
code.
"""

from collections.abc import Sequence

from compliance.history import numbers
from compliance.registers import splicing
from compliance.registers.pages import Listing, Record
from compliance.registers.questions import Question
from compliance.rules.owed_learning.outcome import certificate_status

TRAINER = "Trainer"
"""What stands for a trainer without a name (design 8)."""

_WANTED = (
    "r.state, r.due_at, r.body, p.person_name, p.erased_at, n.person_name, c.check_code, t.trainer_profile_id,"
    " t.trainer_name"
)

_JOINED = """
LEFT JOIN LATERAL (SELECT person_name, erased_at FROM people_profile p
    WHERE p.organization_id = (SELECT %(organization)s::uuid) AND p.learner_profile_id = r.learner_profile_id
    LIMIT 1) p ON true
LEFT JOIN LATERAL (SELECT check_code FROM certificates_checkcode c
    WHERE c.organization_id = (SELECT %(organization)s::uuid) AND c.certificate_id = r.record_id LIMIT 1) c ON true
LEFT JOIN LATERAL (
    WITH RECURSIVE chain AS (
        SELECT 0 AS depth, c.supersedes_id, c.person_name, c.at FROM certificates_certificatecorrection c
        WHERE c.organization_id = (SELECT %(organization)s::uuid) AND c.certificate_id = r.record_id
        UNION ALL
        SELECT chain.depth + 1, c.supersedes_id, c.person_name, c.at
        FROM chain JOIN certificates_certificatecorrection c
          ON c.organization_id = (SELECT %(organization)s::uuid) AND c.certificate_id = chain.supersedes_id
        WHERE chain.person_name IS NULL AND chain.depth < 100)
    SELECT coalesce(
        (SELECT chain.person_name FROM chain WHERE chain.person_name IS NOT NULL ORDER BY depth LIMIT 1),
        (SELECT d.person_name FROM people_personaldetail d
         WHERE d.organization_id = (SELECT %(organization)s::uuid) AND d.learner_profile_id = r.learner_profile_id
           AND d.person_name IS NOT NULL AND d.at <= coalesce((
               SELECT root.begins_at FROM chain
               JOIN history_historyrecord h ON h.organization_id = (SELECT %(organization)s::uuid)
                AND h.record_id = chain.supersedes_id AND h.register = %(register)s
               JOIN history_historyrow root ON root.organization_id = (SELECT %(organization)s::uuid)
      AND root.sequence = h.birth
               ORDER BY depth DESC LIMIT 1), r.begins_at)
         ORDER BY d.at DESC, d.id DESC LIMIT 1),
        (SELECT d.person_name FROM people_personaldetail d
         WHERE d.organization_id = (SELECT %(organization)s::uuid) AND d.learner_profile_id = r.learner_profile_id
           AND d.person_name IS NOT NULL ORDER BY d.at, d.id LIMIT 1)) AS person_name LIMIT 1) n ON true
LEFT JOIN LATERAL (SELECT s.trainer_profile_id, t.trainer_name FROM training_livesession s
    LEFT JOIN training_trainer t ON t.organization_id = (SELECT %(organization)s::uuid)
      AND t.trainer_profile_id = s.trainer_profile_id
    WHERE s.organization_id = (SELECT %(organization)s::uuid) AND strpos(r.body, '"live_session_id":null') = 0
      AND s.live_session_id = (r.body::json ->> 'live_session_id')::uuid LIMIT 1) t ON true"""


def _present(question: Question, records: Sequence[Record]) -> list[str]:
    opening = splicing.opening(question)
    rows = []
    for (
        _, _, standing, valid_until, body, person_name, erased_at, issued_name, check_code, trainer_profile_id,
        trainer_name,
    ) in records:  # fmt: skip
        status = certificate_status(standing, valid_until, question.moment)
        trainer = None if trainer_profile_id is None else trainer_name or TRAINER
        who = "}"
        if question.personal:
            code = check_code if erased_at is None and check_code is not None else ""
            who = (
                f',"person_name":{splicing.name_of(issued_name or person_name, erased_at)}'
                f',"check_code":{splicing.quoted(code)}}}'
            )
        rows.append(
            f'{opening}{splicing.members(body)},"status":"{status.value}","trainer_name":{splicing.quoted(trainer)}{who}'
        )
    return rows


CERTIFICATES = Listing(
    register=numbers.CERTIFICATES,
    condition="v.begins_at <= %(moment)s",
    wanted=_WANTED,
    present=_present,
    joined=_JOINED,
    settles=True,
)
