"""Commands that list what a company has: a mistyped identifier is no company that has nothing."""

import io
import uuid

import pytest
from django.core.management import CommandError, call_command

from tests.companies import make_company

COMMANDS = {
    "list_keys": (),
    "list_sources": (),
    "list_webhooks": (),
    "export_access_log": ("--organization",),
    "verify_access_log": ("--organization",),
    "verify_history": ("--organization",),
    "verify_receipts": ("--organization",),
    "check_files": ("--organization",),
    "sweep": ("--organization",),
}


@pytest.mark.django_db
@pytest.mark.parametrize("command", COMMANDS)
def test_a_company_that_does_not_exist_is_refused(command):
    def run(organization_id):
        call_command(command, *COMMANDS[command], str(organization_id), stdout=io.StringIO(), stderr=io.StringIO())

    run(make_company().organization_id)
    with pytest.raises(CommandError, match="There is no organization"):
        run(uuid.uuid4())
