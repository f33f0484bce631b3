"""Forty signers at once, on two processes: one unbroken chain, one receipt each (issue 4)."""

import subprocess
import sys
from datetime import datetime, timedelta

from compliance.facts.policies.chain import verify
from compliance.facts.policies.models import Receipt
from compliance.tenancy import context
from tests.facts.story import BEGIN, Story


def test_forty_concurrent_signers_on_two_processes_make_one_chain(
    committed: None, process_environment: dict[str, str], now: datetime
) -> None:
    story = Story(now)
    version, share_id = story.shared_policy()
    people = story.employees(f"Signer {number}" for number in range(40))
    arguments = [str(story.organization_id), str(share_id), str(version.course_release_id)]
    moment = (BEGIN + timedelta(days=10)).isoformat()  # all claim the same moment: the chain tells them apart
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.facts.policies.signers", *arguments, moment],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=process_environment,
        )
        for _ in range(2)
    ]
    try:
        for process, group in zip(processes, (people[:20], people[20:]), strict=True):
            assert process.stdin is not None
            process.stdin.write(" ".join(map(str, group)) + "\n")
            process.stdin.flush()
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        outputs = [process.communicate("go\n", timeout=60)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    pairs = [line.split() for output in outputs for line in output.splitlines()]
    assert len(pairs) == 40
    assert all(first == second for first, second in pairs)  # signing twice gives the first receipt again
    with context.company(story.organization_id):
        assert verify(story.organization_id) == 40
        assert {str(each) for each in Receipt.objects.values_list("receipt_id", flat=True)} == {one for one, _ in pairs}
