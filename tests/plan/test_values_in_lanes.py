"""Which values are fetched several at a time on a CPU, and that their sums are right."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

from gdsl.ir.verifier import VerificationError
from gdsl.native.compiler import find_compiler
from gdsl.plan import target
from gdsl.plan.hints import InLanes
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_sweeps
from tests.cpu.running import SMALL
from tests.cpu.test_cpu_alone import ALONE, check
from tests.support.graphs import make_graph, random_graph

from .planning import only_sweep, plan_of


def text_of(value: str, more: str = ", over=in_edges", kind: str = "float32", operation: str = "sum") -> str:
    return f"""program p; problem {{
        input vertex x : {kind}; input vertex next : vertex; {f"input edge w : {kind};" if "w[" in value else ""}
        vertex result : {kind};
    }}
    edge functor f(src, dst, e) -> {kind} {{ {value} }}
    schedule {{ result = neighbor_reduce(vertices, f, {operation}{more}); }}"""


@pytest.mark.parametrize(
    "value, more, kind, operation, lanes",
    [
        ("value x[src];", ", over=in_edges", "float32", "sum", True),
        ("value x[src];", ", over=in_edges", "float64", "sum", True),
        ("value x[dst];", "", "float64", "sum", True),
        ("value x[dst];", ", over=in_edges", "float32", "sum", False),  # the same for all edges of a list
        ("value x[src];", ", over=all_edges", "float32", "sum", False),
        ("cond src != dst; value x[src];", ", over=in_edges", "float32", "sum", False),
        ("value x[src] * 2;", ", over=in_edges", "float32", "sum", False),
        ("value x[next[src]];", ", over=in_edges", "float32", "sum", False),
        ("value w[e];", ", over=in_edges", "float32", "sum", False),
        ("value x[src];", ", over=in_edges", "float32", "max", False),
        ("value x[src];", ", over=in_edges", "int32", "sum", False),
    ],
)
def test_which_values_are_fetched_in_lanes(value: str, more: str, kind: str, operation: str, lanes: bool) -> None:
    text = text_of(value, more, kind, operation)
    hint = only_sweep(plan_of(text, on=target.CPU)).hint(InLanes)
    assert hint == (InLanes(array="x") if lanes else None)
    assert only_sweep(plan_of(text)).hint(InLanes) is None


def test_lanes_of_other_values_are_rejected() -> None:
    plan = plan_of(text_of("value x[src] * 2;"), on=target.CPU)
    wrong = map_sweeps(plan, lambda _, sweep: sweep.with_hints(InLanes(array="x")))
    with pytest.raises(VerificationError, match="lanes of values that are not elements at far ends"):
        verify(wrong)


def _has_lanes() -> bool:
    """Whether the processor and the compiler have what lanes are made of."""
    compiler = find_compiler()
    if compiler is None:
        return False
    command = [*compiler.command, "-march=native", "-dM", "-E", "-x", "c++", "/dev/null"]
    defined = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    return "__AVX512VL__" in defined and "__clang__" not in defined


@pytest.mark.parametrize("sizes", [None, ALONE, SMALL], ids=["as given", "alone", "together"])
@pytest.mark.parametrize("value, more", [("value x[src];", ", over=in_edges"), ("value x[dst];", "")])
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("forced", [False, True], ids=["one by one", "in lanes"])
def test_the_sums_are_right(
    kind: str, value: str, more: str, sizes: target.Sizes | None, forced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if forced:
        compiler = find_compiler()
        if compiler is None or not _has_lanes():
            pytest.skip("no lanes of this processor, or none of this compiler")
        monkeypatch.setenv("CXX", f"{compiler} -DQUICK_GATHERS -march=native")
    random = np.random.default_rng(3)
    given = {
        "x": random.integers(-90, 90, 90).astype(kind),  # whose sums are exact in any order
        "next": np.zeros(90, np.int64),
    }
    star = make_graph([(0, far) for far in range(1, 80)] + [(far, 0) for far in range(1, 17)] + [(3, 3)] * 2, 90)
    sparse = make_graph([(near, near * 7 % 90) for near in range(60)], 90)  # lists of none, one and two
    text = text_of(value, more, kind).replace("program p", "program forced" if forced else "program p")
    check(text, [random_graph(90, 1800, seed=1), random_graph(90, 400, seed=2), star, sparse], sizes, **given)
