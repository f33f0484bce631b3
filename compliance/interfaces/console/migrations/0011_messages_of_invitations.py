"""Results of invitations of before named the invited address, which no erasure clears: they are emptied."""

from django.db import migrations

CLEAR = "UPDATE console_job SET message = '' WHERE act = 'invite' AND message <> ''"


class Migration(migrations.Migration):
    dependencies = [("console", "0010_job_language")]

    operations = [migrations.RunSQL(CLEAR, migrations.RunSQL.noop)]
