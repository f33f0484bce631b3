"""`python -m development.demo`: the platform on one machine, with its story (`make demo`).

Starts PostgreSQL and Redis under `var/`, migrates, records the story once, rewrites `var/demo.json`, and runs web,
worker, beat and a page with the letters that would have been sent (`mailbox.py`) in the foreground. Ctrl-C, TERM and a
closed terminal stop everything; a start after a crash ends what was left running. If a port is in use, it refuses to
start anything.
"""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

from compliance.errors import ComplianceError
from development.demo import leftovers
from development.embedded import ports, servers

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("COMPLIANCE_FOLDER", ROOT / "var")).resolve()


def main() -> int:
    """Runs the demo until it is stopped. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m development.demo", description="The platform with its story.")
    parser.add_argument("--port", type=_port, default=8000)
    port: int = parser.parse_args().port
    if (os.environ.get("ENVIRONMENT") or "test") != "test":
        sys.stderr.write("The demo runs with ENVIRONMENT=test alone: what it records is made up.\n")
        return 1
    # TERM and a closed terminal unwind like Ctrl-C, so that the servers are ended whenever they come.
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda signalled, _: sys.exit(128 + signalled))
    try:
        with leftovers.only_one(FOLDER, f"http://127.0.0.1:{port}"):
            leftovers.end(FOLDER)
            with ports.kept(port):
                return _serve(port)
    except ComplianceError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        return 0


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {text!r}")
    return int(text)


def _serve(port: int) -> int:
    external = bool(os.environ.get("DATABASE_URL"))
    try:
        if not external:
            _say("Starting PostgreSQL and Redis under var/ ...")
            servers.start(FOLDER)
        return _run(port)
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"A step of the demo failed: {' '.join(map(str, error.cmd[-3:]))}\n")
        return 1
    finally:
        # Stopping must complete: a second Ctrl-C would leave servers running.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        leftovers.end(FOLDER)
        if not external:
            servers.stop(FOLDER)
            _say("Everything is stopped.")


def _run(port: int) -> int:
    address = f"http://127.0.0.1:{port}"
    environment = {"BASE_URL": address} | os.environ | leftovers.setting(FOLDER)
    environment.setdefault("WEBHOOK_ALLOW_PRIVATE", "1")  # receivers to try it with are on this machine
    environment |= {"ENVIRONMENT": "test", "PORT": str(port), "COMPLIANCE_FOLDER": str(FOLDER)}
    python = sys.executable
    manage = [python, str(ROOT / "manage.py")]
    _say("Bringing the database up to date ...")
    subprocess.run([*manage, "migrate", "--verbosity", "0"], check=True, env=environment, cwd=ROOT)
    subprocess.run([*manage, "collectstatic", "--noinput", "--verbosity", "0"], check=True, env=environment, cwd=ROOT)
    mailbox = ports.free_port_after(port)
    preparing = [python, "-m", "development.demo.preparing", f"http://127.0.0.1:{mailbox}/"]
    subprocess.run(preparing, check=True, env=environment, cwd=ROOT)
    # After a crash the next start ends these processes: it recognises them by the demo's setting.
    showing = [python, "-m", "development.demo.mailbox", "--port", str(mailbox), str(FOLDER / "letters")]
    letters = subprocess.Popen(showing, env=environment, cwd=ROOT, start_new_session=True)
    try:
        return _run_product(python, environment)
    finally:
        letters.terminate()
        letters.wait()


def _run_product(python: str, environment: dict[str, str]) -> int:
    # A session of its own: only we get Ctrl-C and pass it to honcho once, which ends its processes in order.
    runner = subprocess.Popen(
        [python, "-m", "honcho", "-f", str(ROOT / "Procfile"), "-d", str(ROOT), "start"],
        env=environment | {"PATH": f"{Path(python).parent}:{environment.get('PATH', '')}", "PYTHONUNBUFFERED": "1"},
        cwd=ROOT,
        start_new_session=True,
    )
    try:
        return runner.wait()
    finally:
        if runner.poll() is None:
            runner.terminate()
            try:
                runner.wait(timeout=30)
            except subprocess.TimeoutExpired:
                runner.kill()
                runner.wait()


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
