"""Tasks of sign-in. Each is safe to repeat and to run twice at once; only tasks read the clock."""

from datetime import UTC, datetime

from celery import shared_task

from compliance.interfaces.console.sign_in import letters, tidying


@shared_task(name="compliance.sign_in.send_letters", ignore_result=True)
def send_letters() -> None:
    """Sends letters that are due. Runs when one is written, and each minute."""
    letters.send_due(lambda: datetime.now(UTC))


@shared_task(name="compliance.sign_in.tidy", ignore_result=True)
def tidy() -> None:
    """Removes ended sessions, invitations, devices and counts. Runs hourly."""
    tidying.tidy(datetime.now(UTC))
