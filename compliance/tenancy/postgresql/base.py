"""The backend that the setting ENGINE names: Django's for PostgreSQL, except for how a connection is made."""

from functools import partial
from typing import Any

import psycopg
from django.conf import settings
from django.db.backends.postgresql import base

from compliance.tenancy.postgresql.watching import Server, watcher


class DatabaseWrapper(base.DatabaseWrapper):
    """Connections to servers that answer, watched while they are open."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A new connection. Raises OperationalError at once when every server is known to be silent."""
        patience = float(conn_params.get("connect_timeout", 0))
        hosts = str(conn_params.get("host", "")).split(",")
        if not patience or not all(hosts) or any(host.startswith("/") for host in hosts):
            return super().get_new_connection(conn_params)
        ports = str(conn_params.get("port") or 5432).split(",")
        servers = [Server(host, int(port)) for host, port in zip(hosts, ports, strict=True)]
        answering = watcher.answering(servers, patience)
        if not answering:
            raise psycopg.OperationalError("No server of the database answers.")
        addresses = {
            "host": ",".join(each.host for each in answering),
            "port": ",".join(str(each.port) for each in answering),
        }
        try:
            connection = super().get_new_connection(conn_params | addresses)
        except psycopg.errors.ConnectionTimeout:
            watcher.note_silent(answering[-1:], patience)
            raise
        longest = _longest_seconds(conn_params, patience)
        ask = None
        if settings.CLUSTER:
            ask = partial(_another, conn_params | addresses, patience)
        watcher.watch(connection, patience, longest, ask)
        return connection


def _another(conn_params: dict[str, Any], patience: float) -> "psycopg.Connection[Any]":
    """A connection besides Django's, to ask about nodes. It is watched too, so that no thread waits for ever."""
    connection = psycopg.connect(**conn_params, autocommit=True)
    watcher.watch(connection, patience, patience * 2)
    return connection


def _longest_seconds(conn_params: dict[str, Any], patience: float) -> float | None:
    """How long a statement may be without an answer: a little longer than the server lets it run; None without a limit.

    The server itself does not end a COMMIT that waits for a standby.
    """
    _, _, text = str(conn_params.get("options", "")).partition("statement_timeout=")
    milliseconds = text.split(" ", 1)[0]
    return int(milliseconds) / 1000 + patience if milliseconds.isdigit() else None
