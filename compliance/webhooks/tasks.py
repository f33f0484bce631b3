"""Tasks of webhooks. Each is safe to repeat and to run twice at once; only tasks read the clock."""

from datetime import UTC, datetime

from celery import shared_task

from compliance.webhooks import claims, sending


@shared_task(name="compliance.webhooks.look", ignore_result=True)
def look() -> None:
    """Runs every few seconds: one statement, and a run if something is due."""
    if claims.any_due(datetime.now(UTC)):
        sending.send_soon()


@shared_task(name=sending.SEND_TASK, ignore_result=True)
def send() -> None:
    """Sends the due events of all companies."""
    if sending.send_due(lambda: datetime.now(UTC)).more:
        sending.send_soon()
