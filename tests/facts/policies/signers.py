"""A process of signers: `python -m tests.facts.policies.signers ORGANIZATION SHARE RELEASE AT`.

The first line of standard input names the profiles. Each signer has a thread and a connection of its own; all begin
when the next line arrives.
"""

import os
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from threading import Barrier

import django


def main() -> None:
    """Sign for every profile at once, twice each, and print the receipts."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.db import connection

    from compliance.facts.policies.actions import sign_policy
    from config.celery import app

    app.conf.broker_url = "memory://"
    organization_id, share_id, release_id = map(uuid.UUID, sys.argv[1:4])
    at = datetime.fromisoformat(sys.argv[4])
    profiles = [uuid.UUID(word) for word in sys.stdin.readline().split()]
    together = Barrier(len(profiles) + 1)

    def sign(profile_id: uuid.UUID) -> list[uuid.UUID]:
        connection.ensure_connection()
        together.wait()
        receipts = [
            sign_policy(
                organization_id=organization_id,
                share_id=share_id,
                learner_profile_id=profile_id,
                course_release_id=release_id,
                signature={"typed": "A name"},
                sign_in_methods=None,
                at=at,
            )
            for _ in range(2)
        ]
        connection.close()
        return receipts

    with ThreadPoolExecutor(len(profiles)) as threads:
        signing = [threads.submit(sign, profile_id) for profile_id in profiles]
        print("ready", flush=True)
        sys.stdin.readline()
        together.wait()
        for each in signing:
            print(*each.result(), flush=True)


if __name__ == "__main__":
    main()
