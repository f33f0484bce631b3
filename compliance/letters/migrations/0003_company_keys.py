"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("letters", "0002_outbox")]

    operations = [company_keys("letters_letter", "letters_lettersread")]
