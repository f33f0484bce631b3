"""Addresses of PostgreSQL: how they are written, and Django's settings for each.

An address may name several servers (`postgresql://role:password@one:5432,two:5432/database`): each is tried in turn,
and the one that takes writes is used, so nothing has to be configured when another server becomes the primary.
"""

from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

FORM: Final = (
    "A database URL reads postgresql://role:password@host:port/database; several hosts stand with commas between."
)
OPTIONS: Final = frozenset(
    {"sslmode", "sslrootcert", "sslcert", "sslkey", "channel_binding", "target_session_attrs", "application_name"}
)
"""Options of libpq that an address may have after `?`."""


def database(
    address: str, statement_timeout_milliseconds: int = 0, *, cluster: bool = False, patience_seconds: int = 2
) -> dict[str, Any]:
    """Django's description of the PostgreSQL database at `address`, the coordinator of a cluster or one server alone.

    A server that cannot be reached is given up after `patience_seconds`, and so is one behind a broken network: without
    the last four options a call would wait for minutes until the operating system gives up. Raises ValueError.
    """
    parts = urlsplit(address)
    hosts, ports = _servers(parts)
    options: dict[str, Any] = {
        "prepare_threshold": 5,
        "application_name": "compliance",
        "connect_timeout": patience_seconds,
        "keepalives_idle": patience_seconds,
        "keepalives_interval": 1,
        "tcp_user_timeout": patience_seconds * 1000,
    }
    if len(hosts) > 1:
        options["target_session_attrs"] = "read-write"
    for name, value in parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)):
        if name not in OPTIONS or not value:
            raise ValueError(f"A database URL may have the options {', '.join(sorted(OPTIONS))}, not {name!r}.")
        options[name] = value
    session = {}
    if statement_timeout_milliseconds:
        session["statement_timeout"] = str(statement_timeout_milliseconds)
    if cluster:
        session["citus.propagate_set_commands"] = "local"  # so that a transaction's company is set on its node too
        session["citus.node_connection_timeout"] = str(patience_seconds * 500)  # so that a node that is away costs less
    if session:
        options["options"] = " ".join(f"-c {name}={value}" for name, value in session.items())
    return {
        "ENGINE": "compliance.tenancy.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": ",".join(hosts),
        "PORT": ",".join(ports),
        # Measured: persistent connections with health checks beat the pool, which does not reset session settings.
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": False,
        "OPTIONS": options,
    }


def _servers(parts: SplitResult) -> tuple[list[str], list[str]]:
    """The hosts of an address and their ports; no ports where none is named."""
    if parts.scheme not in ("postgresql", "postgres") or not parts.path.strip("/"):
        raise ValueError(FORM)
    hosts, ports = [], []
    for server in parts.netloc.rpartition("@")[2].split(","):
        try:
            one = urlsplit(f"//{server}")
            host, port = one.hostname or "", one.port
        except ValueError:
            raise ValueError(FORM) from None
        hosts.append(host)
        ports.append("" if port is None else str(port))
    if len(hosts) == 1:
        return hosts, ports
    ports = [port or "5432" for port in ports]
    if not all(hosts) or len(set(zip(hosts, ports, strict=True))) < len(hosts):
        raise ValueError(FORM)
    return hosts, ports
