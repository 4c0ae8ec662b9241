"""How many blocks runs have, by what earlier ones have shown."""

from __future__ import annotations

import pytest

from gdsl.backends.cuda.observed_grid import SEVERAL, SHORT, ObservedGrid


def blocks_of(*means: float, operators: int = 1000) -> list[int]:
    """The blocks of each run, the next one's last, where a run takes so many nanoseconds an operator."""
    grid, found = ObservedGrid(264, 132), []
    for mean in means:
        found.append(grid.blocks)
        grid.note(operators, int(mean * operators))
    return [*found, grid.blocks]


def test_few_blocks_stay_where_they_take_less_time() -> None:
    assert blocks_of(9000, 9000, 8000, 9000, 9000) == [264, 264, 132, 132, 132, 132]


@pytest.mark.parametrize("mean", [9000, 8999, 12000])
def test_they_do_not_where_they_take_no_less(mean: int) -> None:
    assert blocks_of(9000, 9000, mean, 1000, 1000) == [264, 264, 132, 264, 264, 264]


def test_the_first_run_is_not_compared() -> None:
    assert blocks_of(1, 9000, 8000, 9000) == [264, 264, 132, 132, 132]


def test_long_operators_are_left_as_they_are() -> None:
    assert blocks_of(*[SHORT + 1] * 4) == [264] * 5
    assert blocks_of(*[9000] * 4, operators=SEVERAL - 1) == [264] * 5


def test_nothing_is_tried_where_there_are_few() -> None:
    for few in (132, 264):
        grid = ObservedGrid(132, few)
        assert grid.settled
        grid.note(1000, 1)
        grid.note(1000, 1)
        assert grid.blocks == 132


def test_a_run_without_operators() -> None:
    grid = ObservedGrid(264, 132)
    grid.note(0, 5)
    grid.note(0, 5)
    assert grid.settled and grid.blocks == 264
