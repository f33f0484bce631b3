from importlib import import_module

from django.db import migrations

BACKWARD = import_module("compliance.interfaces.console.migrations.0002_waiting_of").WAITING_OF.replace(
    "CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"
)
# A fact recorded ahead of time keeps nobody waiting before its moment.
FORWARD = BACKWARD.replace("min(p.recorded_at)", "min(greatest(p.recorded_at, p.waits_until))")


class Migration(migrations.Migration):
    dependencies = [("console", "0002_waiting_of"), ("pending", "0002_waits_until")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
