"""The tools are taken away without a key, run alone, and are the files that packs carry."""

import subprocess
import sys

import pytest
from django.test import Client

from compliance.proofs.single_file import single_file


@pytest.mark.parametrize("program", ["verify", "witness"])
def test_a_tool_is_one_file_that_runs_with_nothing_but_python(client, tmp_path, program):
    answer = client.get(f"/tools/{program}.py")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/x-python; charset=utf-8"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{program}.py"'
    assert answer.content.decode() == single_file(program)
    (tmp_path / "tool.py").write_bytes(answer.content)
    command = [sys.executable, "-I", "-S", "-W", "error", str(tmp_path / "tool.py"), "--help"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith(f"usage: {program}.py" if program == "verify" else "usage:")


def test_other_tools_are_not_found_and_nothing_is_posted(client):
    assert client.get("/tools/pack.py").status_code == 404
    for program in ("verify", "witness"):
        answer = Client(enforce_csrf_checks=True).post(f"/tools/{program}.py")
        assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")
