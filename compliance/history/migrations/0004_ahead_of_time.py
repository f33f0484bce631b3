"""A company has work when a pending row may be claimed: one of a fact ahead of time not before its moment."""

from django.db import migrations

FORWARD = """
CREATE OR REPLACE FUNCTION pending_work(at timestamptz) RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public AS $$
    SELECT DISTINCT organization_id FROM public.pending_pendingsubject
    WHERE set_aside_at IS NULL AND (retry_after IS NULL OR retry_after <= at)
        AND (waits_until IS NULL OR waits_until <= at)
$$
"""
BACKWARD = FORWARD.replace("        AND (waits_until IS NULL OR waits_until <= at)\n", "")


class Migration(migrations.Migration):
    dependencies = [("history", "0003_pending_work"), ("pending", "0002_waits_until")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
