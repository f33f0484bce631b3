"""The environment as one typed class: every variable that the service reads, its default, and what is refused.

An empty variable counts as one that is not set. A variable that is not set is taken from `var/servers.env`, which
`make demo` and `make servers` write. ENVIRONMENT is `live` (production) unless it is set, and production refuses to
start with anything that is missing or unsafe. Outside production a secret that is not set is made once and kept in
`var/secrets.env`.

`python -m config.environment` prints the table of docs/operations.md.
"""

import functools
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from django.core.exceptions import ImproperlyConfigured
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, ValidationInfo, field_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from config import processes, validators
from config.validators import Data
from config.witnesses import checked_witnesses

ROOT = Path(__file__).resolve().parent.parent


def _demo_address(data: Data) -> str:
    """The address of this folder's demo, so that links which a command prints while it runs lead there."""
    try:
        address = json.loads((data["COMPLIANCE_FOLDER"] / "demo.json").read_text())["base_url"]
    except (OSError, ValueError, LookupError, TypeError):
        address = None
    return address if isinstance(address, str) else "http://127.0.0.1:8000"


def _in_folder(name: str) -> Callable[[Data], str]:
    return lambda data: str(data["COMPLIANCE_FOLDER"] / name)


def _setting(description: str, default: Callable[[Data], Any]) -> Any:
    """A field whose default depends on the fields before it; a default of None means that it must be set."""
    return Field(None, description=description, json_schema_extra={"default": default})  # type: ignore[dict-item]


def _either(*, live: Any, test: Any) -> Callable[[Data], Any]:
    """A default, a value or a function, that depends on ENVIRONMENT."""

    def chosen(data: Data) -> Any:
        found = live if validators.is_live(data) else test
        return found(data) if callable(found) else found

    return chosen


Words = Annotated[list[str], NoDecode, BeforeValidator(validators.words)]
Number = Annotated[int, BeforeValidator(validators.number)]
Port = Annotated[Number, AfterValidator(validators.port)]
Secret = Annotated[str, BeforeValidator(validators.secret)]
Secrets = Annotated[list[str], NoDecode, BeforeValidator(validators.secrets)]
DatabaseAddress = Annotated[str, AfterValidator(validators.database_address)]
Switch = Literal["on", "off"]

_KEY = "a random secret of 32 characters or more"
_KEYS = f"{_KEY}; several with commas between, newest first: the others still open what they sealed"


class Environment(BaseSettings):
    """A field is the variable of the same name. Fields may look at those before them."""

    model_config = SettingsConfigDict(
        case_sensitive=True, env_ignore_empty=True, extra="ignore", frozen=True, validate_default=True
    )

    ENVIRONMENT: Literal["live", "test"] = Field(
        "live", description="`live` is production; `test` is everything else: the demo, development, the tests"
    )
    PROCESS_ROLE: Annotated[str, AfterValidator(validators.role)] = Field(
        "", description="see [Processes and their secrets](#processes-and-their-secrets)"
    )
    COMPLIANCE_FOLDER: Path = Field(ROOT / "var", description="where the service keeps files")
    DATABASE_OWNER_URL: DatabaseAddress = Field("", description="the role `owner`, for `migrate` and backups only")
    DATABASE_URL: DatabaseAddress = _setting(
        "connects as the role of the process, or as `app`: `postgresql://role:password@host:port/database`; with"
        " several servers, `@one:5432,two:5432/database`, the one that takes writes ([failing over](#failing-over))",
        lambda data: (data.get("PROCESS_ROLE") == "owner" and data.get("DATABASE_OWNER_URL")) or None,
    )
    DATABASE_SUPERUSER_URL: str = Field("", description="of embedded servers alone, for `manage.py database_url`")
    DATABASE_PATIENCE_SECONDS: Number = _setting(
        "how long a database server may be silent when a connection to it is made, or on a broken network; 2 or more",
        _either(live=2, test=10),
    )
    STATEMENT_TIMEOUT_MILLISECONDS: Number = Field(
        0,
        description="30000 in web processes: how long one statement of a page may take; `/v1` has"
        " `READ_TIMEOUT_MILLISECONDS`",
    )
    REDIS_URL: Annotated[str, AfterValidator(validators.redis_address)] = _setting(
        "broker, limits, leases",
        lambda data: None if processes.holds(data.get("PROCESS_ROLE", ""), "REDIS_URL") else "",
    )
    SECRET_KEY: Secret = _setting(f"{_KEY} (`check --deploy` asks 50)", _either(live=None, test=""))
    SECRET_KEY_FALLBACKS: Annotated[Words, AfterValidator(validators.fallbacks)] = Field(
        [],
        description="earlier values of `SECRET_KEY`: sessions of staff and secrets of webhooks survive a change of the"
        " key",
    )
    CURSOR_KEYS: Secrets = _setting(_KEYS, _either(live=None, test=""))
    SECOND_FACTOR_KEYS: Secrets = _setting(_KEYS, _either(live=None, test=""))
    CHECKPOINT_VERIFIER_KEY: Words = Field([], description="see [Processes](#processes-and-their-secrets)")
    CHECKPOINT_KEY: Annotated[list[str], NoDecode, BeforeValidator(validators.signing_keys)] = _setting(
        f"of the signer alone: {_KEY}; several with commas between, newest first", _either(live=None, test="")
    )
    LOG_FOLDER: str = _setting(
        "what the signer has signed, outside the database: keep it on another disk, and copy it away",
        _either(live=None, test=_in_folder("log-{deployment_id}")),
    )
    LOG_ORIGIN: Annotated[str, AfterValidator(validators.origin)] = Field(
        "",
        description="the name of the log and of its key, fixed when the log is begun; without it `BASE_URL` without its"
        " scheme, and `/log`",
    )
    LOG_WITNESSES: Annotated[Words, AfterValidator(checked_witnesses)] = Field(
        [], description="who cosigns checkpoints: `VKEY URL`, with commas between ([witnesses](witness.md))"
    )
    LOG_QUORUM: Annotated[Number, AfterValidator(validators.quorum)] = _setting(
        "how many of them must have cosigned: without it more than half",
        lambda data: len(data.get("LOG_WITNESSES", [])) // 2 + 1,
    )
    ERASURE_LIST: str = _setting("outside the database: keep it as `LOG_FOLDER`", _in_folder("erasures.jsonl"))
    CLUSTER: Literal["0", "1"] = Field(
        "0", description="`1` where the database is a cluster of several servers ([scale](scale.md))"
    )
    CLUSTER_ADMINISTRATOR_URL: str = _setting(
        "a superuser at the cluster's coordinator, for `manage.py move_company` and `drain_node` alone"
        " ([moving a company](#moving-a-company))",
        _either(live="", test=lambda data: data.get("DATABASE_SUPERUSER_URL") or ""),
    )
    READ_DATABASE_URLS: Annotated[Words, AfterValidator(validators.read_database_addresses)] = Field(
        [],
        description="streaming standbys that may answer pages of `/v1` and of the feed, with commas between"
        " ([standbys](#standbys-for-reads)): as `DATABASE_URL`, with the role of the process",
    )
    FILES_FOLDER: str = _setting(
        "where files are kept ([Files](#files)): for web and worker alike, only theirs, one for all machines",
        _in_folder("files"),
    )
    FILES_BUCKET: str = Field("", description="the bucket of S3 in which files are kept instead")
    FILES_ENDPOINT: Annotated[str, AfterValidator(validators.endpoint)] = Field(
        "", description="its address, `https://...`, where it is not Amazon's"
    )
    FILES_REGION: str = Field("", description="its region")
    FILES_ACCESS_KEY: str = Field("", description="whose credentials: without them those of the machine's own role")
    FILES_SECRET_KEY: str = Field("", description="its secret")
    FILES_ENCRYPTION: Literal["", "AES256", "aws:kms"] = Field(
        "", description="how the bucket is asked to encrypt each object, where it does not do so by itself"
    )
    FILES_SECONDS: Number = Field(10, description="how long the bucket may take to say something")
    FILES_PLACE: Annotated[Literal["folder", "bucket"], AfterValidator(validators.place)] = _setting(
        "where new files are kept, `folder` or `bucket`: without it the bucket, where one is named",
        lambda data: "bucket" if data.get("FILES_BUCKET") else "folder",
    )
    EXPORTS_FOLDER: str = _setting(
        "where exports of earlier versions are, until `move_files` has moved them", _in_folder("exports")
    )
    EXPORTS_STORAGE: str = Field(
        "django.core.files.storage.FileSystemStorage", description="the class of another storage that has them"
    )
    EXPORTS_STORAGE_OPTIONS: Annotated[
        dict[str, Any],
        NoDecode,
        BeforeValidator(validators.json_object),
        AfterValidator(validators.private_storage),
    ] = Field({}, description="its options as JSON, in place of the folder's")
    BASE_URL: Annotated[str, AfterValidator(validators.base_url)] = _setting(
        "the address that links begin with, `https://...`", _either(live=None, test=_demo_address)
    )
    ALLOWED_HOSTS: Annotated[Words, AfterValidator(validators.allowed_hosts)] = _setting(
        "host names, no `*`", _either(live=None, test="127.0.0.1,localhost,testserver")
    )
    TRUSTED_PROXIES: Annotated[Words, AfterValidator(validators.proxies)] = Field(
        [], description="addresses or networks of your proxies, with commas between; no names, no ports"
    )
    SECURITY_CONTACT: Annotated[Words, AfterValidator(validators.contacts)] = Field(
        [],
        description="whom to tell of a weakness: `mailto:` or `https:` addresses, the preferred one first; served at"
        " `/.well-known/security.txt` when set ([security.md](security.md))",
    )
    RATE_LIMIT_KEY_PER_MINUTE: Number = Field(600, description="calls of one key")
    RATE_LIMIT_COMPANY_PER_MINUTE: Number = Field(1200, description="calls of one company")
    RATE_LIMIT_SOURCE_PER_MINUTE: Number = Field(
        3000, description="calls of one source; identity providers ask for at least 25 a second"
    )
    RATE_LIMIT_ADDRESS_PER_MINUTE: Number = Field(
        600,
        description="calls without a valid key from one address; in proportion, the 30 questions for a link at"
        " `/learn/` that one network may ask in 15 minutes",
    )
    CONCURRENT_LIMIT: Number = Field(8, description="calls of one key or source at once")
    CONCURRENT_LIMIT_COMPANY: Number = Field(
        12, description="calls of one company's keys at once, and of its sources (never less than a key's)"
    )  # fewer than the threads that a process has for /v1 (serving.front), so that one company cannot hold them all
    READ_TIMEOUT_MILLISECONDS: Number = Field(10_000, description="how long a read of `/v1` may take")
    WRITER_LAG_SECONDS: Number = Field(300, description="after that a company's readers hear `writer_unavailable`")
    SWEEP_SECONDS: Number = Field(60, description="from one sweep to the next")
    FOUR_EYES: Switch = _setting(
        "whether erasing, waiving many, facts files and keys with names need a second person at the console",
        _either(live="on", test="off"),
    )
    OIDC_ISSUER: Annotated[str, AfterValidator(validators.issuer)] = Field(
        "", description="staff sign-in with an OpenID Connect provider, below"
    )
    OIDC_NAME: str = Field("your company account", description="what the button of it says")
    OIDC_CLIENT_ID: str = _setting("as the provider gave it", lambda data: None if data.get("OIDC_ISSUER") else "")
    OIDC_CLIENT_SECRET: str = _setting("as the provider gave it", lambda data: None if data.get("OIDC_ISSUER") else "")
    OIDC_SECOND_FACTOR_AMR: Words = Field([], description="values of `amr` that count as a second factor")
    REMINDERS: Switch = _setting(
        "`off` sends no reminders, and no other letters that nobody asked for", _either(live="on", test="off")
    )
    EMAIL_FROM: Annotated[str, AfterValidator(validators.sender)] = _setting(
        "who letters are from", _either(live=None, test="reminders@localhost")
    )
    EMAIL_HOST: str = _setting(
        "the mail server, where reminders go out",
        lambda data: None if validators.is_live(data) and data.get("REMINDERS") == "on" else "localhost",
    )
    EMAIL_PORT: Port = _setting(
        "its port: in production 465 has TLS from the first byte, any other begins it by STARTTLS",
        _either(live=587, test=25),
    )
    EMAIL_HOST_USER: str = Field("", description="the account there")
    EMAIL_HOST_PASSWORD: str = Field("", description="its password")
    WEBHOOK_ALLOW_PRIVATE: Annotated[Literal["0", "1"], AfterValidator(validators.private_receivers)] = Field(
        "0",
        description="`1` in tests and demos: webhooks may go to addresses that are not public, as of this machine"
        " ([webhooks](webhooks.md))",
    )
    STATIC_FOLDER: str = _setting("what `collectstatic` fills", _in_folder("static"))
    WEB_WORKER_PROCESSORS: Literal["one", "all"] = Field(
        "all", description="`one` keeps each web worker on one processor ([web workers](#web-workers))"
    )
    METRICS_PORT: Port = Field(9464, description="where `serve_metrics` answers")
    METRICS_FOLDER: str = Field(
        "", description="a folder that web processes share (a tmpfs), for counters across workers"
    )
    LOG_LEVEL: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = _setting(
        "from which on lines are written", _either(live="INFO", test="WARNING")
    )
    LOG_FORMAT: Literal["json", "plain"] = _setting("of a line", _either(live="json", test="plain"))

    @field_validator("*", mode="before")
    @classmethod
    def _default(cls, value: Any, info: ValidationInfo) -> Any:
        """The default of a field that is not set, where it depends on those before it."""
        return default(cls.model_fields[info.field_name or ""], info.data) if value is None else value


def default(field: FieldInfo, data: Data) -> Any:
    """The default of a field, given the fields of `data`; None when it must be set."""
    extra = field.json_schema_extra
    return extra["default"](data) if isinstance(extra, dict) else field.default  # type: ignore[operator, misc]


@functools.cache
def read() -> Environment:
    """The environment of this process. Raises ImproperlyConfigured, which names every fault."""
    folder = Path(os.environ.get("COMPLIANCE_FOLDER") or ROOT / "var")
    try:
        return Environment(_env_file=folder / "servers.env")
    except ValidationError as error:
        raise ImproperlyConfigured("\n".join(_sentences(error.errors()))) from None


def _sentences(faults: list[ErrorDetails]) -> Iterator[str]:
    """What is wrong, one sentence a fault; no secret is in any of them."""
    if not os.environ.get("ENVIRONMENT"):
        yield "ENVIRONMENT is not set, so this is production. For development: ENVIRONMENT=test, or make servers."
    missing = [str(fault["loc"][0]) for fault in faults if fault["input"] is None and "ctx" not in fault]
    if missing:
        embedded = ", or start the embedded servers: make servers" if "DATABASE_URL" in missing else ""
        yield f"Set {', '.join(missing)} in the environment{embedded}."
    for fault in faults:
        context = fault.get("ctx", {})
        if "expected" in context:
            yield f"{fault['loc'][0]} is {context['expected'].replace(chr(39), '')}, not {fault['input']!r}."
        elif "error" in context:
            yield str(context["error"])


def table() -> str:
    """Every setting as a Markdown table: those that production needs in bold, with their defaults."""
    rows = ["| setting | default | meaning |", "| --- | --- | --- |"]
    before = {"COMPLIANCE_FOLDER": Path("COMPLIANCE_FOLDER"), "REMINDERS": "on"}
    for name, field in Environment.model_fields.items():
        live, test = (default(field, before | {"ENVIRONMENT": each}) for each in ("live", "test"))
        cell = f"`{live}`" if live else ""
        if test != live and test:
            cell = f"{cell or 'none'}; in `test` `{test}`"
        title = f"**`{name}`**" if live is None else f"`{name}`"
        rows.append(f"| {title} | {cell.replace(f'{ROOT}/', '')} | {field.description} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table())
