"""Of an address that grants access, logs keep the page and not the credential."""

import pytest

from compliance.interfaces.pages.private_paths import without_private_parts

TOKEN = "oWOd5ZcfXOiG7iTZuHHTpiz5PsxjkF0H7zn_B2LNlTKoYToMcHG3Qw"


@pytest.mark.parametrize(
    "place", ["/check/", "/sign/", "/console/sign-in/invitation/", "/learn/in/", "//CHECK/", "/Sign/", "/learn//in/"]
)
@pytest.mark.parametrize("between", ["", " ", "%20", "%20 ", "/", "//"])
def test_a_token_is_left_out_even_where_the_address_is_mistyped(place, between):
    assert without_private_parts(f"GET {place}{between}{TOKEN}?x=1") == f"GET {place}[redacted]?x=1"


def test_other_addresses_stay_as_they_are():
    assert without_private_parts("GET /learn/courses/1/why?x=1") == "GET /learn/courses/1/why?x=1"
