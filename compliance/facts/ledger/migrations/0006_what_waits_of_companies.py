"""console_waiting_of entered one company after the other, which nodes of a cluster do not hear.

`migrate` makes pending_of_companies, which is asked instead, at its end.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("pending", "0005_work_of_companies")]

    operations = [migrations.RunSQL("DROP FUNCTION IF EXISTS console_waiting_of(uuid[])", migrations.RunSQL.noop)]
