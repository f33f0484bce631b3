"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("people", "0009_absences")]

    operations = [
        company_keys(
            "people_absence",
            "people_contact",
            "people_employment",
            "people_erasure",
            "people_invitation",
            "people_personaldetail",
            "people_personroles",
            "people_profile",
            "people_suspension",
            "people_team",
            "people_teammembership",
        )
    ]
