"""certificate_of_code(text) is asked of some companies now: what is asked of all goes. `migrate` makes the new one at its end."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("certificates", "0005_company_keys")]

    operations = [migrations.RunSQL("DROP FUNCTION IF EXISTS certificate_of_code(text)", migrations.RunSQL.noop)]
