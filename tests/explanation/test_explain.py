"""`gdslc explain PROGRAM`: what it says agrees with the IR, the rules, the grades and the plan."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from html.parser import HTMLParser

import pytest

from gdsl.api.compiling import compile_file, compile_source
from gdsl.effects.access import Accesses
from gdsl.explanation import Explanation, explain, page
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps
from gdsl.operations import Grade
from gdsl.program_files import samples
from gdsl.source import Source

_QUICK = ("bfs", "sssp", "pagerank", "louvain", "triangle_count", "coloring")
_SAMPLES = [name if name in _QUICK else pytest.param(name, marks=pytest.mark.slow) for name in sorted(samples())]


@cache
def _explained(name: str, tune: tuple[str, ...] = (), types: tuple[tuple[str, str], ...] = ()) -> Explanation:
    program = compile_file(name, tune, types=dict(types))
    return explain(program.ir, program.text, name)


def _of_text(text: str) -> Explanation:
    program = compile_source(Source("written.gdsl", text))
    return explain(program.ir, program.text, "written.gdsl")


def _data(found: Explanation, name: str):
    return next(each for each in found.data if each.name == name)


def _operator(found: Explanation, label: str):
    return next(each for each in found.operators if each.label == label)


class _Page(HTMLParser):
    """Checks that each element is closed in order, and collects what a browser would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag != "meta":
            self.open.append(tag)
        if tag in ("script", "link", "img", "iframe") or any(key in ("src", "href") for key, _ in attrs):
            self.loaded.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", _SAMPLES)
@pytest.mark.rare(4)
def test_samples(name):
    program = compile_file(name).ir
    found = _explained(name)
    hidden = {
        part for step in all_steps(program.schedule) if isinstance(step, ir.PushLevel) for part in step.history.data
    }
    declared = {each.name: each for each in (*program.arrays, *program.scalars) if each.name not in hidden}
    assert {each.name for each in found.data} == set(declared)
    operators = [step for step in all_steps(program.schedule) if isinstance(step, ir.Operator)]
    assert Counter(each.label for each in found.operators) == Counter(step.label for step in operators)
    accesses = Accesses(program)
    touched = {(each.name, each.writes) for step in operators for each in accesses.of_step(step)}
    for each in found.data:
        data = declared[each.name]
        assert each.grade == (data.grade.value if each.writes or not data.is_input else "")
        assert bool(each.reasons) is bool(each.grade), each
        assert all(access.reason and access.place for access in (*each.writes, *each.reads))
        by_operators = {bool(access.form) for access in (*each.writes, *each.reads) if "@" in access.by}
        assert by_operators == {writes for name, writes in touched if name == each.name}, each
        if data.grade not in (Grade.EXACT, Grade.TRIED):
            assert each.reasons[0].endswith(f"({data.doubt.span.words})")
    for operator in found.operators:
        follows = operator.becomes[0].startswith("runs in the sweep of")  # whose costs are those of the filter
        assert follows or operator.costs, operator
        for cost in operator.costs:
            sizes = [int(part.rpartition(": ")[2].split()[0]) for part in cost.parts]
            assert sum(sizes) == cost.read + cost.written > 0


@pytest.mark.parametrize("name", _SAMPLES)
def test_forms(name):
    found = _explained(name)
    text = page.as_text(found, 100)
    head = text.index("\n\n")
    assert all(
        len(line) <= 100 for line in text[head:].splitlines() if " " in line.strip() and line.strip() not in found.doc
    )
    assert "None" not in text
    checked = _Page()
    checked.feed(page.as_html(found))
    assert (checked.open, checked.loaded) == ([], [])
    document = json.loads(page.as_json(found))
    assert document["schema"] == 1
    assert [each["name"] for each in document["data"]] == [each.name for each in found.data]


def test_bytes_of_shortest_paths():
    relax = _operator(_explained("sssp"), "relax")
    edge, vertex = relax.costs
    # columns, weight, distance of the far end and its store, an entry of the worklist
    assert (edge.per, edge.read, edge.written) == ("edge", 4 + 4 + 4, 4 + 4)
    # an entry of the worklist, where the list begins, distance of the near end
    assert (vertex.per, vertex.read, vertex.written) == ("vertex", 4 + 4 + 4, 0)
    wide = _operator(_explained("sssp", ("schedule.ids=64",), (("weight_type", "float64"),)), "relax").costs[0]
    assert (wide.read, wide.written) == (8 + 8 + 8, 8 + 8)


def test_ids_of_in_edges_are_counted():
    found = _of_text(
        "program p; problem { input edge weight : float32; vertex total : float32; }"
        " edge functor g(src, dst, e) -> float32 { value weight[e]; }"
        " schedule { total = neighbor_reduce(vertices, g, sum, over=in_edges); }"
    )
    (edge, _) = found.operators[0].costs
    assert "in_edges: 4 B read in order" in edge.parts and "weight[e]: 4 B read at random" in edge.parts
    assert any("reads the ids of in-edges" in sentence for sentence in found.faster)


def test_directions_and_order():
    visit = _operator(_explained("bfs"), "visit")
    assert visit.becomes[0].startswith("push or pull, chosen in each pass: pull where edges of the members > V and 3 *")
    assert {cost.direction for cost in visit.costs} == {"push", "pull"}
    only = _operator(_explained("bfs", ("visit.direction=pull",)), "visit")
    assert {cost.direction for cost in only.costs} == {"pull"}
    relax = _operator(_explained("sssp"), "relax")
    assert "work order: from near to far on graphs with few edges per vertex" in relax.becomes


def test_what_is_kept_and_what_needs_no_marks():
    kept = "in the first run on a graph alone, which keeps what is made of the result"
    assert kept in _operator(_explained("triangle_count"), "upwards").becomes
    once = "push: each member enters the result once, by the value that its `fetch` gives to one call alone"
    assert once in _operator(_explained("k_core"), "lose").becomes


def test_numbers_in_place():
    found = _explained("coloring")
    in_place = "in place: what is read of a neighbor may be of this pass or an earlier one (two sweeps on several GPUs)"
    assert in_place in _operator(found, "take").becomes and in_place not in _operator(found, "look").becomes
    assert not any("@take" in each and "sweep of its own" in each for each in found.faster)


def test_fusion():
    found = _explained("pagerank")
    assert any(each.startswith("fused: runs in the sweep of @settle") for each in _operator(found, "received").becomes)
    assert "fused: its sweep also runs @received" in _operator(found, "settle").becomes
    apart = _explained("pagerank", ("schedule.fuse=off",))
    assert not any("fused" in each for operator in apart.operators for each in operator.becomes)
    assert "`schedule.fuse = off` makes each operator a kernel of its own" in apart.faster


def test_followers():
    """What runs on the result of a filter is told with both, whether or not the plan has it elsewhere, too."""
    found = _explained("k_core")
    begins, left = _operator(found, "reduce_min_of_degree"), _operator(found, "left")
    assert "runs before its loop, and for each next pass in the sweep of @left (line 32)" in begins.becomes
    assert "its sweep also runs @reduce_min_of_degree, for the members of its result" in left.becomes
    start = _operator(_explained("bipartite_check"), "start")
    assert (start.call, start.becomes) == ("compute(f, start)", ("runs in the sweep of @roots (line 36)",))
    apart = _operator(_explained("bipartite_check", ("without=followers",)), "start")
    assert "runs in the sweep of @roots (line 36)" not in apart.becomes


def test_reasons():
    bfs = _explained("bfs")
    distance, parent = _data(bfs, "distance"), _data(bfs, "parent")
    assert distance.reasons == ("all calls that meet store the same value (line 13)",)
    assert parent.reasons == ("one of several writers wins (line 14)",)
    assert [each.reason for each in distance.reads] == ["it is the test that the first write ends"]
    weights = _explained("sssp")
    assert "any order of visits ends in the same values (line 18)" in _data(weights, "distance").reasons
    assert [each.reason for each in _data(weights, "weight").reads] == ["nothing writes it meanwhile"]
    assert _data(_explained("pagerank"), "rank").reasons == ("a float sum decides when a loop ends (line 41)",)


def test_wide_types():
    found = _explained("sssp", (), (("weight_type", "float64"),))
    assert any(each.startswith("`weight` is float64: float32, where its values fit, halves") for each in found.faster)
    assert not any("float" in each for each in _explained("sssp").faster)


def test_warnings():
    found = _of_text(
        "program p; problem { vertex a : int32; } vertex functor f(v) { cond a[v] >= 0 || true; apply { a[v] = 1; } }"
        " schedule { compute(vertices, f); }"
    )
    assert found.faster[0].startswith("W05: ")


def test_values_of_neighbors_that_are_computed_beforehand() -> None:
    back = _operator(_explained("salsa"), "back")
    assert back.call == "hub = neighbor_reduce(vertices, back, sum)"  # the program's own functor
    assert back.becomes[0] == "what it computes of a neighbor alone is computed beforehand, once for each vertex"
    assert any(each.startswith("beforehand, @back_ahead: ") for each in back.becomes)
    assert {each.direction for each in back.costs} == {"", "beforehand, @back_ahead"}
    assert not any("send" in each or "gather" in each for each in back.becomes)
