"""Marks reminders and contacts with the number of the capture that processed them.

Registers read these two from the facts and not from history rows: reminders are counted when a row is read, and a
contact's company is personal. A reader pinned to a capture counts those that are marked with its number or a lower one.
Comparing moments is not enough, because a transaction that began before the pin may commit after it.
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
# Locked rows are skipped: an erasure is clearing them, and the capture that follows it marks them. Waiting for a
# recording would hold the lock of the head for as long as it takes.
_TAKE_IN = (
    f"WITH reminders AS ({_UNMARKED.format(table='training_reminder')}){_UNMARKED.format(table='people_contact')}"
)


def take_in(organization_id: uuid.UUID, capture_sequence: int, now: datetime) -> None:
    """Marks what was recorded and takes effect by `now` with the number of this capture.

    Needs the head's lock: captures mark one after the other, so what a number covers is final once it is committed.
    """
    sql.execute(_TAKE_IN, {"organization_id": organization_id, "capture_sequence": capture_sequence, "now": now})
