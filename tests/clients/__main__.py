"""`make clients`: a server with the demo's story, then every client and linter in turn, and a table of exit codes.

Runs inside `development.embedded run`, so PostgreSQL and Redis are its own. The output of each step is kept under
`var/clients/logs`; its end is printed when the step fails. Arguments name the steps to run; all, without any.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.clients import tools
from tests.clients.tools import FOLDER, HERE, NODE_PROGRAMS, PYTHON, PYTHON_PROGRAMS, ROOT

KEPT = ROOT / "docs" / "openapi.json"
SERVED = FOLDER / "openapi.json"
SERVED_FEED = FOLDER / "feed-openapi.json"
SERVED_FACTS = FOLDER / "facts-openapi.json"
GENERATED = FOLDER / "generated"
SHOWN_LINES = 60
UNLIMITED = {
    "RATE_LIMIT_KEY_PER_MINUTE": "1000000",
    "RATE_LIMIT_SOURCE_PER_MINUTE": "1000000",
    "RATE_LIMIT_COMPANY_PER_MINUTE": "1000000",
    "RATE_LIMIT_ADDRESS_PER_MINUTE": "1000000",
    "CONCURRENT_LIMIT": "64",
}


class Step(NamedTuple):
    """A line of the table: one or more commands, of which each must end with 0."""

    name: str
    promise: str
    commands: list[list[str | Path]]


STEPS = [
    Step(
        "spectral",
        "every rule of Spectral's oas set",
        [[NODE_PROGRAMS / "spectral", "lint", KEPT, "--ruleset", HERE / "spectral.yaml", "--fail-severity", "hint"]],
    ),
    Step(
        "redocly",
        "Redocly's recommended rules",
        [[NODE_PROGRAMS / "redocly", "lint", KEPT, "--config", HERE / "redocly.yaml", "--max-problems", "20"]],
    ),
    Step(
        "openapi-typescript",
        "types compile under tsc --strict",
        [
            [NODE_PROGRAMS / "openapi-typescript", SERVED, "-o", FOLDER / "types" / "contract.d.ts"],
            [NODE_PROGRAMS / "tsc", "--strict", "--noEmit", "--target", "es2022", "--module", "nodenext",
             "--lib", "es2022,dom", FOLDER / "types" / "pull.ts"],
        ],
    ),
    Step(
        "openapi-python-client",
        "a generated client pulls every register",
        [
            [PYTHON_PROGRAMS / "openapi-python-client", "generate", "--path", SERVED, "--meta", "none",
             "--output-path", GENERATED / "svc_client", "--overwrite", "--fail-on-warning"],
            [PYTHON, HERE / "pull_with_generated.py", GENERATED],
        ],
    ),
    Step(
        "dlt",
        "a copy is /v1 after all that happens, loaded twice",
        [[PYTHON, HERE / "load_twice.py", FOLDER / "dlt", sys.executable]],
    ),
    Step(
        "schemathesis",
        "all checks, all phases",
        [
            [PYTHON_PROGRAMS / "schemathesis", "--config-file", HERE / "schemathesis.toml", "run", each]
            for each in (SERVED, SERVED_FEED)
        ],
    ),
    Step(
        "schemathesis-facts",
        "the same of /in/v1, with the token of a source",
        [
            ["sh", "-c", 'SVC_KEY="$SOURCE_TOKEN" exec "$0" "$@"', PYTHON_PROGRAMS / "schemathesis",
             "--config-file", HERE / "schemathesis.toml", "run", SERVED_FACTS]
        ],
    ),
    Step("scim2-tester", "all checks of /scim/v2", [[PYTHON, HERE / "check_scim.py"]]),
    Step(
        "pymerkle",
        "1,000 random trees have their roots and proofs",
        [[PYTHON, HERE / "agree_with_pymerkle.py"]],
    ),
    Step(
        "standardwebhooks",
        "the package of npm verifies what webhooks send",
        [[Path(sys.executable), HERE / "receive_with_node.py"]],
    ),
    Step(
        "pull",
        "killed 10 times, the bytes of one left alone",
        [[Path(sys.executable), HERE / "kill_pull.py", FOLDER / "pulled"]],
    ),
]  # fmt: skip


def main(names: list[str]) -> int:
    """Runs the steps; the exit code is 0 if all passed."""
    began = time.monotonic()
    tools.install()
    installed = time.monotonic()
    for left in (GENERATED, FOLDER / "types", FOLDER / "logs", FOLDER / "dlt", FOLDER / "pulled"):
        shutil.rmtree(left, ignore_errors=True)
    (FOLDER / "logs").mkdir()
    (FOLDER / "types").mkdir()
    shutil.copy(HERE / "pull.ts", FOLDER / "types" / "pull.ts")
    lines: list[tuple[str, str, int, float]] = []
    with _served() as (base_url, key, scim_token, source_token):
        ready = time.monotonic()
        for path, file, token in (
            ("/v1/openapi.json", SERVED, key),
            ("/feed/v1/openapi.json", SERVED_FEED, key),
            ("/in/v1/openapi.json", SERVED_FACTS, source_token),
        ):
            request = urllib.request.Request(f"{base_url}{path}", headers={"Authorization": f"Bearer {token}"})
            with urllib.request.urlopen(request) as answer:
                file.write_bytes(answer.read())
        environment = os.environ | {
            "BASE_URL": base_url,
            "SVC_KEY": key,
            "SOURCE_TOKEN": source_token,
            "SCIM_TOKEN": scim_token,
            "PATH": f"{PYTHON_PROGRAMS}:{os.environ['PATH']}",
            "NO_COLOR": "1",
            "REDOCLY_TELEMETRY": "off",
            "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
            "RUNTIME__DLTHUB_TELEMETRY": "false",
        }
        for step in STEPS:
            if names and step.name not in names:
                continue
            start = time.monotonic()
            code = _run(step, environment)
            lines.append((step.name, step.promise, code, time.monotonic() - start))
            _say(f"{step.name}: exit {code}")
    _say(f"\n{'step':<22} {'what must hold':<48} {'exit':>4} {'seconds':>8}")
    for name, promise, code, seconds in lines:
        _say(f"{name:<22} {promise:<48} {code:>4} {seconds:>8.1f}")
    failed = sum(1 for line in lines if line[2])
    _say(
        f"{len(lines) - failed} of {len(lines)} hold; {time.monotonic() - began:.0f} s in all: installing"
        f" {installed - began:.0f} s, the demo's story {ready - installed:.0f} s."
    )
    return 1 if failed or not lines else 0


def _run(step: Step, environment: dict[str, str]) -> int:
    log = FOLDER / "logs" / f"{step.name}.log"
    with log.open("w") as file:
        for command in step.commands:
            file.write(f"$ {' '.join(map(str, command))}\n")
            file.flush()
            code = subprocess.run(
                command, cwd=FOLDER, env=environment, stdout=file, stderr=subprocess.STDOUT, check=False
            ).returncode
            if code:
                break
    if code:
        _say("\n".join(log.read_text().splitlines()[-SHOWN_LINES:]))
    return code


@contextmanager
def _served() -> Iterator[tuple[str, str, str, str]]:
    """The demo's story behind a web server. Yields its address, a key of the larger company for all scopes, and tokens.

    The first token is of SCIM, the second of a source of facts.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    base_url = f"http://127.0.0.1:{port}"
    folder = FOLDER / "demo"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    environment = os.environ | UNLIMITED | {"BASE_URL": base_url, "COMPLIANCE_FOLDER": str(folder)}
    for command in (["manage.py", "migrate", "--verbosity", "0"], ["-m", "development.demo.preparing"]):
        subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
    log = FOLDER / "logs" / "server.log"
    server = subprocess.Popen(
        [sys.executable, "-m", "granian", "--interface", "asginl", "--loop", "uvloop", "--host", "127.0.0.1",
         "--port", str(port),
         "--workers", "2", "--log-level", "error", "config.asgi:application"],
        cwd=ROOT, env=environment, stdout=log.open("w"), stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        _wait_for(base_url)
        told = json.loads((folder / "demo.json").read_text())["organizations"][0]
        yield base_url, told["keys"]["all"], told["scim"]["token"], told["source_token"]
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _wait_for(base_url: str) -> None:
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"{base_url}/livez", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise SystemExit("The server does not answer.")


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
