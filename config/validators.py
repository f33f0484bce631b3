"""Validators of settings: which values are accepted, and the sentence with which any other is refused.

Each function takes a value and the settings before it (`ValidationInfo.data`), and returns the value that the service
uses. It raises ValueError with a sentence for the operator. Production refuses values that are missing or unsafe.
"""

import ipaddress
import json
import os
from email.errors import MessageError
from email.headerregistry import Address
from email.utils import parseaddr
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import ValidationInfo
from redis.connection import parse_url

from config import processes
from config.databases import database

Data = dict[str, Any]


def is_live(data: Data) -> bool:
    """Whether production's rules apply: also when ENVIRONMENT itself was refused."""
    return data.get("ENVIRONMENT") != "test"


def holds(info: ValidationInfo) -> bool:
    """Whether a process of this role may hold the secret."""
    return processes.holds(info.data.get("PROCESS_ROLE", ""), info.field_name or "")


def role(value: str, info: ValidationInfo) -> str:
    if value and value not in processes.PROCESSES:
        raise ValueError(f"PROCESS_ROLE is {', '.join(processes.PROCESSES)}, not {value!r}.")
    if value and is_live(info.data):
        processes.refuse_foreign_secrets(value, os.environ)
    return value


def words(value: object) -> object:
    return [word.strip() for word in value.split(",") if word.strip()] if isinstance(value, str) else value


def number(value: object, info: ValidationInfo) -> object:
    if isinstance(value, str) and not (value.isascii() and value.isdigit() and int(value) > 0):
        raise ValueError(f"{info.field_name} must be a positive whole number, not {value!r}.")
    return value


def port(value: int, info: ValidationInfo) -> int:
    if value > 65_535:
        raise ValueError(f"{info.field_name} is a port, up to 65535, not {value}.")
    return value


def json_object(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    raise ValueError(f"{info.field_name} is a JSON object.")


def secret(value: str | None, info: ValidationInfo) -> str:
    if not is_live(info.data):
        return value or kept_secret(info.data["COMPLIANCE_FOLDER"], info.field_name or "")
    if not holds(info):
        return processes.without(info.field_name or "")
    if not value or len(value) < 32 or "change" in value.lower():
        raise ValueError(f"Production needs {info.field_name}: a random secret of 32 characters or more.")
    return value


def secrets(value: str | None, info: ValidationInfo) -> list[str]:
    if is_live(info.data) and not holds(info):
        return []
    found = [key.strip() for key in secret(value, info).split(",")]
    if is_live(info.data) and any(len(key) < 32 for key in found):
        raise ValueError(
            f"Production needs {info.field_name}: each key between its commas is a random secret of 32 characters"
            " or more."
        )
    return found


def signing_keys(value: str | None, info: ValidationInfo) -> list[str]:
    """Only the signer holds private keys; all other processes of a production need the verifier keys instead."""
    foreign = is_live(info.data) and not holds(info)
    if info.data.get("CHECKPOINT_VERIFIER_KEY") and (foreign or not value):
        return []
    if foreign and info.data.get("PROCESS_ROLE") != "owner":
        raise ValueError("Set CHECKPOINT_VERIFIER_KEY: the signer prints it (`manage.py signer --verifier-key`).")
    return secrets(value, info)


def kept_secret(folder: Path, name: str) -> str:
    """The secret that is made once outside production and kept in `secrets.env` of `folder`."""
    file = folder / "secrets.env"
    lines = file.read_text().splitlines() if file.exists() else []
    kept = dict(line.split("=", 1) for line in lines if "=" in line)
    if name not in kept:
        kept[name] = token_urlsafe(48)
        folder.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.write_text("".join(f"{key}={value}\n" for key, value in kept.items()))
    return kept[name]


def database_address(value: str, info: ValidationInfo) -> str:
    if value:
        database(value)
    if info.field_name == "DATABASE_URL" and is_live(info.data):
        processes.refuse_foreign_database_role(info.data.get("PROCESS_ROLE", ""), value)
    return value


def read_database_addresses(value: list[str], info: ValidationInfo) -> list[str]:
    """Standbys of the database of DATABASE_URL: one server per address, each once, and not that of DATABASE_URL."""
    if not value or not info.data.get("DATABASE_URL"):
        return value
    if info.data.get("CLUSTER") == "1":
        raise ValueError("READ_DATABASE_URLS is for standbys of one PostgreSQL: leave it out with CLUSTER=1.")
    primary = database(info.data["DATABASE_URL"])
    places = {server(primary)}
    for address in value:
        found = database(address)
        if "," in found["HOST"] or not found["HOST"] or "target_session_attrs" in found["OPTIONS"]:
            raise ValueError(
                "READ_DATABASE_URLS has an address for each standby: postgresql://role:password@host:port/database."
            )
        if (found["USER"], found["NAME"]) != (primary["USER"], primary["NAME"]):
            raise ValueError("READ_DATABASE_URLS names the role and the database of DATABASE_URL, on other servers.")
        if server(found) in places:
            raise ValueError("READ_DATABASE_URLS names a server twice, or the one of DATABASE_URL.")
        places.add(server(found))
    return value


def server(described: dict[str, Any]) -> tuple[str, str]:
    return described["HOST"], described["PORT"] or "5432"


def redis_address(value: str) -> str:
    """With another one every call would fail, and not as it does while Redis is away."""
    address = value or "redis://"  # a role that needs none has an empty one
    try:
        parse_url(address)
    except ValueError:  # its message may quote the password
        address = ""
    if not address.startswith(("redis://", "rediss://")):
        raise ValueError(
            "REDIS_URL reads redis://:password@host:port/0, and begins with rediss:// where Redis has TLS."
        )
    return value


def base_url(value: str, info: ValidationInfo) -> str:
    """The log is named after it, for good, so a host that a template left out must not go unnoticed."""
    if is_live(info.data) and not (value.startswith("https://") and urlsplit(value).hostname):
        raise ValueError("Production needs BASE_URL to begin with https:// and the name of a host.")
    return value.rstrip("/")


def allowed_hosts(value: list[str], info: ValidationInfo) -> list[str]:
    if is_live(info.data) and (not value or "*" in value):
        raise ValueError("Production needs ALLOWED_HOSTS: the host names it answers to, without *.")
    return value


def fallbacks(value: list[str], info: ValidationInfo) -> list[str]:
    if is_live(info.data) and any(len(key) < 32 for key in value):
        raise ValueError("Production needs each of SECRET_KEY_FALLBACKS to have 32 characters or more.")
    return value


def origin(value: str) -> str:
    if value and (len(value) > 200 or not value.isascii() or not value.isprintable() or set(value) & set(" +")):
        raise ValueError("LOG_ORIGIN is printable ASCII without spaces and plus signs, as records.example.com/log.")
    return value


def proxies(value: list[str], info: ValidationInfo) -> list[str]:
    """Addresses and networks: with anything else every call would fail, and with /0 callers choose theirs."""
    networks, wrong = list[ipaddress.IPv4Network | ipaddress.IPv6Network](), list[str]()
    for each in value:
        try:
            networks.append(ipaddress.ip_network(each, strict=False))
        except ValueError:
            wrong.append(each)
    if wrong:
        raise ValueError(
            "TRUSTED_PROXIES holds addresses and networks, as 10.0.0.1 or 10.0.0.0/24, not"
            f" {', '.join(map(repr, wrong))}."
        )
    if any(network.version == 6 and network.network_address.ipv4_mapped for network in networks):
        raise ValueError("TRUSTED_PROXIES holds IPv4 as 10.0.0.1, not as ::ffff:10.0.0.1, which no call comes from.")
    if is_live(info.data) and not all(network.prefixlen for network in networks):
        raise ValueError("Production needs TRUSTED_PROXIES without /0: any caller could state any address.")
    return value


def sender(value: str) -> str:
    """With an address that is none, every letter would be taken for one that can never be sent, and given up."""
    address = parseaddr(value)[1]
    try:
        Address(addr_spec=address)
        address.rpartition("@")[2].encode("idna")
    except (MessageError, ValueError, IndexError):  # the last one where nothing is before the @
        address = ""
    if not (address and address.isascii() and value.isprintable()):
        raise ValueError("EMAIL_FROM is an address in ASCII, as records@example.com or Records <records@example.com>.")
    return value


def contacts(value: list[str]) -> list[str]:
    if not all(contact.startswith(("https://", "mailto:", "tel:")) for contact in value):
        raise ValueError("SECURITY_CONTACT holds addresses that begin with https://, mailto: or tel:.")
    return value


def issuer(value: str, info: ValidationInfo) -> str:
    if value and is_live(info.data) and not value.startswith("https://"):
        raise ValueError("Production needs OIDC_ISSUER to begin with https://.")
    return value.rstrip("/")


def private_receivers(value: Literal["0", "1"], info: ValidationInfo) -> Literal["0", "1"]:
    if value == "1" and is_live(info.data):
        raise ValueError("WEBHOOK_ALLOW_PRIVATE=1 is for tests and demos: production sends webhooks to the Internet.")
    return value


def quorum(value: int, info: ValidationInfo) -> int:
    witnesses = info.data.get("LOG_WITNESSES", [])
    if witnesses and value > len(witnesses):
        raise ValueError(f"LOG_QUORUM is {value}, but LOG_WITNESSES names {len(witnesses)}.")
    return value


def endpoint(value: str, info: ValidationInfo) -> str:
    if value and not value.startswith(("https://",) if is_live(info.data) else ("https://", "http://")):
        raise ValueError("FILES_ENDPOINT begins with https:// (outside production with http://, too).")
    return value


def place(value: str, info: ValidationInfo) -> str:
    if value == "bucket" and not info.data.get("FILES_BUCKET"):
        raise ValueError("FILES_PLACE is bucket, but FILES_BUCKET names none.")
    keys = [bool(info.data.get(name)) for name in ("FILES_ACCESS_KEY", "FILES_SECRET_KEY")]
    if any(keys) and not all(keys) and holds_files(info.data):
        raise ValueError("Set FILES_ACCESS_KEY and FILES_SECRET_KEY both, or neither.")
    return value


def holds_files(data: Data) -> bool:
    return processes.holds(data.get("PROCESS_ROLE", ""), "FILES_SECRET_KEY")


def private_storage(value: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
    if is_live(info.data):
        if str(value.get("default_acl") or "private").startswith(("public", "authenticated")):
            raise ValueError("Production keeps no exports that others may read: take default_acl out of the options.")
        if str(value.get("endpoint_url") or "https://").startswith("http://") or value.get("use_ssl") is False:
            raise ValueError("Production needs endpoint_url of EXPORTS_STORAGE_OPTIONS to begin with https://.")
    return value
