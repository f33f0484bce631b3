"""Completions of lessons go to the courses under which the lessons were shared later; a transaction a company."""

from django.db import migrations, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

_MOVE = """
UPDATE training_completion t SET course_id = l.course_id FROM courses_lesson l
WHERE t.organization_id = %(organization)s AND l.organization_id = t.organization_id
    AND l.lesson_release_id = t.lesson_release_id AND l.course_id <> t.course_id
"""


def move_completions(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Nothing waits for a decision: the logic has a new version, so everything is decided again."""
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        cursor.execute("SELECT organization_id FROM tenancy_organization ORDER BY 1")
        companies = [organization_id for (organization_id,) in cursor.fetchall()]
    for organization_id in companies:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('app.organization', %s, true)", [str(organization_id)])
            cursor.execute(_MOVE, {"organization": organization_id})


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("training", "0003_company_keys"), ("courses", "0003_company_keys"), ("tenancy", "0001_initial")]

    operations = [migrations.RunPython(move_completions, migrations.RunPython.noop, elidable=True)]
