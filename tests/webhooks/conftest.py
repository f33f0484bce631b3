"""Companies that change, and receivers that hear of it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from compliance.history.actions import capture_all
from compliance.webhooks import sending
from tests.companies import Company, make_present_company
from tests.webhooks.receiver import Receiver
from tests.webhooks.receiver import receiver as made_receiver


@pytest.fixture(autouse=True)
def receivers_on_this_machine(settings) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver that takes everything."""
    with made_receiver() as found:
        yield found


@pytest.fixture
def company(db: None) -> Company:
    """A company without people: one capture, that it began."""
    return make_present_company()


def present() -> datetime:
    """The clock: signatures hold for five minutes only, so tries are made now."""
    return datetime.now(UTC)


def change(company: Company, *names: str) -> int:
    """Somebody joins for each of the names, each in a capture of its own; the number of the last one."""
    for name in names:
        company.join(name)
        last = capture_all(company.organization_id, present())[-1]
    return last.capture_sequence


def send(clock: Callable[[], datetime] = present, **more) -> sending.Run:
    """A run of the worker."""
    return sending.send_due(clock, **more)
