"""Marks reminders and contacts with the number of the capture that took them in.

Registers read these two from the facts and not from history rows: reminders are counted at read, and the company that a
contact came from is personal. A reader pinned to a capture counts those that are marked with its number or a lower one.
Their moments would not do, since a transaction that began before the pin may commit after it.
"""

import uuid
from datetime import datetime

from compliance.tenancy import sql

_UNMARKED = """
UPDATE {table} SET capture_sequence = %(capture_sequence)s
WHERE organization_id = (SELECT %(organization_id)s::uuid) AND id IN (
    SELECT id FROM {table} WHERE organization_id = (SELECT %(organization_id)s::uuid)
        AND capture_sequence IS NULL AND at <= %(now)s FOR UPDATE SKIP LOCKED)
"""
# Skipped is what an erasure clears at this moment: it is marked by the capture that follows the erasure. To wait for
# a recording would hold the head's lock as long as that takes.
_TAKE_IN = (
    f"WITH reminders AS ({_UNMARKED.format(table='training_reminder')}){_UNMARKED.format(table='people_contact')}"
)


def take_in(organization_id: uuid.UUID, capture_sequence: int, now: datetime) -> None:
    """Marks what was recorded and takes effect by `now` as taken in by the capture with this number.

    Needs the head's lock: captures mark one after the other, so what a number counts is settled when it is committed.
    """
    sql.execute(_TAKE_IN, {"organization_id": organization_id, "capture_sequence": capture_sequence, "now": now})
