"""The API as the reference client calls it: one call at a time, no faster than allowed, repeated where that helps."""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from importlib.util import find_spec

import httpx

from compliance.interfaces.pulled import Json

ACCEPTED = "gzip" if find_spec("zstandard") is None else "zstd, gzip"
"""The content codings that this client decodes: httpx supports zstd where the package `zstandard` is installed."""

ATTEMPTS = 10
LONGEST_WAIT_SECONDS = 60.0


class PullError(Exception):
    """The pull cannot go on; `code` is that of the problem which the service answered with, empty without one."""

    def __init__(self, sentence: str, code: str = "") -> None:
        super().__init__(sentence)
        self.code = code


class FaultError(Exception):
    """What was pulled is not what the contract promises."""


class StaleCursorError(Exception):
    """A kept cursor is no longer valid: the register is pulled again from its beginning."""


class Service:
    """The API, called one call at a time, no faster than it allows."""

    def __init__(self, client: httpx.Client, wait: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._wait = wait

    def get(self, path: str, parameters: dict[str, str] | None = None) -> Json:
        """One answer, parsed as JSON. Raises as `answer` does."""
        try:
            found: Json = json.loads(self.answer(path, parameters))
        except ValueError:
            raise PullError(f"What answers at {path} is not the service: it is no JSON.") from None
        return found

    def ahead(self, path: str, parameters: dict[str, str]) -> "Future[Json]":
        """Calls as `get` does while the caller goes on. Make no other call before its result is taken.

        A thread of its own waits for the answer and ends with the program, so an interruption waits for nothing.
        """
        answer: Future[Json] = Future()
        threading.Thread(target=self._settle, args=(answer, path, parameters), daemon=True).start()
        return answer

    def _settle(self, answer: "Future[Json]", path: str, parameters: dict[str, str]) -> None:
        try:
            answer.set_result(self.get(path, parameters))
        except Exception as error:  # noqa: BLE001 - raised where the result is taken
            answer.set_exception(error)

    def answer(self, path: str, parameters: dict[str, str] | None = None) -> bytes:
        """One answer. Waits and repeats after temporary failures; raises PullError for others."""
        problem, code = "no answer", ""
        for attempt in range(ATTEMPTS):
            pause = min(0.5 * 2**attempt, LONGEST_WAIT_SECONDS)
            try:
                answer = self._client.get(path, params=parameters)
            except httpx.RequestError as error:  # of the network, or of an answer that cannot be unpacked
                problem = f"{type(error).__name__} at {path}"
                self._wait(pause)
                continue
            if answer.status_code == 200:
                self._respect(answer)
                return answer.content
            code = _code(answer)
            problem = f"{answer.status_code} {code} at {path} (request {answer.headers.get('X-Request-Id', '?')})"
            if code == "invalid_cursor" and parameters is not None and "cursor" in parameters:
                raise StaleCursorError
            if answer.status_code != 429 and answer.status_code < 500:
                raise PullError(problem, code)
            asked = answer.headers.get("Retry-After", "")
            self._wait(float(asked) if asked.isascii() and asked.isdigit() else pause)  # proxies may state a moment
        raise PullError(problem, code)

    def _respect(self, answer: httpx.Response) -> None:
        """Waits for the next window after the last call that this one allows."""
        for item in answer.headers.get("RateLimit", "").split(","):
            values = dict(part.strip().split("=", 1) for part in item.split(";")[1:] if "=" in part)
            if values.get("r") == "0":
                self._wait(float(values.get("t", "1")))
                return


def _code(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["code"])
    except (ValueError, KeyError, TypeError):
        return "unknown"
