"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("courses", "0002_release_media")]

    operations = [
        company_keys(
            "courses_certificateedition",
            "courses_course",
            "courses_lesson",
            "courses_release",
            "courses_releasecontent",
            "courses_releasemedia",
        )
    ]
