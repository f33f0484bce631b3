"""Seals the secrets of authenticator apps and the seeds of recovery codes that were stored in clear.

Where migrations run without SECOND_FACTOR_KEYS, `manage.py reseal_second_factors` does it afterwards; until then codes
are refused, for nothing reads a secret in clear.
"""

from django.conf import settings
from django.db import migrations

from compliance.interfaces.console.sign_in import sealing


def _change(apps, schema_editor, change):
    authenticators = apps.get_model("mfa", "Authenticator").objects.using(schema_editor.connection.alias)
    for row in authenticators.filter(type__in=("totp", "recovery_codes")).iterator():
        changed = {name: change(row.data[name]) for name in ("secret", "seed") if name in row.data}
        if changed:
            row.data |= changed
            row.save(update_fields=["data"])


def seal_stored(apps, schema_editor):
    """What is sealed already stays, so that a migration that was stopped half-way can be repeated."""
    if settings.SECOND_FACTOR_KEYS:
        _change(apps, schema_editor, lambda text: text if sealing.is_sealed(text) else sealing.seal(text))


def unseal_stored(apps, schema_editor):
    """For the way back."""
    _change(apps, schema_editor, sealing.unseal)


class Migration(migrations.Migration):
    dependencies = [("sign_in", "0001_initial"), ("mfa", "0003_authenticator_type_uniq")]

    operations = [migrations.RunPython(seal_stored, unseal_stored)]
