"""The index by the commitment alone goes: the one before takes its place. If this was broken off, migrate again."""

from django.contrib.postgres.operations import RemoveIndexConcurrently
from django.db import migrations


class Migration(migrations.Migration):
    atomic = False  # PostgreSQL drops no index beside writes within a transaction

    dependencies = [("certificates", "0007_names_of_company")]

    operations = [RemoveIndexConcurrently(model_name="issuedname", name="issued_name_by_commitment")]
