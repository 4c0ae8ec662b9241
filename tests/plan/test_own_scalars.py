"""Which scalars a thread of an operator on elements has a copy of: those that nothing changes while it runs."""

from __future__ import annotations

import numpy as np
import pytest

from gdsl.backends.cpu import source_text
from gdsl.backends.interface import Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.pipeline import load
from gdsl.plan.cpu_threads import own_scalars
from gdsl.plan.target import Sizes
from tests.cpu.running import SMALL, assert_agree, executable
from tests.support.graphs import random_graph

TEXT = """program p; problem {
    param times : int32;
    vertex level : int32; vertex seen : int32; edge half : float64;
    scalar fixed : int32; scalar total : int64; scalar ahead : int32; scalar weight : float64; scalar given : int32;
}
vertex functor every(v) {
    cond int32(v) % 5 != fixed;
    apply { level[v] += fixed * times; total += fixed + given; if (level[v] > given) { ahead max= level[v]; } }
}
vertex functor looks(v) { cond now(ahead) >= 0; apply { seen[v] = fixed; ahead max= fixed; } }
schedule {
    while (iteration < 3) {
        fixed = iteration + 1; given = 2 * fixed; weight = fixed / 4.0;
        compute(vertices, every);
        compute(vertices, looks);
        compute(edges, (src, dst, e) => { half[e] += weight / (fixed + int32(src)); });
    }
}"""


def test_only_what_the_operator_does_not_write() -> None:
    program = load(TEXT)
    functors = {functor.name: functor for functor in (*program.vertex_functors, *program.edge_functors)}
    assert own_scalars(functors["every"]) == ("fixed", "given")
    assert own_scalars(functors["looks"]) == ("fixed",)
    (lambda_,) = (functor for functor in program.edge_functors)
    assert own_scalars(lambda_) == ("weight", "fixed")
    text = source_text(program, 32)
    assert text.count("auto own_fixed = *given.fixed;") == 5 and "own_ahead" not in text and "own_total" not in text


@pytest.mark.parametrize("sizes", [None, SMALL], ids=["sizes", "small_sizes"])
def test_values_are_those_of_the_reference(sizes: Sizes | None) -> None:
    ready = executable(TEXT, (), sizes)
    graph = random_graph(70, 300, seed=3)
    bindings = bind(ready.program, graph, {"times": np.int32(3)})
    expected = interpret(ready.program, graph, bindings, Limits())
    assert_agree(ready.program, expected, ready.run(graph, bindings, Limits()))
