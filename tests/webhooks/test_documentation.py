"""The Python program of docs/webhooks.md does what the page states."""

import re
import socket
import subprocess
import sys
import time
from pathlib import Path

from compliance.webhooks import actions
from compliance.webhooks.models import Webhook
from tests.webhooks.conftest import attempts, change, present, send

PAGE = (Path(__file__).parents[2] / "docs" / "webhooks.md").read_text()


def program(language):
    """The longest block of the page in this language."""
    return max(re.findall(rf"```{language}\n(.*?)```", PAGE, re.S), key=len)


def test_the_receiver_in_python_takes_what_is_signed_and_nothing_else(company, process_environment, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    secret, webhook = actions.create_webhook(
        organization_id=company.organization_id, url=f"http://127.0.0.1:{port}/", at=present(), actor="test"
    )
    (tmp_path / "receiver.py").write_text(program("python"))
    receiver = subprocess.Popen(
        [sys.executable, tmp_path / "receiver.py"],
        env=process_environment | {"WEBHOOK_SECRET": secret, "PORT": str(port)},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        _wait_for(port)
        change(company, "Anna")
        assert send().sent == 1
        assert receiver.stdout.readline() == "read the feed up to 1\n"
        actions.replay(webhook_id=webhook.webhook_id, from_capture=1, actor="test")
        assert send().sent == 1  # the same webhook-id: nothing is read again
        change(company, "Boris")
        assert send().sent == 1
        assert receiver.stdout.readline() == "read the feed up to 2\n"
        other, _ = actions.create_webhook(
            organization_id=company.organization_id, url=webhook.url, at=present(), actor="test", from_capture=1
        )
        assert other != secret
        assert send() == (0, 1, False)
        newest = Webhook.objects.exclude(webhook_id=webhook.webhook_id).get()
        assert [each.status for each in attempts(newest)] == [400]
    finally:
        receiver.kill()
        receiver.wait()
        receiver.stdout.close()


def _wait_for(port):
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.02)
        else:
            return


def test_the_page_names_the_sample_and_the_bounds_as_they_are():
    assert "After 5 seconds".lower() in PAGE
    assert f"at most {actions.MOST_OF_A_COMPANY}." in PAGE
    assert "within 15 seconds" in PAGE
