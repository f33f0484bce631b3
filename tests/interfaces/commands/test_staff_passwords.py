"""Django's commands for passwords and superusers write to the access log, like every other way."""

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.sign_in.models import Letter, StaffSession
from tests.interfaces.console.conftest import PASSWORD, make_staff, signed_in

pytestmark = pytest.mark.django_db
NEW = "seven quiet herons at dusk"


def _lines() -> list[tuple[str, str, str]]:
    return list(AccessLog.objects.filter(page="manage.py").values_list("username", "act", "subject"))


def _type(monkeypatch: pytest.MonkeyPatch, password: str) -> None:
    monkeypatch.setattr("getpass.getpass", lambda *given, **named: password)


def test_a_password_that_is_set_has_a_line_a_letter_and_no_session_left(monkeypatch):
    user = make_staff("ada", None)
    user.email = "ada@example.org"
    user.save()
    signed_in(user)
    _type(monkeypatch, NEW)
    call_command("changepassword", "ada", stdout=io.StringIO())
    user.refresh_from_db()
    assert user.check_password(NEW)
    assert _lines() == [("manage.py", "password set", f"user={user.pk}")]
    assert [(each.address, each.kind) for each in Letter.objects.all()] == [("ada@example.org", "password set")]
    assert not StaffSession.objects.exists()


def test_a_password_that_is_refused_changes_and_writes_nothing(monkeypatch):
    user = make_staff("ada", None)
    _type(monkeypatch, "short")
    with pytest.raises(CommandError):
        call_command("changepassword", "ada", stdout=io.StringIO(), stderr=io.StringIO())
    user.refresh_from_db()
    assert user.check_password(PASSWORD)
    assert _lines() == []


def test_a_superuser_that_is_made_has_a_line(monkeypatch):
    make_staff("earlier", "Administrator")
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", NEW)
    call_command("createsuperuser", interactive=False, username="root", email="", stdout=io.StringIO())
    ((name, act, subject),) = _lines()
    assert (name, act) == ("manage.py", "account made")
    assert AccessLog.objects.filter(at__lte=timezone.now(), subject=subject).exists()
    with pytest.raises(CommandError):
        call_command("createsuperuser", interactive=False, username="root", email="", stdout=io.StringIO())
    assert len(_lines()) == 1


@pytest.mark.parametrize("address", ["ada", "ada@example.org, eve@example.org", "ädä@example.org", "ada@example..org"])
def test_nobody_is_invited_with_an_address_to_which_no_letter_can_go(address):
    with pytest.raises(CommandError, match="is no e-mail address"):
        call_command("invite_staff", "ada", "--email", address, stdout=io.StringIO())
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("name", "email"),
    [("", ""), ("a" * 151, ""), ("two words", ""), ("ada", f"ada@{'b.' * 122}example.org")],
)
def test_an_account_that_nobody_can_have_is_refused_in_a_sentence(name, email):
    with pytest.raises(CommandError, match=r"There can be no such account\."):
        call_command("invite_staff", name, "--email", email, stdout=io.StringIO())
    assert not User.objects.exists()


def test_a_name_that_a_terminal_composes_otherwise_is_that_of_the_same_account():
    for name in ("ren\u00e9", "rene\u0301"):
        call_command("invite_staff", name, stdout=io.StringIO())
    assert User.objects.get().username == "ren\u00e9"
