"""The tools are downloaded without a key, run alone, and are the same files as in packs."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

from compliance.proofs.single_file import single_file

CLIENTS = Path(__file__).parents[3] / "clients"


@pytest.mark.parametrize("program", ["verify", "witness", "send_facts"])
def test_a_tool_is_one_file_that_runs_with_nothing_but_python(client, tmp_path, program):
    answer = client.get(f"/tools/{program}.py")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/x-python; charset=utf-8"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{program}.py"'
    whole = CLIENTS / f"{program}.py"
    assert answer.content.decode() == (whole.read_text() if whole.is_file() else single_file(program))
    (tmp_path / "tool.py").write_bytes(answer.content)
    command = [sys.executable, "-I", "-S", "-W", "error", str(tmp_path / "tool.py"), "--help"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("usage:" if program == "witness" else f"usage: {program}.py")


def test_other_tools_are_not_found_and_nothing_is_posted(client):
    assert client.get("/tools/pack.py").status_code == 404
    for program in ("verify", "witness", "send_facts"):
        answer = Client(enforce_csrf_checks=True).post(f"/tools/{program}.py")
        assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")
