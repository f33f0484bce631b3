"""`import_people`: three exports of 5,000 people, previewed, imported, imported again; what is wrong; exit codes."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from compliance.facts.ledger.models import Origin
from compliance.facts.people import queries, roster
from compliance.tenancy import context
from tests.companies import Company, make_present_company
from tests.provisioning.spreadsheets.exports import TEAMS, employees, excel_text, moved, personio, renamed, workday

pytestmark = pytest.mark.django_db

Told = tuple[dict[str, Any], str]
COUNTS = ("joins", "changes", "moves", "leaves", "unchanged")


class Importing:
    """The command on one company, with files in one folder."""

    def __init__(self, company: Company, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.company, self._folder, self._capsys = company, folder, capsys

    def __call__(self, content: bytes, *options: str, code: int = 0, name: str = "people.csv") -> Told:
        """What the command printed as JSON and on standard error; checks that its exit code is `code`."""
        path = self._folder / name
        path.write_bytes(content)
        self._capsys.readouterr()
        arguments = [str(path), "--organization", str(self.company.organization_id), "--json", *options]
        said = ""
        if code:
            with pytest.raises(CommandError) as error:
                call_command("import_people", *arguments)
            assert error.value.returncode == code
            said = str(error.value)
        else:
            call_command("import_people", *arguments)
        printed = self._capsys.readouterr()
        return json.loads(printed.out or "{}"), printed.err + said


@pytest.fixture
def importing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Importing:
    return Importing(make_present_company(), tmp_path, capsys)


def counts(told: dict[str, Any]) -> list[int]:
    return [told[each] for each in COUNTS]


@pytest.mark.parametrize(("write", "name"), [(personio, "p.csv"), (excel_text, "u.txt"), (workday, "w.xlsx")])
def test_an_export_of_5000_people_is_previewed_recorded_and_known_again(
    importing: Importing, write: Any, name: str
) -> None:
    people = employees(5000)
    told, _ = importing(write(people), "--dry-run", name=name)
    assert counts(told) == [5000, 0, 0, 0, 0]
    assert (told["wrong"], told["recorded"], told["dry_run"]) == ([], 0, True)
    told, _ = importing(write(people), name=name)
    assert counts(told) == [5000, 0, 0, 0, 0]
    assert told["recorded"] == 2 * 5000 + len(TEAMS)  # who joined, their work address, the teams
    told, _ = importing(write(people), "--leavers", name=name)
    assert counts(told) == [0, 0, 0, 0, 5000]
    assert told["recorded"] == 0
    # 40 left, 30 moved, 20 changed their name, 5 of these moved too, 10 are new, one row occurs twice.
    later = people[40:]
    later[:30] = [moved(each, "Neu" if place < 3 else _other(each.team)) for place, each in enumerate(later[:30])]
    later[25:45] = [renamed(each, "Lovelace") for each in later[25:45]]
    later += employees(5010)[5000:]
    later.append(later[0])
    told, errors = importing(write(later), "--leavers", name=name, code=1)
    assert counts(told) == [10, 20, 30, 40, 4960 - 45]
    (wrong,) = told["wrong"]
    assert wrong["code"] == "address_twice"
    assert re.fullmatch(r"The same e-mail address is in row \d+ already. Keep one of the two.", wrong["reason"])
    assert f"row {wrong['line']}: The same e-mail address" in errors
    told, _ = importing(write(later[:-1]), "--leavers", name=name)
    assert counts(told) == [0, 0, 0, 0, 4970]
    organization_id, now = importing.company.organization_id, importing.company.now
    with context.company(organization_id):
        assert queries.employees(organization_id, now) == 0  # as of before the file
        assert len(queries.team_names(organization_id)) == len(TEAMS) + 1


def _other(team: str) -> str:
    return TEAMS[TEAMS.index(team) - 1]


def test_facts_of_the_command_bear_its_name(importing: Importing) -> None:
    importing(personio(employees(3)))
    organization_id = importing.company.organization_id
    with context.company(organization_id):
        (origin,) = Origin.objects.filter(organization_id=organization_id)
    assert (origin.channel, origin.name) == ("command", "import_people")


def test_a_file_without_an_address_or_number_is_refused_as_a_whole(importing: Importing) -> None:
    told, errors = importing(b"Colour;Size\nred;1\n", code=2)
    assert told == {}
    assert "No column is matched to the e-mail address or the employee number" in errors


def test_columns_that_nobody_recognises_can_be_named(importing: Importing) -> None:
    content = b"Wer;Wohin;Haufen\nAnna;anna@example.org;A\n"
    told, _ = importing(content, "--column", "Wer=name", "--column", "Wohin=email", "--column", "Haufen=team")
    assert counts(told) == [1, 0, 0, 0, 0]
    told, errors = importing(content, "--column", "Nichts=name", code=2)
    assert "The file has no column “Nichts”" in errors
    told, errors = importing(content, "--column", "Wer=colour", code=2)
    assert "is nothing that a column may hold" in errors


def test_most_of_the_company_leaves_only_with_the_number_typed(importing: Importing) -> None:
    people = employees(30)
    importing(personio(people))
    told, errors = importing(personio(people[:10]), "--leavers", "--dry-run", code=2)
    assert told["leaves"] == 20
    assert "20 of 30 employees are not in the file" in told["refused"]
    assert "The import would be refused. 20 of 30 employees are not in the file" in errors
    told, _ = importing(personio(people[:10]), "--leavers", "--dry-run", "--confirm-leaves", "20")
    assert (told["leaves"], told["refused"]) == (20, None)
    told, errors = importing(personio(people[:10]), "--leavers", code=2)
    assert told == {}
    assert "confirm it with the number 20. Nothing was recorded." in errors
    importing(personio(people[:10]), "--leavers", "--confirm-leaves", "19", code=2)
    told, _ = importing(personio(people[:10]), "--leavers", "--confirm-leaves", "20")
    assert counts(told) == [0, 0, 0, 20, 10]
    with context.company(importing.company.organization_id):
        present = [
            each for each in roster.people(importing.company.organization_id, datetime.now(UTC)) if each.person_id
        ]
    assert len(present) == 10


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "The file is empty."),
        (b"\xd0\xcf\x11\xe0 old", "Save it as .xlsx without a password."),
        (b"%PDF-1.7", "This is a PDF."),
        (b"PK\x03\x04 no workbook", "no Excel workbook"),
        (b"E-Mail;Name\n", "names nobody"),
        (b"\x81\x8d\x8f\x90\x9d", "neither UTF-8 nor UTF-16 nor Windows-1252"),
    ],
)
def test_what_is_no_table_is_refused_with_what_to_do(importing: Importing, content: bytes, words: str) -> None:
    _, errors = importing(content, code=2)
    assert words in errors


def test_without_json_the_columns_and_the_new_teams_are_named(
    importing: Importing, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(personio(employees(1)))
    call_command("import_people", str(path), "--organization", str(importing.company.organization_id), "--dry-run")
    printed = capsys.readouterr().out
    assert "Read as text separated by semicolons, UTF-8; the headings are in row 1." in printed
    assert "  Abteilung: Team" in printed
    assert "  Position: not used" in printed
    assert "New team: " in printed
    assert "0 facts recorded (dry run)." in printed
