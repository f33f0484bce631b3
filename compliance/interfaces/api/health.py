"""`/livez` and `/readyz`, outside keys and limits, for whoever runs the service."""

from datetime import timedelta

import redis
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, Error, connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse

from compliance.facts.ledger.queries import backlogs
from compliance.interfaces.api import clock
from compliance.redis_client import client
from compliance.tenancy import shards, standbys


def livez(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return _answer({}, True)


def readyz(request: HttpRequest) -> JsonResponse:
    """Whether the service can do its work: database, Redis, migrations, writer. 503 when one of them fails.

    Standbys are listed where there are any, and none makes the service unready: without them the primary answers
    everything. Nor does a node of a cluster that is away: that would take every web process out of service for the
    companies of all other nodes too.
    """
    checks = {"database": _database(), "redis": _redis(), "migrations": "unknown", "writer": "unknown"}
    if checks["database"] == "ok":
        checks["migrations"] = _migrations()
        if checks["migrations"] == "ok":
            checks["writer"] = _writer()
    more: dict[str, object] = {"checks": checks}
    if checks["database"] == "ok" and settings.READ_DATABASE_URLS:
        more["standbys"] = [each._asdict() for each in standbys.states()]
    if checks["database"] == "ok" and settings.CLUSTER:
        more["nodes"] = _nodes()
    return _answer(more, all(state == "ok" for state in checks.values()))


def _nodes() -> list[dict[str, object]] | str:
    """The state of each node of the cluster; `unknown` if a node that hangs keeps the coordinator from answering."""
    try:
        return [each._asdict() for each in shards.states()]
    except Error:
        return "unknown"


def _answer(more: dict[str, object], well: bool) -> JsonResponse:
    response = JsonResponse({"status": "ok" if well else "unready"} | more, status=200 if well else 503)
    response["Cache-Control"] = "no-store"
    return response


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return "unreachable"
    return "ok"


def _redis() -> str:
    try:
        client().ping()
    except redis.RedisError:
        return "unreachable"
    return "ok"


def _migrations() -> str:
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    return "missing" if executor.migration_plan(executor.loader.graph.leaf_nodes()) else "ok"


def _writer() -> str:
    """`behind` if facts of any company have waited too long for the first try, else `ok`.

    What was tried and failed, or is set aside, does not count: one company would take all web processes out of service.
    """
    latest = clock.now() - timedelta(seconds=settings.WRITER_LAG_SECONDS)
    waits = any(each.untried_since is not None and each.untried_since < latest for each in backlogs().values())
    return "behind" if waits else "ok"
