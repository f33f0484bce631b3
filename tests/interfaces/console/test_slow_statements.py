"""A page whose statement takes too long is aborted, and says so."""

import subprocess
import sys
from pathlib import Path

import psycopg
from django.db import connection
from django.urls import reverse

from tests.companies import make_company

ROOT = Path(__file__).resolve().parents[3]
_ASK = """
import config.asgi
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("SHOW statement_timeout")
    print(cursor.fetchone()[0])
"""


def test_every_connection_of_a_web_process_has_a_statement_timeout_and_a_command_s_has_none(process_environment):
    def timeout(lines: str, **more: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", lines], cwd=ROOT, env=process_environment | more, text=True, capture_output=True,
            check=True,
        ).stdout.strip()  # fmt: skip

    assert timeout(_ASK) == "30s"
    assert timeout(_ASK, STATEMENT_TIMEOUT_MILLISECONDS="5000") == "5s"
    assert timeout(_ASK, STATEMENT_TIMEOUT_MILLISECONDS="") == "30s"  # an empty line of a file of settings
    setup = "import django; django.setup()\n"
    command = _ASK.replace("import config.asgi\n", setup)
    assert timeout(command, DJANGO_SETTINGS_MODULE="config.settings") == "0"


def test_a_page_that_is_given_up_says_so(staff, now, process_environment, monkeypatch):
    monkeypatch.setattr("compliance.interfaces.console.see.registers.COUNTED_MILLISECONDS", 300)  # counts too
    company = make_company("Waiting", "UTC", now.date(), at=now)
    client = staff("Operator")
    address = reverse("console:people", kwargs={"organization_id": company.organization_id})
    with psycopg.connect(process_environment["DATABASE_OWNER_URL"]) as other:
        other.execute("SET lock_timeout = '10s'")
        other.execute("LOCK TABLE history_historyrow IN ACCESS EXCLUSIVE MODE")
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 300")
        answer = client.get(address)
    assert answer.status_code == 503, answer.content
    assert "too long" in answer.content.decode()
