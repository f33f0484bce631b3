"""Writes letters as files, one each, for installations that send none, so that they can be read.

An `.eml` file is the letter as a mail server receives it (RFC 5322); any mail program opens it. The folder is the
setting EMAIL_FILE_PATH. Production sends letters by SMTP and does not use this.
"""

import os
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import EmailMessage

SUFFIX = ".eml"


class EmailBackend(BaseEmailBackend):
    """Writes each letter to a file of its own; the order of names is the order of writing."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Write the letters that have recipients; return how many there were."""
        written = 0
        for message in email_messages:
            if message.recipients():
                letter = message.message().as_bytes().replace(b"\n", b"\r\n")  # Django writes line feeds only
                keep(letter, Path(settings.EMAIL_FILE_PATH))
                written += 1
        return written


def keep(letter: bytes, folder: Path) -> Path:
    """Write a letter into the folder, readable only by the owner; a listing never includes a partly written file."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-{uuid.uuid4().hex[:8]}"
    begun = folder / f".{name}"
    descriptor = os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(letter)
    return begun.rename(folder / f"{name}{SUFFIX}")
