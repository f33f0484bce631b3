"""Companies that change, and receivers that are notified."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from compliance.history.actions import capture_all
from compliance.tenancy import context
from compliance.webhooks import actions, sending
from compliance.webhooks.models import Attempt, Webhook
from tests.companies import Company, make_present_company
from tests.webhooks.receiver import Receiver
from tests.webhooks.receiver import receiver as made_receiver


@pytest.fixture(autouse=True)
def receivers_on_this_machine(settings) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver that accepts everything."""
    with made_receiver() as found:
        yield found


@pytest.fixture
def company(db: None) -> Company:
    """A company without people: one capture, of its beginning."""
    return make_present_company()


def present() -> datetime:
    """The clock: signatures are valid for five minutes only, so tries are made now."""
    return datetime.now(UTC)


def change(company: Company, *names: str) -> int:
    """Somebody joins for each of the names, each in a capture of its own; returns the number of the last capture."""
    for name in names:
        company.join(name)
        last = capture_all(company.organization_id, present())[-1]
    return last.capture_sequence


@dataclass
class Clock:
    """A clock that a test moves: 72 hours pass in a moment. Signatures made by it are valid only at its own time."""

    now: datetime = field(default_factory=present)

    def __call__(self) -> datetime:
        return self.now


def made(company: Company, receiver: Receiver, **more) -> tuple[str, Webhook]:
    """A webhook of the company with the receiver's URL, and its secret."""
    return actions.create_webhook(
        organization_id=company.organization_id, url=receiver.url, at=present(), actor="test", **more
    )


def attempts(webhook: Webhook) -> list[Attempt]:
    """The tries that were recorded, oldest first."""
    with context.company(webhook.organization_id):
        return list(
            Attempt.objects.filter(organization_id=webhook.organization_id, webhook_id=webhook.webhook_id).order_by(
                "id"
            )
        )


def send(clock: Callable[[], datetime] = present, **more) -> sending.Run:
    """A run of the worker."""
    return sending.send_due(clock, **more)
