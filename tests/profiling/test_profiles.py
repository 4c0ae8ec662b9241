"""Profiles of runs: times in the trace, what a document has, and why an operator went the way it did."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

import gdsl
from gdsl.backends import registry
from gdsl.diagnostics import GdslError
from gdsl.plan.sweep_nodes import Measure
from gdsl.profiling import Profile
from gdsl.profiling.document import MOST_RECORDS

HAS_COMPILER = registry.availability("cpu").ok
BACKENDS = [
    "reference",
    pytest.param("cpu", marks=pytest.mark.skipif(not HAS_COMPILER, reason="no C++ compiler on this machine")),
]
NESTED = """program nested;
problem { vertex x : int32 = 0; scalar total : int64 = 0; }
vertex functor one(v) { apply { x[v] = x[v] + 1; } }
vertex functor two(v) { apply { total += x[v]; } }
schedule {
    repeat (2) {
        repeat (3) { compute(vertices, one); compute(vertices, two) @sum; }
        compute(vertices, one);
    }
}
"""


@pytest.fixture(scope="module")
def graph() -> gdsl.Graph:
    return gdsl.Graph.generate("rmat:9")


@pytest.fixture(scope="module")
def hops(graph) -> Profile:
    if not HAS_COMPILER:
        pytest.skip("no C++ compiler on this machine")
    return gdsl.profile("bfs", graph, source=1, backend="cpu", graph_name="rmat:9")


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_record_has_times_that_together_are_not_more_than_the_run(graph, backend):
    result = gdsl.samples.bfs(graph, source=1, backend=backend)
    assert len(result.trace) == result.iterations
    for record in result.trace:
        assert record.time_ms > 0 and record.before_ms >= 0 and record.waiting_ms is None
    assert sum(record.time_ms + record.before_ms for record in result.trace) <= result.time_ms * 1.001


@pytest.mark.parametrize("backend", BACKENDS)
def test_records_are_equal_whatever_their_times(graph, backend):
    first, again = (gdsl.samples.bfs(graph, source=1, backend=backend).trace for _ in range(2))
    assert first == again
    assert [record.time_ms for record in first] != [record.time_ms for record in again]


def test_time_on_graphs_made_in_the_program_is_counted(graph):
    text = """program within;
    problem { vertex x : int32 = 0; edge keep : bool = true; }
    vertex functor one(v) { apply { x[v] = x[v] + 1; } }
    edge functor some(src, dst, e) { cond keep[e]; }
    schedule {
        graph h = subgraph(filter(edges, some));
        on h { compute(vertices, one); }
        compute(vertices, one);
    }
    """
    profile = gdsl.profile(text, gdsl.Graph.generate("grid:4"), backend="reference").as_document()
    assert [each["runs"] for each in profile["operators"]] == [1, 1, 1]
    assert all(each["time_ms"] > 0 for each in profile["operators"])


def test_sums_by_operator_are_those_of_the_trace(hops):
    document = hops.as_document()
    (operator,), trace = document["operators"], document["trace"]
    assert operator["runs"] == document["records"] == len(trace["site"]) == document["iterations"]
    for name in ("time_ms", "before_ms"):
        assert math.isclose(operator[name], sum(trace[name]), abs_tol=1e-5)
    assert operator["edges"] == sum(trace["edges"]) and operator["frontier"] == sum(trace["frontier"])
    assert (
        operator["time_ms"] + operator["before_ms"] + document["time_ms"]["start"] <= document["time_ms"]["run"] * 1.001
    )


@pytest.mark.skipif(not HAS_COMPILER, reason="no C++ compiler on this machine")
def test_the_operator_that_has_a_sweep_has_its_time(graph):
    document = gdsl.profile("pagerank", graph, backend="cpu").as_document()
    labels = {each["site"]: each["operator"] for each in document["operators"]}
    inside = {each["operator"]: labels[each["inside"]] for each in document["operators"] if each["inside"] is not None}
    times = {each["operator"]: each["time_ms"] for each in document["operators"]}
    assert inside == {"received": "settle"} and times["received"] == 0 < times["settle"]


def test_parts_of_a_run_in_the_text_are_all_of_it(graph):
    text = (
        "program p; problem { vertex x : int32; } schedule { repeat (3) { compute(vertices, v => { x[v] += 1; }); } }"
    )
    lines = gdsl.profile(text, graph, backend="reference").text().splitlines()
    shares = [float(line.split(" %")[0].split()[-1]) for line in lines if " %" in line]
    assert abs(sum(shares) - 100) < 1


def test_operators_know_their_lines(hops):
    document = hops.as_document()
    (operator,) = document["operators"]
    lines = document["program"]["text"].splitlines()
    assert "advance(f, visit)" in lines[operator["lines"][0] - 1]
    first, last = operator["functor"]["lines"]
    assert "visit" in lines[first - 1] and "parent[dst] any= src" in "\n".join(lines[first - 1 : last])


def test_passes_are_rounds_of_the_innermost_loops():
    profile = gdsl.profile(NESTED, gdsl.Graph.generate("grid:3"), backend="reference").as_document()
    trace, labels = profile["trace"], {each["site"]: each["operator"] for each in profile["operators"]}
    found = list(zip(trace["pass"], (labels[site] for site in trace["site"]), strict=True))
    assert len(found) == 14
    inner = [found[at : at + 2] for at in (0, 2, 4)]
    assert all(first[0] == second[0] for first, second in inner), "both in one pass"
    assert trace["pass"] == sorted(trace["pass"]) and trace["pass"][0] == 1
    assert len({number for number, label in found if label == "sum"}) == 6


@pytest.mark.slow
def test_long_traces_are_cut_and_their_sums_are_not():
    path = gdsl.Graph.from_edges([0], [1], num_vertices=2)
    count = MOST_RECORDS // 7 + 10
    profile = gdsl.profile(NESTED.replace("repeat (2)", f"repeat ({count})"), path, backend="reference").as_document()
    assert profile["records"] == 7 * count > MOST_RECORDS
    assert all(len(column) == MOST_RECORDS for column in profile["trace"].values())
    assert sum(each["runs"] for each in profile["operators"]) == profile["records"]


# Why


WORDS = re.compile(r"(?:(\d+) × )?([\d,]+) ([a-z ]+?) (>|≥|≤|<) ([\d,]+) ([a-z ]+?)(?: and |$)")


def test_reasons_name_the_numbers_that_were_compared(hops, graph):
    """They are true sentences about the graph's numbers, whichever way the operator went."""
    document = hops.as_document()
    trace = document["trace"]
    assert {"push", "pull"} <= set(trace["direction"])
    unvisited = graph.num_edges
    for why, direction, frontier, edges in zip(
        trace["why"], trace["direction"], trace["frontier"], trace["edges"], strict=True
    ):
        unvisited -= min(unvisited, edges)
        values = {
            Measure.SIZE.value: frontier,
            Measure.EDGES.value: edges,
            Measure.UNVISITED.value: unvisited,
            "vertices": graph.num_vertices,
            Measure.LOOKS.value: graph.num_vertices
            + min(unvisited, unvisited**2 * graph.num_vertices // max(graph.num_edges * edges, 1)),
        }
        assert why.startswith(f"{direction}, as ")
        found = WORDS.findall(why.partition(" as ")[2])
        assert found
        for factor, left, measure, sign, right, other in found:
            numbers = int(left.replace(",", "")), int(right.replace(",", ""))
            assert numbers == (values[measure], values[other])
            product = int(factor or 1) * numbers[0]
            assert {">": product > numbers[1], "≥": product >= numbers[1]}.get(sign) is not False
            assert {"≤": product <= numbers[1], "<": product < numbers[1]}.get(sign) is not False


def test_the_first_pull_and_the_way_back_have_their_reasons(hops):
    trace = hops.as_document()["trace"]
    first = trace["direction"].index("pull")
    assert " > " in trace["why"][first] and " and " in trace["why"][first]
    assert "≤" in trace["why"][0]


@pytest.mark.skipif(not HAS_COMPILER, reason="no C++ compiler on this machine")
def test_what_has_no_choice_has_no_reason(graph):
    profile = gdsl.profile(gdsl.compile("bfs", tune=["visit.direction=push"]), graph, source=1, backend="cpu")
    document = profile.as_document()
    assert set(document["trace"]["why"]) == {None} and set(document["trace"]["direction"]) == {"push"}
    assert document["knobs"] == ["visit.direction=push"]
    assert any("push from f" in line for line in document["operators"][0]["rule"])


# Runs


def test_the_median_of_several_runs_is_shown(graph):
    for count in (1, 4, 5):
        times = gdsl.profile("bfs", graph, source=1, backend="reference", repeat=count).as_document()["time_ms"]
        assert len(times["runs"]) == count
        assert times["run"] == sorted(times["runs"])[(count - 1) // 2]


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"repeat": 0}, ValueError),
        ({"repeat": 10**9}, ValueError),
        ({"repeat": True}, TypeError),
        ({"repeat": 2.5}, TypeError),
        ({"backend": "gpu"}, ValueError),
        ({"timeout": -1}, ValueError),
    ],
)
def test_options_that_are_none(graph, options, kind):
    with pytest.raises(kind):
        gdsl.profile("bfs", graph, **{"source": 0, **options})


def test_values_whose_names_are_those_of_options(graph):
    text = "program p; problem { param timeout : int32 = 3; vertex x : int32 = 0; }\n"
    text += "vertex functor f(v) { apply { x[v] = timeout; } }\nschedule { compute(vertices, f); }\n"
    document = gdsl.profile(text, graph, {"timeout": 7}, backend="reference", repeat=2).as_document()
    assert document["params"] == {"timeout": "7"} and document["results"][0]["maximum"] == 7
    assert len(document["time_ms"]["runs"]) == 2


def test_mistakes_of_a_program_and_of_values_are_told_as_ever(graph):
    with pytest.raises(GdslError, match="not_there"):
        gdsl.profile("not_there", graph)
    with pytest.raises(GdslError) as found:
        gdsl.profile("bfs", graph, source=10**9, backend="reference")
    assert found.value.code == "E0604"


def test_an_empty_run_has_a_profile():
    """No operator runs, and a graph without a vertex."""
    nothing = gdsl.Graph.from_edges(np.array([], np.int32), np.array([], np.int32), num_vertices=0)
    text = "program p; problem { vertex x : int32 = 0; }\nschedule { }\n"
    profile = gdsl.profile(text, nothing, backend="reference")
    assert profile.as_document()["operators"] == [] and profile.as_document()["trace"]["site"] == []
    assert "0 vertices" in profile.text() and "</html>" in profile.html()


def test_documents_are_plain_json(hops):
    document = hops.as_document()
    assert json.loads(hops.json()) == document
    document["graph"]["name"] = "changed"
    assert hops.as_document()["graph"]["name"] == "rmat:9", "a caller's copy is the caller's"


def test_text_has_a_line_for_each_operator(hops):
    lines = hops.text(width=100).splitlines()
    assert lines[0].startswith("bfs on rmat:9 (512 vertices,") and lines[2].split()[:3] == ["operator", "where", "runs"]
    assert lines[3].startswith("visit") and "█" in lines[3] and lines[4].startswith("between operators")
    assert all(len(line) <= 100 for line in lines[2:])


@pytest.mark.skipif(not HAS_COMPILER, reason="no C++ compiler on this machine")
def test_operators_that_the_plan_adds_are_listed_with_the_call_that_they_are_for(graph, tmp_path):
    """A reduction that may send is several operators in the plan."""
    profile = gdsl.profile("betweenness", graph, sources=[1], backend="cpu")
    document = profile.as_document()
    rows = {each["site"]: each for each in document["operators"]}
    assert set(document["trace"]["site"]) <= set(rows)
    calls = {each["operator"]: each["call"] for each in rows.values()}
    assert calls["arriving_sender"] == calls["arriving"] == calls["arriving_send"]
    (tmp_path / "run.json").write_text(profile.json(), encoding="utf-8")
    assert Profile.read(tmp_path / "run.json").as_document() == document
