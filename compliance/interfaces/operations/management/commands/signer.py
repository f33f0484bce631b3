"""The signer: `signer [--once] [--verifier-key]`, the one process that holds CHECKPOINT_KEY.

Every few seconds it recomputes the new captures of the histories and signs the log that they are entries of. One
process is enough; two do no harm, since they take turns.
"""

import logging
import signal
import threading
from argparse import ArgumentParser
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError
from django.db import Error, connection

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.interfaces.console.evidence import manifests
from compliance.interfaces.operations import access_heads, startup
from compliance.log import keys, signing, witnesses
from compliance.log.cosigning import cosign_newest
from compliance.log.errors import LogError

log = logging.getLogger(__name__)

SECONDS = 3.0


class Command(OperatorCommand):
    """Runs until it is stopped."""

    help = "Signs the log of all captures, after recomputing them. The only process that needs CHECKPOINT_KEY."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--once", action="store_true", help="Sign what is new and end.")
        how.add_argument(
            "--verifier-key",
            action="store_true",
            help="Print the log's key line: CHECKPOINT_VERIFIER_KEY of the other processes; auditors are given it.",
        )

    def needs_database(self, options: dict[str, Any]) -> bool:
        """The key line follows from the settings, and is needed before the first start."""
        return not options["verifier_key"]

    def handle(self, *_: Any, **options: Any) -> None:
        keys.signing_key()
        if options["verifier_key"]:
            self.stdout.write(",".join(keys.verifier_keys()))
            return
        startup.start_or_exit()
        with closing(witnesses.configured()) as asked:
            self._sign(asked, once=options["once"])

    def _sign(self, asked: witnesses.Witnesses, *, once: bool) -> None:
        try:
            entries = _pass(asked)
        except LogError as error:
            raise CommandError(f"Refused to start. {error}") from error
        if once:
            self.stderr.write(f"{entries} entries signed.")
            return
        ended = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: ended.set())
        while not ended.wait(SECONDS):
            try:
                _pass(asked)
            except LogError as error:
                log.critical("log_refused", extra={"fault": str(error)})
            except Error:
                log.exception("log_not_signed")
                connection.close()


def _pass(asked: witnesses.Witnesses) -> int:
    """Signs what is new and the packs that wait, then asks the witnesses. Returns how many entries were signed."""
    entries = signing.sign_new(datetime.now(UTC))
    access_heads.sign_new()
    manifests.answer(keys.signers(purpose=manifests.PURPOSE))
    cosign_newest(asked, datetime.now(UTC))
    return entries
