"""W01, W02 and W06: loops that never end, or end only by chance."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gdsl.diagnostics import Diagnostic, Edit, Label, Suggestion
from gdsl.effects import Effects, ProgramEffects, WriteKind
from gdsl.effects.terms import ElementTerm, End, Operation, PassTerm, ScalarTerm, Term, Unknown, inside
from gdsl.ir import nodes
from gdsl.ir.traversal import contains, walk, written_in
from gdsl.operations import IDEMPOTENT, BinaryOperation, Domain, SetOperation
from gdsl.source import Source, Span

_DROPPED_ON_PURPOSE = re.compile(r"\bto\s*=\s*none\b")


def steady_loops(program: nodes.Program, source: Source) -> Iterator[Diagnostic]:
    """The warnings about all loops, of the schedule and of functors and functions."""
    functors = {functor.name: frozenset(written_in(functor.body)) for functor in program.functors}
    for node in walk(program.schedule):
        if isinstance(node, nodes.While):
            loops = _of_schedule(node, functors, source)
            if loops is not None:
                yield loops
    for node in walk((*program.functors, *program.functions)):
        if isinstance(node, nodes.Loop) and _is_steady(node):
            yield _steady(node.condition.span, source, in_functor=True)


def _of_schedule(loop: nodes.While, functors: dict[str, frozenset[str]], source: Source) -> Diagnostic | None:
    """The warning about one loop; `functors` holds what each of them writes."""
    condition = tuple(walk(loop.condition))
    if any(isinstance(node, nodes.Iteration) for node in condition) or _is_false(loop.condition):
        return None
    frontiers = [n.frontier for n in condition if isinstance(n, nodes.FrontierNotEmpty | nodes.FrontierSize)]
    scalars = [node.name for node in condition if isinstance(node, nodes.ScalarValue)]
    if {*frontiers, *scalars} & _changed(loop.body, functors):
        return None
    for step in walk(loop.body):
        if frontiers and isinstance(step, nodes.Advance) and step.result is None and step.to is Domain.VERTEX:
            words = source.excerpt(step.span)
            if not _DROPPED_ON_PURPOSE.search(source.text_between(step.span)):
                return _discarded_result(loop, step.span, frontiers[0], words or "advance(…)")
    return _steady(loop.condition.span, source)


def _changed(body: Iterable[nodes.Step], functors: dict[str, frozenset[str]]) -> frozenset[str]:
    """All that a step may write, by name: every name that a step itself has, and what functors write."""
    changed: set[str] = set()
    for node in walk(tuple(body)):
        if isinstance(node, nodes.Step):
            values = (getattr(node, field.name) for field in dataclasses.fields(node))
            names = {value for value in values if isinstance(value, str)}
            changed |= names
            for name in names & functors.keys():
                changed |= functors[name]
    return frozenset(changed | written_in(tuple(body)))


def _is_steady(loop: nodes.Loop) -> bool:
    """Whether a loop of a functor can never end: nothing changes its condition, and nothing leaves it."""
    condition, body = tuple(walk(loop.condition)), tuple(walk(loop.body))
    effects = (nodes.UpdateValue, nodes.CompareAndSwap)
    if any(isinstance(node, effects) or getattr(node, "now", False) for node in condition):
        return False
    if _is_false(loop.condition) or _leaves(loop.body) or any(isinstance(node, nodes.Return) for node in body):
        return False
    asked = {node.name for node in condition if isinstance(node, nodes.Local | nodes.ScalarValue | nodes.ListVariable)}
    asked |= {node.array for node in condition if isinstance(node, nodes.Element)}
    changed = {node.name for node in body if isinstance(node, nodes.Assign)} | written_in(loop.body)
    return not asked & changed


def _leaves(body: Iterable[nodes.Statement]) -> bool:
    """Whether a `break` may leave the loop with this body: not one of a loop inside it."""
    return any(
        isinstance(each, nodes.Break)
        or (isinstance(each, nodes.Branch) and (_leaves(each.then) or _leaves(each.otherwise)))
        for each in body
    )


def _is_false(condition: nodes.Expression) -> bool:
    return isinstance(condition, nodes.Literal) and condition.value is False


def _discarded_result(loop: nodes.While, span: Span, frontier: str, words: str) -> Diagnostic:
    message = f"the result of `advance` is discarded, and the loop waits for `{frontier}` to become empty"
    labels = (Label(loop.condition.span, "nothing in the loop changes it"),)
    return Diagnostic("W01", message, span, labels, fix=f"write `{frontier} = {words};`")


def _steady(span: Span, source: Source, *, in_functor: bool = False) -> Diagnostic:
    words = source.excerpt(span) or "the condition"
    message = f"nothing in the loop can change `{words}`: it never runs or never ends"
    if words == "true":
        message = f"only `--timeout`{'' if in_functor else ' or `--max-iterations`'} ends this loop"
    counted = "`for i in 0..n { … }`" if in_functor else "`repeat (n) { … }`"
    fix = f"change what the condition reads inside the loop, or count the rounds: {counted}"
    return Diagnostic("W02", message, span, fix=fix)


_SAME_KINDS = (nodes.Advance, nodes.Filter)


def endless_worklists(effects: ProgramEffects, source: Source) -> Iterator[Diagnostic]:
    """The warnings about `while (f)` loops whose frontier never runs empty once the graph has a cycle."""
    for loop in walk(effects.program.schedule):
        if isinstance(loop, nodes.While):
            frontier = _frontier_of_condition(loop.condition)
            site = _endless(loop, frontier, effects) if frontier is not None else None
            if site is not None:
                initials = {
                    data.name: source.excerpt(data.initial.span) for data in effects.data if data.initial is not None
                }
                yield _message(loop, site, initials, source)


def _frontier_of_condition(condition: nodes.Expression) -> str | None:
    """The frontier of `while (f)` and `while (size(f) > 0)`."""
    if isinstance(condition, nodes.FrontierNotEmpty):
        return condition.frontier
    if isinstance(condition, nodes.Binary) and isinstance(condition.left, nodes.FrontierSize):
        right, sign = condition.right, condition.operation
        zero = isinstance(right, nodes.Literal) and right.value == 0
        return (
            condition.left.frontier if zero and sign in (BinaryOperation.GREATER, BinaryOperation.NOT_EQUAL) else None
        )
    return None


def _endless(loop: nodes.While, frontier: str, effects: ProgramEffects) -> Effects | None:
    """The effects of the `advance` whose members the next pass begins with, where it accepts all that it reaches."""
    changed = _written_in(loop, effects)
    reached: dict[str, Effects | None] = {frontier: None}
    """The sets that hold all that can be reached from the frontier, with the `advance` that found them."""
    for step in loop.body:
        if isinstance(step, _SAME_KINDS):
            _follow(step, reached, effects.sites.get(step.site), changed)
        elif isinstance(step, nodes.PopBuckets):
            # Buckets are one set: what is popped is never empty, and what stays is not lost.
            whole = step.buckets.waiting == frontier in reached
            _set(reached, step.result, None, whole)
            if not whole:
                reached.pop(step.buckets.waiting, None)
        elif isinstance(step, nodes.PushBuckets):
            waiting, pushed = step.buckets.waiting, step.members.frontier
            if step.members.everything:
                reached.pop(waiting, None)
            else:
                _united(reached, waiting, waiting, pushed)
        elif isinstance(step, nodes.CopyFrontier):
            _set(reached, step.name, reached.get(step.other), step.other in reached)
        elif isinstance(step, nodes.CombineFrontiers):
            if step.operation is SetOperation.UNION:
                _united(reached, step.name, step.first.frontier, step.second.frontier)
            else:
                reached.pop(step.name, None)
        elif isinstance(step, nodes.DefineFrontier):
            reached.pop(step.name, None)
        elif contains(getattr(step, "body", ()), nodes.Step) or isinstance(step, nodes.If):
            return None  # what comes of it depends on more than this looks at
    return reached.get(frontier)


def _follow(
    step: nodes.Advance | nodes.Filter, reached: dict[str, Effects | None], effects: Effects | None, changed: set[str]
) -> None:
    if step.result is None or effects is None:
        return
    begins = step.frontier.frontier is None or step.frontier.frontier in reached
    keeps = begins and _always_accepts(effects, changed)
    reaching = effects if isinstance(step, nodes.Advance) else reached.get(step.frontier.frontier or "")
    _set(reached, step.result, reaching, keeps)


def _united(reached: dict[str, Effects | None], name: str, *operands: str | None) -> None:
    ends = [end for end in operands if end in reached]
    first = next((reached[end] for end in ends if end is not None and reached[end] is not None), None)
    _set(reached, name, first, bool(ends))


def _set(reached: dict[str, Effects | None], name: str, effects: Effects | None, holds: bool) -> None:
    if holds:
        reached[name] = effects
    else:
        reached.pop(name, None)


def _written_in(loop: nodes.While, effects: ProgramEffects) -> set[str]:
    """The arrays and scalars that anything in the loop writes."""
    names: set[str] = set()
    for step in walk(loop.body):
        if isinstance(step, nodes.Operator) and step.site in effects.sites:
            names |= set(effects.sites[step.site].written_names())
        if isinstance(step, nodes.NeighborReduce | nodes.NeighborVote | nodes.Fill):
            names.add(step.array)
        elif isinstance(step, nodes.SetStep):
            names |= set(step.use.writes)
        elif isinstance(step, nodes.Swap):
            names |= {step.first, step.second}
        elif isinstance(step, nodes.StoreScalar):
            names.add(step.scalar)
        elif isinstance(step, nodes.StoreElement):
            names.add(step.target.array)
        elif isinstance(step, nodes.Intersect) and step.count is not None:
            names.add(step.count)
    return names


def _always_accepts(effects: Effects, changed: set[str]) -> bool:
    """Whether what is accepted once is accepted in every later pass."""
    accept = effects.accept
    if accept is None or not _is_unchanged(accept, effects, changed):
        return False
    tests = (accept, *effects.conjuncts)
    return all(_is_unchanged(term, effects, changed) for term in tests) and not any(
        _is_monotone(term, effects) for term in tests
    )


def _is_monotone(term: Term, effects: Effects) -> bool:
    """Whether the far end is always larger than the near one, or always smaller, as with `src < dst` or
    `level[src] < level[dst]`: what is passed on then follows no cycle."""
    if not isinstance(term, Operation) or len(term.arguments) != 2:
        return False
    left, right = term.arguments
    if term.operation in (BinaryOperation.AND, BinaryOperation.BIT_AND):
        return _is_monotone(left, effects) or _is_monotone(right, effects)
    if term.operation not in (BinaryOperation.LESS, BinaryOperation.GREATER):
        return False
    if isinstance(left, ElementTerm) and isinstance(right, ElementTerm) and left.array == right.array:
        left, right = left.index, right.index
    return {left, right} == {effects.near, effects.far} and isinstance(left, End) and isinstance(right, End)


def _is_unchanged(term: Term, effects: Effects, changed: set[str]) -> bool:
    """Whether the loop changes nothing in `term`."""
    for part in inside(term):
        if effects.write_of(part) is not None:
            return False
        if isinstance(part, ElementTerm) and part.array in changed:
            return False
        if isinstance(part, ScalarTerm) and part.name in changed:
            return False
        if isinstance(part, PassTerm | Unknown):
            return False
    return True


# ---------------------------------------------------------------- what is said


def _message(loop: nodes.While, effects: Effects, initials: Mapping[str, str], source: Source) -> Diagnostic:
    functor = effects.functor
    kind = "edge" if effects.operator.result_domain.value == "edge" else "vertex"
    message = f"`{functor.name}` accepts every {kind} that it reaches, changed or not: "
    message += "on a graph with a cycle the loop never ends"
    words = source.excerpt(loop.condition.span)
    labels = (Label(loop.condition.span, f"this loop waits for `{words}` to become empty"),)
    fix = "accept only what changed, `accept changed(x min= …);`, or test in `cond` what `apply` stores"
    suggestions = tuple(_suggestions(effects, initials, source))
    return Diagnostic("W06", message, _head(functor.span, source), labels, fix=fix, suggestions=suggestions)


def _head(span: Span, source: Source) -> Span:
    """The first line of a functor, without its `{`."""
    if span.end_line == span.line:
        line = source.of(span).line(span.line)
        end = line.find("{", span.column - 1)
        return Span(span.line, span.column, span.line, end + 1 if end > 0 else span.end_column, span.origin)
    line = source.of(span).line(span.line)
    return Span(span.line, span.column, span.line, len(line.rstrip("{ \t")) + 1, span.origin)


def _suggestions(effects: Effects, initials: Mapping[str, str], source: Source) -> Iterator[Suggestion]:
    accepts = [node for node in effects.functor.body if isinstance(node, nodes.Accept)]
    for write in effects.writes:
        if write.operation in IDEMPOTENT and write.statement is not None and write.outcome is None:
            statement = source.excerpt(write.span)
            if statement:
                code = f"accept changed({statement});"
                drops = [Edit(accept.span, "") for accept in accepts]
                also = f" in place of that and of `{source.excerpt(accepts[0].span)};`" if accepts else ""
                yield Suggestion(f"write `{code}`{also}", (_edit(write.span, code, source), *drops))
    for node in effects.functor.body:
        if isinstance(node, nodes.Branch) and not node.otherwise and not accepts:
            words = source.excerpt(node.condition.span)
            here = Span(node.span.end_line, node.span.end_column, node.span.end_line, node.span.end_column)
            if words:
                shown = f"write `else {{ accept false; }}` after `if ({words}) {{ … }}`"
                yield Suggestion(shown, (Edit(here, " else { accept false; }"),))
    yield from _closing(effects, initials, source)


def _closing(effects: Effects, initials: Mapping[str, str], source: Source) -> Iterator[Suggestion]:
    """A `cond` that a store makes false, where the element is not what it was at first."""
    apply = re.compile(r"\bapply\b").search(source.text, _offset(source.text, effects.functor.span))
    for write in effects.writes:
        first = initials.get(write.name)
        if write.kind is WriteKind.STORE and first and apply is not None:
            target = source.excerpt(write.target)
            before = source.text[: apply.start()]
            line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
            code = f"cond {target} == {first};"
            if target:
                yield Suggestion(
                    f"write `{code}` before `apply`", (Edit(Span(line, column, line, column), f"{code} "),)
                )


def _offset(text: str, span: Span) -> int:
    lines: Sequence[str] = text.split("\n")
    return sum(len(line) + 1 for line in lines[: span.line - 1]) + span.column - 1


def _edit(span: Span, statement: str, source: Source) -> Edit:
    """`statement` in place of what is at `span`, which may be without its `;`."""
    ends = source.text_between(span).rstrip().endswith(";")
    return Edit(span, statement if ends else statement.removesuffix(";"))
