"""The rules of *Writes*, *Reads* and *Closing conditions*, checked on the typed tree; the E03 family of codes.

Each operator call of the schedule is looked at by itself: `collect` gathers what its calls read and write, the rules
judge every pair of calls that could meet at one element, and `unique` follows through the schedule which results may
differ from run to run.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.frontend import syntax
from gdsl.frontend.races.closing import check_closing, closing_fact, closings, condition_uses
from gdsl.frontend.races.collect import collect
from gdsl.frontend.races.facts import ClosingFact, End, RaceFacts
from gdsl.frontend.races.flow import Flow, Site, initial_constants, nonnegative_inputs
from gdsl.frontend.races.labels import LabelLoop, label_arrays, settled_labels
from gdsl.frontend.races.levels import Level, State
from gdsl.frontend.races.reads import check_reads
from gdsl.frontend.races.report import Report
from gdsl.frontend.races.settle import Loop
from gdsl.frontend.races.writes import check_writes
from gdsl.operations import StoreRule
from gdsl.source import Source, Span

__all__ = ["ClosingFact", "End", "RaceFacts", "check_races"]

_WEAKEST = (StoreRule.SINGLE_WRITER, StoreRule.UNDER_CAS, StoreRule.ANY_WINNER, StoreRule.SAME_VALUE)
"""Where two operators call one functor its stores take the rule that promises least, which comes last here."""


def check_races(program: syntax.Program, source: Source, refuse: bool = True) -> RaceFacts:
    """What the calls of each operator do to each other in a typed `program`.

    Raises GdslError with every violation of the rules, in the order of the text. With `refuse` False (for tests that
    show what the rules prevent) violations are ignored and their stores count as plain ones.
    """
    report = Report(source)
    functors = {functor.name: functor for functor in program.functors}
    functions = {function.name: function for function in program.functions}
    rules: dict[Span, StoreRule] = {}
    facts: dict[Span, ClosingFact] = {}
    sites: dict[Span, Site] = {}
    for call in _operator_calls(program):
        calls = collect(call, functors[call.functor.name], functions)
        for span, rule in check_writes(calls, report).items():
            rules[span] = max(rules.get(span, rule), rule, key=_WEAKEST.index)
        uses = condition_uses(calls)
        check_reads(calls, uses, report)
        found = closings(calls, uses)
        check_closing(calls, found, report)
        sites[call.span] = Site(calls, uses, found)
        fact = closing_fact(calls, found)
        if fact is not None:
            facts[call.span] = fact
    if refuse and report.diagnostics:
        raise GdslError(sorted(report.diagnostics, key=_place), source)
    return RaceFacts(rules, facts, _not_unique(program, sites))


def _operator_calls(program: syntax.Program) -> Iterator[syntax.OperatorCall]:
    for statement in program.schedule:
        for node in syntax.walk(statement):
            if isinstance(node, syntax.OperatorCall):
                yield node


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    return (diagnostic.span.line, diagnostic.span.column) if diagnostic.span is not None else (0, 0)


def _not_unique(program: syntax.Program, sites: dict[Span, Site]) -> frozenset[str]:
    nonnegative = nonnegative_inputs(program)
    labels = label_arrays(program, sites)

    def settles(statement: syntax.While, state: State) -> dict[str, set[str]]:
        loop = Loop(statement, sites, nonnegative)
        return {**loop.settled(), **settled_labels(LabelLoop(loop, sites, nonnegative), labels, state)}

    flow = Flow(sites, initial_constants(program), settles)
    flow.block(program.schedule)
    data = (declaration.name for declaration in program.declarations)
    return frozenset(name for name in data if flow.state.value(name) is Level.DIFFERS)
