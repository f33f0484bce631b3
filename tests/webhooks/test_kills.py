"""A worker that is killed while it sends an event: nothing is lost, and only that event may arrive twice."""

import subprocess
import sys
import threading

from tests.companies import make_present_company
from tests.webhooks.conftest import change, made
from tests.webhooks.receiver import receiver as made_receiver
from tests.webhooks.test_sending import again

KILLS = 4
AHEAD = 6
"""Seconds by which each worker's clock is ahead of the one before: more than a lease."""


def test_a_worker_that_is_killed_again_and_again_loses_nothing_and_keeps_the_order(committed, process_environment):
    company = make_present_company()
    came, killed = threading.Event(), threading.Event()

    def answers(request):
        """Every second try is held until its worker is dead; the others are accepted."""
        if len(found.requests) % 2 == 1 and len(found.requests) < 2 * KILLS:
            came.set()
            killed.wait(30)
            killed.clear()
        return 204

    with made_receiver(answers=answers) as found:
        secret, webhook = made(company, found)
        numbers = [change(company, f"Person {number}") for number in range(KILLS + 2)]
        for number in range(KILLS + 1):
            worker = subprocess.Popen(
                [sys.executable, "-m", "tests.webhooks.worker", str(number * AHEAD)],
                env=process_environment | {"WEBHOOK_ALLOW_PRIVATE": "1"},
            )
            try:
                if number < KILLS:
                    assert came.wait(60)
                    came.clear()
                else:
                    for _ in range(600):
                        if again(webhook).capture_sequence == numbers[-1]:
                            break
                        threading.Event().wait(0.05)
            finally:
                worker.kill()
                worker.wait()
                killed.set()
    heard = found.captures
    assert list(dict.fromkeys(heard)) == numbers
    assert heard == sorted(heard)
    assert len(heard) == len(numbers) + KILLS
    assert all(each.verified(secret) for each in found.requests)
    assert again(webhook).capture_sequence == numbers[-1]
