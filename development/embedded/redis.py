"""One Redis server from the wheel, on the loopback address, with a password.

It stores nothing on disk: the sweep restores its contents (queued tasks, limits, leases) from the database.
"""

import socket
import subprocess
import time
from pathlib import Path

from development.embedded import binaries, ports, processes
from development.embedded.errors import ServerDidNotStartError


def start(folder: Path, port: int | None, password: str) -> int:
    """Starts the server of `folder`. Returns its port."""
    stop(folder)
    home = folder / "redis"
    home.mkdir(parents=True, exist_ok=True)
    home.chmod(0o700)
    port = port or ports.free_port()
    configuration = home / "redis.conf"
    configuration.touch(mode=0o600)
    configuration.write_text(
        f'bind 127.0.0.1\nport {port}\nrequirepass {password}\ndir "{home}"\nsave ""\nappendonly no\n'
        f'daemonize yes\npidfile "{home}/redis.pid"\nlogfile "{home}/redis.log"\nmaxmemory 512mb\n'
        "maxmemory-policy noeviction\n"
    )
    subprocess.run([str(binaries.redis_server()), str(configuration)], check=True, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return port
        except OSError:
            time.sleep(0.02)
    raise ServerDidNotStartError(f"Redis did not start. Its log: {home / 'redis.log'}")


def stop(folder: Path) -> None:
    """Ends every server of `folder`, also one left behind by a crash, or whose pid file was lost."""
    home = folder / "redis"
    processes.end(lambda: processes.working_in(home, "redis-server"))
    (home / "redis.pid").unlink(missing_ok=True)


def url(port: int, password: str, database: int = 0) -> str:
    """The connection URL."""
    return f"redis://:{password}@127.0.0.1:{port}/{database}"
