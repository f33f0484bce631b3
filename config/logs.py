"""Logging: one JSON object a line on standard error, with the request id, without keys and personal data (issue 7).

What modules log by the standard library and what django-structlog binds (request id, task id) meet in one formatter.
Identifiers of people are pseudonyms and stay; values that could name a person are dropped by the names of their
fields, and anything that looks like an API key or an address is cut out of every text.
"""

import re
from collections.abc import MutableMapping
from typing import Any

import structlog

from compliance.access.tokens import redact

Event = MutableMapping[str, Any]

PERSONAL = frozenset(
    {
        "person_name", "account_email", "work_email", "email", "check_code", "company", "signer_company", "signature",
        "trainer_name", "ip", "user_agent", "authorization", "cookie", "password", "token",
    }
)  # fmt: skip
_ADDRESS = re.compile(r"[^\s<>\"'=:,;()\[\]{}]+@[^\s<>\"',;()\[\]{}]+\.[^\s<>\"',;()\[\]{}]+")


def without_personal_data(_: Any, __: str, event: Event) -> Event:
    """Drops fields that could name a person, and cuts keys and addresses out of every text."""
    for name in list(event):
        if name in PERSONAL:
            del event[name]
        else:
            event[name] = _clean(event[name])
    return event


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return _ADDRESS.sub("[address]", redact(value))
    if isinstance(value, dict):
        return {name: _clean(each) for name, each in value.items() if name not in PERSONAL}
    if isinstance(value, list | tuple):
        return [_clean(each) for each in value]
    return value


_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
]


def configuration(level: str, form: str) -> dict[str, Any]:
    """What Django's LOGGING takes; `form` is `json` or `plain`."""
    renderer: Any = structlog.processors.JSONRenderer(default=str)
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


def set_up_structlog() -> None:
    """Hands what is logged through structlog to the standard library's handlers."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
