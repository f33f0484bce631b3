"""To which record a reminder belongs (design 4 and 6: each belongs to the record open at its moment)."""

from datetime import datetime
from uuid import UUID

from compliance.rules.owed_learning.decisions import Decision, RecordContent


def reminded_record(decision: Decision, moment: datetime) -> UUID | None:
    """The id of the record, open at `moment`, that a reminder sent then belongs to; None if nothing was open.

    Open: neither completed nor waived nor ended. With several, the release's comes before the renewal, a lesson's last.
    """
    found: list[tuple[int, str, UUID]] = []
    for record_id, versions in decision.records:
        content: RecordContent | None = None
        for version in versions:
            if version.valid_from > moment:
                break
            content = version.content
        if content is None or content.completed_at or content.waived_at or content.ended_at:
            continue
        if content.lesson_release_id is not None:
            found.append((2, str(content.lesson_release_id), record_id))
        elif content.renews_certificate_id is not None:
            found.append((1, str(record_id), record_id))
        else:
            found.append((0, str(record_id), record_id))
    return min(found)[2] if found else None
