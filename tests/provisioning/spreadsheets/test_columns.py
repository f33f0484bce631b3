"""Columns are recognised by their headings, in four languages and beside one another, and can be changed."""

import tracemalloc

import pytest

from compliance.provisioning.spreadsheets.columns import check, chosen, recognise
from compliance.provisioning.spreadsheets.errors import ColumnsError
from compliance.provisioning.spreadsheets.headings import GONE, HEADINGS, Field
from compliance.provisioning.spreadsheets.lines import Stated, WrongCode, statements
from compliance.provisioning.spreadsheets.reading import read
from compliance.provisioning.spreadsheets.text import days, employee_number, heading_key, number_key, plain_number
from tests.provisioning.spreadsheets.workbooks import workbook


def found(*headings: str, first: list[list[str]] | None = None) -> dict[str, str]:
    rows = [(number, cells) for number, cells in enumerate(first or [], 2)]
    return {headings[place]: field.value for place, field in recognise(headings, rows).items()}


@pytest.mark.parametrize(
    ("headings", "fields"),
    [
        ("E-Mail-Adresse|Personal-Nr.|Vorname|Name|Abteilung|Eintrittsdatum|Austritt|Status",
         "email number first_name last_name team starts leaves status"),
        ("Work Email|Employee ID|Legal Name|Supervisory Organization|Hire Date|Termination Date|Worker Status",
         "email number name team starts leaves status"),
        ("Adresse électronique|N° matricule|Prénom|Nom|Équipe|Date d'embauche|Date de sortie|État",
         "email number first_name last_name team starts leaves status"),
        ("Correo electrónico|Nº de empleado|Nombre|Primer apellido|Segundo apellido|Departamento|Fecha de baja|Estado",
         "email number first_name last_name last_name team leaves status"),
        ("MAIL|Name", "email name"),
        ("email|name|team", "email name team"),
    ],
)  # fmt: skip
def test_exports_of_four_languages(headings: str, fields: str) -> None:
    assert [*found(*headings.split("|")).values()] == fields.split()


def test_private_addresses_and_unknown_headings_are_not_used() -> None:
    assert found("E-Mail privat", "Personal email", "E-Mail (dienstlich, neu)", "Kostenstelle", "") == {
        "E-Mail (dienstlich, neu)": "email"
    }
    assert found("Private E-Mail", "Work E-Mail") == {"Work E-Mail": "email"}


def test_of_a_full_name_and_its_parts_the_parts_are_used() -> None:
    assert found("E-Mail", "Full name", "First name", "Last name") == {
        "E-Mail": "email", "First name": "first_name", "Last name": "last_name",
    }  # fmt: skip
    assert found("E-Mail", "Full name", "First name") == {"E-Mail": "email", "Full name": "name"}


def test_of_a_team_and_a_department_the_one_that_is_filled_is_used() -> None:
    assert found("Team", "Department", first=[["A", "B"]] * 3) == {"Team": "team"}
    assert found("Team", "Department", first=[["", "B"]] * 3) == {"Department": "team"}


def test_a_column_of_job_titles_is_none_of_roles() -> None:
    assert found("Role", first=[["Senior Accountant"], ["warden"]]) == {}
    assert found("Role", first=[["first-aider"], ["warden, driver"]]) == {"Role": "roles"}
    assert found("Role") == {}


def test_each_heading_stands_once_and_as_it_is_compared() -> None:
    every = [heading for own in HEADINGS.values() for heading in own]
    assert len(every) == len(set(every))
    assert [heading for heading in (*every, *GONE) if heading_key(heading) != heading] == []


def test_columns_are_changed_by_their_headings_and_a_field_moves() -> None:
    headings = ("E-Mail", "Mail 2", "Name")
    columns = recognise(headings, [])
    assert chosen(headings, columns, {"mail 2": "email", "Name": ""}) == {1: Field.EMAIL}
    with pytest.raises(ColumnsError, match="no column “Team”"):
        chosen(headings, columns, {"Team": "team"})
    with pytest.raises(ColumnsError, match="nothing that a column may hold"):
        chosen(headings, columns, {"Name": "shoes"})


def test_columns_must_say_who_is_meant() -> None:
    with pytest.raises(ColumnsError, match="nobody could be found again"):
        check({0: Field.NAME})
    with pytest.raises(ColumnsError, match="Two columns are matched to “Full name”"):
        check({0: Field.EMAIL, 1: Field.NAME, 2: Field.NAME})


def stated(content: str, **roles: str) -> list[Stated]:
    table = read(content.encode())
    return list(statements(table, recognise(table.headings, table.first, roles), roles))


def test_cells_are_cleaned_and_names_put_in_their_order() -> None:
    (one,) = stated('E-Mail;Nachname, Vorname;Personalnummer\n mailto:a@b.c\u200b;"Meier,  Zoe\u0308\n";1042.0\n')
    assert (one.email, one.name, one.number) == ("a@b.c", "Zoë Meier", "1042")


def test_words_for_nothing_are_no_team_and_may_be_names() -> None:
    one, two = stated("E-Mail;Vorname;Nachname;Team\na@b.c;Li;Na;n/a\nb@b.c;Jennifer;Null;None\n")
    assert (one.name, one.teams, two.name, two.teams) == ("Li Na", (), "Jennifer Null", ())
    assert stated("E-Mail;Name\na@b.c;-\n")[0].code is WrongCode.NAME_MISSING


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (";;Anna", WrongCode.NOBODY),
        ("anna;1;Anna", WrongCode.ADDRESS),
        ("Anna <anna@b.c>;1;Anna", WrongCode.ADDRESS),
        ("a@b.c;1;", WrongCode.NAME_MISSING),
        (f"a@b.c;{'1' * 101};Anna", WrongCode.NUMBER),
        (f"a@b.c;1;{'A' * 301}", WrongCode.NAME),
        ("a@b.c;1;A\x07", WrongCode.NAME),
    ],
)
def test_what_is_wrong_with_a_row_by_itself(line: str, code: WrongCode) -> None:
    (one,) = stated(f"E-Mail;Personalnummer;Name\n{line}\n")
    assert one.code is code
    assert one.reason.endswith(".")


def test_roles_are_those_of_courses_by_title_or_words_in_their_form() -> None:
    content = "E-Mail;Name;Roles\na@b.c;A;Fire Warden | driver\nb@b.c;B;\nc@b.c;C;Chief Fire Officer\n"
    table = read(content.encode())
    columns = {0: Field.EMAIL, 1: Field.NAME, 2: Field.ROLES}
    first, second, third = statements(table, columns, {"fire warden": "warden"})
    assert (first.roles, second.roles, third.code) == (("driver", "warden"), None, WrongCode.ROLE)


def test_several_teams_in_a_cell_and_a_comma_that_belongs_to_a_name() -> None:
    (one,) = stated('E-Mail,Name,Team\na@b.c,A,"Sales; Service, South |sales"\n')
    assert one.teams == ("sales", "Service, South")


def test_one_long_text_in_every_cell_takes_little_memory() -> None:
    kept = "<row>" + "".join(f"<c t='inlineStr'><is><t>{name}</t></is></c>" for name in ("E-Mail", "Name", "Team"))
    lines = "<row><c t='s'><v>0</v></c><c t='s'><v>0</v></c><c t='s'><v>1</v></c></row>" * 1000
    data = workbook(f"{kept}</row>{lines}", f"<si><t>{'x' * 32_000}</t></si><si><t>{'y;' * 16_000}</t></si>")
    table = read(data)
    columns = recognise(table.headings, table.first)
    tracemalloc.start()
    try:
        found = list(statements(table, columns, {}))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert {each.code for each in found} == {WrongCode.ADDRESS}
    assert len(found) == 1000
    assert peak < 16 * 1024 * 1024


def test_more_teams_or_roles_than_a_row_may_name_are_wrong() -> None:
    for heading, code in (("Team", WrongCode.TEAM), ("Role ids", WrongCode.ROLE)):
        allowed = ";".join(f"x{number}" for number in range(50 if heading == "Team" else 100))
        right, wrong = stated(f'E-Mail;Name;{heading}\na@b.c;A;"{allowed}"\nb@b.c;B;"{allowed};y"\n')
        assert (right.code, wrong.code) == (None, code)


def test_a_day_that_may_be_read_in_two_ways_is_read_so_that_nobody_leaves_or_waits_by_it() -> None:
    assert [str(day) for day in days("03/04/2026")] == ["2026-03-04", "2026-04-03"]
    assert [str(day) for day in days("13.04.2026")] == ["2026-04-13"]
    assert [str(day) for day in days("2026-04-13 00:00:00")] == ["2026-04-13"]
    assert days("2026/04/13") == days("20260413") == days("2026-04-13")
    assert days("31.02.2026") == days("unbefristet") == []


@pytest.mark.parametrize("field", ["Austritt", "Eintritt"])
@pytest.mark.parametrize("cell", ["31.12.25", "14-Mar-26", "31 Dec 2025", "31.02.2026", "46112"])
def test_a_day_that_cannot_be_read_makes_the_row_wrong(field: str, cell: str) -> None:
    (one,) = stated(f"E-Mail;Name;{field}\na@b.c;Anna;{cell}\n")
    assert one.code is WrongCode.DAY


@pytest.mark.parametrize("cell", ["", "-", "unbefristet", "00.00.0000", "31.12.9999", "2026-03-31"])
def test_a_cell_without_a_day_or_with_one_that_can_be_read_is_not_wrong(cell: str) -> None:
    (one,) = stated(f"E-Mail;Name;Austritt\na@b.c;Anna;{cell}\n")
    assert one.code is None


def test_thousands_in_an_employee_number_are_kept() -> None:
    (one, another) = stated("E-Mail;Personalnummer;Name\na@b.c;1.000;Anna\nb@b.c;1042.00;Ben\n")
    assert (one.number, another.number) == ("1.000", "1042")


def test_numbers_as_excel_makes_them() -> None:
    assert [plain_number(each) for each in ("1042.0", "1.042E3", "0.5", "1E400", "x")] == [
        "1042", "1042", "0.5", "1E400", "x",
    ]  # fmt: skip
    assert employee_number("1042,0") == "1042"
    assert number_key("00A 7") == "00a7"
    assert number_key("0007") == number_key("7")
    assert number_key("000") == "0"
