"""Passwords that are short, breached or easily guessed are refused; there are no other rules."""

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from compliance.interfaces.console.permissions import OPERATOR
from tests.interfaces.console.conftest import PASSWORD, make_staff, signed_in

OLGA = User(username="olga.petrova", first_name="Olga", last_name="Petrova", email="olga.petrova@example.com")


@pytest.mark.parametrize(
    "password",
    [
        "Tr0ub4dor&3", "fourteen-chars", "passwordpassword", "P@ssw0rdP@ssw0rd!", "qwertyuiopasdfghjkl",
        "123456789012345678", "aaaaaaaaaaaaaaaaaaaa", "olga.petrova.1987", "compliancerecords", "iloveyouiloveyou",
        "letmeinletmeinletmein", "abcabcabcabcabcabc", "petrovapetrova2026",
    ],
)  # fmt: skip
def test_short_breached_and_easily_guessed_passwords_are_refused(password):
    with pytest.raises(ValidationError):
        validate_password(password, OLGA)


@pytest.mark.parametrize(
    "password",
    [
        "seven turnips dance at noon",
        "lowercase only without any digit",
        "плавные дельфины едят тихо" * 4,
        "x9!" * 3 + "kWq2#zLp",
    ],
)
def test_length_counts_and_composition_does_not(password):
    validate_password(password, OLGA)


@pytest.mark.django_db
def test_the_page_refuses_a_breached_password_and_says_why():
    user = make_staff("olga", OPERATOR)
    client = signed_in(user)
    values = {"oldpassword": PASSWORD, "password1": "passwordpassword", "password2": "passwordpassword"}
    page = client.post("/console/sign-in/password/", values)
    assert b"easy to guess" in page.content
    user.refresh_from_db()
    assert user.check_password(PASSWORD)
