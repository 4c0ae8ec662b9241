"""The rules of *Writes*, *Reads* and *Closing conditions*, judged on the effects of each operator; the E03 codes.

One file per rule, each with the reason why what it allows has one answer: `writes` (with `writers`, how many calls can
address an element, and `same_value`), `reads`, `closing`, `waiting_loops`. `report`, `fixes` and `wording` write the
messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gdsl.diagnostics import TOO_MANY, Diagnostic, GdslError
from gdsl.effects import Effects, ProgramEffects, WriteKind
from gdsl.ir.nodes import Closing, Operator, Repeat, While
from gdsl.ir.traversal import walk
from gdsl.operations import StoreRule
from gdsl.rules.closing import Closes, check_closing, closing_node, closings
from gdsl.rules.reads import check_reads
from gdsl.rules.report import Report
from gdsl.rules.same_value import differing_pair
from gdsl.rules.waiting_loops import check_waiting
from gdsl.rules.writers import Writers
from gdsl.rules.writes import check_writes
from gdsl.source import Source

__all__ = ["Closes", "Findings", "JudgedOperator", "Writers", "judge"]

_WEAKEST = (StoreRule.SINGLE_WRITER, StoreRule.UNDER_CAS, StoreRule.ANY_WINNER, StoreRule.SAME_VALUE)
"""Where two operators call one functor, its stores get the rule that promises less, which is later in this list."""


@dataclass(frozen=True)
class JudgedOperator:
    """An operator, and what the rules found."""

    effects: Effects
    writers: Writers
    closings: list[Closes]
    _varied: dict[tuple[str, WriteKind], bool] = field(default_factory=dict)

    def varied(self, name: str, kind: WriteKind) -> bool:
        """Whether two writes of this kind may store different values in one element of `name`."""
        if (name, kind) not in self._varied:
            writes = [write for write in self.effects.written(name) if write.kind is kind]
            self._varied[name, kind] = differing_pair(self.effects, writes) is not None
        return self._varied[name, kind]


@dataclass(frozen=True)
class Findings:
    """What the rules found. `stores` is keyed by the identity of the IR's `Store`s, `sites` by that of operators."""

    stores: dict[int, StoreRule]
    closings: dict[int, Closing]
    sites: dict[int, JudgedOperator]


def judge(effects: ProgramEffects, source: Source, refuse: bool = True, others: Sequence[Diagnostic] = ()) -> Findings:
    """Apply the rules to every operator.

    Raises GdslError with every violation, `others` among them, in the order of the text. With `refuse` False (for tests
    that show what the rules prevent) violations are ignored and their stores count as plain ones.
    """
    report = Report(source)
    report.diagnostics += others
    report.in_loops = _in_loops(effects)
    report.initials = {data.name: data.initial for data in effects.data}
    stores: dict[int, StoreRule] = {}
    closing_nodes: dict[int, Closing] = {}
    sites: dict[int, JudgedOperator] = {}
    for site, operator_effects in effects.sites.items():
        writers = Writers(operator_effects)
        for store, rule in check_writes(operator_effects, writers, report).items():
            stores[store] = max(stores.get(store, rule), rule, key=_WEAKEST.index)
        closers = closings(operator_effects, writers)
        check_reads(operator_effects, writers, closers, report)
        check_closing(operator_effects, closers, report)
        check_waiting(operator_effects, writers, report)
        sites[site] = JudgedOperator(operator_effects, writers, closers)
        node = closing_node(operator_effects, closers)
        if node is not None:
            closing_nodes[site] = node
    if refuse and report.diagnostics:
        mistakes = sorted(report.diagnostics, key=_place)
        if report.is_full:
            message = f"these are the first {len(mistakes)} mistakes, and further ones were not looked for"
            mistakes.append(Diagnostic(TOO_MANY, message, mistakes[-1].span))
        raise GdslError(mistakes, source)
    return Findings(stores, closing_nodes, sites)


def _in_loops(effects: ProgramEffects) -> frozenset[int]:
    loops = (node for node in walk(effects.program.schedule) if isinstance(node, While | Repeat))
    return frozenset(node.site for loop in loops for node in walk(loop.body) if isinstance(node, Operator))


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    return diagnostic.span.order if diagnostic.span is not None else ("", 0, 0)
