"""Check codes come under row-level security; the public page asks a function (`database_functions`), made by migrate."""

from django.db import migrations

from compliance.tenancy import protection


class Migration(migrations.Migration):
    dependencies = [("certificates", "0002_issuedname")]

    operations = [protection.company_rows("certificates_checkcode")]
