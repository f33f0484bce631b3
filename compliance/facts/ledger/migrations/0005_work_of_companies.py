"""pending_work(timestamptz) is asked of some companies now: what is asked of all goes. `migrate` makes the new one at its end."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("pending", "0004_company_keys"), ("history", "0004_ahead_of_time")]

    operations = [migrations.RunSQL("DROP FUNCTION IF EXISTS pending_work(timestamptz)", migrations.RunSQL.noop)]
