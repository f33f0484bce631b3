"""Refuses passwords that were breached or are easy to guess, without a network request.

It follows NIST SP 800-63B, 3.1.1.2: length counts and composition rules do not; refused are breached passwords, words
of a dictionary, and variations of the person's or the service's name. The lists are zxcvbn's (30,000 breached
passwords, names and words) and Django's own 20,000.
"""

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from zxcvbn import zxcvbn

_OURS = ["compliance", "records", "compliancerecords"]
_ENOUGH = 3
"""On zxcvbn's scale of 0 to 4: 3 is more than 10^8 guesses, 4 more than 10^10."""
_READ = 72
"""How many characters zxcvbn gets: a longer password is rated by its beginning."""


class GuessablePasswordValidator:
    """Refuses passwords from lists of breached passwords, dictionaries or keyboard patterns."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Raises ValidationError for a password that is easy to guess."""
        known = [str(getattr(user, name, "") or "") for name in ("username", "first_name", "last_name", "email")]
        found = zxcvbn(password[:_READ], user_inputs=[*_OURS, *(word for word in known if word)])
        if found["score"] < _ENOUGH:
            warning = found["feedback"]["warning"].rstrip(".")
            raise ValidationError(
                gettext("This password is easy to guess%(else)s. Take several words that do not belong together.")
                % {"else": ": " + warning[0].lower() + warning[1:] if warning else ""},
                code="password_easy_to_guess",
            )

    def get_help_text(self) -> str:
        """The text beside the field."""
        return gettext(
            "Take several words that do not belong together. Breached and easily guessed passwords are refused."
        )
