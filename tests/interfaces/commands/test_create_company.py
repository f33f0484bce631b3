"""`create_company`: a company whose days are those of its zone, or an error that names what is wrong."""

import json
import subprocess
import sys
import uuid
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command

from compliance.history.verify import Verified, verify_history
from compliance.tenancy import shards
from compliance.tenancy.models import Organization
from tests.tenancy.test_nodes import away

ARGUMENTS = ("--time-zone", "UTC", "--history-from", "2020-01-01")


@pytest.mark.django_db
def test_a_company_is_made_and_its_id_told(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("create_company", "Acme", "--time-zone", "Africa/Cairo", "--history-from", "2023-04-28", "--json")
    made = Organization.objects.get(organization_id=json.loads(capsys.readouterr().out)["organization_id"])
    assert (made.name, made.time_zone) == ("Acme", "Africa/Cairo")
    # A day without a midnight begins an hour after it.
    assert made.history_complete_from.isoformat() == "2023-04-27T22:00:00+00:00"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("zone", "history_from", "reason"),
    [
        ("Mars/Olympus", "2024-01-01", "is no IANA time zone"),
        ("europe/paris", "2024-01-01", "is no IANA time zone"),
        ("../UTC", "2024-01-01", "is no IANA time zone"),
        # Folders of zones have these beside those of the IANA: each machine's own, and one with leap seconds.
        ("localtime", "2024-01-01", "is no IANA time zone"),
        ("right/Europe/Paris", "2024-01-01", "is no IANA time zone"),
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


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["", " ", "x" * 201, "Ac\nme", "Acme\x00", "Acme\udcff"])
def test_a_name_that_cannot_be_kept_or_displayed_is_refused_in_a_sentence_and_nothing_is_made(name: str) -> None:
    before = Organization.objects.count()
    with pytest.raises(CommandError, match="1 to 200 characters, in one line"):
        call_command("create_company", name, *ARGUMENTS)
    assert Organization.objects.count() == before


@pytest.mark.cluster
def test_a_company_on_a_node_that_is_away_is_not_made_by_half_and_is_made_later(
    committed: None, administration: psycopg.Connection[Any]
) -> None:
    dead, *_ = shards.nodes()
    given = next(each for each in iter(uuid.uuid4, None) if shards.of_company(each).node == dead.number)
    with away(administration, dead.number), pytest.raises(CommandError, match=r"The node 127\.0\.0\.1:\d+ does not"):
        call_command("create_company", "Acme", *ARGUMENTS, "--id", str(given))
    assert not Organization.objects.filter(organization_id=given).exists()
    call_command("create_company", "Acme", *ARGUMENTS, "--id", str(given))
    assert isinstance(verify_history(given), Verified)


@pytest.mark.cluster
def test_a_cluster_that_the_settings_do_not_know_is_refused_in_one_sentence_and_nothing_is_made(
    committed: None, process_environment: dict[str, str]
) -> None:
    given = uuid.uuid4()
    for command in (
        ["create_company", "Acme", *ARGUMENTS, "--id", str(given)],
        ["import_facts", "-", f"--organization={given}"],
    ):
        done = subprocess.run(
            [sys.executable, "manage.py", *command], env=process_environment | {"CLUSTER": "0"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode > 0
        assert (
            done.stderr
            == "CommandError: This database is a cluster: set CLUSTER=1 for every process (docs/scale.md).\n"
        )
    assert not Organization.objects.filter(organization_id=given).exists()
