"""Which body loses its place when all are taken."""

import asyncio

from compliance.interfaces.serving import bodies
from compliance.interfaces.serving.errors import BodyRefusedError
from compliance.interfaces.serving.places import BODIES_AT_ONCE, Places


async def _received(places, network, seconds, arrives):
    """The status with which a body is refused; None if it arrives first."""
    deadline = asyncio.timeout(seconds)
    try:
        with places.one(network, deadline):
            async with deadline:
                await arrives.wait()
    except BodyRefusedError as refusal:
        return refusal.status
    return None


def _statuses(*sent):
    """What becomes of bodies that are sent in this order, as (network, seconds), and arrive after the last began."""

    async def scenario():
        places, arrives = Places(), asyncio.Event()
        tasks = [asyncio.create_task(_received(places, network, seconds, arrives)) for network, seconds in sent]
        for _ in range(10):
            await asyncio.sleep(0)  # the loop runs all that is ready
        arrives.set()
        return await asyncio.gather(*tasks)

    return asyncio.run(scenario())


def test_the_network_with_the_most_places_loses_the_one_that_would_end_first():
    others = [(f"other-{number}", 10) for number in range(BODIES_AT_ONCE - 2)]
    found = _statuses(("crowded", 600), *others, ("crowded", 20), ("new", 10))
    assert found == [None, *[None] * len(others), bodies.TOO_MANY, None]


def test_files_of_staff_outlast_short_bodies_of_their_own_network():
    found = _statuses(("office", 600), *[("office", 10)] * (BODIES_AT_ONCE + 40))
    assert found == [None, *[bodies.TOO_MANY] * 41, *[None] * (BODIES_AT_ONCE - 1)]


def test_networks_with_a_place_each_lose_the_oldest():
    found = _statuses(*[(f"network-{number}", 10) for number in range(BODIES_AT_ONCE + 3)])
    assert found == [*[bodies.TOO_MANY] * 3, *[None] * BODIES_AT_ONCE]


def test_a_body_that_keeps_its_place_and_takes_too_long_is_told_so():
    async def scenario():
        return await _received(Places(), "slow", 0, asyncio.Event())

    assert asyncio.run(scenario()) == bodies.TIMED_OUT
