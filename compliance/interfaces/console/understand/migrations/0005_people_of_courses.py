from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("understand", "0004_lists_of_courses"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="standing", name="standing_of_course"),
        migrations.AddIndex(
            model_name="standing",
            index=models.Index(
                fields=["organization_id", "register", "course_id", "outcome", "due_by", "birth"],
                name="standing_in_course",
                condition=models.Q(course_id__isnull=False),
                include=["learner_profile_id"],
            ),
        ),
    ]
