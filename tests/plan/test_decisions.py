"""What is decided for operators: variants, claims, directions, lists, buffers, launches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gdsl.extents import Size
from gdsl.ir.nodes import Literal, ScalarValue
from gdsl.ir.verifier import VerificationError
from gdsl.operations import Balance, Direction, Domain, Over, ReduceOperation
from gdsl.plan import target
from gdsl.plan.buffer_nodes import Allocator, Cleared, Role
from gdsl.plan.nodes import Choice, Copy, Dedup, EdgeCount, Form, Launch, Loop, Measure, Members, Mode, Swap, Sweep
from gdsl.plan.verifier import verify
from gdsl.plan.walking import launches, map_sweeps, operations, steps_in, sweeps, sweeps_of

from .planning import ROOT, choice, only_sweep, operation, plan_of

TWICE = """program p; problem { vertex a : int32; }
    edge functor f(src, dst, e) { apply { a[far] += 1; } }
    schedule { advance(vertices, f, to=none%s); }"""
ON = (target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU)
SWAPS = """program p; problem { vertex a : int32; vertex b : int32; }
    vertex functor f(v) { apply { a[v] += 1; } }
    schedule { repeat (3) { compute(vertices, f); swap(a, b); } }"""


def modes(variant: object) -> dict[str, Mode]:
    return {write.name: write.mode for write in variant.writes}  # type: ignore[attr-defined]


def test_a_closing_push_claims_and_its_pull_selects() -> None:
    chosen = choice(plan_of("bfs"))
    (walk,) = chosen.no.walks
    claim = walk.variant.claim
    assert claim is not None
    assert (claim.array, claim.conjunct, claim.statement) == ("distance", 0, 0)
    assert walk.variant.tests == () and walk.variant.body == (1,)
    assert modes(walk.variant) == {"parent": Mode.SHARED}
    assert chosen.no.collect is not None and chosen.no.collect.dedup is Dedup.CLAIM
    assert chosen.yes.selection is not None and chosen.yes.selection.test.tests == (0,) and chosen.yes.selection.closes


def test_a_pull_writes_plainly_where_one_thread_has_the_far_end() -> None:
    (walk,) = choice(plan_of("bfs")).yes.walks
    assert walk.lists is Over.IN_EDGES and walk.over is Over.OUT_EDGES
    assert modes(walk.variant) == {"distance": Mode.PLAIN, "parent": Mode.PLAIN}
    assert walk.shared is not None and set(modes(walk.shared).values()) == {Mode.SHARED}
    (on_cpu,) = choice(plan_of("bfs", on=target.CPU)).yes.walks
    assert on_cpu.shared is None


def test_what_a_choice_asks_for_is_counted_where_the_frontier_is_made() -> None:
    plan = plan_of("bfs")
    assert [frontier.counts for frontier in plan.frontiers] == [Over.OUT_EDGES]
    assert [sweep.edges for sweep in sweeps(plan)] == [EdgeCount.CARRIED, EdgeCount.CARRIED]
    pushed = plan_of("bfs", "visit.direction=push")
    assert [frontier.counts for frontier in pushed.frontiers] == [None]
    assert only_sweep(pushed).edges is EdgeCount.WALKED


def test_a_pull_begins_where_it_is_less_work() -> None:
    looks = choice(plan_of("bfs")).test.enter[1]
    assert (looks.left, looks.factor, looks.right) == (Measure.EDGES, 3, Measure.LOOKS)
    (given,) = (
        each for each in (choice(plan_of("bfs", "visit.direction=auto(alpha=7)")).test.enter) if each.factor == 7
    )
    assert given.right is Measure.LOOKS


def test_lists_of_what_was_pulled_are_read_in_order() -> None:
    """A pull begins earlier where a reduction walks the result."""
    reach = operation(plan_of("betweenness"), "reach")
    assert isinstance(reach.does, Choice) and reach.does.test.enter[1].factor == 6


def test_a_copy_counts_where_a_choice_asks_about_other_lists() -> None:
    for plan in (plan_of(str(ROOT / "tests" / "programs" / "copied_frontiers.gdsl"), on=on) for on in ON):
        counts = {frontier.name: frontier.counts for frontier in plan.frontiers}
        out, into = Over.OUT_EDGES, Over.IN_EDGES
        assert counts == {"sources_set": out, "f": out, "g": out, "b": into, "h": into}
        copies = {step.step.name: step.recounts for step in steps_in(plan.schedule) if isinstance(step, Copy)}
        assert copies == {"f": False, "g": False, "b": True, "h": True}
        assert len(plan.switches) == 4


def test_a_copy_that_nobody_asks_about_counts_nothing() -> None:
    text = """program p; problem { vertex a : int32 = -1; }
        edge functor f(src, dst, e) { cond a[dst] == -1; apply { a[dst] = 1; } }
        edge functor g(src, dst, e) { apply { a[src] max= 1; } }
        schedule {
            frontier x = where(v => v == 0); frontier y = x; y = advance(x, f);
            advance(y, g, to=none, over=in_edges);
        }"""
    plan = plan_of(text)
    assert [step.recounts for step in steps_in(plan.schedule) if isinstance(step, Copy)] == [False]


def test_a_relaxation_marks() -> None:
    sweep = only_sweep(plan_of("sssp"))
    assert sweep.collect is not None and sweep.collect.dedup is Dedup.MARK and sweep.collect.form is Form.QUEUE
    assert sweep.walks[0].variant.claim is None and sweep.walks[0].variant.accepts


def test_scalars_are_summed_up() -> None:
    plan = plan_of("connected_components")
    first = next(each for each in operations(plan) if each.step.label == "reduce_max_of_values")
    (total,) = sweeps_of(first)[0].totals
    assert total.reduction.combine is ReduceOperation.MAX
    assert total.scalar == "max_of_values"


def test_a_place_in_the_condition_cuts_the_lists() -> None:
    text = """program p; problem { vertex a : int32; scalar places : int32 = 2; }
        edge functor f(src, dst, e) { cond place < %s; apply { a[dst] += 1; } }
        schedule { advance(vertices, f, to=none%s); }"""
    limits = [each.first_places for each in only_sweep(plan_of(text % ("places", ", over=all_edges"))).walks]
    assert [isinstance(limit, ScalarValue) and limit.name for limit in limits] == ["places", False]
    limit = only_sweep(plan_of(text % (3, ""))).walks[0].first_places
    assert isinstance(limit, Literal)
    assert limit.value == 3


@pytest.mark.parametrize(
    ("places", "over", "tune", "wanted"),
    [
        ("2", "", (), Balance.THREAD),
        ("4", "", (), Balance.THREAD),
        ("5", "", (), Balance.AUTO),
        ("places", "", (), Balance.AUTO),
        ("2", ", over=all_edges", (), Balance.AUTO),
        ("2", "", ("f.balance=warp",), Balance.WARP),
    ],
)
def test_a_thread_takes_the_first_few_edges_of_a_vertex(
    places: str, over: str, tune: tuple[str, ...], wanted: Balance
) -> None:
    text = f"""program p; problem {{ vertex a : int32; scalar places : int32 = 2; }}
        edge functor f(src, dst, e) {{ cond place < {places}; apply {{ a[dst] += 1; }} }}
        schedule {{ advance(vertices, f, to=none{over}); }}"""
    assert only_sweep(plan_of(text, *tune)).balance is wanted


def test_a_place_in_the_condition_cuts_the_lists_of_a_reduction() -> None:
    text = """program p; problem { vertex a : int32; }
        edge functor f(src, dst, e) -> int32 { cond place < 3; value int32(dst); }
        schedule { a = neighbor_reduce(vertices, f, sum%s); }"""
    (limit,) = (walk.first_places for walk in only_sweep(plan_of(text % "")).walks)
    assert isinstance(limit, Literal)
    assert limit.value == 3
    both = [walk.first_places for walk in only_sweep(plan_of(text % ", over=all_edges")).walks]
    assert isinstance(both[0], Literal)
    assert both[1] is None


def test_both_lists_of_a_vertex_are_pushed() -> None:
    sweep = only_sweep(plan_of(TWICE % ", over=all_edges", "f.direction=pull"))
    assert [walk.lists for walk in sweep.walks] == [Over.OUT_EDGES, Over.IN_EDGES]
    assert sweep.selection is None and sweep.edges is EdgeCount.BOTH_LISTS
    assert only_sweep(plan_of(TWICE % "", "f.direction=pull")).selection is not None


def test_a_balance_is_the_grid_s_choice_alone() -> None:
    words = "relax.balance=block"
    assert only_sweep(plan_of("sssp", words)).balance is Balance.BLOCK
    assert only_sweep(plan_of("sssp", words)).walks[0].shared is None
    assert only_sweep(plan_of("sssp", words, on=target.CPU)).balance is Balance.AUTO


def test_a_reduction_that_reads_its_result_is_computed_aside() -> None:
    text = """program p; problem { vertex a : int32; vertex a_reduced : int32; }
        edge functor f(src, dst, e) -> int32 { value a[src]; }
        schedule { a = neighbor_reduce(vertices, f, sum, over=in_edges); }"""
    plan = plan_of(text)
    segment = only_sweep(plan).segment
    assert segment is not None and segment.staging == "a_reduced_"
    (aside,) = (buffer for buffer in plan.buffers if buffer.role is Role.TEMPORARY)
    assert (aside.name, aside.allocator) == ("a_reduced_", Allocator.HOST)
    on_cpu = [buffer.allocator for buffer in plan_of(text, on=target.CPU).buffers if buffer.role is Role.TEMPORARY]
    assert on_cpu == [Allocator.PROGRAM]


def test_only_what_is_read_of_the_graph_is_there() -> None:
    parts = {buffer.name for buffer in plan_of("pagerank").buffers if buffer.role is Role.GRAPH}
    assert parts == {"offsets", "in_offsets", "in_sources"}
    pushed = plan_of("bfs", "visit.direction=push").buffers
    assert {buffer.name for buffer in pushed if buffer.role is Role.GRAPH} == {"offsets", "columns"}
    assert not any(buffer.role is Role.BITMAP for buffer in pushed)


@pytest.mark.parametrize("count", [1, 7, 120])
def test_what_launches_hand_on_has_room_for_all_frontiers(count: int) -> None:
    frontiers = " ".join(f"frontier f{i} = {{ {i} }};" for i in range(count))
    sizes = " + ".join(f"size(f{i})" for i in range(count))
    text = f"program p; problem {{ scalar a : int64; }} schedule {{ {frontiers} a = {sizes}; }}"
    saved = plan_of(text, on=target.CUDA_UNFUSED).saved
    assert saved is not None
    assert {field.name: field.count for field in saved.fields} == {"operators": 0, "frontiers": count + 1}


def test_hubs_have_room_for_every_chunk() -> None:
    plan = plan_of("sssp")
    (hubs,) = (buffer for buffer in plan.buffers if buffer.role is Role.HUBS)
    sizes = plan.sizes
    for edges in (0, 1, sizes.hub_degree, 10 * sizes.hub_degree + 3):
        # Lists of hub_degree edges each, one edge too long for a whole number of chunks.
        lists = edges // (sizes.hub_degree + 1)
        chunks = lists * -(-(sizes.hub_degree + 1) // sizes.hub_chunk)
        assert hubs.extent.value({Size.VERTICES: 1, Size.EDGES: edges}) >= chunks
    assert hubs.cleared is Cleared.WRITTEN


def test_launches() -> None:
    assert [launch.name for launch in launches(plan_of("bfs"))] == ["enactor"]
    plan = plan_of("bfs", on=target.CUDA_UNFUSED)
    assert [launch.name for launch in launches(plan)] == ["start", "step", "step", "answer", "advance_visit"]
    *_, loop = plan.schedule
    assert isinstance(loop, Loop) and loop.ask is not None
    assert loop.ask.reads == ("f",)
    (body,) = loop.body
    assert isinstance(body, Launch)
    assert (body.writes, body.directions) == (("f",), (0,))


def test_swaps_stay_with_the_host_between_launches() -> None:
    (_, loop) = plan_of(SWAPS, on=target.CUDA_UNFUSED).schedule
    assert isinstance(loop, Loop)
    assert [type(step) for step in loop.body] == [Launch, Swap]
    fused = plan_of(SWAPS)
    assert fused.swapped == ("a", "b")
    assert any(buffer.role is Role.OUTPUTS for buffer in fused.buffers)


def test_names_of_operations() -> None:
    plan = plan_of("pagerank")
    assert operation(plan, "received").name == "reduce_received"
    assert operation(plan, "received").call == "next = neighbor_reduce(vertices, received, sum, over=in_edges)"


@pytest.mark.parametrize("direction", ["push", "auto", "pull"])
def test_an_advance_takes_the_edges_that_its_frontier_carries(direction: str) -> None:
    text = """program p; problem { param s : vertex; vertex a : int32 = -1; }
        edge functor f(src, dst, e) { cond a[dst] == -1; apply { a[dst] = iteration; } }
        schedule { frontier g = { s }; while (g) { g = advance(g, f) @x; g = advance(g, f) @y; } }
        tune { @y.direction = %s; }"""
    plan = plan_of(text % direction)
    assert {sweep.edges for sweep in sweeps(plan)} == {EdgeCount.CARRIED}
    assert plan.frontiers[0].counts is Over.OUT_EDGES


EDGES = """program p; problem { vertex d : int32 = -1; edge x : int32; }
    edge functor visit(src, dst, e) { cond d[dst] == -1; apply { d[dst] = 1; } }
    edge functor note(src, dst, e) { apply { x[e] += 1; d[dst] max= 2; } }
    schedule { edge frontier e = advance(vertices, visit, to=edges%s) @first;
        e = filter(e, note); compute(e, note) @last; edge frontier f = { 0 }; frontier g = vertices; g = g; %s }"""


def test_edges_are_collected_once() -> None:
    for over, dedup in (("", Dedup.NONE), (", over=in_edges", Dedup.NONE), (", over=all_edges", Dedup.MARK)):
        (sweep,) = sweeps_of(operation(plan_of(EDGES.replace("dst]", "far]") % (over, "")), "first"))
        collect = sweep.collect
        assert collect is not None and (collect.domain, collect.form) == (Domain.EDGE, Form.QUEUE)
        assert collect.dedup is dedup
        assert all(walk.edge_ids for walk in sweep.walks)


def test_edges_are_pushed_and_claimed() -> None:
    for words in ((), ("visit.direction=auto",)):
        (sweep,) = sweeps_of(operation(plan_of(EDGES % ("", ""), *words), "first"))
        assert sweep.selection is None and sweep.walks[0].variant.claim is not None


def test_members_that_are_edges_own_their_elements() -> None:
    plan = plan_of(EDGES % ("", ""))
    for label in ("note", "last"):
        (sweep,) = sweeps_of(operation(plan, label))
        assert sweep.members == Members(Domain.EDGE, "e", Form.QUEUE) and sweep.edges is EdgeCount.MEMBERS
        assert sweep.own is not None and modes(sweep.own) == {"x": Mode.PLAIN, "d": Mode.SHARED}


KEPT = """program p; problem {{ vertex x : {kind} = {initial}; vertex y : {kind}; }}
vertex functor f(v) {{ apply {{ {body} }} }}
schedule {{ frontier g = where(v => y[v] == {zero}); {step} }}"""
CHAIN, ONCE = "while (changed(x[v] min= x[x[v]])) { }", "x[v] max= now x[vertex(int64(x[v]))]; y[v] = x[v];"


@pytest.mark.parametrize(
    ("body", "kind", "step", "mode"),
    [
        (CHAIN, "vertex", "compute(vertices, f);", Mode.OWN),
        (CHAIN, "vertex", "compute(g, f);", Mode.OWN),
        (ONCE, "int32", "compute(vertices, f);", Mode.OWN),
        (ONCE, "int64", "compute(vertices, f);", Mode.OWN),
        ("y[v] = fetch(x[v] min= now x[vertex(y[v])]);", "uint32", "compute(vertices, f);", Mode.OWN),
        ("x[v] min= y[v];", "int32", "compute(vertices, f);", Mode.PLAIN),
        ("x[v] min= 3; x[vertex(y[v])] min= 2;", "int32", "compute(vertices, f);", Mode.SHARED),
        ("x[v] += now x[vertex(y[v])];", "int32", "compute(vertices, f);", Mode.SHARED),
        (ONCE, "float32", "compute(vertices, f);", Mode.SHARED),
        ("for u in neighbors(v) { x[v] min= now x[u]; }", "int32", "compute(vertices, f);", Mode.SHARED),
    ],
)
def test_a_label_that_one_call_changes_is_kept_by_it(body: str, kind: str, step: str, mode: Mode) -> None:
    initial, zero = ("id", "none") if kind == "vertex" else (f"{kind}(int64(id))", "0")
    text = KEPT.format(body=body, kind=kind, initial=initial, zero=zero, step=step)
    plan = plan_of(text)
    kept = [sweep for sweep in sweeps(plan) if sweep.own is not None and sweep.own.functor == "f"]
    assert [modes(sweep.own)["x"] for sweep in kept] == [mode]
    assert all(modes(sweep.own).get("x") is not Mode.OWN for sweep in sweeps(plan_of(text, on=target.CPU)) if sweep.own)
    if mode is Mode.SHARED:
        wrong = map_sweeps(plan, lambda _, sweep: _in_register(sweep))
        with pytest.raises(VerificationError, match="x is not known to the call"):
            verify(wrong)


def _in_register(sweep: Sweep) -> Sweep:
    if sweep.own is None or sweep.own.functor != "f":
        return sweep
    writes = tuple(replace(each, mode=Mode.OWN) if each.name == "x" else each for each in sweep.own.writes)
    return replace(sweep, own=replace(sweep.own, writes=writes))


def test_each_domain_has_storage_of_its_own() -> None:
    text = EDGES.replace("dst]", "far]") % (", over=in_edges", "g = advance(e, visit, over=in_edges) @next;")
    plan = plan_of(text)
    slots = {frontier.name: (frontier.domain, frontier.slot) for frontier in plan.frontiers}
    assert slots == {
        "g": (Domain.VERTEX, 0),
        "far_ends_1": (Domain.VERTEX, 0),
        "e": (Domain.EDGE, 0),
        "f": (Domain.EDGE, 1),
    }
    sizes = {Size.VERTICES: 100, Size.EDGES: 700}
    buffers = {buffer.name: (buffer.copies, buffer.extent.value(sizes)) for buffer in plan.buffers}
    assert buffers["queues"] == (2, 100) and buffers["edge_queues"] == (3, 700) and buffers["marks"] == (2, 4)
    assert "edge_marks" not in buffers and "edge_sources" in buffers


def test_edges_are_counted_for_a_choice_behind_far_ends() -> None:
    """The far ends of edges are a frontier like any other: what advances from them may choose its direction."""
    plan = plan_of(EDGES % ("", "g = advance(e, visit) @next;"))
    counts = {frontier.name: frontier.counts for frontier in plan.frontiers}
    assert counts == {"g": None, "far_ends_1": Over.OUT_EDGES, "e": None, "f": None}
    site = operation(plan, "next").step.site
    assert plan.program.tuning.sites[site].direction is Direction.AUTO
