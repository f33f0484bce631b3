"""The beginning of links: the address at which their pages are served."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
MAKE_LINK = """
import django

django.setup()
from compliance.interfaces.pages.links import address_of

print(address_of("token"))
"""


def _link(folder: Path, **settings: str) -> str:
    """A link as printed by a command that runs beside the server of `folder`."""
    environment = {name: value for name, value in os.environ.items() if name != "BASE_URL"}
    environment |= {"COMPLIANCE_FOLDER": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"} | settings
    command = [sys.executable, "-c", MAKE_LINK]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


def test_a_link_leads_to_the_demo_beside_which_it_is_made(tmp_path: Path) -> None:
    (tmp_path / "demo.json").write_text(json.dumps({"base_url": "http://127.0.0.1:8149"}))
    assert _link(tmp_path).startswith("http://127.0.0.1:8149/sign/")
    assert _link(tmp_path, BASE_URL="https://records.example").startswith("https://records.example/sign/")


@pytest.mark.parametrize("told", [None, {"base_url": None}, [], "{"])
def test_a_link_has_the_usual_address_where_no_demo_says_one(tmp_path: Path, told: Any) -> None:
    if told is not None:
        (tmp_path / "demo.json").write_text(told if isinstance(told, str) else json.dumps(told))
    assert _link(tmp_path).startswith("http://127.0.0.1:8000/sign/")
