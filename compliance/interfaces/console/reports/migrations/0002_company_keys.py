"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("reports", "0001_reports")]

    operations = [company_keys("reports_report", "reports_reportcell", "reports_reportline", "reports_standingreport")]
