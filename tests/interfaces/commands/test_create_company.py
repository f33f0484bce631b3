"""`create_company`: a company whose days are those of its zone, or an error that says what is wrong."""

import json

import pytest
from django.core.management import CommandError, call_command

from compliance.tenancy.models import Organization

pytestmark = pytest.mark.django_db


def test_a_company_is_made_and_its_id_told(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("create_company", "Acme", "--time-zone", "Africa/Cairo", "--history-from", "2023-04-28", "--json")
    made = Organization.objects.get(organization_id=json.loads(capsys.readouterr().out)["organization_id"])
    assert (made.name, made.time_zone) == ("Acme", "Africa/Cairo")
    # A day without a midnight begins an hour after it.
    assert made.history_complete_from.isoformat() == "2023-04-27T22:00:00+00:00"


@pytest.mark.parametrize(
    ("zone", "history_from", "reason"),
    [
        ("Mars/Olympus", "2024-01-01", "is no IANA time zone"),
        ("europe/paris", "2024-01-01", "is no IANA time zone"),
        ("../UTC", "2024-01-01", "is no IANA time zone"),
        ("UTC", "01.01.2024", "is no date"),
        ("UTC", "0024-01-01", "lies outside the years"),
    ],
)
def test_a_zone_or_a_date_that_does_not_exist_is_named_and_nothing_is_made(
    zone: str, history_from: str, reason: str
) -> None:
    before = Organization.objects.count()
    with pytest.raises(CommandError, match=reason) as refused:
        call_command("create_company", "Acme", "--time-zone", zone, "--history-from", history_from)
    assert (zone if "zone" in reason else history_from) in str(refused.value)
    assert Organization.objects.count() == before
