"""What reads filter by has columns of its own, where statements looked for it in the text of the stored body.

Nothing that is stored is updated, and the triggers that refuse changes stay in force: the tables' owner alters the type
of the new columns, and PostgreSQL computes them from each row's own body while it writes the table anew.
"""

from django.db import migrations, models

FILL = """
ALTER TABLE history_historyrow
    ALTER COLUMN door TYPE varchar(10) USING CASE WHEN register IN (6, 7) AND body <> '' THEN body::json ->> 'door' END,
    ALTER COLUMN receipt_id TYPE uuid
        USING CASE WHEN register = 6 AND body <> '' THEN (body::json ->> 'receipt_id')::uuid END,
    ALTER COLUMN live_session_id TYPE uuid
        USING CASE WHEN register = 3 AND body <> '' THEN (body::json ->> 'live_session_id')::uuid END,
    ALTER COLUMN renews_certificate_id TYPE uuid
        USING CASE WHEN register = 1 AND body <> '' THEN (body::json ->> 'renews_certificate_id')::uuid END,
    ALTER COLUMN lesson_share_id TYPE uuid
        USING CASE WHEN register = 1 AND body <> '' AND body::json ->> 'course_release_id' IS NULL
            THEN (body::json -> 'share_ids' ->> 0)::uuid END
"""


class Migration(migrations.Migration):
    dependencies = [("history", "0007_record_source")]

    operations = [
        migrations.AddField(model_name="historyrow", name="door", field=models.CharField(max_length=10, null=True)),
        migrations.AddField(model_name="historyrow", name="receipt_id", field=models.UUIDField(null=True)),
        migrations.AddField(model_name="historyrow", name="live_session_id", field=models.UUIDField(null=True)),
        migrations.AddField(model_name="historyrow", name="renews_certificate_id", field=models.UUIDField(null=True)),
        migrations.AddField(model_name="historyrow", name="lesson_share_id", field=models.UUIDField(null=True)),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
