from django.db import migrations, models

from compliance.tenancy import protection


class Migration(migrations.Migration):
    dependencies = [("history", "0008_columns_that_reads_filter")]

    operations = [
        migrations.AddField(
            model_name="historyhead",
            name="tree_size",
            field=models.BigIntegerField(
                db_default=0,
                help_text="How many rows the tree covers: `sequence`, unless an older release captured since.",
            ),
        ),
        migrations.AddField(
            model_name="historyhead",
            name="tree_range",
            field=models.BinaryField(
                db_default=b"",
                help_text="The compact range of the tree: the roots of its largest complete subtrees.",
            ),
        ),
        migrations.AlterField(
            model_name="capture",
            name="rows_sha256",
            field=models.CharField(help_text="Of svc.capture/1 only.", max_length=64, null=True),
        ),
        migrations.AddField(
            model_name="capture",
            name="tree_root",
            field=models.BinaryField(help_text="Of svc.capture/2 only, as is the next.", max_length=32, null=True),
        ),
        migrations.AddField(
            model_name="capture",
            name="ledger_head",
            field=models.BinaryField(help_text="The ledger's last line sealed by then.", max_length=32, null=True),
        ),
        migrations.CreateModel(
            name="Subtree",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "organization_id",
                        "height",
                        "index",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("organization_id", models.UUIDField()),
                ("height", models.SmallIntegerField(help_text="It covers 2 to this power leaves.")),
                ("index", models.BigIntegerField(help_text="Its place among those of its height, from 0.")),
                ("root", models.BinaryField(max_length=32)),
            ],
        ),
        protection.company_rows("history_subtree"),
        protection.append_only("history_subtree"),
    ]
