"""The cache of courses is limited: the one used longest ago goes first, and one is kept however large."""

import time
import uuid
from dataclasses import replace

from compliance.contentfile import read_content
from compliance.contentfile.course import Film, Reading
from compliance.contentfile.limits import STYLE_BYTES
from compliance.interfaces.player import readings
from compliance.interfaces.player.readings import Kept, memory_of, style_of
from tests.learning import courses_to_take as small


def test_what_was_read_longest_ago_goes_first():
    kept: Kept[Reading] = Kept(100)
    tree = read_content(small.content(small.lesson("one", small.page("p1"))), {})
    keys = [(uuid.UUID(int=1), uuid.UUID(int=number), "en") for number in range(4)]
    for key in keys[:2]:
        kept.keep(key, tree, 50)
    assert kept.get(keys[0]) is tree  # so the other one is the older
    kept.keep(keys[2], tree, 50)
    assert [kept.get(key) is not None for key in keys] == [True, False, True, False]
    kept.keep(keys[3], tree, 1000)
    assert [kept.get(key) is not None for key in keys] == [False, False, False, True]


def film_of_many_rules() -> Film:
    """A film whose style is many times as long for a page as it was written."""
    return Film("film-page-1", "a,b{}" * (STYLE_BYTES // 5), 4, ())


def test_a_course_of_many_styles_is_read_without_writing_one():
    scenes = [{"id": f"s{number}", "kind": "title", "seconds": 2, "caption": "p.c"} for number in (1, 2)]
    film = {"type": "film", "style": film_of_many_rules().style, "scenes": scenes}
    content = {"lessons": [{"id": "l", "title": "l", "pages": [{"id": "p", "title": "p", "blocks": [film] * 200}]}]}
    started = time.process_time()
    read = read_content(content, {})
    assert time.process_time() - started < 5
    first = read.lessons[0].pages[0].blocks[0]
    assert isinstance(first, Film)
    assert first.css.startswith(".film-p-1{")


def test_a_style_is_written_when_it_is_asked_for_and_kept_by_its_real_size(monkeypatch):
    film = film_of_many_rules()
    size = len(film.css)
    assert size > 6 * STYLE_BYTES
    kept: Kept[str] = Kept(2 * size + size // 2)
    monkeypatch.setattr(readings, "_styles", kept)
    company, releases = uuid.UUID(int=1), [uuid.UUID(int=number) for number in (2, 3, 4)]
    first = style_of(company, releases[0], film)
    assert style_of(company, releases[0], film) is first
    for release in releases[1:]:
        assert style_of(company, release, film) == first
    assert [kept.get((company, release, film.scope)) is not None for release in releases] == [False, True, True]


def test_a_tree_counts_with_the_memory_that_it_takes():
    tree = read_content(small.content(small.lesson("one", small.page("p1"))), {})
    text = "x" * 100_000
    assert 100_000 < memory_of(replace(tree, title=text)) - memory_of(tree) < 101_000
    assert memory_of(replace(tree, title=text + "\N{GRINNING FACE}")) > 400_000
    shared = replace(tree, title=text, language=text)
    assert memory_of(shared) < 101_000 + memory_of(tree)


def test_a_long_text_that_many_blocks_display_is_split_once():
    block = {"type": "text", "text": "p.long"}
    content = {"lessons": [{"id": "l", "title": "l", "pages": [{"id": "p", "title": "p", "blocks": [block] * 1_000}]}]}
    tree = read_content(content, {"p.long": "some words\n\n" * 10_000})
    assert memory_of(tree) < 2_000_000
