"""Moving companies between the nodes of a cluster."""

import io
import uuid

import pytest
from django.core.management import CommandError, call_command

ORGANIZATION = str(uuid.UUID(int=7))


@pytest.mark.parametrize(
    "command", [("move_company", ORGANIZATION, "--to=127.0.0.1:5432"), ("drain_node", "127.0.0.1:5432"), ("nodes",)]
)
@pytest.mark.django_db
def test_one_server_has_no_companies_to_move(settings, command):
    settings.CLUSTER = False
    with pytest.raises(CommandError, match=r"no organization|one PostgreSQL"):
        call_command(*command, stdout=io.StringIO())


@pytest.mark.django_db
def test_without_an_administrator_nothing_is_moved_and_the_setting_is_named(settings):
    settings.CLUSTER, settings.CLUSTER_ADMINISTRATOR_URL = True, ""
    with pytest.raises(CommandError, match="CLUSTER_ADMINISTRATOR_URL is not set"):
        call_command("drain_node", "127.0.0.1:5432")
