"""Callers that go on whatever happens: sources that post facts until they are acknowledged, and readers.

Each records its answers and their times: what users notice of a fault.
"""

import itertools
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

import httpx
import orjson

PATIENCE_SECONDS = 60.0
"""How long a caller waits for an answer. A missing answer counts as an answer of its own."""
MOST_KEPT = 400
"""Characters of a body that are kept."""


class Answer(NamedTuple):
    """One answer: when it came, its status (0: none came), how long it took, and whether it was to a fact.

    An answer other than 200 has what explains it: the path, the request id, by which the web server's log is searched,
    and the beginning of the body or, if no answer came, the error.
    """

    at: float
    status: int
    seconds: float
    wrote: bool = False
    path: str = ""
    request_id: str = ""
    body: str = ""


class Acknowledged(NamedTuple):
    """A fact that the service has acknowledged: the person it is about, and when the answer came."""

    fact_id: str
    person_id: str
    at: float


class Load:
    """Threads that post facts, one for each source, and read, if there is a key, until `end`."""

    def __init__(self, base_url: str, *, sources: list[str], key: str, pages: tuple[str, ...]) -> None:
        self._base_url, self._ended, self._lock = base_url, threading.Event(), threading.Lock()
        self.written: list[Answer] = []
        self.read: list[Answer] = []
        self.acknowledged: list[Acknowledged] = []
        self.refused: Counter[str] = Counter()
        readings = [(path, key) for path in ("/v1/training-records", "/v1/snapshot") if key]
        readings += [(page, "") for page in pages]
        self._threads = [threading.Thread(target=self._write, args=[source], daemon=True) for source in sources]
        self._threads += [threading.Thread(target=self._read, args=[*each], daemon=True) for each in readings]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Ends the threads, and waits for their last answers."""
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def longest_without(self, since: float, until: float) -> float:
        """The longest time between two acknowledged facts within a span, whose ends count as such facts."""
        with self._lock:
            moments = sorted(each.at for each in self.acknowledged if since <= each.at <= until)
        points = [since, *moments, until]
        return max(later - earlier for earlier, later in itertools.pairwise(points))

    def answers_between(self, since: float, until: float) -> list[Answer]:
        """Every answer that came within a span."""
        with self._lock:
            return [each for each in (*self.written, *self.read) if since <= each.at <= until]

    def _write(self, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"}
        with httpx.Client(timeout=PATIENCE_SECONDS, headers=headers) as client:
            while not self._ended.wait(0.05):
                fact = _joined()
                while not self._ended.is_set():
                    answer = self._ask(partial(client.post, content=fact), "/in/v1/facts", wrote=True)
                    if answer is not None and answer.status_code == 200:
                        came = orjson.loads(answer.content)
                        if came["refused"]:
                            self.refused[came["refused"][0]["code"]] += 1
                        else:
                            sent = orjson.loads(fact)
                            with self._lock:
                                self.acknowledged.append(
                                    Acknowledged(sent["fact_id"], sent["person_id"], time.monotonic())
                                )
                        break
                    self._ended.wait(0.2)

    def _read(self, path: str, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        with httpx.Client(timeout=PATIENCE_SECONDS, headers=headers) as client:
            while not self._ended.wait(0.1):
                self._ask(client.get, path)

    def _ask(self, ask: Callable[[str], httpx.Response], path: str, *, wrote: bool = False) -> httpx.Response | None:
        started, answer, body, request_id = time.monotonic(), None, "", ""
        try:
            answer = ask(self._base_url + path)
        except httpx.HTTPError as error:
            body = repr(error)
        ended = time.monotonic()
        if answer is not None and answer.status_code != 200:
            request_id, body = answer.headers.get("X-Request-Id", ""), answer.text[:MOST_KEPT]
        kept = Answer(
            ended, 0 if answer is None else answer.status_code, ended - started, wrote, path, request_id, body
        )
        with self._lock:
            (self.written if wrote else self.read).append(kept)
        return answer


def _joined() -> bytes:
    learner = uuid.uuid4()
    return orjson.dumps(
        {
            "fact": "employee_joined",
            "fact_id": str(uuid.uuid4()),
            "at": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
            "person_id": str(uuid.uuid4()),
            "learner_profile_id": str(learner),
            "person_name": f"Person {learner.hex[:6]}",
            "account_email": f"{learner.hex}@example.org",
        }
    )


def counted(answers: list[Answer]) -> str:
    """How many answers there were of each status, in words."""
    counts = Counter(each.status for each in answers)
    return ", ".join(f"{status or 'no answer'}: {count:,}" for status, count in sorted(counts.items())) or "none"


def others(answers: list[Answer], *expected: int) -> list[str]:
    """The answers that have none of the statuses that were expected, in words."""
    strange = Counter(each.status for each in answers if each.status not in expected)
    return [f"{count} answers of {status or 'nobody'}" for status, count in sorted(strange.items())]


def slowest(answers: list[Answer], *statuses: int) -> float:
    """The longest time of an answer with one of the statuses."""
    return max((each.seconds for each in answers if each.status in statuses), default=0.0)
