from django.db import migrations

# What waits for the writer, of many companies in one statement. It enters one company after the other, as the caller
# could: it runs with the caller's rights, and row-level security holds for each look.
WAITING_OF = """
CREATE FUNCTION console_waiting_of(companies uuid[])
RETURNS TABLE (company uuid, waiting bigint, aside bigint, oldest timestamptz)
LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
    entered text := current_setting('app.organization', true);
BEGIN
    FOREACH company IN ARRAY companies LOOP
        PERFORM set_config('app.organization', company::text, true);
        SELECT count(*) FILTER (WHERE p.set_aside_at IS NULL), count(p.set_aside_at), min(p.recorded_at)
          INTO waiting, aside, oldest FROM pending_pendingsubject p WHERE p.organization_id = company;
        RETURN NEXT;
    END LOOP;
    PERFORM set_config('app.organization', coalesce(entered, ''), true);
END $$"""


class Migration(migrations.Migration):
    dependencies = [
        ("console", "0001_initial"),
        ("pending", "0001_initial"),
    ]

    operations = [
        migrations.RunSQL(WAITING_OF, "DROP FUNCTION console_waiting_of(uuid[])"),
    ]
