"""Settings from the environment (design 9), with what `make demo` and `make servers` left in `var/servers.env`.

Outside production a secret that is not set is made once and kept in `var/secrets.env`; production refuses to start.
"""

import os
import secrets
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("COMPLIANCE_FOLDER", ROOT / "var"))


def _file(name: str) -> dict[str, str]:
    try:
        lines = (FOLDER / name).read_text().splitlines()
    except FileNotFoundError:
        return {}
    return dict(line.split("=", 1) for line in lines if "=" in line)


_servers = _file("servers.env")


def text(name: str, default: str | None = None) -> str:
    """The setting `name`, from the environment or from the embedded servers. Raises ImproperlyConfigured."""
    value = os.environ.get(name) or _servers.get(name) or default
    if value is None:
        servers = ", or start the embedded servers: make servers" if name in ("DATABASE_URL", "REDIS_URL") else ""
        raise ImproperlyConfigured(f"Set {name} in the environment{servers}.")
    return value


def number(name: str, default: int) -> int:
    """The setting `name` as a positive whole number."""
    value = text(name, str(default))
    if not (value.isascii() and value.isdigit() and int(value) > 0):
        raise ImproperlyConfigured(f"{name} must be a positive whole number, not {value!r}.")
    return int(value)


def choice(name: str, allowed: tuple[str, ...], default: str) -> str:
    """The setting `name`, one of `allowed`. Raises ImproperlyConfigured."""
    value = text(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} is {' or '.join(allowed)}, not {value!r}.")
    return value


def words(name: str, default: str = "") -> list[str]:
    """The setting `name` as a list of words separated by commas."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def secret(name: str, production: bool) -> str:
    """A secret of at least 32 characters. Production takes it from the environment alone."""
    value = os.environ.get(name)
    if production:
        if not value or len(value) < 32 or "change" in value.lower():
            raise ImproperlyConfigured(f"Production needs {name}: a random secret of 32 characters or more.")
        return value
    if value:
        return value
    kept = _file("secrets.env")
    if name not in kept:
        kept[name] = secrets.token_urlsafe(48)
        FOLDER.mkdir(parents=True, exist_ok=True)
        file = FOLDER / "secrets.env"
        file.touch(mode=0o600)
        file.write_text("".join(f"{key}={value}\n" for key, value in kept.items()))
    return kept[name]


def keys(name: str, production: bool) -> list[str]:
    """Secrets separated by commas, newest first: the others still open what they once sealed or signed."""
    found = secret(name, production).split(",")
    if production and any(len(key.strip()) < 32 for key in found):
        raise ImproperlyConfigured(
            f"Production needs {name}: each key between its commas is a random secret of 32 characters or more."
        )
    return found


def database(address: str) -> dict[str, object]:
    """Django's description of the PostgreSQL database at `address`."""
    parts = urlsplit(address)
    if parts.scheme not in ("postgresql", "postgres") or not parts.path.strip("/"):
        raise ImproperlyConfigured("A database URL reads postgresql://role:password@host:port/database.")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        # Measured: persistent connections with health checks beat the pool, which does not reset session settings.
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": False,
        "OPTIONS": {"prepare_threshold": 5, "application_name": "compliance"},
    }
