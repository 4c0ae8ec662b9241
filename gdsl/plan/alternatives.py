"""Which other forms of a program may be faster on a graph (cuda), after what a run of it there has shown.

Each is a knob of the program, or a pass left out, that `auto` decides by the class of the graph: nothing but time
depends on it. What a run has shown leaves out those that cannot gain anything. The most promising come first:

- Operators that choose between pushes and pulls and never pulled: pushes alone, without counting the edges of what they
  reach.
- Rounds within a block, and few members as lists: without them, as where there are few such rounds, or many members,
  they only take registers.
- Arrays as wide as their values, where small numbers are stored in bytes: more calls meet in a sector then.
- Values and bounds in shared memory: without them, as blocks are larger for them, and fewer.
- Blocks of fewer threads, which may have more registers each, or of more, which share what a block has; of as many
  where three have to fit, which leaves them 40 registers.
- One block on each multiprocessor, which wait for each other in less time, and have the first-level cache alone.
- The other numbering of the vertices, on graphs beyond the cache.
- A thread for each list, where an operator that has much of the time pushes along lists of at most a few lines, or
  reduces them; equal numbers of edges where lists may be longer.
- From near to far, where the order as given was kept.

`backends.cuda.observed_forms` decides whether and when they are tried.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Direction, Layout, Order
from gdsl.plan import block_cache, work_order
from gdsl.plan.graph_class import LONG_LIST
from gdsl.plan.hints import FewAsList
from gdsl.plan.nodes import Operation, Plan
from gdsl.plan.occupancy import STREAMED, keeps_values
from gdsl.plan.renumbering import LEAST_EDGES
from gdsl.plan.walking import push_of, steps_in, sweeps
from gdsl.records import dataclass

BLOCKS = 256, 512, 1024
"""Threads of a block that are tried."""
_MUCH = 0.25
"""Part of a run's time that an operator must take for another balance of its own."""
_LARGE = f"or as_given where auto chose by_degree, on graphs of {LEAST_EDGES:,} edges and more"
_SHORT = f"where no list has {LONG_LIST} edges, and the operator takes a fourth of the time"
_LONG = f"where a list has {LONG_LIST} edges, and the operator takes a fourth of the time"
_GIVEN = "where the order as given was kept"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a run has shown, by operators' sites. labels: their names. pushed: those that chose and never pulled, and
    reached most vertices. shares: the part of the run's time that each took."""

    labels: Mapping[int, str]
    pushed: Collection[int]
    shares: Mapping[int, float]
    num_edges: int
    largest_degree: int
    by_degree: bool = False
    near_far: bool = False
    blocks_each: int = 0
    """On each multiprocessor."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A form that may be faster: `word` sets it, or names the pass that is left out."""

    word: str
    sites: tuple[tuple[int, str, Any], ...] = ()
    """Site, knob and value."""
    own: tuple[tuple[str, Any], ...] = ()
    """Knobs of the schedule, and their values."""
    where: str = ""
    """What a run must have shown, in words."""
    blocks_each: int = 0
    """The most blocks on each multiprocessor; 0: as many as are useful."""

    def replaces(self, other: Alternative) -> bool:
        """Whether this sets a knob of the schedule that `other` sets."""
        return any(knob != "without" and knob in dict(other.own) for knob, _ in self.own)

    def applied(self, program: ir.Program) -> ir.Program:
        """`program` in this form."""
        tuning = program.tuning
        sites = list(tuning.sites)
        for site, knob, value in self.sites:
            sites[site] = dataclasses.replace(sites[site], **{knob: value})
        own = dict(self.own)
        own["without"] = (*tuning.without, *own.get("without", ()))
        return dataclasses.replace(program, tuning=dataclasses.replace(tuning, sites=tuple(sites), **own))


def may_differ(program: ir.Program) -> bool:
    """Whether nobody has chosen a form of `program`: then other ones may be tried."""
    tuning = program.tuning
    plain = tuning.fuse and tuning.block is None and not tuning.without
    return plain and tuning.order is Order.AUTO and tuning.layout is Layout.AUTO and all(map(_is_plain, tuning.sites))


def _is_plain(knobs: ir.OperatorKnobs) -> bool:
    return knobs.balance is Balance.AUTO


def alternatives(program: ir.Program, plan: Plan, seen: Seen) -> Iterator[Alternative]:
    """Those of `program` (annotated, before `gdsl.passes`), whose runs on a graph have this plan."""
    sites = program.tuning.sites
    own = (site for site in seen.pushed if site < len(sites))  # others are of operators that passes have added
    pushed = [site for site in own if sites[site].direction is Direction.AUTO]
    if pushed:
        word = " ".join(f"{seen.labels[site]}.direction=push" for site in pushed)
        pushes = tuple((site, "direction", Direction.PUSH) for site in pushed)
        yield Alternative(word, pushes, where="where a run that reached most vertices has not pulled")
    if any(sweep.rounds is not None for sweep in sweeps(plan)):
        yield _without("local_rounds")
    elif plan.narrow:
        yield _without("narrow_arrays")
    if any(isinstance(hint, FewAsList) for sweep in sweeps(plan) for hint in sweep.hints):
        yield _without("small_frontiers")
    keeps, has_bounds = keeps_values(plan), block_cache.has_bounds(plan.schedule)
    if keeps or has_bounds:
        yield _without("block_cache")
    bound = has_bounds or plan.resident_threads == STREAMED  # which blocks of a chosen size are not
    for block in BLOCKS if not keeps else ():
        if block != plan.sizes.block_threads or bound:
            yield Alternative(f"schedule.block={block}", own=(("block", block),))
    if seen.blocks_each > 1:
        yield Alternative("one block a multiprocessor", blocks_each=1, where="where a run has had more")
    if program.any_ids and seen.num_edges >= LEAST_EDGES:
        layout = Layout.AS_GIVEN if seen.by_degree else Layout.BY_DEGREE
        yield Alternative(f"schedule.layout={layout.value}", own=(("layout", layout),), where=_LARGE)
    if seen.near_far:
        return
    balance, where = (Balance.THREAD, _SHORT) if seen.largest_degree < LONG_LIST else (Balance.MERGE, _LONG)
    walked = {step.site for step in walk(program.schedule) if isinstance(step, (ir.Advance, ir.NeighborReduce))}
    beside = _sharing(plan)
    for site in seen.shares:
        if site in walked and sum(seen.shares.get(each, 0.0) for each in beside.get(site, ())) >= _MUCH:
            word = f"{seen.labels[site]}.balance={balance.value}"
            yield Alternative(word, ((site, "balance", balance),), where=where)
    if work_order.observed_loop(program) is not None:
        yield Alternative("schedule.order=near_far", own=(("order", Order.NEAR_FAR),), where=_GIVEN)


def _without(name: str) -> Alternative:
    return Alternative(f"without={name}", own=(("without", (name,)),))


def _sharing(plan: Plan) -> dict[int, tuple[int, ...]]:
    """By the site of each operator those that share its sweep, with its own: one of them has the time of all. None of
    sweeps with a thread for each member."""
    shared: dict[int, tuple[int, ...]] = {}
    for step in steps_in(plan.schedule):
        if isinstance(step, Operation) and push_of(step).balance is not Balance.THREAD:
            sites = (step.step.site, *(each.step.site for each in step.fused))
            shared |= {site: sites for site in sites if len(sites) >= len(shared.get(site, ()))}
    return shared


def explain(program: ir.Program, plan: Plan, labels: Mapping[int, str]) -> Iterator[str]:
    """A line for each, whatever runs show; `plan` is that for any graph, `labels` are the operators' by site."""
    if not may_differ(program):
        yield "runs try no other form, as the program has a knob of its own"
        return
    most = Seen(labels, tuple(labels), dict.fromkeys(labels, 1.0), LEAST_EDGES, 0, blocks_each=2)
    long = dataclasses.replace(most, largest_degree=LONG_LIST)
    yield "runs on a GPU try, for a tenth of their time at most, and keep on a graph what is faster:"
    for each in dict.fromkeys(form for seen in (most, long) for form in alternatives(program, plan, seen)):
        yield f"  {each.word}{', ' if each.where else ''}{each.where}"
