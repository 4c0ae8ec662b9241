"""The steps between sets and data as calls of the runtime, which has the same functions for C++ and CUDA."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gdsl.codegen.checks import CheckSite, CheckTable, Stop
from gdsl.codegen.names import Names
from gdsl.ir.nodes import CheckPairs, CheckWidth, ChooseBound, History, NumberMembers, PushLevel, SetStep, TakeLevel
from gdsl.operations import Domain
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class SetWords:
    """What a backend calls the parts of one step: `first` is what functions take before all else, `result` the place
    that a new set goes into, `counted` whose edges are counted for it, `near_set` how many vertices are taken at a
    time out of buckets whose width finds itself, `state` what all threads know of the step's history (empty where one
    thread walks the schedule). `waits`: whether it ends with a barrier."""

    first: str
    result: str
    counted: str
    names: Names
    checks: CheckTable
    near_set: int
    state: str = ""
    waits: bool = True

    def history(self, history: History) -> str:
        """What functions of the runtime take for one: its three parts."""
        return ", ".join(f"d.{self.names.member(name)}" for name in history.data)


def set_step_line(step: SetStep, words: SetWords) -> str:
    """The statement that makes one step."""
    print_step = _PRINTERS[type(step)]
    return print_step(step, words)


def _push_level(step: PushLevel, words: SetWords) -> str:
    history = step.history
    number = words.checks.number(CheckSite(history.name, Domain.VERTEX, Type.INT64, step.span, Stop.HISTORY))
    parts = ", ".join(filter(None, (words.history(history), words.state)))
    return f"push_level({words.first}, d, {words.names.frontier(step.frontier)}, {parts}, {number});"


def _take_level(step: TakeLevel, words: SetWords) -> str:
    levels = f"{words.state}.levels" if words.state else f"*d.{words.names.member(step.history.levels)}"
    level = f"{levels} - 1 - iteration" if step.backward else "iteration"
    parts = ", ".join(f"d.{words.names.member(name)}" for name in step.history.data[:2])
    if not words.waits:
        way = f"<{'true' if step.backward else 'false'}>" if words.state else ""
        parts = f"{words.state}, {parts}" if words.state else parts
        return f"take_level{way}({words.names.frontier(step.name)}, {parts}, {level});"
    return f"copy_level({words.first}, {words.result}, {parts}, {level}, {words.counted});"


def _check_width(step: CheckWidth, words: SetWords) -> str:
    number = words.checks.number(CheckSite(step.name, Domain.VERTEX, step.type, step.span, Stop.WIDTH))
    return f"check_width({words.first}, d, *d.{words.names.member(step.width)}, {number});"


def _choose_bound(step: ChooseBound, words: SetWords) -> str:
    nearest, farthest, bound = (f"d.{words.names.member(name)}" for name in (step.nearest, step.farthest, step.bound))
    waiting = words.names.frontier(step.waiting)
    return f"choose_bound({words.first}, {waiting}.size, {words.near_set}, *{nearest}, *{farthest}, {bound});"


def _check_pairs(step: CheckPairs, words: SetWords) -> str:
    number = words.checks.number(CheckSite("pairs", Domain.VERTEX, Type.INT64, step.span, Stop.PAIRS))
    return f"check_pairs({words.first}, d, *d.{words.names.member(step.more)}, {number});"


def _number_members(step: NumberMembers, words: SetWords) -> str:
    of_edges = step.members.domain is Domain.EDGE
    bound = words.checks.bound(step.members.domain)
    count = "d.graph.num_edges" if of_edges else "d.graph.num_vertices"
    place = f"d.{words.names.member(step.array)}[id] = {step.array_type.name}(place);"
    stored = f"[&](uint64 id, uint64 place) {{ {place} }}"
    if step.members.frontier is None and of_edges and words.checks.listed:
        stored = f"[&](uint64 at, uint64 place) {{ const edge id = d.graph.edge_ids[at]; {place} }}"
    if step.members.frontier is None:
        return f"number_everything({words.first}, {count}, {stored});"
    function = "number_edges" if of_edges else "number_vertices"
    return f"{function}({words.first}, {words.names.frontier(step.members.frontier)}, {bound}, {stored});"


_PRINTERS: dict[type[SetStep], Callable[..., str]] = {
    PushLevel: _push_level,
    TakeLevel: _take_level,
    NumberMembers: _number_members,
    CheckWidth: _check_width,
    ChooseBound: _choose_bound,
    CheckPairs: _check_pairs,
}
