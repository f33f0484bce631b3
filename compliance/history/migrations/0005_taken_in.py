"""Reminders and contacts of before are marked with the capture that took them in: the first since their recording.

What no capture has taken in yet stays unmarked, for the next one.
"""

from django.db import migrations

MARK = """
WITH moments AS (
    SELECT organization_id, captured_at AS moment, capture_sequence FROM history_capture
    UNION ALL
    SELECT DISTINCT organization_id, recorded_at, NULL::bigint FROM pending_fact WHERE kind = ANY(ARRAY[{kinds}])
), taken AS (
    SELECT organization_id, moment, min(capture_sequence) OVER (
        PARTITION BY organization_id ORDER BY moment RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS capture_sequence
    FROM moments
), once AS (SELECT DISTINCT organization_id, moment, capture_sequence FROM taken)
UPDATE {table} t SET capture_sequence = once.capture_sequence
FROM pending_fact f JOIN once ON once.organization_id = f.organization_id AND once.moment = f.recorded_at
WHERE f.organization_id = t.organization_id AND f.fact_id = t.fact_id
"""


class Migration(migrations.Migration):
    dependencies = [
        ("history", "0004_ahead_of_time"),
        ("training", "0002_reminder_capture"),
        ("people", "0003_contact_capture"),
        ("pending", "0002_waits_until"),
    ]

    operations = [
        migrations.RunSQL(
            [
                MARK.format(table="training_reminder", kinds="'reminder_sent'"),
                MARK.format(table="people_contact", kinds="'contact_joined', 'contact_left'"),
            ],
            migrations.RunSQL.noop,
        )
    ]
