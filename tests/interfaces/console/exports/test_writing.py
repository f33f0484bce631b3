"""A register in each form: the same rows as /v1, typed where the form has types, and never a formula."""

import csv
import io
import json
import sys
from datetime import UTC, datetime, timedelta
from io import StringIO

import pyarrow
import pyarrow.parquet
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from python_calamine import CalamineWorkbook

from compliance.access.actions import issue_key
from compliance.catalogue import REGISTERS
from compliance.catalogue.declaration import Window
from compliance.interfaces.console.exports.models import ExportFile
from compliance.rules.vocabulary import Scope
from compliance.tenancy import context
from tests.interfaces.console.exports.conftest import FORMULA, kept

pytestmark = pytest.mark.django_db
EVERY = {register.name for register in REGISTERS.values()}


def run(*arguments):
    out = StringIO()
    call_command("export", *map(str, arguments), stdout=out)
    return out.getvalue()


def exported(company, register, written_as, folder, *more):
    run(register, company.organization_id, "--format", written_as, "--to", folder, *more)
    return folder / f"{register}.{written_as}"


def test_json_lines_are_the_rows_of_v1(company, tmp_path):
    token, _ = issue_key(
        organization_id=company.organization_id, scopes=list(Scope), environment="test", at=timezone.now(), actor="test"
    )
    as_at = timezone.now().astimezone(UTC).isoformat().replace("+00:00", "Z")
    for register in REGISTERS.values():
        file = exported(company, register.name, "jsonl", tmp_path, "--as-at", as_at)
        query = {register.window.end: as_at} if register.window.end else {}
        if register.window is Window.PERIOD:
            query["from"] = company.start.isoformat().replace("+00:00", "Z")
        answer = Client().get(f"/v1/{register.path}", query, headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 200, answer.content
        for line, row in zip(file.read_text().splitlines(), answer.json()["data"], strict=True):
            of_deployment = {
                "deployment_id": row.get("deployment_id")
            }  # the rows of a test are rolled back, and may be cached
            assert json.loads(line) | of_deployment == row | of_deployment


def test_parquet_has_the_same_rows_with_typed_columns(company, tmp_path):
    as_at = datetime.now(UTC).isoformat()
    for name in ("people", "training-records", "courses"):
        lines = exported(company, name, "jsonl", tmp_path, "--as-at", as_at).read_text().splitlines()
        table = pyarrow.parquet.read_table(exported(company, name, "parquet", tmp_path, "--as-at", as_at))
        assert len(lines) == table.num_rows > 0
        for line, row in zip(lines, table.to_pylist(), strict=True):
            for field, value in json.loads(line).items():
                read = row[field]
                assert (read.isoformat() if isinstance(read, datetime) else read) == (
                    datetime.fromisoformat(value).isoformat() if isinstance(read, datetime) else value
                )
    schema = pyarrow.parquet.read_schema(tmp_path / "training-records.parquet")
    assert schema.field("due_at").type == pyarrow.timestamp("us", tz="UTC")
    assert schema.field("days_late").type == pyarrow.int64()
    assert schema.field("share_ids").type == pyarrow.list_(pyarrow.string())
    assert schema.metadata[b"register"] == b"training-records"
    lessons = pyarrow.parquet.read_schema(tmp_path / "courses.parquet").field("lessons").type.value_type
    assert lessons.field("version").type == pyarrow.int64()


def test_no_cell_becomes_a_formula(company, tmp_path):
    text = exported(company, "people", "csv", tmp_path).read_text("utf-8-sig")
    assert {row["person_name"] for row in csv.DictReader(io.StringIO(text))} == {"Anna Berg", f"'{FORMULA}"}
    book = CalamineWorkbook.from_path(exported(company, "people", "xlsx", tmp_path))
    headings, *rows = book.get_sheet_by_index(0).to_python()
    assert {row[headings.index("person_name")] for row in rows} == {"Anna Berg", FORMULA}
    assert b"<f>" not in (tmp_path / "people.xlsx").read_bytes()


def test_all_registers_are_of_one_capture_and_names_are_left_out_when_asked(company, tmp_path):
    found = json.loads(
        run("all", company.organization_id, "--format", "csv", "--to", tmp_path, "--without-names", "--json")
    )
    assert {each["register"] for each in found["files"]} == EVERY
    for each in found["files"]:
        text = (tmp_path / f"{each['register']}.csv").read_text("utf-8-sig")
        assert "Anna Berg" not in text
        assert "person_name" not in text.splitlines()[0]
        assert len(list(csv.reader(io.StringIO(text)))) == each["rows"] + 1


@pytest.mark.parametrize("written_as", ["csv", "xlsx", "jsonl", "parquet"])
def test_only_its_owner_may_read_a_file(company, tmp_path, written_as):
    (tmp_path / f"people.{written_as}").touch(mode=0o644)
    (tmp_path / f".people.{written_as}.writing").touch(mode=0o644)  # left by a process that was killed
    assert exported(company, "people", written_as, tmp_path).stat().st_mode & 0o777 == 0o600


def test_a_moment_of_the_past_is_written_as_it_was(company, tmp_path):
    before = company.start + timedelta(seconds=1)
    run("people", company.organization_id, "--format", "jsonl", "--to", tmp_path, "--as-at", before.isoformat())
    now = exported(company, "people", "jsonl", tmp_path / "..", "--as-at", timezone.now().isoformat())
    assert len((tmp_path / "people.jsonl").read_text().splitlines()) <= len(now.read_text().splitlines())
    now.unlink()


def test_without_a_path_it_is_kept_for_some_days(company, folder):
    found = json.loads(run("people", company.organization_id, "--format", "csv", "--days", "3", "--json"))
    (file,) = kept(folder)
    assert found["files"] == [{"register": "people", "file": str(file.relative_to(folder)), "rows": 2}]
    with context.company(company.organization_id):
        row = ExportFile.objects.get()
    assert (row.ready, row.rows, row.size) == (True, 2, file.stat().st_size)
    assert timedelta(days=2) < row.expires_at - timezone.now() < timedelta(days=3)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (("parties", "--format", "csv"), "no register"),
        (("people", "--format", "csv", "--as-at", "2999-01-01T00:00:00Z"), "lies between"),
        (("people", "--format", "csv", "--as-at", "1990-01-01T00:00:00Z"), "lies between"),
        (("people", "--format", "csv", "--as-at", "yesterday"), "no instant"),
        (("people", "--format", "csv", "--days", "0"), "between 1 and 366"),
        (("people", "--format", "csv", "--to", "/nowhere/people.csv"), "no folder"),
        (("all", "--format", "csv", "--to", "/tmp/all.csv"), "is no folder"),
    ],
)
def test_what_cannot_be_written_is_refused_with_a_sentence(company, folder, wrong, says):
    register, *options = wrong
    with pytest.raises(CommandError, match=says):
        run(register, company.organization_id, *options)
    assert kept(folder) == []


def test_parquet_says_what_to_install_where_it_cannot_be_written(company, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(CommandError, match="pip install"):
        run("people", company.organization_id, "--format", "parquet")
    assert kept(folder) == []
