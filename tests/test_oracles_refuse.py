"""The oracles themselves: one changed value in any result is noticed."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.graph import Graph
from tests.oracles import BY_NAME
from tests.oracles.refusing import spoiled
from tests.support.graphs import random_graph, simple_part

EVERYBODY = Graph.from_edges(*np.triu_indices(20, 1), directed=False)
"""All are neighbors, so that no other color of one vertex would be right."""


@pytest.mark.parametrize("name", BY_NAME)
def test_one_changed_value_is_noticed(name: str) -> None:
    case = BY_NAME[name]
    graph = EVERYBODY if name in ("coloring", "fewer_colors") else random_graph(40, 90, seed=3, directed=False)
    graph = graph if case.suits(graph) else simple_part(graph)
    values = case.values(graph, 2)
    result = gdsl.compile(case.path).run(graph, values, backend="reference")
    answers = {**result.scalars, **result.host_arrays()}
    case.check(graph, values, answers)
    for changed, wrong in spoiled(answers):
        with pytest.raises(AssertionError):
            case.check(graph, values, wrong)
            pytest.fail(f"{name}: a wrong {changed} was not noticed", pytrace=False)
