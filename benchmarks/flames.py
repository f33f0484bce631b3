"""`python -m benchmarks.flames import|page|sweep`: draws where the processor time goes, as a flame graph in docs/flames.

The work runs in a process of its own, which py-spy samples from outside five hundred times a second, while one of its
threads holds Python's lock. The picture therefore includes neither the preparation of the data, nor waiting, nor
PostgreSQL. It uses the servers that its environment names (`python -m development.embedded run -- ...`).
"""

import argparse
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "flames"
SAMPLES_A_SECOND = 500
PEOPLE, PAGES = 400, 1500
_READY = "ready"


def main() -> int:
    """Draws one picture, or runs as the process that is sampled."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.flames", description=__doc__)
    parser.add_argument("what", choices=["import", "page", "sweep"])
    parser.add_argument("--sampled", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.sampled:
        return _sampled(options.what)
    FOLDER.mkdir(exist_ok=True)
    draw(options.what, FOLDER / f"{options.what}.svg")
    return 0


def draw(what: str, picture: Path) -> None:
    """Waits until a process has prepared its data, samples what it does then, and writes the picture."""
    command = [sys.executable, "-m", "benchmarks.flames", what, "--sampled"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        if process.stdout.readline().strip() != _READY:
            raise RuntimeError(f"{' '.join(command)} did not become ready.")
        with subprocess.Popen(
            [
                *(str(Path(sys.executable).with_name("py-spy")), "record", "--pid", str(process.pid)),
                *("--rate", str(SAMPLES_A_SECOND), "--gil", "--function"),
                *("--format", "flamegraph", "--output", str(picture)),
            ],
            stdout=subprocess.DEVNULL,
        ) as spy:
            process.stdin.write("go\n")
            process.stdin.close()
            process.wait()
            spy.wait()
    if process.returncode or spy.returncode:
        raise RuntimeError(f"{what}: the process ended with {process.returncode}, py-spy with {spy.returncode}.")
    drawn = picture.read_text(encoding="utf-8")  # py-spy writes its own command above it, with this machine's folders
    picture.write_text(
        re.sub("[^>]*py-spy record[^<]*", f"python -m benchmarks.flames {what}", drawn), encoding="utf-8"
    )


def _sampled(what: str) -> int:
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.settings"
    import django

    django.setup()
    from benchmarks import building

    building.tables()
    with tempfile.TemporaryDirectory() as folder:
        work = {"import": _import, "page": _pages, "sweep": _sweep}[what](Path(folder))
        sys.stdout.write(f"{_READY}\n")
        sys.stdout.flush()
        sys.stdin.readline()
        work()
    return 0


def _import(folder: Path) -> Callable[[], object]:
    from benchmarks import large_company, writes

    path = folder / "facts.jsonl"
    with path.open("wb") as file:
        file.writelines(large_company.lines(PEOPLE, datetime.now(UTC) - timedelta(days=1)))
    return lambda: writes.one_import(path)


def _pages(folder: Path) -> Callable[[], object]:
    from benchmarks import building

    page = asking(building.large(PEOPLE, datetime.now(UTC)).key)
    return lambda: [page() for _ in range(PAGES)]


def _sweep(folder: Path) -> Callable[[], object]:
    """Sweeps a company whose subjects are all due: one in a hundred would be the same work, but too few samples."""
    from benchmarks import building, writes
    from compliance.history import actions as history

    now = datetime.now(UTC)
    organization_id = building.large(PEOPLE, now).organization_id
    writes.make_all_due(organization_id, now)
    return lambda: history.sweep_company(organization_id, datetime.now(UTC))


def asking(key: str) -> Callable[[], bytes]:
    """A function that reads the second page of training records of the key's company, as a thread of a web worker does."""
    import orjson

    from compliance.interfaces.serving.environ import environ_of
    from config.wsgi import application

    scope: dict[str, Any] = {
        "method": "GET", "path": "/v1/training-records", "query_string": b"", "scheme": "http", "http_version": "1.1",
        "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 9),
        "headers": [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {key}".encode())],
    }  # fmt: skip

    def page() -> bytes:
        answer: Any = application(environ_of(scope) | {"wsgi.input": io.BytesIO()}, lambda *_: None)
        content = b"".join(answer)
        answer.close()
        return content

    scope["query_string"] = b"cursor=" + orjson.loads(page())["next_cursor"].encode()
    return page


if __name__ == "__main__":
    sys.exit(main())
