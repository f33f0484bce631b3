"""The mail server, to which a run hands over many letters on one connection.

Each connection costs a TLS handshake and a login, which take longer than a letter.
"""

import smtplib
from datetime import timedelta

from django.core.mail import EmailMessage, get_connection

REFUSALS = (OSError, ValueError)
"""The errors of sending: those of smtplib are OSErrors too. ValueError alone: an invalid address (a@b..org)."""

RUN_LASTS = timedelta(minutes=5)
"""After this a run ends and the next one continues: well before the limit of its task, which cuts off a letter."""

LETTERS_A_CONNECTION = 50
"""Mail servers limit it, often to 100, and refuse letters beyond, though nothing is wrong with them."""

_MOST_FAILURES = 3


class MailServer:
    """Opens its connection with the first letter, and anew after a failure or LETTERS_A_CONNECTION letters."""

    def __init__(self) -> None:
        self._connection = get_connection(fail_silently=False)
        self._handed_over = self._failures = 0

    @property
    def away(self) -> bool:
        """Whether so many letters failed in a row that the server is probably unavailable."""
        return self._failures >= _MOST_FAILURES

    def hand_over(self, letter: EmailMessage) -> None:
        """Sends a letter. Raises one of REFUSALS."""
        if self._handed_over == LETTERS_A_CONNECTION:
            self.close()
        try:
            self._open()  # or send_messages opens one, and closes it afterwards
            self._connection.send_messages([letter])
        except OSError as error:
            # A server that refuses a mailbox is available.
            self._failures = 0 if isinstance(error, smtplib.SMTPRecipientsRefused) else self._failures + 1
            self.close()
            raise
        self._handed_over += 1
        self._failures = 0

    def _open(self) -> None:
        try:
            self._connection.open()
        except UnicodeError as error:  # a fault of the settings, and of no letter
            raise ConnectionError("EMAIL_HOST is no name of a host, or the account there is not ASCII.") from error

    def close(self) -> None:
        """Closes the connection; another letter opens a new one."""
        self._connection.close()
        self._handed_over = 0
