"""The cache of courses is limited: the one used longest ago goes first, and one is kept however large."""

import uuid

from compliance.contentfile import read_content
from compliance.interfaces.player.readings import Readings
from tests.learning import courses_to_take as small


def test_what_was_read_longest_ago_goes_first():
    kept = Readings(100)
    tree = read_content(small.content(small.lesson("one", small.page("p1"))), {})
    keys = [(uuid.UUID(int=1), uuid.UUID(int=number), "en") for number in range(4)]
    for key in keys[:2]:
        kept.keep(key, tree, 50)
    assert kept.get(keys[0]) is tree  # so the other one is the older
    kept.keep(keys[2], tree, 50)
    assert [kept.get(key) is not None for key in keys] == [True, False, True, False]
    kept.keep(keys[3], tree, 1000)
    assert [kept.get(key) is not None for key in keys] == [False, False, False, True]
