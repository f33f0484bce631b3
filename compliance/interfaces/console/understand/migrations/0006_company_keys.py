"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("understand", "0005_people_of_courses")]

    operations = [company_keys("console_standing", "console_step", "console_tally")]
