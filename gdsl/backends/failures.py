"""The errors of runs that compiled code stopped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gdsl.deadline import timeout_error
from gdsl.diagnostics import GdslError, enumerate_words
from gdsl.ir.nodes import Array, Convert, Literal, Loop, Operator, ParamValue, Program, Repeat, While
from gdsl.ir.traversal import contains, walk
from gdsl.operations import Domain, ForestWord
from gdsl.records import dataclass
from gdsl.source import Span

if TYPE_CHECKING:
    from gdsl.codegen.checks import CheckSite
    from gdsl.graph import Graph

_MOST_NAMED = 3
"""Loops that a message names."""
FORKED = "this process was forked from one that uses the GPU"
SPAWN = "start workers with multiprocessing.get_context('spawn')"

__all__ = [
    "FailedIndex",
    "Progress",
    "check_error",
    "count_of",
    "forked_error",
    "history_error",
    "is_converted",
    "iterations_error",
    "late_error",
    "late_in_loop",
    "left_out",
    "memory_error",
    "no_such_place",
    "no_such_value",
    "out_of_range",
    "pairs_error",
    "timeout_error",
    "width_error",
]


@dataclass(frozen=True, slots=True)
class FailedIndex:
    """What a failed check found, as the control block has it: the index, and the number of elements."""

    value: int
    length: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come: the last operator of its trace, in which pass of the innermost loop (from 0) it ran, and
    on how many elements; None if the trace was full before."""

    site: int
    label: str
    iteration: int | None
    size: int | None


def check_error(
    program: Program, site: CheckSite, finding: FailedIndex, graph: Graph, params: Mapping[str, object]
) -> GdslError:
    """What stopped a run on `graph` with these params at `site`: E0801 an index or an edge that was left out, E0804 a
    history, E0805 buckets, E0806 pairs."""
    value = finding.value
    if site.stop.value == "history":
        return history_error(program.source_name, site.span, site.subject, value, graph.num_vertices)
    if site.stop.value == "width":
        return width_error(program.source_name, site.span, site.subject)
    if site.stop.value == "pairs":
        return pairs_error(program.source_name, site.span, value)
    if site.stop.value == "left out":
        return left_out(program.source_name, site.span, site.subject, value)
    if value < 0 and site.kind.is_id:
        converted = is_converted(program, site.span)
        return out_of_range(program.source_name, site.span, site.subject, "none", finding.length, converted)
    bits = site.kind.bits if site.kind.is_integer and not site.kind.is_signed else None
    shown = str(value if bits is None else value % (1 << bits))
    if site.is_value:
        (array,) = (array for array in program.arrays if array.name == site.subject)
        return no_such_value(program.source_name, site.span, site.subject, shown, count_of(array, params))
    if site.domain is None:
        return no_such_place(program.source_name, site.span, site.subject, shown)
    return out_of_range(program.source_name, site.span, site.subject, shown, finding.length)


def count_of(array: Array, params: Mapping[Any, object]) -> int:
    """How many values an element of the array has in a run; `params` may also be the sizes of one."""
    count = array.count
    value = params[count.name] if isinstance(count, ParamValue) else count.value if isinstance(count, Literal) else 1
    return int(str(value))


def no_such_value(source_name: str, span: Span, subject: str, shown: str, count: int) -> GdslError:
    """E0801: one of the `count` values of an element of `subject`, in words."""
    has = "an element has 1 value" if count == 1 else f"an element has {count:,} values"
    message = f"value {shown} of an element of `{subject}` is out of range: {has}, counted from 0"
    return _at(source_name, span, "E0801", message)


def no_such_place(source_name: str, span: Span, subject: str, shown: str) -> GdslError:
    """E0801: a place in a vertex's list, for `subject`."""
    message = f"place {shown} of `{subject}` is out of range: the list of that vertex has no such place"
    fix = "places count from 0 and stay below `out_degree` of the vertex"
    return _at(source_name, span, "E0801", message, fix)


def is_converted(program: Program, span: Span) -> bool:
    """Whether the id at this place of a program is that of a number."""
    conversions = (node for node in walk(program) if isinstance(node, Convert) and node.type.is_id)
    return any(node.span == span for node in conversions)


def out_of_range(
    source_name: str, span: Span, subject: str, shown: str, length: int, converted: bool = False
) -> GdslError:
    """E0801: an index of `subject`, in words, where there are `length` elements; of no name: a member of a set.
    `converted`: it is an id of a number."""
    has = "there is 1 element" if length == 1 else f"there are {length or 'no'} elements"
    counted = ", counted from 0" if length else ""
    what = f"index {shown} of `{subject}`" if subject else f"member {shown} of this set"
    message = f"{what} is out of range: {has}{counted}"
    fix = "test it before, such as by `if (x != none) { … }` around it" if shown == "none" else None
    notes = (f"as an id, a number that no element has, such as -1 or {length}, is none",) if converted else ()
    return _at(source_name, span, "E0801", message, fix, notes if shown == "none" else ())


def left_out(source_name: str, span: Span, subject: str, edge: int) -> GdslError:
    """E0801: an edge of the set `subject` that is not in the surrounding graph."""
    what = f"edge {edge} of `{subject}`" if subject else f"edge {edge}"
    message = f"{what} is not in this graph: the subgraph was made without it"
    fix = "name edges of the subgraph alone, or make the set of `filter(edges, …)`, which has no others"
    return _at(source_name, span, "E0801", message, fix)


def history_error(source_name: str, span: Span, history: str, members: int, room: int) -> GdslError:
    """E0804: a push would give the history `members` members, and there are `room` vertices."""
    vertices = "1 vertex" if room == 1 else f"{room} vertices"
    message = f"`{history}` would hold {members} members, and the graph has {vertices}"
    fix = "push frontiers that have no vertex in common, such as the levels of a search"
    return _at(source_name, span, "E0804", message, fix)


def width_error(source_name: str, span: Span, buckets: str) -> GdslError:
    """E0805: the width of a level of `buckets` is not above 0."""
    message = f"the width of `{buckets}` is not above 0"
    return _at(source_name, span, "E0805", message, "give each level a width above 0, such as 1")


def pairs_error(source_name: str, span: Span, more: int) -> GdslError:
    """E0806: of two sets that are taken as pairs the first has `more` vertices more; if negative, the second."""
    larger, smaller = ("first", "second") if more > 0 else ("second", "first")
    count = "1 vertex" if abs(more) == 1 else f"{abs(more)} vertices"
    message = f"the {larger} set of `pairs=` has {count} more than the {smaller}"
    return _at(source_name, span, "E0806", message, "make both of one size, so that each has a partner")


def _at(
    source_name: str, span: Span, code: str, message: str, fix: str | None = None, notes: tuple[str, ...] = ()
) -> GdslError:
    """An error at a place of the program, which is shown if the program has a name."""
    place = span.place_in(source_name) if source_name else None
    return GdslError.single(code, message, span, notes=notes, fix=fix, place=place)


def iterations_error(program: Program, loop: int, limit: int) -> GdslError:
    """E0803: loop number `loop` has had `limit` passes."""
    loops = [node for node in walk(program.schedule) if isinstance(node, (While, Repeat)) and node.loop == loop]
    passes = "1 pass" if limit == 1 else f"{limit} passes"
    return GdslError.single("E0803", f"this loop was stopped after {passes}, the most allowed", loops[0].span)


def late_error(program: Program, timeout: float | None, last: Progress | None) -> GdslError:
    """E0802 for a run that was still in progress; `last` is the last operator that it finished, None if unknown."""
    loop = _loop_around(program, last.site) if last is not None else _only_loop(program)
    if loop is None:
        return _late(program, timeout)
    named = _named(loop)
    if last is None:
        return _late(program, timeout, f"in {named}", loop.span)
    operator = next(step for step in walk(loop.body) if isinstance(step, Operator) and step.site == last.site)
    if last.iteration is None or last.size is None:
        return _late(program, timeout, f"in {named}, in which `{last.label}` had run", loop.span)
    one, more = ("vertex", "vertices") if operator.frontier.domain is Domain.VERTEX else ("edge", "edges")
    size = f"1 {one}" if last.size == 1 else f"{last.size:,} {more}"
    where = f"in pass {last.iteration + 1:,} of {named}, in which `{last.label}` had run on {size}"
    return _late(program, timeout, where, loop.span)


def late_in_loop(program: Program, timeout: float | None, loop: int | None, iteration: int) -> GdslError:
    """E0802 at the condition of loop number `loop`, which has had `iteration` passes; None outside loops."""
    statement = next((n for n in walk(program.schedule) if isinstance(n, While | Repeat) and n.loop == loop), None)
    if statement is None:
        return _late(program, timeout)
    passes = "1 pass" if iteration == 1 else f"{iteration:,} passes"
    return timeout_error(timeout, f"after {passes} of {_named(statement)}", statement.span)


def _late(program: Program, timeout: float | None, what: str = "", span: Span | None = None) -> GdslError:
    """E0802, with the loops in which a call may have been, as nothing limits their rounds."""
    every = [node for node in walk(program) if isinstance(node, Loop)]
    falling = {each.forest.array for each in every if each.forest and each.forest.word is not ForestWord.ROOT}
    loops = [each for each in every if each.forest is None or each.forest.array not in falling]
    spans = list(dict.fromkeys(node.span for node in loops))
    if not spans:
        return timeout_error(timeout, what, span)
    roots = {node.span for node in loops if node.forest is not None}
    named = [f"the {'`root`' if each in roots else '`while` loop'} in {each.words}" for each in spans[:_MOST_NAMED]]
    note = f"a call may be in {enumerate_words(named)}, which nothing limits: labels may lead in a circle"
    fix = "count the rounds in a local, and leave the loop after `num_vertices`: no chain of labels is longer"
    if roots.issuperset(spans):
        fix = "let labels begin as `id` and write them by `min=` alone: then none leads in a circle"
    return timeout_error(timeout, what, span or spans[0], (note,), fix)


def _named(loop: While | Repeat) -> str:
    return f"the `{'while' if isinstance(loop, While) else 'repeat'}` loop in {loop.span.words}"


def _only_loop(program: Program) -> While | Repeat | None:
    """The loop of a program that does no long work outside of it."""
    loops = [node for node in walk(program.schedule) if isinstance(node, While | Repeat)]
    alone = len(loops) == 1 and not contains(program.schedule, Operator)
    return loops[0] if alone else None


def _loop_around(program: Program, site: int) -> While | Repeat | None:
    """The innermost loop that repeats an operator."""
    around = [
        node
        for node in walk(program.schedule)
        if isinstance(node, While | Repeat)
        and any(isinstance(step, Operator) and step.site == site for step in walk(node.body))
    ]
    return min(around, key=lambda node: sum(1 for _ in walk(node.body)), default=None)


def memory_error() -> GdslError:
    """E0912: the arrays or frontiers of a run do not fit."""
    return GdslError.single("E0912", "there is not enough free memory for the arrays and frontiers of this run")


def forked_error() -> GdslError:
    """E0901: only the process that started a run can have its result."""
    return GdslError.single(
        "E0901", f"the result of this run belongs to the process that started it: {FORKED}", fix=SPAWN
    )
