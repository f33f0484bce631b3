"""Records facts on another connection, in a transaction that stays open until the test ends it."""

import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

import psycopg
from django.conf import settings
from django.db import connection

from compliance.facts.lines.kinds import FactLine
from compliance.facts.recording import record
from compliance.tenancy import context


class RecordingElsewhere:
    """Facts recorded in a transaction of another thread; `commit` ends it and waits until that is done."""

    def __init__(self, organization_id: uuid.UUID, lines: Sequence[FactLine], now: datetime) -> None:
        self._facts = (organization_id, lines, now)
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
        organization_id, lines, now = self._facts
        try:
            with context.company(organization_id):
                record(organization_id, lines, now=now)
                self._recorded.set()
                self._may_commit.wait(60)
        except Exception as error:  # noqa: BLE001 - raised in the thread of the test
            self._error = error
        finally:
            self._recorded.set()
            connection.close()


@contextmanager
def recording_elsewhere(
    organization_id: uuid.UUID, lines: Sequence[FactLine], now: datetime
) -> Iterator[RecordingElsewhere]:
    """Yields an open recording; it is committed at the block's end unless it was before."""
    elsewhere = RecordingElsewhere(organization_id, lines, now)
    try:
        yield elsewhere
    finally:
        elsewhere.commit()


_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def until_somebody_waits() -> None:
    """Returns when a connection to this database, on a cluster to any node, waits for a lock.

    It polls on another connection, because within a transaction this view never changes.
    """
    values = connection.settings_dict
    deadline = time.monotonic() + 60
    with psycopg.connect(
        host=values["HOST"], port=values["PORT"], user=values["USER"], password=values["PASSWORD"],
        dbname=values["NAME"], autocommit=True,
    ) as looking:  # fmt: skip
        asked = "SELECT result::bigint FROM run_command_on_all_nodes(%s)" if settings.CLUSTER else _WAITING
        while not any(count for (count,) in looking.execute(asked, [_WAITING] if settings.CLUSTER else None)):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    looking.close()
