"""`make webhooks`: kill -9 of the worker, again and again, while a company changes and a receiver gets events.

WEBHOOKS_TIMES (50) is the number of kills. The receiver answers each event after a short while, so that kills occur in
every step of a try. At the end it must have got an event for every capture that made versions, in order. An event may
have come twice because of a kill, and for no other reason.
"""

import os
import random
import subprocess
import sys
import time
import uuid
from pathlib import Path

from tests.operations.company import make_company
from tests.operations.service import Service, running, set_up_django, wait_for
from tests.webhooks.receiver import Receiver, Request, receiver

PATIENCE = 180.0


def main() -> int:
    """Prints the findings; exit code 1 when an event was lost, out of order, unsigned, or repeated without a kill."""
    times = int(os.environ.get("WEBHOOKS_TIMES", "50"))
    chance = random.Random(int(os.environ.get("WEBHOOKS_SEED", "7")))

    def answers(_: Request) -> int:
        time.sleep(chance.uniform(0.0, 0.2))
        return 204

    with running("worker", "beat", WEBHOOK_ALLOW_PRIVATE="1") as service, receiver(answers=answers) as found:
        set_up_django(service)
        began = time.monotonic()
        faults = run(service, found, times, chance)
        took = time.monotonic() - began
    repeats = len(found.captures) - len(set(found.captures))
    sys.stdout.write(
        f"{times} kills of the worker in {took:.0f} s: {len(set(found.captures))} events, {repeats} of them twice.\n"
    )
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    sys.stdout.write("FAILED.\n" if faults else "None lost, all in order, every signature holds.\n")
    return 1 if faults else 0


def run(service: Service, found: Receiver, times: int, chance: random.Random) -> list[str]:
    """Kills the worker while facts are recorded, waits until all events are sent, and returns the faults."""
    from compliance.webhooks.actions import create_webhook
    from tests.webhooks.conftest import present

    company = make_company(service, "Company of webhooks")
    secret, webhook = create_webhook(
        organization_id=uuid.UUID(company.organization_id), url=found.url, at=present(), actor="test", from_capture=1
    )
    acknowledged = service.folder / "acknowledged"
    acknowledged.touch()
    writer = _writer(service, company.organization_id, acknowledged, str(company.course_release_id))
    try:
        for number in range(times):
            before = len(found.requests)
            wait_for(lambda heard=before: len(found.requests) > heard, PATIENCE, f"an event after kill {number}")
            time.sleep(chance.uniform(0.0, 1.0))
            service.kill("worker")
    finally:
        writer.kill()
        writer.wait()
    wait_for(lambda: _is_through(service, company.organization_id, webhook.webhook_id), 2 * PATIENCE, "the last event")
    return _faults(service, found, company.organization_id, secret, times)


def _writer(service: Service, organization_id: str, acknowledged: Path, release: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.operations.writer", organization_id, str(acknowledged), "0.5", release],
        env=service.environment,
    )


def _is_through(service: Service, organization_id: str, webhook_id: uuid.UUID) -> bool:
    return bool(
        service.ask(
            "SELECT 1 FROM webhooks_webhook w JOIN history_historyhead h USING (organization_id)"
            " WHERE w.webhook_id = %s AND w.capture_sequence = h.capture_sequence AND NOT EXISTS"
            " (SELECT FROM pending_pendingsubject p WHERE p.organization_id = w.organization_id)",
            webhook_id,
        )
    )


def _faults(service: Service, found: Receiver, organization_id: str, secret: str, times: int) -> list[str]:
    rows = service.ask(
        "SELECT capture_sequence FROM history_capture WHERE organization_id = %s AND last_sequence >= first_sequence"
        " ORDER BY 1",
        organization_id,
    )
    expected, heard = [number for (number,) in rows], found.captures
    faults = []
    if list(dict.fromkeys(heard)) != expected:
        faults.append(f"Of {len(expected)} captures these were not heard: {sorted(set(expected) - set(heard))}.")
    if heard != sorted(heard):
        faults.append("Events came out of order.")
    if len(heard) - len(set(heard)) > times:
        faults.append("More events came twice than there were kills.")
    identifiers = {each.headers["webhook-id"] for each in found.requests}
    if len(identifiers) != len(expected):
        faults.append("An event had more than one webhook-id.")
    for each in found.requests[-20:]:  # signatures hold for five minutes, so only the last can be verified now
        each.verified(secret)
    return faults


if __name__ == "__main__":
    sys.exit(main())
