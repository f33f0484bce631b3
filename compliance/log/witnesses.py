"""Asks witnesses to cosign a checkpoint (C2SP tlog-witness, https://c2sp.org/tlog-witness).

Others run the witnesses, so their answers are not trusted: only cosignatures that verify are kept, answers are cut at
a few kilobytes, redirects are not followed, and all witnesses together get a few seconds. A witness that fails is not
asked for a while, longer each time.
"""

import functools
import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from queue import Empty, SimpleQueue
from typing import NamedTuple

import httpx
from django.conf import settings

from compliance.log.models import Witness
from compliance.proofs.cosignature import cosigned_times, parse_witness_key
from compliance.proofs.errors import ProofError
from compliance.proofs.signed_note import VerifierKey, parse_note
from compliance.proofs.witness_request import SIZE_CONTENT_TYPE, CheckpointRequest

log = logging.getLogger(__name__)

Outcome = Witness.Outcome

SECONDS = 5.0
"""How long the signer waits for all witnesses together."""
MOST_ANSWER_BYTES = 16 * 1024
FIRST_PAUSE = timedelta(seconds=15)
LONGEST_PAUSE = timedelta(minutes=10)

_SIZE = re.compile(rb"(0|[1-9][0-9]{0,18})\n")

Consistency = Callable[[int, int], Sequence[bytes]]
"""Returns the consistency proof from one size of the log to another."""


class Answer(NamedTuple):
    """A witness's answer: an outcome and, if it cosigned, the signature line with its line feed."""

    key: VerifierKey
    outcome: Outcome
    line: str = ""


class _Conflict(Exception):
    """The witness cosigned last at another size than the request states."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size


class _Failed(Exception):
    """A witness did not cosign; with the outcome and the reason."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome


@dataclass(slots=True)
class _Witness:
    """A witness, and what this process remembers of it: the size that it cosigned last, and how often it failed."""

    key: VerifierKey
    url: str
    size: int = 0
    failures: int = 0
    again_at: datetime = field(default=datetime.min.replace(tzinfo=UTC))
    thread: threading.Thread | None = None

    def is_due(self, note: str, now: datetime) -> bool:
        """Whether to ask it for its cosignature: not while an earlier request or a pause is still running."""
        if now < self.again_at or (self.thread is not None and self.thread.is_alive()):
            return False
        return not _line_of(self.key, note)


class _Response(NamedTuple):
    """A response from the network."""

    status: int
    content_type: str
    body: bytes


class _Arrived(NamedTuple):
    """The result of a request to a witness: a response, or the reason why there is none."""

    witness: _Witness
    old: int
    response: _Response | _Failed


class Witnesses:
    """The witnesses of a log, asked by one process. Remembers what each cosigned last; not for several threads."""

    def __init__(self, witnesses: Iterable[tuple[str, str]], seconds: float = SECONDS) -> None:
        """`witnesses` are pairs of verifier key line and address (above `/add-checkpoint`). Raises NoteMalformed."""
        self._witnesses = [_Witness(parse_witness_key(line), url) for line, url in witnesses]
        self._seconds = seconds
        self._client = httpx.Client(follow_redirects=False, timeout=seconds, headers={"Accept-Encoding": "identity"})

    def ask(self, note: str, size: int, consistency: Consistency, now: datetime) -> list[Answer]:
        """Ask each witness that has not cosigned `note`, a checkpoint of `size` entries; return the answers.

        Witnesses that failed recently are not asked. Returns within the seconds that were set, and raises nothing,
        whatever witnesses do. `consistency` is called in this thread.
        """
        deadline = time.monotonic() + self._seconds
        arrived: SimpleQueue[_Arrived] = SimpleQueue()

        @functools.cache
        def request_from(old: int) -> CheckpointRequest:
            return CheckpointRequest(old, tuple(consistency(old, size)), note)

        waiting = {witness.key: witness for witness in self._witnesses if witness.is_due(note, now)}
        for witness in waiting.values():
            old = witness.size if witness.size <= size else 0
            self._send(witness, request_from(old), arrived, deadline)
        answers: list[Answer] = []
        asked_again: set[VerifierKey] = set()
        while waiting:
            try:
                witness, old, response = arrived.get(timeout=max(deadline - time.monotonic(), 0))
                if witness.thread is not None:
                    witness.thread.join()  # it has nothing left to do, and `is_due` asks whether it still runs
                line = _cosignature(witness.key, note, response)
            except Empty:
                break
            except _Conflict as conflict:
                if conflict.size <= size and conflict.size != old and witness.key not in asked_again:
                    asked_again.add(witness.key)
                    self._send(witness, request_from(conflict.size), arrived, deadline)
                    continue
                answers.append(_answer(witness, _conflict(conflict.size, old, size), now))
            except _Failed as failed:
                answers.append(_answer(witness, failed, now))
            else:
                witness.size, witness.failures = size, 0
                answers.append(Answer(witness.key, Outcome.COSIGNED, line))
            del waiting[witness.key]
        slow = _Failed(Outcome.SLOW, f"It did not answer within {self._seconds:g} seconds.")
        return answers + [_answer(witness, slow, now) for witness in waiting.values()]

    def cosignatures_in(self, note: str) -> list[str]:
        """Return the witnesses' signature lines in a note; of a witness, only if all of its lines verify."""
        return [line for witness in self._witnesses if (line := _line_of(witness.key, note))]

    def close(self) -> None:
        """Close the connections to the witnesses."""
        self._client.close()

    def _send(
        self, witness: _Witness, request: CheckpointRequest, arrived: SimpleQueue[_Arrived], deadline: float
    ) -> None:
        """Post the request in a thread of its own; nobody waits for it after the deadline."""

        def post() -> None:
            response = self._post(f"{witness.url}/add-checkpoint", request.body(), deadline)
            arrived.put(_Arrived(witness, request.old, response))

        witness.thread = threading.Thread(target=post, name=f"witness {witness.key.key_name}", daemon=True)
        witness.thread.start()

    def _post(self, url: str, body: bytes, deadline: float) -> _Response | _Failed:
        received = bytearray()
        left = max(deadline - time.monotonic(), 0.001)
        try:
            with self._client.stream("POST", url, content=body, timeout=left) as response:
                for part in response.iter_raw(4096):
                    received += part
                    if len(received) > MOST_ANSWER_BYTES:
                        return _Failed(Outcome.NONSENSE, f"It answered more than {MOST_ANSWER_BYTES} bytes.")
                    if time.monotonic() > deadline:
                        return _Failed(Outcome.SLOW, "Its answer took too long to arrive.")
                return _Response(response.status_code, response.headers.get("Content-Type", ""), bytes(received))
        except httpx.TimeoutException:
            return _Failed(Outcome.SLOW, "It did not answer in time.")
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            return _Failed(Outcome.UNREACHABLE, f"There was no answer: {fault or type(fault).__name__}")


def configured() -> Witnesses:
    """Return the witnesses of LOG_WITNESSES."""
    entries = (entry.partition(" ") for entry in settings.LOG_WITNESSES)
    return Witnesses((line, url) for line, _, url in entries)


def _cosignature(key: VerifierKey, note: str, response: _Response | _Failed) -> str:
    """Return the signature line in a witness's response. Raises _Conflict when it states a size, else _Failed."""
    if isinstance(response, _Failed):
        raise response
    status, content_type, body = response
    if status == httpx.codes.OK:
        line = _line_of(key, f"{parse_note(note).text}\n{body.decode(errors='replace')}")
        if not line:
            raise _Failed(Outcome.NONSENSE, "It answered no cosignature that verifies.")
        return line
    if status == httpx.codes.CONFLICT and content_type == SIZE_CONTENT_TYPE:
        match = _SIZE.fullmatch(body)
        if match is None:
            raise _Failed(Outcome.NONSENSE, "It answered a conflict without a size.")
        raise _Conflict(int(match[1]))
    if status in (httpx.codes.UNPROCESSABLE_ENTITY, httpx.codes.CONFLICT):
        raise _Failed(Outcome.INCONSISTENT, "It says that the log does not continue what it cosigned.")
    if httpx.codes.is_redirect(status) or httpx.codes.is_success(status):
        raise _Failed(Outcome.NONSENSE, f"It answered with status {status}, which the protocol does not have.")
    raise _Failed(Outcome.REFUSED, f"It answered with status {status}.")


def _line_of(key: VerifierKey, note: str) -> str:
    """Return the line with which a witness cosigned a note; empty when there is none, or one does not verify."""
    try:
        if key not in cosigned_times(note, key.line()):
            return ""
        lines = (
            each
            for each in parse_note(note).signatures
            if (each.key_name, each.key_hash) == (key.key_name, key.key_hash())
        )
        return next(lines).line()
    except ProofError:
        return ""


def _conflict(known: int, old: int, size: int) -> _Failed:
    """The failure behind a conflict that asking again does not solve."""
    if known > size:
        return _Failed(Outcome.AHEAD, f"It cosigned a checkpoint of {known} entries, and this one has {size}.")
    return _Failed(Outcome.NONSENSE, f"It was asked from {old} entries, as it wants, and wants to go on from {known}.")


def _answer(witness: _Witness, failed: _Failed, now: datetime) -> Answer:
    """Log a failure, and do not ask the witness for a while: twice as long as the last time."""
    pause = min(FIRST_PAUSE * 2 ** min(witness.failures, 10), LONGEST_PAUSE)
    witness.failures, witness.again_at = witness.failures + 1, now + pause
    level = logging.ERROR if failed.outcome in (Outcome.INCONSISTENT, Outcome.AHEAD) else logging.WARNING
    extra = {"witness": witness.key.key_name, "outcome": failed.outcome.value, "reason": str(failed)}
    log.log(level, "witness_did_not_cosign", extra=extra)
    return Answer(witness.key, failed.outcome)
