"""A course, a person, and their browser behind a network that can be cut."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest

from compliance.learning import sessions
from compliance.tenancy import context
from tests.companies import Company, Person
from tests.interfaces.learner.offline.cutting_proxy import CuttingProxy


@pytest.fixture
def network(served: str) -> Iterator[CuttingProxy]:
    """The network between the browser and the server."""
    port = urlsplit(served).port
    assert port is not None
    proxy = CuttingProxy(port)
    yield proxy
    proxy.close()


Devices = Callable[..., Any]


@pytest.fixture
def device(browser: Any, network: CuttingProxy) -> Iterator[Devices]:
    """`device(company, person)`: a window of a browser in which the person is signed in; windows share nothing."""
    opened = []

    def make(**window: Any) -> Any:
        window = {"viewport": {"width": 390, "height": 844}, "reduced_motion": "reduce"} | window
        opened.append(browser.new_context(base_url=network.address, **window))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def sign_in(device: Any, company: Company, person: Person, network: CuttingProxy) -> str:
    """Begins a session of the person on the device, replacing any other; returns its token."""
    with context.company(company.organization_id):
        token = sessions.begin(company.organization_id, person.learner_profile_id, "Phone", datetime.now(UTC))
    device.add_cookies([{"name": "learner", "value": token, "url": network.address}])
    return token
