"""Where webhooks may be sent: the form of URLs, and which addresses are public."""

import pytest

from compliance.webhooks.addresses import is_public, target, without_query
from compliance.webhooks.errors import BadAddressError


@pytest.mark.parametrize(
    ("url", "parts", "authority"),
    [
        ("https://example.com", ("example.com", 443, "/", True), "example.com"),
        ("https://EXAMPLE.com/a%20b?c=d&e", ("example.com", 443, "/a%20b?c=d&e", True), "example.com"),
        ("https://example.com:443/", ("example.com", 443, "/", True), "example.com"),
        ("https://example.com:8443/x", ("example.com", 8443, "/x", True), "example.com:8443"),
        ("https://[2606:4700::1111]:8443/", ("2606:4700::1111", 8443, "/", True), "[2606:4700::1111]:8443"),
        ("http://127.0.0.1:9000/x", ("127.0.0.1", 9000, "/x", False), "127.0.0.1:9000"),
    ],
)
def test_a_url_is_taken_apart(url, parts, authority):
    found = target(url, plain=True)
    assert found == parts
    assert found.authority == authority


@pytest.mark.parametrize(
    "url",
    [
        "", "example.com", "//example.com", "ftp://example.com", "file:///etc/passwd", "https://", "https:///path",
        "https://user@example.com", "https://user:password@example.com", "https://@example.com",
        "https://example.com#part", "https://example.com/ two", "https://example.com/\r\nHost: other",
        "https://exämple.com", "https://example.com\\@other.com", "https://example.com:22/", "https://example.com:25/",
        "https://example.com:0/", "https://example.com:99999/", "https://example.com:x/", "https://[::1", "https://[::1%25eth0]/",
        "https://exa mple.com", "https://exam<ple.com", "https://" + "a" * 2000,
    ],
)  # fmt: skip
def test_what_is_no_url_of_a_receiver_is_refused_without_repeating_it(url):
    with pytest.raises(BadAddressError) as refused:
        target(url, plain=True)
    assert "password" not in str(refused.value).replace("no password", "")
    assert str(refused.value).endswith(".")


def test_plain_http_is_refused_in_production():
    with pytest.raises(BadAddressError, match="https://"):
        target("http://example.com/", plain=False)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.9", "192.0.2.1", "192.88.99.1", "192.168.1.1",
        "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
        "168.63.129.16", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:10.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "fc00::1",
        "fd00::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "ff0e::1", "localhost", "", "2130706433",
        "0x7f000001",
    ],
)  # fmt: skip
def test_addresses_of_networks_are_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450::1"])
def test_addresses_of_the_internet_are_public(address):
    assert is_public(address)


def test_a_list_shows_no_query():
    assert without_query("https://example.com/a?token=b") == "https://example.com/a?…"
    assert without_query("https://example.com/a") == "https://example.com/a"
