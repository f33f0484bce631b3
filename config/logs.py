"""Logging: one JSON object a line on standard error, with the request id, without keys and personal data.

What modules log by the standard library and what django-structlog binds (request id, task id) meet in one formatter.
Identifiers of people are pseudonyms and stay; values that could name a person are dropped by the names of their
fields, and anything that looks like an API key or an address is cut out of every text. Requests and other objects are
never written, because their text holds addresses and search words. Of an exception, only its class and its place are
written, because its message may quote what was entered or stored.
"""

import json
import re
import sys
import traceback
from collections.abc import Iterator, MutableMapping
from datetime import date
from typing import Any
from uuid import UUID

import orjson
import structlog

from compliance.access.tokens import redact

Event = MutableMapping[str, Any]

PERSONAL = frozenset(
    {
        "person_name", "account_email", "work_email", "email", "check_code", "company", "signer_company", "signature",
        "trainer_name", "ip", "user_agent", "authorization", "cookie", "password", "token",
    }
)  # fmt: skip
# One attempt for each run of characters, since the path of any request is written: with more, a long path full of @
# takes minutes.
_AROUND = r"\s<>\"'=:,;()\[\]{}"
_ADDRESS = re.compile(rf"(?<![^{_AROUND}])@*[^{_AROUND}@]+@[^{_AROUND}]+\.[^{_AROUND}]+")


# Errors of a server that is away: their messages name it and the reason, and quote nothing that is stored.
_OF_THE_NETWORK = frozenset({"ConnectionError", "ConnectionRefusedError", "TimeoutError", "OperationalError"})


def without_messages(_: Any, __: str, event: Event) -> Event:
    """Replaces an exception by the place where it was raised, and Celery's and django-structlog's text by its class."""
    info = event.pop("exc_info", None) or event.pop("exception", None)
    if info:
        error = info[1] if isinstance(info, tuple) else info if isinstance(info, BaseException) else sys.exc_info()[1]
        if isinstance(error, BaseException):
            event["exception"] = "; caused by: ".join(_places(error))
    task = event.pop("data", None)  # Celery's context of a task: its arguments and how it ended
    if isinstance(task, dict) and "exc" in task:
        event["event"] = f"Task {task.get('name')}[{task.get('id')}] failed: {str(task['exc']).partition('(')[0]}"
    if str(event.get("logger", "")).startswith("django_structlog."):
        event.pop("error", None)  # the exception's message
        event.pop("reason", None)
    return event


def _places(error: BaseException) -> Iterator[str]:
    """Each error of a chain, the newest first: its class and the innermost places of its traceback."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        frames = traceback.extract_tb(found.__traceback__)[-8:]
        where = ", ".join(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames))
        message = f" ({found})" if type(found).__name__ in _OF_THE_NETWORK else ""
        yield f"{type(found).__module__}.{type(found).__qualname__}{message} at {where or 'nowhere'}"
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)


def without_personal_data(_: Any, __: str, event: Event) -> Event:
    """Drops fields that could name a person, and cuts keys and addresses out of every text."""
    for name in list(event):
        if name in PERSONAL or not _is_written(event[name]):
            del event[name]
        else:
            event[name] = _clean(event[name])
    return event


_WRITTEN = (str, int, float, bool, type(None), UUID, date, dict, list, tuple)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        value = redact(value)
        return _ADDRESS.sub("[address]", value) if "@" in value else value
    if isinstance(value, dict):
        return {name: _clean(each) for name, each in value.items() if name not in PERSONAL and _is_written(each)}
    if isinstance(value, list | tuple):
        return [_clean(each) for each in value if _is_written(each)]
    return value


def _is_written(value: Any) -> bool:
    return isinstance(value, _WRITTEN)


_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def _as_json(event: Event, **_: Any) -> str:
    try:
        return orjson.dumps(event, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    except orjson.JSONEncodeError:  # a lone surrogate or a number of more than 64 bits
        return json.dumps(event, default=str)


def configuration(level: str, form: str) -> dict[str, Any]:
    """The value of Django's LOGGING; `form` is `json` or `plain`."""
    renderer: Any = structlog.processors.JSONRenderer(_as_json)
    if form == "plain":
        renderer = structlog.dev.ConsoleRenderer(colors=False)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": [*_SHARED, structlog.stdlib.ExtraAdder()],
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    without_messages,
                    without_personal_data,
                    renderer,
                ],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "django.server": {"handlers": [], "level": "INFO", "propagate": True},
            "celery": {"handlers": [], "level": level, "propagate": True},
        },
    }


_PROCESSORS = [structlog.stdlib.filter_by_level, *_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter]
"""One list only: loggers keep the list of their first use, even if the settings are read again."""


def set_up_structlog() -> None:
    """Hands what is logged through structlog to the standard library's handlers."""
    structlog.configure(
        processors=_PROCESSORS,
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
