"""`/v1/policies`, `/v1/policy-records` and `/v1/acknowledgements`.

Versions come by publication, oldest first; receipts in the order of their chain, which is that of their record numbers.
"""

from collections.abc import Sequence

from compliance.catalogue.policies import ACKNOWLEDGEMENTS, POLICIES, POLICY_RECORDS
from compliance.facts.people import queries as people
from compliance.facts.people.lookups import contact_company
from compliance.facts.policies.queries import signer_company
from compliance.history import outcomes
from compliance.registers import splicing
from compliance.registers.pages import Filter, Listing, Record
from compliance.registers.questions import Question
from compliance.registers.splicing import Rows
from compliance.rules.policies.state import state_at
from compliance.rules.vocabulary import Door


def _present_versions(question: Question, records: Sequence[Record]) -> Rows:
    opening = splicing.opening(question)
    return splicing.whole(f"{opening}{splicing.members(record[2])}}}" for record in records)


_VERSIONS = Listing(
    register=POLICIES,
    condition="v.begins_at <= %(moment)s",
    wanted="v.body",
    present=_present_versions,
    by_publication=True,
    settles=True,
)

_RECORD_JOINED = f"""{people.looked_up("r")}
LEFT JOIN LATERAL (SELECT coalesce({signer_company("r.receipt_id")}, {contact_company("r")}) AS company
    WHERE r.door <> '{Door.EMPLOYEE}') s ON true"""


def _present_records(question: Question, records: Sequence[Record]) -> Rows:
    opening = splicing.opening(question)
    rows = []
    for _, _, due_at, signed_at, body, person_name, account_email, erased_at, company in records:
        state = state_at(None if signed_at is None else "settled", due_at, question.moment)
        rows.append(
            f'{opening}{splicing.members(body)},"state":"{state.value}"'
            f',"company":{splicing.address_of(company, erased_at)}'
            + splicing.ending(question, "account_email", person_name, account_email, erased_at)
        )
    return splicing.whole(rows)


_RECORDS = Listing(
    register=POLICY_RECORDS,
    condition="true",
    wanted="r.due_at, r.done_at, r.body, p.person_name, p.account_email, p.erased_at, s.company",
    present=_present_records,
    columns=", v.door, v.receipt_id",
    joined=_RECORD_JOINED,
    settles=True,
    filters={
        "to_do": Filter("To do", outcomes.SIGNATURE_TO_DO, ("signature", "to_do")),
        "overdue": Filter("Overdue", outcomes.SIGNATURE_OVERDUE, ("signature", "overdue")),
        "unsigned": Filter("Not signed", outcomes.UNSIGNED, ("signature", "to_do", "overdue")),
        "signed": Filter("Signed", outcomes.SIGNED, ("signature", "signed")),
    },
)

_RECEIPT_JOINED = f"""{people.looked_up("r")}
LEFT JOIN LATERAL (SELECT {signer_company("r.record_id")} AS signer_company
    WHERE r.door <> '{Door.EMPLOYEE}') s ON true"""


def _present_receipts(question: Question, records: Sequence[Record]) -> Rows:
    opening = splicing.opening(question)
    rows = []
    for _, _, body, person_name, account_email, erased_at, company in records:
        rows.append(
            f'{opening}{splicing.members(body)},"signer_company":{splicing.address_of(company, erased_at)}'
            + splicing.ending(question, "account_email", person_name or account_email, account_email, erased_at)
        )
    return splicing.whole(rows)


_RECEIPTS = Listing(
    register=ACKNOWLEDGEMENTS,
    condition="v.begins_at <= %(moment)s AND (%(start)s::timestamptz IS NULL OR v.begins_at >= %(start)s)",
    wanted="r.body, p.person_name, p.account_email, p.erased_at, s.signer_company",
    present=_present_receipts,
    columns=", v.door",
    joined=_RECEIPT_JOINED,
    settles=True,
)

LISTINGS = (_VERSIONS, _RECORDS, _RECEIPTS)
