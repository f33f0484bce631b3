"""The writer's quick texts say what the slow ways say."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from compliance.history.text import instant, kept_by_identity, quoted_instant, same_uuid, same_uuid_bare, same_uuid_list
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
    assert quoted_instant(moment) == f'"{expected}"'
    assert quoted_instant(None) == "null"


@given(st.lists(st.none() | MOMENTS))
def test_instants_are_sent_as_microseconds_since_2000(moments):
    sent = b""
    for moment in moments * 2:
        since = moment and (moment - _EPOCH) // timedelta(microseconds=1)
        sent += b"\xff" * 4 if moment is None else b"\0\0\0\x08" + since.to_bytes(8, "big", signed=True)
    assert arrays.instants(moments * 2).data[20:] == sent


@given(st.uuids(), st.lists(st.uuids()).map(tuple))
def test_identifiers_are_written_in_canonical_form(one, many):
    for _ in range(2):
        assert same_uuid(one) == f'"{one}"'
        assert same_uuid_bare(one) == str(one)
        assert same_uuid_list(many) == "[" + ",".join(f'"{each}"' for each in many) + "]"
    assert same_uuid(None) == "null"


def test_what_is_kept_belongs_to_its_own_object_however_many_come():
    find = kept_by_identity(str)
    for number in range(50_000):
        assert find([number]) == f"[{number}]"
