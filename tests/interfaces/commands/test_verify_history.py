"""`verify_history`: which histories it reads, and what it prints about missing ones."""

import json
import re
import uuid

import pytest
from django.core.management import CommandError, call_command

from compliance.history.models import HistoryHead
from compliance.tenancy import shards
from tests.companies import make_company
from tests.tenancy.test_nodes import away


@pytest.mark.django_db
def test_a_company_whose_head_somebody_removed_is_not_passed_over(capsys):
    company = make_company()
    HistoryHead.objects.filter(organization_id=company.organization_id).delete()
    with pytest.raises(CommandError, match="do not hold"):
        call_command("verify_history")
    assert f"{company.organization_id}: The history has no head." in capsys.readouterr().err


@pytest.mark.django_db
def test_a_mistyped_organization_is_no_broken_history():
    with pytest.raises(CommandError, match="There is no organization"):
        call_command("verify_history", "--organization", str(uuid.uuid4()))


@pytest.mark.cluster
@pytest.mark.parametrize("command", ["verify_history", "verify_receipts"])
def test_a_node_that_is_away_is_named_and_the_companies_of_the_others_are_verified(
    committed, administration, capsys, command
):
    dead, *_ = shards.nodes()
    made: dict[bool, uuid.UUID] = {}
    while len(made) < 2:
        company = make_company().organization_id
        made.setdefault(shards.of_company(company).node == dead.number, company)
    call_command(command)
    with away(administration, dead.number):
        capsys.readouterr()
        with pytest.raises(CommandError, match=r"\d+ of \d+ could not be recomputed"):
            call_command(command)
        said = "".join(capsys.readouterr())
        with pytest.raises(CommandError, match="1 of 1"):
            call_command(command, "--organization", str(made[True]), "--json")
        report = json.loads(capsys.readouterr().out)
    assert re.search(rf"{made[True]}: (its|Its) node 127\.0\.0\.1:\d+ does not answer\.", said)
    assert re.search(rf"{made[False]}: (holds|0 receipts)", said)
    (one,) = report if command == "verify_history" else report["organizations"]
    assert one["holds" if command == "verify_history" else "fault"] is None


@pytest.mark.cluster
def test_histories_of_nodes_that_answer_are_held_to_the_log(committed, administration, capsys):
    dead, *_ = shards.nodes()
    while shards.of_company(make_company().organization_id).node != dead.number:
        pass
    with away(administration, dead.number), pytest.raises(CommandError, match="could not be recomputed"):
        call_command("verify_history", "--checkpoints")
    assert "captures held to them" in capsys.readouterr().err
