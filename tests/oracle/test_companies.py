"""The answers of /v1 about people and policies against a plain implementation of docs/rules.md, on random companies."""

import os
from collections.abc import Iterator

import pytest
from django.test import override_settings

from tests.oracle.company_comparison import compare
from tests.oracle.company_stories import story

pytestmark = pytest.mark.django_db

FIRST, TIMES = int(os.environ.get("ORACLE_FIRST", "0")), int(os.environ.get("ORACLE_TIMES", "5"))
MOMENTS = os.environ.get("ORACLE_MOMENTS", "6")


@pytest.fixture(autouse=True)
def without_rate_limits() -> Iterator[None]:
    """A story makes more calls than a caller may."""
    kinds = ("KEY", "COMPANY", "ADDRESS")
    with override_settings(**{f"RATE_LIMIT_{kind}_PER_MINUTE": 10**6 for kind in kinds}):
        yield


@pytest.mark.parametrize("seed", range(FIRST, FIRST + TIMES))
def test_registers_of_people_and_policies_say_what_the_rules_say(seed: int) -> None:
    compare(story(seed), None if MOMENTS == "all" else int(MOMENTS))
