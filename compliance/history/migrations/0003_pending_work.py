"""The one question about pending rows that is asked without a company: whose are there.

Row-level security hides the rows from the sweep, which must not open every company's context each minute. The function
runs as the tables' owner and answers with organization ids only, which the directory tables list anyway.
"""

from django.db import migrations

FORWARD = """
CREATE FUNCTION pending_work(at timestamptz) RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public AS $$
    SELECT DISTINCT organization_id FROM public.pending_pendingsubject
    WHERE set_aside_at IS NULL AND (retry_after IS NULL OR retry_after <= at)
$$
"""


class Migration(migrations.Migration):
    dependencies = [("history", "0002_row_digest"), ("pending", "0001_initial")]

    operations = [migrations.RunSQL(FORWARD, "DROP FUNCTION pending_work(timestamptz)")]
