"""Which secrets each kind of process may hold (setting PROCESS_ROLE): its own only.

An attacker who takes over a process gets the secrets that it holds. So in production a process with a PROCESS_ROLE
refuses to start with a secret of another role, or as another's database role. Without PROCESS_ROLE nothing is refused:
this is for one machine with one environment for all processes.
"""

import secrets
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import urlsplit


class Process(NamedTuple):
    """One kind of process: the database role that it connects as, and the secrets that it needs."""

    database_role: str
    secrets: frozenset[str]


_WEB: Final = frozenset(
    {
        "SECRET_KEY",
        "SECRET_KEY_FALLBACKS",
        "CURSOR_KEYS",
        "SECOND_FACTOR_KEYS",
        "OIDC_CLIENT_SECRET",
        "REDIS_URL",
        "EMAIL_HOST_PASSWORD",
        "FILES_ACCESS_KEY",
        "FILES_SECRET_KEY",
    }
)

PROCESSES: Final = {
    "web": Process("app_web", _WEB),
    "worker": Process(
        "app_worker",
        frozenset(
            {
                "SECRET_KEY",
                "SECRET_KEY_FALLBACKS",
                "REDIS_URL",
                "EMAIL_HOST_PASSWORD",
                "FILES_ACCESS_KEY",
                "FILES_SECRET_KEY",
            }
        ),
    ),
    "beat": Process("app_worker", frozenset({"REDIS_URL"})),
    "metrics": Process("app_worker", frozenset({"REDIS_URL"})),
    "signer": Process("app_signer", frozenset({"CHECKPOINT_KEY"})),
    # Commands that an operator runs by hand, and migrations.
    "manage": Process("app", _WEB),
    "owner": Process("owner", frozenset({"DATABASE_OWNER_URL", "CLUSTER_ADMINISTRATOR_URL"})),
}

SECRETS: Final = frozenset[str]().union(*(each.secrets for each in PROCESSES.values())) | {
    "CLUSTER_ADMINISTRATOR_URL", "DATABASE_SUPERUSER_URL", "SUPERUSER_PASSWORD", "OWNER_PASSWORD",
    "APP_PASSWORD", "WEB_PASSWORD", "WORKER_PASSWORD", "SIGNER_PASSWORD", "REDIS_PASSWORD",
    "POSTGRES_PASSWORD", "PGPASSWORD",
}  # fmt: skip


def holds(role: str, secret: str) -> bool:
    """Whether a process of this role may hold the secret; one without a role may hold all."""
    return role not in PROCESSES or secret in PROCESSES[role].secrets


def without(secret: str) -> str:
    """The value of a secret that this process does not hold: Django needs a SECRET_KEY in every process."""
    return secrets.token_urlsafe(48) if secret == "SECRET_KEY" else ""  # noqa: S105 - a name


def refuse_foreign_secrets(role: str, environment: Mapping[str, str]) -> None:
    """Raises ValueError when this process holds a secret of another role."""
    found = sorted(secret for secret in SECRETS - PROCESSES[role].secrets if environment.get(secret))
    if found:
        raise ValueError(
            f"A process of the role {role} must not hold {', '.join(found)}: take it out of its environment"
            " (docs/operations.md, `Processes and their secrets`)."
        )


def refuse_foreign_database_role(role: str, database_url: str) -> None:
    """Raises ValueError when a process connects as another's database role."""
    connects_as = urlsplit(database_url).username
    if role in PROCESSES and connects_as != PROCESSES[role].database_role:
        raise ValueError(
            f"A process of the role {role} connects to the database as {PROCESSES[role].database_role},"
            f" not as {connects_as}."
        )
