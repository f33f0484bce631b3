"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("learning", "0003_link_request")]

    operations = [
        company_keys(
            "learning_answer",
            "learning_learnerpreference",
            "learning_learnersession",
            "learning_moreattempts",
            "learning_pageread",
            "learning_personallink",
            "learning_take",
        )
    ]
