"""Pages joined from rows of two pieces each."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from compliance.registers import splicing
from compliance.registers.splicing import Rows

TEXTS = st.text(max_size=20).map(lambda text: orjson.dumps(text).decode())


@given(st.lists(st.tuples(TEXTS, TEXTS)), st.integers(min_value=0, max_value=300))
def test_the_rows_that_fit_are_those_whose_joined_text_does_and_one_more_would_not(pairs, room):
    rows = Rows([f"[{front}".encode() for front, _ in pairs], [f",{ending}]".encode() for _, ending in pairs])
    kept = splicing.within(rows, room)
    count = len(kept.fronts)
    whole = [f"[{front},{ending}]" for front, ending in pairs]
    assert splicing.joined(kept) == ",".join(whole[:count]).encode()
    assert len(splicing.joined(kept)) <= room
    assert count == len(pairs) or len(",".join(whole[: count + 1]).encode()) > room


@given(st.lists(TEXTS))
def test_a_page_is_its_rows_and_then_its_members(texts):
    page = splicing.page(splicing.whole(texts), {"total": len(texts), "next_cursor": None})
    assert orjson.loads(page) == {
        "data": [orjson.loads(text) for text in texts],
        "total": len(texts),
        "next_cursor": None,
    }
    assert page.startswith(b'{"data":[')
