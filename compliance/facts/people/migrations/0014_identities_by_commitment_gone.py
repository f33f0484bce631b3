"""The index by the commitment alone goes: the one before takes its place. If this was broken off, migrate again."""

from django.contrib.postgres.operations import RemoveIndexConcurrently
from django.db import migrations


class Migration(migrations.Migration):
    atomic = False  # PostgreSQL drops no index beside writes within a transaction

    dependencies = [("people", "0013_identities_of_company")]

    operations = [RemoveIndexConcurrently(model_name="identity", name="identity_by_commitment")]
