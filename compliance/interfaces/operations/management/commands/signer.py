"""The signer: `signer [--once] [--verifier-key]`, the one process that holds CHECKPOINT_KEY.

Every few seconds it recomputes what the histories have gained and signs how far each reaches, outside the database. One
is enough; two do no harm, since the file is locked while one looks and writes.
"""

import logging
import signal
import threading
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.db import Error, connection

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.interfaces.console.evidence import manifests
from compliance.interfaces.operations import checkpoint_file, signing, startup
from compliance.interfaces.operations.errors import CheckpointFileError
from compliance.log import keys, witnesses
from compliance.log import signing as log_signing
from compliance.log.cosigning import cosign_newest
from compliance.log.errors import LogError

log = logging.getLogger(__name__)

SECONDS = 3.0


class Command(OperatorCommand):
    """Runs until it is told to stop."""

    help = "Signs how far each history reaches, after recomputing it. The only process that needs CHECKPOINT_KEY."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--once", action="store_true", help="Sign what is due and end.")
        how.add_argument(
            "--verifier-key",
            action="store_true",
            help="Print CHECKPOINT_VERIFIER_KEY for the other processes.",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        checkpoint_file.signing_key()
        if options["verifier_key"]:
            self.stdout.write(",".join(checkpoint_file.verifier_keys()))
            return
        startup.start_or_exit()
        asked = witnesses.configured()
        if options["once"]:
            self.stderr.write(f"{signing.write_due(datetime.now(UTC))} checkpoints written.")
            self.stderr.write(f"{log_signing.sign_new(datetime.now(UTC))} entries signed.")
            self.stderr.write(f"{cosign_newest(asked, datetime.now(UTC))} witnesses cosigned.")
            return
        ended = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: ended.set())
        while not ended.is_set():
            try:
                signing.write_due(datetime.now(UTC))
                log_signing.sign_new(datetime.now(UTC))
                manifests.answer(keys.signing_key(purpose=manifests.PURPOSE))
                cosign_newest(asked, datetime.now(UTC))
            except LogError as error:
                log.critical("log_refused", extra={"fault": str(error)})
            except CheckpointFileError as error:
                log.critical("checkpoint_file_refused", extra={"fault": str(error)})
            except Error:
                log.exception("checkpoints_not_written")
                connection.close()
            ended.wait(SECONDS)
