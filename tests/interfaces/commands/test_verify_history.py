"""`verify_history`: what it looks at, and what it says of what is not there."""

import uuid

import pytest
from django.core.management import CommandError, call_command

from compliance.history.models import HistoryHead
from tests.companies import make_company

pytestmark = pytest.mark.django_db


def test_a_company_whose_head_somebody_removed_is_not_passed_over(capsys):
    company = make_company()
    HistoryHead.objects.filter(organization_id=company.organization_id).delete()
    with pytest.raises(CommandError, match="do not hold"):
        call_command("verify_history")
    assert f"{company.organization_id}: The history has no head." in capsys.readouterr().err


def test_a_mistyped_organization_is_no_broken_history():
    with pytest.raises(CommandError, match="There is no organization"):
        call_command("verify_history", "--organization", str(uuid.uuid4()))
