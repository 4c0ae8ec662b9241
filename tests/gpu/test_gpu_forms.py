"""Other forms of a program, tried in turns on a GPU: the values of the cpu backend in each run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.backends.cuda import observed_forms
from gdsl.graph import generate
from gdsl.plan import alternatives

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("name", ["bfs", "k_core", "sssp"])
@pytest.mark.parametrize("spec", ["rmat:14", "grid:100"])
def test_every_form_gives_the_same(name: str, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observed_forms, "TIMES", 0)
    monkeypatch.setattr(alternatives, "LEAST_EDGES", 1)
    graph = gdsl.graph.GraphOptions(weights="random:1", undirected=True).apply(generate(spec))
    program, result = gdsl.compile(name), "core" if name == "k_core" else "distance"
    values = {} if name == "k_core" else {"source": 3}
    expected = getattr(program(graph, **values, backend="cpu"), result)
    for _ in range(120):
        found = program(graph, **values, backend="cuda")
        assert np.array_equal(found.host_arrays()[result], expected), found.form_line
        executable: Any = program.last_run(graph, "cuda")[1]
        forms = executable._on(graph).forms
        if forms.is_settled:
            break
    print("; ".join(forms.lines))
    assert forms.lines
