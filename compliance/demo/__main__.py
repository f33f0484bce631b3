"""`python -m compliance.demo`: the platform on one machine, with its story (design 9, `make demo`).

Starts PostgreSQL and Redis under `var/`, migrates, tells the story once, writes `var/demo.json` anew, and runs web,
worker and beat in the foreground. Ctrl-C and TERM stop everything; a start after a crash ends what was left behind.
"""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

from compliance.demo import leftovers
from compliance.embedded import servers
from compliance.errors import ComplianceError

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("COMPLIANCE_FOLDER", ROOT / "var"))


def main() -> int:
    """Runs the demo until it is stopped. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m compliance.demo", description="The platform with its story.")
    parser.add_argument("--port", type=int, default=8000)
    port: int = parser.parse_args().port
    # TERM unwinds like Ctrl-C does, so that the servers are ended whenever it comes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    external = bool(os.environ.get("DATABASE_URL"))
    leftovers.end(FOLDER)
    try:
        if not external:
            _say("Starting PostgreSQL and Redis under var/ ...")
            servers.start(FOLDER)
        return _run(port)
    except ComplianceError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"A step of the demo failed: {' '.join(map(str, error.cmd[-3:]))}\n")
        return 1
    except KeyboardInterrupt:
        return 0
    finally:
        leftovers.end(FOLDER)
        if not external:
            servers.stop(FOLDER)
            _say("Everything is stopped.")


def _run(port: int) -> int:
    address = f"http://127.0.0.1:{port}"
    environment = {"BASE_URL": address, "PORT": str(port), "COMPLIANCE_FOLDER": str(FOLDER)} | os.environ
    python = sys.executable
    manage = [python, str(ROOT / "manage.py")]
    _say("Bringing the database up to date ...")
    subprocess.run([*manage, "migrate", "--verbosity", "0"], check=True, env=environment, cwd=ROOT)
    subprocess.run([*manage, "collectstatic", "--noinput", "--verbosity", "0"], check=True, env=environment, cwd=ROOT)
    subprocess.run([*manage, "tell_demo_story"], check=True, env=environment, cwd=ROOT)
    # A session of its own: Ctrl-C reaches honcho through us, once, and it ends its processes in order.
    runner = subprocess.Popen(
        [python, "-m", "honcho", "-f", str(ROOT / "Procfile"), "-d", str(ROOT), "start"],
        env=environment | {"PATH": f"{Path(python).parent}:{environment.get('PATH', '')}", "PYTHONUNBUFFERED": "1"},
        cwd=ROOT,
        start_new_session=True,
    )
    leftovers.remember(FOLDER, runner.pid)
    try:
        return runner.wait()
    finally:
        if runner.poll() is None:
            os.killpg(runner.pid, signal.SIGTERM)
            try:
                runner.wait(timeout=30)
            except subprocess.TimeoutExpired:
                os.killpg(runner.pid, signal.SIGKILL)
                runner.wait()


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
