"""Programs of many steps call what their operators share."""

from __future__ import annotations

import re

import pytest

from gdsl.backends.cuda import source_text
from gdsl.pipeline import load
from gdsl.plan import target
from gdsl.plan.occupancy import LONG, is_long
from gdsl.plan.walking import steps_in

from .planning import plan_of


def passes(count: int, what: str = "compute(vertices, v => { seen[v] += 1; });") -> str:
    return f"program many; problem {{ vertex seen : int32; }} schedule {{ {what * count} }}"


def calls(text: str) -> bool:
    (word,) = re.findall(r"#define OUTLINED (\w+)", source_text(load(text), 32))
    return bool(word == "__noinline__")


@pytest.mark.slow
def test_steps_make_a_program_long() -> None:
    texts = [passes(count) for count in range(1, LONG + 1)]
    steps = [sum(1 for _ in steps_in(plan_of(text).schedule)) for text in texts]
    assert [is_long(plan_of(text)) for text in texts] == [count >= LONG for count in steps]
    first = next(i for i, count in enumerate(steps) if count >= LONG)
    assert first > 0 and not calls(texts[first - 1]) and calls(texts[first])


@pytest.mark.parametrize("sample", ["bfs", "sssp", "pagerank", "connected_components", "k_core", "coloring"])
def test_searches_have_copies(sample: str) -> None:
    assert not is_long(plan_of(sample))


def test_a_kernel_of_one_step_is_short() -> None:
    assert is_long(plan_of("betweenness")) and not is_long(plan_of("betweenness", on=target.CUDA_UNFUSED))
