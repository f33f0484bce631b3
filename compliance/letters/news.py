"""Finds news by reading what the history has written since the last search.

News is a course or policy that a person newly owes, or a certificate that was issued to them. What was already so three
days ago is not news, so an import of past facts sends no letters. The first search in a company begins at the end of
its history.
"""

import uuid
from collections import defaultdict
from datetime import datetime, timedelta

from compliance.history import owed
from compliance.history.queries import sequence, sequences
from compliance.letters.actions import Asked, Kind, ask_many
from compliance.letters.models import LettersRead
from compliance.tenancy import context, nodes

LATEST = timedelta(days=3)
_ROWS_AT_ONCE = 20_000
_ROWS_A_RUN = 1_000_000
"""About a minute's work. The look of the next minute goes on, so that no backlog is longer than a task may last."""


def read(organization_id: uuid.UUID, now: datetime) -> int:
    """Requests a letter to each person with news, and returns how many were requested.

    One letter for each person, whatever the news, and one for each certificate. If several workers search at once, one
    does the work. Of a long backlog it reads the first part only.
    """
    with context.company(organization_id):
        upto = sequence(organization_id)
        LettersRead.objects.get_or_create(organization_id=organization_id, defaults={"sequence": upto})
        looked = LettersRead.objects.select_for_update(skip_locked=True).filter(organization_id=organization_id).first()
        if looked is None or looked.sequence >= upto:
            return 0
        upto = min(upto, looked.sequence + _ROWS_A_RUN)
        to_do: dict[uuid.UUID, dict[uuid.UUID, bool]] = defaultdict(dict)
        certificates: dict[uuid.UUID, uuid.UUID] = {}
        for after in range(looked.sequence, upto, _ROWS_AT_ONCE):
            last = min(after + _ROWS_AT_ONCE, upto)
            for each in owed.came(organization_id, after=after, upto=last, since=now - LATEST, now=now):
                if each.certificate:
                    certificates[each.record_id] = each.learner_profile_id
                else:
                    to_do[each.learner_profile_id][each.record_id] = each.policy
        looked.sequence = upto
        looked.save(update_fields=["sequence"])
        ask_many(organization_id, Kind.NEW, _letters(to_do, policies_alone=False), now=now)
        ask_many(organization_id, Kind.POLICY, _letters(to_do, policies_alone=True), now=now)
        issued = [
            Asked(learner, subject_ids=(certificate_id,), letter_id=certificate_id)
            for certificate_id, learner in certificates.items()
        ]
        ask_many(organization_id, Kind.CERTIFICATE, issued, now=now)
        return len(to_do) + len(issued)


def companies_behind() -> set[uuid.UUID]:
    """The companies whose history has grown since the last search, or was never searched.

    Two statements for each node, outside any company's context.
    """
    looked: dict[uuid.UUID, int] = dict(nodes.fetch("SELECT * FROM letters_read(%(companies)s::uuid[])"))
    return {company for company, upto in sequences().items() if company not in looked or looked[company] < upto}


def _letters(to_do: dict[uuid.UUID, dict[uuid.UUID, bool]], *, policies_alone: bool) -> list[Asked]:
    return [
        Asked(learner, subject_ids=tuple(records))
        for learner, records in to_do.items()
        if all(records.values()) == policies_alone
    ]
