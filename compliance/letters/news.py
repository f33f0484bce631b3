"""What is new, found by reading what the history wrote since it was looked at last.

A course or policy that somebody owes since lately, or a certificate that they were issued, is written about; nothing
is that was so three days ago, so an import of the past writes to nobody. The first look at a company begins where its
history ends then.
"""

import uuid
from collections import defaultdict
from datetime import datetime, timedelta

from compliance.history import owed
from compliance.history.queries import sequence
from compliance.letters.actions import Asked, Kind, ask_many
from compliance.letters.models import LettersRead
from compliance.tenancy import context

LATEST = timedelta(days=3)
_ROWS_AT_ONCE = 20_000


def read(organization_id: uuid.UUID, now: datetime) -> int:
    """Asks for a letter to each person to whom something new came, and returns how many letters these are.

    One letter a person, whatever came, and one for each certificate. Several workers may look at once: one does.
    """
    with context.company(organization_id):
        upto = sequence(organization_id)
        LettersRead.objects.get_or_create(organization_id=organization_id, defaults={"sequence": upto})
        looked = LettersRead.objects.select_for_update(skip_locked=True).filter(organization_id=organization_id).first()
        if looked is None or looked.sequence >= upto:
            return 0
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


def is_behind(organization_id: uuid.UUID) -> bool:
    """Whether the history has grown since it was looked at, or never was. Needs the company's context."""
    looked = LettersRead.objects.filter(organization_id=organization_id).values_list("sequence", flat=True).first()
    return looked is None or looked < sequence(organization_id)


def _letters(to_do: dict[uuid.UUID, dict[uuid.UUID, bool]], *, policies_alone: bool) -> list[Asked]:
    return [
        Asked(learner, subject_ids=tuple(records))
        for learner, records in to_do.items()
        if all(records.values()) == policies_alone
    ]
