"""A recording that somebody else holds open: another connection, whose transaction ends when the test says so."""

import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from django.db import connection

from compliance.facts.lines.kinds import FactLine
from compliance.facts.recording import record
from compliance.tenancy import context


class RecordingElsewhere:
    """Facts recorded in a transaction of another thread; `commit` ends it and waits until that is done."""

    def __init__(self, organization_id: uuid.UUID, lines: Sequence[FactLine], now: datetime) -> None:
        self._told = (organization_id, lines, now)
        self._recorded, self._may_commit = threading.Event(), threading.Event()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        assert self._recorded.wait(60)
        if self._error is not None:
            raise self._error

    def commit(self) -> None:
        self._may_commit.set()
        self._thread.join(60)
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        organization_id, lines, now = self._told
        try:
            with context.company(organization_id):
                record(organization_id, lines, now=now)
                self._recorded.set()
                self._may_commit.wait(60)
        except Exception as error:  # noqa: BLE001 - raised where the test stands
            self._error = error
        finally:
            self._recorded.set()
            connection.close()


@contextmanager
def recording_elsewhere(
    organization_id: uuid.UUID, lines: Sequence[FactLine], now: datetime
) -> Iterator[RecordingElsewhere]:
    """The recording, open; committed at the block's end unless it was before."""
    elsewhere = RecordingElsewhere(organization_id, lines, now)
    try:
        yield elsewhere
    finally:
        elsewhere.commit()
