"""A single worker, to be killed: `python -m tests.webhooks.worker SECONDS` sends what is due until it is ended.

SECONDS is how far its clock is ahead, so that nobody has to wait until the lease of a killed worker is over.
"""

import os
import sys
import time
from datetime import UTC, datetime, timedelta

import django


def main() -> None:
    """Runs until it is killed."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from compliance.webhooks.sending import send_due

    ahead = timedelta(seconds=float(sys.argv[1]))
    while True:
        send_due(lambda: datetime.now(UTC) + ahead)
        time.sleep(0.05)


if __name__ == "__main__":
    main()
