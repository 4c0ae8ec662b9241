"""Where one thread tests and claims far ends without a branch, and that nobody sees the difference."""

from __future__ import annotations

import os

import numpy as np
import pytest

from gdsl.plan import target
from gdsl.plan.hints import UnbranchedClaims, UnbranchedTests
from gdsl.plan.nodes import Plan, Sweep
from gdsl.plan.walking import sweeps_of
from tests.cpu.running import SMALL
from tests.cpu.test_cpu_alone import ALONE, check
from tests.support.graphs import make_graph, random_graph

from .planning import operation, plan_of

EVERYTHING = int(os.environ.get("GDSL_TEST_EXAMPLES", "1")) > 1
LOSE = "cond core[dst] == -1; apply { let before = fetch(degree[dst] -= 1); accept before == 3; }"


def text_of(body: str, more: str = "") -> str:
    kind = "edge frontier" if "to=edges" in more else "frontier"
    return f"""program p; problem {{
        input vertex given : int32; vertex core : int32 = -1; vertex degree : int32; vertex real : float32;
        local vertex next : vertex = id; vertex met : bool; scalar count : int64;
    }}
    edge functor f(src, dst, e) {{ {body} }}
    schedule {{
        compute(vertices, v => {{ core[v] = given[v]; degree[v] = out_degree(v) * 2; }});
        frontier a = where(v => given[v] >= 0);
        {"" if "to=none" in more else f"{kind} b = "}advance(a, f{more});
        {"" if "to=none" in more or "to=edges" in more else "compute(b, v => { met[v] = true; count += 1; });"}
    }}"""


@pytest.mark.parametrize(
    "body, at_once",
    [
        ("cond given[dst] < given[src] && core[dst] == -1;", True),
        ("cond given[dst] < 2 && real[src] * float32(given[dst]) < 3 && src != dst;", True),
        ("cond given[dst] < given[src];", False),  # one branch and that for what is new
        ("cond given[dst] < 2 && given[src] // given[dst] < 3;", False),
        ("cond given[dst] < 2 && core[next[dst]] < 3;", False),  # may be found to be wrong
        ("cond given[dst] < 2 && !met[dst];", False),
        ("cond given[dst] < 2 && core[dst] == -1; apply { degree[dst] += 1; }", False),
    ],
)
def test_where_all_tests_are_made_at_once(body: str, at_once: bool) -> None:
    plan = plan_of(text_of(body), on=target.CPU)
    (sweep,) = sweeps_of(operation(plan, "f"))
    assert (sweep.hint(UnbranchedTests, sweep.walks[0].over) is not None) is at_once


@pytest.mark.parametrize("sizes", [None, ALONE, SMALL], ids=["as given", "alone", "together"])
@pytest.mark.parametrize("more", ["", ", over=in_edges", ", over=all_edges", ", to=edges"])
@pytest.mark.sampled(12)
@pytest.mark.slow
def test_what_passes_at_once_is_the_same(more: str, sizes: target.Sizes | None) -> None:
    graphs = [random_graph(90, 900, seed=1), random_graph(90, 80, seed=2), make_graph([(0, 1), (0, 1), (1, 1)], 3)]
    body = "cond given[dst] < 3 && float32(given[src]) * 0.5 < float32(given[dst]);"
    check(text_of(body, more), graphs, sizes, given=np.random.default_rng(5).integers(-1, 4, 90))
    everybody = "cond given[src] >= 0 && given[dst] >= 0;"
    check(text_of(everybody, more), graphs, sizes, given=np.zeros(90, np.int64))


@pytest.mark.parametrize(
    "body, more, at_once",
    [
        ("cond core[dst] == -1; apply { core[dst] = 5; }", "", True),
        ("cond core[src] == -1; apply { core[src] = 5; met[src] = true; }", ", over=in_edges", True),
        (
            "cond core[dst] == -1; apply { core[dst] = 5; met[next[dst]] = true; }",
            "",
            False,
        ),  # may be found to be wrong
        ("cond core[dst] == -1 && given[dst] > 0; apply { core[dst] = 5; }", "", False),  # tested before
        ("cond core[dst] == -1; apply { core[dst] = 5; }", ", to=none", False),
    ],
)
def test_where_ends_are_claimed_without_a_branch(body: str, more: str, at_once: bool) -> None:
    plan = plan_of(text_of(body, more), on=target.CPU)
    (sweep,) = sweeps_of(operation(plan, "f"))[:1] if more == ", to=none" else _pushes(plan)
    assert (sweep.hint(UnbranchedClaims, sweep.walks[0].over) is not None) is at_once


def _pushes(plan: Plan) -> list[Sweep]:
    return [sweep for sweep in sweeps_of(operation(plan, "f")) if sweep.selection is None]


@pytest.mark.parametrize("sizes", [None, ALONE, SMALL], ids=["as given", "alone", "together"])
@pytest.mark.parametrize("more", ["", ", over=in_edges"])
@pytest.mark.sampled(6)
def test_what_is_claimed_without_a_branch_is_the_same(more: str, sizes: target.Sizes | None) -> None:
    body = "cond core[dst] == -1; apply { core[dst] = 5; met[dst] = true; degree[dst] max= 3; }"
    body = body.replace("dst", "src") if more else body
    graphs = [random_graph(900, 9000, seed=1), random_graph(90, 80, seed=2), make_graph([(0, 1), (0, 1), (1, 1)], 3)]
    check(text_of(body, more), graphs, sizes, given=np.random.default_rng(5).integers(-1, 4, 900))
