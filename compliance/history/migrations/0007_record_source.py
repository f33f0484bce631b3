"""Which course versions are behind training records, and since when: kept from now on, and found for what stands.

A record says its release in its body; that of a lesson shared alone says none, but its id is made from the lesson's.
"""

import uuid

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from compliance.rules.owed_learning.identity import record_id
from compliance.tenancy import protection

_OF_RELEASES = """
INSERT INTO history_recordsource (organization_id, row_id, sequence)
SELECT c.organization_id, r.record_id, min(t.sequence)
FROM (SELECT DISTINCT organization_id, birth, body::json ->> 'course_release_id' AS release
      FROM history_historyrow WHERE register = 4 AND body <> '') c
JOIN history_historyrecord r ON r.organization_id = c.organization_id AND r.register = 4 AND r.birth = c.birth
JOIN (SELECT organization_id, body::json ->> 'course_release_id' AS release, min(sequence) AS sequence
      FROM history_historyrow WHERE register = 1 AND body <> '' GROUP BY 1, 2) t
  ON t.organization_id = c.organization_id AND t.release = c.release
GROUP BY c.organization_id, r.record_id
"""
_LESSONS = """
SELECT DISTINCT r.organization_id, r.record_id, r.course_id, v.body::json #>> '{lessons,0,release_id}'
FROM history_historyrecord r
JOIN history_historyrow v ON v.organization_id = r.organization_id AND v.sequence = r.birth
WHERE r.register = 4 AND v.body::json ->> 'course_release_id' IS NULL
"""
_RECORDS = """
SELECT r.record_id, r.learner_profile_id, r.birth FROM history_historyrecord r
WHERE r.organization_id = %s AND r.register = 1 AND r.course_id = %s AND r.learner_profile_id IS NOT NULL
ORDER BY r.birth
"""


def _fill(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_OF_RELEASES)
        cursor.execute(_LESSONS)
        for organization_id, row_id, course_id, lesson in cursor.fetchall():
            cursor.execute(_RECORDS, [organization_id, course_id])
            for found, learner, birth in cursor.fetchall():
                if found == record_id(organization_id, learner, course_id, uuid.UUID(lesson)):
                    cursor.execute(
                        "INSERT INTO history_recordsource (organization_id, row_id, sequence) VALUES (%s, %s, %s)",
                        [organization_id, row_id, birth],
                    )
                    break


class Migration(migrations.Migration):
    dependencies = [("history", "0006_names_as_issued")]

    operations = [
        migrations.CreateModel(
            name="RecordSource",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "organization_id", "row_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("organization_id", models.UUIDField()),
                ("row_id", models.UUIDField()),
                ("sequence", models.BigIntegerField()),
            ],
        ),
        migrations.RunPython(_fill, migrations.RunPython.noop),
        protection.company_rows("history_recordsource"),
        protection.append_only("history_recordsource"),
    ]
