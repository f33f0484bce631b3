"""How the benchmark lets several things take turns."""

import pytest

from benchmarks import measuring


@pytest.mark.parametrize(("in_a_row", "turn"), [(1, "ab"), (3, "aaabbb")])
def test_each_thing_has_its_turn_in_every_round(in_a_row: int, turn: str) -> None:
    done: list[str] = []
    taken = measuring.interleaved(
        {name: lambda name=name: done.append(name) for name in "ab"},  # type: ignore[misc]
        2,
        warm=1,
        in_a_row=in_a_row,
    )
    assert "".join(done) == turn * 3
    assert taken.keys() == {"a", "b"}
