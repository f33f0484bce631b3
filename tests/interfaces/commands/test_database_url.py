"""`database_url`: the address of the embedded database, and of no other."""

from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command

from config import environment


@pytest.mark.parametrize(
    ("option", "role", "superuser"),
    [((), "app", False), (("--owner",), "owner", False), (("--superuser",), "postgres", True)],
)
def test_the_address_printed_opens_the_database_as_that_role(
    option: tuple[str, ...], role: str, superuser: bool, capsys: Any
) -> None:
    call_command("database_url", *option)
    with psycopg.connect(capsys.readouterr().out.strip()) as connection:
        found = connection.execute(
            "SELECT current_user::text, rolsuper FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
    assert found == (role, superuser)


def test_the_password_of_a_database_that_is_not_embedded_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_SUPERUSER_URL", "postgresql://postgres:secret@elsewhere.example:5432/compliance")
    environment.read.cache_clear()
    with pytest.raises(CommandError, match="another database"):
        call_command("database_url", "--superuser")
    environment.read.cache_clear()
