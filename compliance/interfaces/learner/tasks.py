"""Tasks of the learners' pages. Each is safe to repeat and to run twice at once; only tasks read the clock."""

import uuid
from datetime import UTC, datetime

from celery import shared_task

from compliance.interfaces.learner.entry import answering, asking


@shared_task(name=asking.TASK, ignore_result=True)
def answer(request_id: str) -> None:
    """After a request for a link: sends letters to the people with that address."""
    answering.answer(uuid.UUID(request_id), datetime.now(UTC))


@shared_task(name="compliance.learner.answer_waiting", ignore_result=True)
def answer_waiting() -> None:
    """Each minute: answers the requests for links that were not answered."""
    answering.answer_waiting(datetime.now(UTC))
