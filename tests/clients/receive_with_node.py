"""The Node program of docs/webhooks.md verifies what the product sends, with the package of npm."""

import os
import socket
import subprocess
import sys
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import django

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "var" / "clients"
sys.path.insert(0, str(ROOT))


def main() -> int:
    """Sends the program three events and one signed with another secret; the exit code is 0 if all went well."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["WEBHOOK_ALLOW_PRIVATE"] = "1"
    django.setup()
    from compliance.history.actions import capture_all
    from compliance.webhooks.actions import create_webhook, rotate_secret
    from compliance.webhooks.sending import send_due
    from tests.companies import make_present_company
    from tests.webhooks.test_documentation import program

    def now() -> datetime:
        return datetime.now(UTC)

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    company = make_present_company(f"Node {uuid.uuid4().hex[:6]}")
    given: dict[str, Any] = {
        "organization_id": company.organization_id,
        "url": f"http://127.0.0.1:{port}/",
        "actor": "test",
    }
    secret, webhook = create_webhook(at=now(), **given)
    file = FOLDER / "receiver.mjs"  # beside node_modules, where it finds the package
    file.write_text(program("js"))
    receiver = subprocess.Popen(
        ["node", file],
        env=os.environ | {"WEBHOOK_SECRET": secret, "PORT": str(port)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert receiver.stdout is not None
    try:
        for _ in range(500):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.02)
        heard = []
        for name in ("Anna", "Boris", "Clara"):
            company.join(name)
            capture_all(company.organization_id, now())
            if name == "Clara":
                rotate_secret(webhook_id=webhook.webhook_id, at=now(), actor="test")  # both sign for a day
            assert send_due(now).sent == 1
            heard.append(receiver.stdout.readline().strip())
        assert heard == [f"read the feed up to {number}" for number in (1, 2, 3)], heard
        create_webhook(at=now(), from_capture=1, **given)
        assert send_due(now) == (0, 1, False), "what another secret signs is refused"
    finally:
        receiver.kill()
        receiver.wait()
    sys.stdout.write("Three events verified, one refused.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
