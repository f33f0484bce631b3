"""Pages of a service whose database has just gone away: a plain page, and the next one is drawn again."""

import pytest
from django.test import Client

BROKEN = "tests.interfaces.pages.broken_urls"
TITLE = "The service cannot be reached for a moment"


@pytest.mark.parametrize(
    "address, home",
    [
        ("/broken/lost", "/console/"),
        ("/console/broken/lost", "/console/"),
        ("/console/broken/standby", "/console/"),
        ("/learn/broken/lost", "/learn/"),
    ],
)
def test_a_page_that_lost_the_database_asks_to_come_again_and_the_next_one_is_drawn(committed, settings, address, home):
    settings.ROOT_URLCONF = BROKEN
    stranger = Client(raise_request_exception=False)
    answer = stranger.get(address)
    text = answer.content.decode()
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert TITLE in text
    assert answer.headers["X-Request-Id"] in text
    assert f'href="{home}"' in text
    assert answer.headers["Cache-Control"] == "no-store"
    assert "psycopg" not in text
    # Companies of other tests may have pending facts, so it may be unready for another reason.
    assert stranger.get("/readyz").json()["checks"]["database"] == "ok"
