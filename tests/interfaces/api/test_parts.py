"""Cursors, addresses and moments, each by itself."""

import uuid
from datetime import UTC, date, datetime
from typing import Any

import pytest

from compliance.interfaces.api import cursors, networks, parameters
from compliance.interfaces.api.problems import Problem
from compliance.registers.questions import Pin, Position

COMPANY = uuid.uuid4()
SECRETS = ("new" * 12, "old" * 12)
BOUND: dict[str, Any] = {"endpoint": "/v1/x", "organization_id": COMPANY}
CURSOR = cursors.Cursor(
    Pin(10, 3, "ab" * 32, datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC), 1),
    datetime(2026, 1, 1, tzinfo=UTC), None, uuid.uuid4(), Position(7, 8), 99, 5,
)  # fmt: skip


def _seal(secrets=SECRETS, **more):
    return cursors.seal(CURSOR, **BOUND | more, secrets=secrets)


def _unseal(text, secrets=SECRETS, **more):
    return cursors.unseal(text, **BOUND | more, secrets=secrets)


def test_a_cursor_opens_to_what_was_sealed_and_fits_a_url():
    text = _seal()
    assert _unseal(text) == CURSOR
    assert len(text) < 500
    assert _seal() != text


def test_a_cursor_of_an_older_secret_still_opens_and_one_of_a_retired_secret_does_not():
    assert _unseal(_seal(secrets=SECRETS[1:])) == CURSOR
    with pytest.raises(Problem):
        _unseal(_seal(), secrets=SECRETS[1:])


def test_a_cursor_of_an_older_secret_opens_also_where_both_secrets_have_the_same_hint():
    older, newer = (f"a secret of the deployment {number}" for number in (348, 428))
    assert cursors._keys((newer,))[0].hint == cursors._keys((older,))[0].hint
    assert _unseal(_seal(secrets=(older,)), secrets=(newer, older)) == CURSOR


def test_any_changed_character_shuts_a_cursor():
    text = _seal()
    for position in range(len(text)):
        other = "A" if text[position] != "A" else "B"
        with pytest.raises(Problem, match="not given out"):
            _unseal(text[:position] + other + text[position + 1 :])


@pytest.mark.parametrize("other", [{"endpoint": "/v1/y"}, {"organization_id": uuid.uuid4()}])
def test_a_cursor_is_bound_to_its_endpoint_and_company(other):
    with pytest.raises(Problem):
        _unseal(_seal(), **other)


@pytest.mark.parametrize("spoiled", ["{}=", "{}==", " {}", "{}\n", "{}A", "="])
def test_only_the_very_text_opens(spoiled):
    with pytest.raises(Problem):
        _unseal(spoiled.format(_seal()))


@pytest.mark.parametrize(
    "peer, forwarded, found",
    [
        ("203.0.113.9", "192.0.2.1", "203.0.113.9"),
        ("10.0.0.1", "192.0.2.1", "192.0.2.1"),
        ("10.0.0.1", "198.51.100.1, 192.0.2.1, 10.0.0.2", "192.0.2.1"),
        ("10.0.0.1", "192.0.2.1, nonsense", None),
        ("10.0.0.1", "", "10.0.0.1"),
        ("::ffff:10.0.0.1", "[2001:db8::5]:443", "2001:db8::5"),
        ("10.0.0.1", "192.0.2.1:5123", "192.0.2.1"),
        ("", "192.0.2.1", None),
    ],
)
def test_the_address_is_the_rightmost_hop_that_is_not_ours(peer, forwarded, found):
    address = networks.client_address({"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_FOR": forwarded}, ["10.0.0.0/8"])
    assert (None if address is None else str(address)) == found


def test_only_a_trusted_proxy_says_that_a_call_came_over_tls():
    over_tls = {"wsgi.url_scheme": "http", "HTTP_X_FORWARDED_PROTO": "https"}
    assert networks.is_secure(over_tls | {"REMOTE_ADDR": "10.0.0.1"}, ["10.0.0.0/8"])
    assert not networks.is_secure(over_tls | {"REMOTE_ADDR": "192.0.2.1"}, ["10.0.0.0/8"])
    assert networks.is_secure({"wsgi.url_scheme": "https"}, [])


def test_an_unknown_address_is_allowed_only_where_no_network_is_named():
    assert networks.allowed(None, [])
    assert not networks.allowed(None, ["0.0.0.0/0"])


def test_ipv6_is_counted_by_its_64():
    one = networks.client_address({"REMOTE_ADDR": "2001:db8::1"}, [])
    assert networks.bucket(one) == "2001:db8::/64"


@pytest.mark.parametrize(
    "name, text, zone, start, found",
    [
        ("as_at", "2026-03-01", "Europe/Paris", False, datetime(2026, 3, 1, 22, 59, 59, 999999, tzinfo=UTC)),
        ("from", "2026-03-01", "Europe/Paris", True, datetime(2026, 2, 28, 23, tzinfo=UTC)),
        ("to", "2011-12-30", "Pacific/Apia", False, datetime(2011, 12, 30, 9, 59, 59, 999999, tzinfo=UTC)),
        ("as_at", "2026-03-01T00:00:00.1234567Z", "UTC", False, datetime(2026, 3, 1, 0, 0, 0, 123456, tzinfo=UTC)),
        ("as_at", "2026-03-01T00:00:00.1234567890123456Z", "UTC", False, datetime(2026, 3, 1, 0, 0, 0, 123456, UTC)),
        ("from", "2016-12-31T23:59:60.75Z", "UTC", True, datetime(2017, 1, 1, tzinfo=UTC)),
    ],
)
def test_dates_are_days_of_the_company(name, text, zone, start, found):
    assert parameters.moment({name: text}, name, zone, start=start).instant == found


def test_a_period_over_a_day_that_the_clocks_skipped_is_empty_and_no_error():
    values = {"from": "2011-12-30", "to": "2011-12-30"}
    start = parameters.moment(values, "from", "Pacific/Apia", start=True)
    end = parameters.moment(values, "to", "Pacific/Apia", start=False)
    parameters.check_window(start, end, "to")
    assert (start.day, end.day) == (date(2011, 12, 30), date(2011, 12, 30))
