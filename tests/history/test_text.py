"""The writer's fast texts are equal to those of the slow, plain ways."""

import tracemalloc
from datetime import UTC, datetime, timedelta, timezone
from typing import NamedTuple
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from compliance.history.text import canonical, identifier, instant
from compliance.rules.vocabulary import Door, Requirement
from compliance.tenancy import arrays

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
MOMENTS = st.builds(
    lambda microseconds, offset: (_EPOCH + timedelta(microseconds=microseconds)).astimezone(timezone(offset)),
    st.integers(-1990 * 365 * 86400 * 10**6, 7990 * 365 * 86400 * 10**6),  # of the years 11 to 9984
    st.integers(-14 * 60, 14 * 60).map(lambda minutes: timedelta(minutes=minutes)),
)


@given(MOMENTS)
def test_an_instant_is_written_in_utc_with_microseconds(moment):
    expected = moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    assert instant(moment) == expected


@given(st.lists(st.none() | MOMENTS))
def test_instants_are_sent_as_microseconds_since_2000(moments):
    sent = b""
    for moment in moments * 2:
        since = moment and (moment - _EPOCH) // timedelta(microseconds=1)
        sent += b"\xff" * 4 if moment is None else b"\0\0\0\x08" + since.to_bytes(8, "big", signed=True)
    assert arrays.instants(moments * 2).data[20:] == sent


@given(st.uuids())
def test_an_identifier_is_written_in_canonical_form(one):
    assert identifier(one) == str(one)


def test_a_body_has_the_fields_in_their_order_without_those_that_columns_hold():
    class Content(NamedTuple):
        record_id: UUID
        at: datetime
        requirement: Requirement
        doors: tuple[Door, ...]
        title: str
        none: None

    content = Content(UUID(int=1), _EPOCH, Requirement.REQUIRED, (Door.EMPLOYEE,), 'é "\u2028', None)
    assert canonical(content, ["requirement"]).decode() == (
        '{"record_id":"00000000-0000-0000-0000-000000000001","at":"2000-01-01T00:00:00.000000Z","doors":["employee"],'
        '"title":"é \\"\u2028","none":null}'
    )


def test_a_body_holds_no_more_memory_than_its_bytes():
    tracemalloc.start()
    try:
        bodies = [canonical({"title": "a" * 300}) for _ in range(100)]
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 2 * sum(map(len, bodies))
