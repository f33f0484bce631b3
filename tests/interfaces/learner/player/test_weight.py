"""The size of a first page: with an empty cache it loads at most 60 KB, and nothing from other hosts."""

import pytest

from tests.learning import courses_to_take as small

pytestmark = pytest.mark.browser
MOST = 60 * 1024


def test_a_page_of_a_course_of_200_pages_loads_at_most_60_kb(viewer):
    pages = [small.page(f"p{number}", small.question(f"q{number}")) for number in range(199)]
    film = small.page("p199", small.film(small.question("q199")))
    seen = viewer(*(small.lesson(f"l{number}", *pages[number * 50 : number * 50 + 50]) for number in range(3)),
                  small.lesson("l3", *pages[150:], film))  # fmt: skip
    for page in ("", "p1", "p199"):
        shown = seen.open("nothing")
        shown.wait_for_load_state("networkidle")
        loaded: list[tuple[str, int]] = []
        shown.on("response", lambda answer, loaded=loaded: loaded.append((answer.url, len(answer.body()))))
        shown.goto(seen.there + page)
        shown.wait_for_load_state("networkidle")
        assert seen.there + page in {url for url, _ in loaded}
        assert all(url.startswith(seen.served) for url, _ in loaded)
        assert sum(size for _, size in loaded) <= MOST, loaded
