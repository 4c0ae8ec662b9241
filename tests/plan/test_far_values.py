"""Values of the far end that are computed beforehand: where it pays off, and only where it is allowed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

from gdsl.ir import nodes as ir
from gdsl.ir import verifier
from gdsl.ir.traversal import all_steps
from gdsl.operations import Over
from gdsl.passes import ir_passes
from gdsl.plan import far_values, target
from gdsl.plan.build import build
from gdsl.plan.verifier_far_values import verify_far_values

from .planning import loaded, program_of, without


def program(value: str, call: str = "vertices, gives, sum, over=in_edges", more: str = "") -> str:
    """One reduction."""
    return f"""program one;
        problem {{
            local vertex x : float64 = 1; local vertex y : float64 = 2; local vertex label : vertex = id;
            local vertex three[3] : float64; local vertex best : (float64, vertex);
            local edge w : float64 = 1; vertex total : float64;
        }}
        function slow(a : float64) -> float64 {{ return a; }}
        edge functor gives(s, t, e) -> float64 {{ {value} }}
        schedule {{ frontier f = where(v => x[v] < 9); {more} total = neighbor_reduce({call}); }}"""


def ahead(text: str) -> int:
    """How many values are computed beforehand."""
    before = ir_passes.apply(loaded(text))
    after = far_values.run(before, target.CUDA_FUSED)
    verifier.verify(after, after="far_values", before=before)
    return len(after.arrays) - len(before.arrays)


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("value x[s] / out_degree(s);", 1),
        ("value x[s] * y[s];", 1),
        ("value exp(x[s]);", 1),
        ("value w[e] * (x[s] / y[s]) + y[t] * (x[s] - y[s]);", 2),
        ("value x[far] / out_degree(far);", 1),
        ("value x[s];", 0),
        ("value -x[s] + 1;", 0),  # one value, and soon done
        ("value x[t] / out_degree(t);", 0),  # of the near end
        ("value x[s] / y[t];", 0),  # of both
        ("value w[e] * x[s] / y[s];", 0),  # in the order of the text nothing is of one end
        ("cond s != t && y[t] > 1; value x[s] / y[s];", 1),
        ("cond y[s] > 1; value x[s] / y[s];", 0),  # perhaps few edges need it
        ("cond slow(y[s]) > 1; value x[s] / y[s];", 0),
        ("cond y[label[s]] > 1; value x[s] / y[s];", 0),
        ("cond slow(y[t]) > 1; value x[s] / y[s];", 1),
        ("value x[s] / x[label[s]];", 0),  # elsewhere, and may stop
        ("value x[label[t]] * (x[s] / y[s]);", 1),
        ("value slow(x[s]) / y[s];", 0),  # might never end
        ("value slow(x[t]) * (x[s] / y[s]);", 1),
        ("value exp(float64(out_degree(label[s])));", 0),
        ("value three[s][1] / three[s][2];", 0),
        ("value float64(has_edge(s, s)) / y[s];", 0),
        ("value best[s].0 / y[s];", 0),
        ("value w[e] * (x[s] / y[s]) + w[e] * (x[far] / y[s]);", 1),  # the same value twice
        ("value w[e] * (x[s] / (y[s] + 0.0)) + w[e] * (x[s] / (y[s] + -0.0));", 2),
    ],
)
def test_what_is_computed_beforehand(value: str, count: int) -> None:
    assert ahead(program(value)) == count


def test_only_before_reductions_of_all_vertices() -> None:
    value = "value x[s] / y[s];"
    assert ahead(program(value, "f, gives, sum, over=in_edges")) == 0
    assert ahead(program("value x[far] / y[far];", "vertices, gives, max, over=all_edges")) == 1
    assert ahead(program(value, "vertices, gives, sum")) == 0  # there it is near
    assert ahead(program(value, more="graph h = subgraph(filter(edges, (s, t, e) => w[e] > 0));")) == 0


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("apply { score[e] += 1 / log(float64(out_degree(x)) + 2); }", 1),
        ("cond weight[x] / part[x] > 2; apply { if (weight[x] > part[x]) { score[e] += weight[x] * part[x]; } }", 2),
        ("apply { score[e] += weight[x]; }", 0),
        ("apply { score[e] += weight[u] / part[u]; }", 0),  # of an end
        ("apply { met[x] += 1; score[e] += weight[x] / part[x]; }", 1),
    ],
)
def test_what_is_computed_of_common_neighbors(body: str, count: int) -> None:
    text = f"""program one;
        problem {{
            local vertex weight : float64 = 1; local vertex part : float64 = 2;
            vertex met : int64; edge score : float64;
        }}
        common functor meet(u, w, x, e, eu, ew) {{ {body} }}
        schedule {{ intersect(edges, meet); }}"""
    assert ahead(text) == count


def test_what_the_functor_of_an_intersection_writes_is_read_as_it_stands() -> None:
    text = """program one;
        problem { vertex most : int32 = 2; vertex part : int32 = 3; scalar peak : int32; }
        common functor meet(u, w, x, e, eu, ew) {
            apply { most[x] max= most[x] // part[x]; peak max= part[x] // peak; }
        }
        schedule { intersect(edges, meet); }"""
    assert ahead(text) == 0
    unmarked = loaded(text)  # no read says `now` yet: the writes alone forbid it
    after = far_values.run(unmarked, target.CUDA_FUSED)
    assert len(after.arrays) == len(unmarked.arrays)


def test_each_reduction_has_a_sweep_of_its_own_right_before_it() -> None:
    for on in (target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU):
        plan = build(ir_passes.apply(program_of("salsa")), on)
        steps = all_steps(plan.program.schedule)
        places = [place for place, step in enumerate(steps) if isinstance(step, ir.NeighborReduce)]
        assert [getattr(steps[place - 1], "label", "") for place in places] == ["back_ahead", "forth_ahead"]
        plain = build(without(ir_passes.apply(program_of("salsa")), "far_values"), on)
        assert not any("ahead" in functor.name for functor in plain.program.vertex_functors)


def test_the_same_functor_twice_has_two_arrays() -> None:
    text = program("value x[s] / y[s];", more="total = neighbor_reduce(vertices, gives, sum, over=in_edges) @first;")
    assert ahead(text) == 2


def mutants(after: ir.Program) -> Iterator[tuple[str, ir.Program]]:
    """Wrong results of the pass, for `value w[e] * (x[s] / y[s]) + y[t] * exp(x[s]);`."""
    *others, sweep = after.vertex_functors
    first, second = sweep.body
    *before, compute, reduction = after.schedule
    assert isinstance(first, ir.Store) and isinstance(second, ir.Store) and isinstance(reduction, ir.NeighborReduce)

    def swept(*body: ir.Statement, condition: tuple[ir.Expression, ...] = ()) -> ir.Program:
        changed = dataclasses.replace(sweep, body=body, condition=condition)
        return dataclasses.replace(after, vertex_functors=(*others, changed))

    def scheduled(*steps: ir.Step) -> ir.Program:
        return dataclasses.replace(after, schedule=(*before, *steps))

    yield (
        "one value for another",
        swept(dataclasses.replace(first, value=second.value), dataclasses.replace(second, value=first.value)),
    )
    yield "a value that is not stored", swept(first)
    yield "an array of the program", swept(first, second, dataclasses.replace(first, target=in_array(first, "total")))
    yield "values of some vertices", swept(first, second, condition=after.vertex_functors[0].condition)
    yield "a sweep after the reduction", scheduled(reduction, compute)
    yield "no sweep", scheduled(reduction)
    yield "no reduction", scheduled(compute)
    yield "a step in between", scheduled(compute, before[-1], reduction)
    part = dataclasses.replace(reduction.frontier, frontier="f")
    yield "a sweep over a set", scheduled(dataclasses.replace(compute, frontier=part), reduction)
    yield "a reduction of a set", scheduled(compute, dataclasses.replace(reduction, frontier=part))
    yield "another reduction", scheduled(compute, dataclasses.replace(reduction, array="x"))
    yield "values at the other end", scheduled(compute, dataclasses.replace(reduction, over=Over.OUT_EDGES))
    yield (
        "an array that the caller sees",
        dataclasses.replace(after, arrays=(*after.arrays[:-1], dataclasses.replace(after.arrays[-1], is_local=False))),
    )


def in_array(store: ir.Store, name: str) -> ir.ElementTarget:
    assert isinstance(store.target, ir.ElementTarget)
    return dataclasses.replace(store.target, array=name)


def test_the_verifier_notices_wrong_values() -> None:
    before = ir_passes.apply(loaded(program("value w[e] * (x[s] / y[s]) + y[t] * exp(x[s]);")))
    after = far_values.run(before, target.CUDA_FUSED)
    verify_far_values(before, after)
    for what, wrong in mutants(after):
        with pytest.raises(verifier.VerificationError):
            verify_far_values(before, wrong)
            pytest.fail(what)


@pytest.mark.parametrize(
    "statement",
    [
        "score[e] += slow(x[s]) / y[s];",
        "score[e] += x[s] / x[label[s]];",
        "score[e] += float64(has_edge(s, s)) / y[s];",
        "most[s] max= y[s] / most[s];",
        "peak max= y[s] / peak;",
    ],
)
def test_the_verifier_notices_values_that_must_not_be_computed(monkeypatch: pytest.MonkeyPatch, statement: str) -> None:
    text = f"""program one;
        problem {{
            local vertex x : float64 = 1; local vertex y : float64 = 2; local vertex label : vertex = id;
            vertex most : float64 = 2; scalar peak : float64; edge score : float64;
        }}
        function slow(a : float64) -> float64 {{ return a; }}
        common functor meet(u, w, s, e, eu, ew) {{ apply {{ {statement} }} }}
        schedule {{ intersect(edges, meet); }}"""
    monkeypatch.setattr(far_values, "_of_far_end", lambda value, far: True)
    monkeypatch.setattr(far_values, "_read_by", lambda node: None)
    before = loaded(text)
    with pytest.raises(verifier.VerificationError):
        verify_far_values(before, far_values.run(before, target.CUDA_FUSED))


def test_nothing_changes_without_such_a_value() -> None:
    before = ir_passes.apply(program_of("pagerank"))
    assert far_values.run(before, target.CUDA_FUSED) is before
    made = dataclasses.replace(ir_passes.apply(program_of("salsa")), graphs=("h",))
    assert far_values.run(made, target.CPU) is made


def test_workers_compute_them_on_each_edge() -> None:
    before = ir_passes.apply(program_of("salsa"))
    for workers in (target.CPU_WORKERS, target.CUDA_WORKERS):
        assert far_values.run(before, workers) is before
