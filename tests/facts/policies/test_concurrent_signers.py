"""Forty signers at once, on two processes: one unbroken chain, one receipt each."""

import multiprocessing
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from multiprocessing.connection import Connection
from typing import Any

from django.db import connection, connections

from compliance.facts.policies.actions import sign_policy
from compliance.facts.policies.chain import verify
from compliance.facts.policies.models import Receipt
from compliance.tenancy import context
from tests.facts.story import BEGIN, Story

MOMENT = BEGIN + timedelta(days=10)  # all state the same moment: the chain gives each its own


def sign_together(
    organization_id: uuid.UUID,
    share_id: uuid.UUID,
    release_id: uuid.UUID,
    people: Sequence[uuid.UUID],
    together: Any,
    results: Connection,
) -> None:
    """One process: a thread and a connection for each signer; each signs twice."""

    def sign(profile_id: uuid.UUID) -> list[uuid.UUID]:
        connection.ensure_connection()
        together.wait()
        try:
            return [
                sign_policy(
                    organization_id=organization_id,
                    share_id=share_id,
                    learner_profile_id=profile_id,
                    course_release_id=release_id,
                    signature={"typed": "A name"},
                    sign_in_methods=None,
                    at=MOMENT,
                )
                for _ in range(2)
            ]
        finally:
            connection.close()

    with ThreadPoolExecutor(len(people)) as threads:
        results.send(list(threads.map(sign, people)))


def test_forty_concurrent_signers_on_two_processes_make_one_chain(committed: None, now: datetime) -> None:
    story = Story(now)
    version, share_id = story.shared_policy()
    people = story.employees(f"Signer {number}" for number in range(40))
    connections.close_all()  # a process must not inherit a connection
    processes = multiprocessing.get_context("fork")
    together = processes.Barrier(len(people), timeout=60)
    ends = [processes.Pipe(duplex=False) for _ in range(2)]
    signing = [
        processes.Process(
            target=sign_together,
            args=(story.organization_id, share_id, version.course_release_id, group, together, sending),
        )
        for group, (_, sending) in zip((people[:20], people[20:]), ends, strict=True)
    ]
    for process in signing:
        process.start()
    for _, sending in ends:
        sending.close()  # so that the death of a process ends the pipe instead of blocking
    pairs = [pair for receiving, _ in ends for pair in receiving.recv()]
    for process in signing:
        process.join()
    assert len(pairs) == 40
    assert all(first == second for first, second in pairs)  # signing again returns the first receipt
    with context.company(story.organization_id):
        assert verify(story.organization_id) == 40
        assert set(Receipt.objects.values_list("receipt_id", flat=True)) == {first for first, _ in pairs}
