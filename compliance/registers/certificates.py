"""`/v1/certificates`: certificates issued by a moment, with their state then.

The holder's name is the one on the certificate as issued, which was stored when it was first recorded. An erased holder
has the label of erased people, and no check code.
"""

from collections.abc import Sequence
from uuid import UUID

from compliance.catalogue.certificates import CERTIFICATES
from compliance.facts.certificates.naming import NamedCertificate, Names, name_kept
from compliance.facts.certificates.queries import code_kept
from compliance.facts.people import queries as people
from compliance.facts.training.queries import trainer_kept
from compliance.history import outcomes
from compliance.registers import splicing
from compliance.registers.pages import Filter, Listing, Record
from compliance.registers.questions import Question
from compliance.registers.splicing import Rows
from compliance.rules.owed_learning.outcome import certificate_status
from compliance.tenancy import reading

TRAINER = "Trainer"
"""The name of a trainer without one."""

_WANTED = (
    "r.state, r.due_at, r.body, p.erased_at, c.check_code, t.trainer_profile_id, t.trainer_name,"
    " n.person_name, r.record_id, r.learner_profile_id, r.begins_at"
)

_JOINED = f"""
{people.looked_up("r")}
LEFT JOIN LATERAL {code_kept("r.record_id")} c ON true
LEFT JOIN LATERAL {name_kept("r.record_id")} n ON true
LEFT JOIN LATERAL {trainer_kept("r.live_session_id")} t ON true"""


def _present(question: Question, records: Sequence[Record]) -> Rows:
    opening = splicing.opening(question)
    names = _names_of_later(question, records)
    rows = []
    for (
        _, _, state, valid_until, body, erased_at, check_code, trainer_profile_id, trainer_name, person_name,
        certificate_id, _, _,
    ) in records:  # fmt: skip
        person_name = person_name or names.get(certificate_id)
        status = certificate_status(state, valid_until, question.moment)
        trainer = None if trainer_profile_id is None else trainer_name or TRAINER
        who = "}"
        if question.personal:
            code = check_code if erased_at is None and check_code is not None else ""
            who = f',"person_name":{splicing.name_of(person_name, erased_at)},"check_code":{splicing.quoted(code)}}}'
        rows.append(
            f'{opening}{splicing.members(body)},"status":"{status.value}","trainer_name":{splicing.quoted(trainer)}{who}'
        )
    return splicing.whole(rows)


def _names_of_later(question: Question, records: Sequence[Record]) -> dict[UUID, str | None]:
    """Names that became known only later, for certificates whose holders had none when they were issued."""
    nameless = [NamedCertificate(*record[10:]) for record in records if record[9] is None and record[5] is None]
    if not question.personal or not nameless:
        return {}
    reading.use_primary()  # these statements are Django's
    names = Names()
    names.load(question.company.organization_id, {each.learner_profile_id for each in nameless})
    return {each.certificate_id: names.at(*each) for each in nameless}


def _basis(question: Question, versions: Sequence[Record]) -> list[str]:
    return [f'{{"state":"{version[3]}"}}' for version in versions]


LISTINGS = (
    Listing(
        register=CERTIFICATES,
        condition="v.begins_at <= %(moment)s",
        wanted=_WANTED,
        present=_present,
        basis=_basis,
        columns=", v.live_session_id",
        joined=_JOINED,
        settles=True,
        filters={
            "valid": Filter("Valid", outcomes.VALID, ("certificate", "30", "60", "90", "later")),
            "expired": Filter("Expired", outcomes.EXPIRED, ("certificate", "expired")),
            "expiring": Filter(
                "Expires within 90 days",
                outcomes.EXPIRING,
                ("certificate", "30", "60", "90"),
            ),
            "revoked": Filter("Revoked", "v.state = 'revoked'", ("certificate", "revoked")),
            "replaced": Filter("Replaced", "v.state = 'replaced'", ("certificate", "replaced")),
        },
    ),
)
