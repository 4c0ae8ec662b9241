"""Who reads and writes each array and scalar and how, why that is no race, and why it has its grade."""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.api.description import GRADES, doubt_of
from gdsl.effects import ProgramEffects, Write, WriteKind
from gdsl.effects.access import Accesses
from gdsl.explanation.facts import Facts
from gdsl.explanation.model import Access, DataFact
from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression
from gdsl.ir.traversal import all_steps, walk
from gdsl.operations import IDEMPOTENT, Domain, Grade, ReduceOperation, StoreRule
from gdsl.rules import Findings, JudgedOperator
from gdsl.rules.reads import ReadRule, read_rules
from gdsl.source import Span

Data = ir.Array | ir.Scalar
_BETWEEN = "between operators, which wait for each other"
_NOT_WRITTEN = "nothing writes it meanwhile"
_STORES = {
    StoreRule.SINGLE_WRITER: "one call writes each element",
    StoreRule.SAME_VALUE: "all calls that meet store the same value",
    StoreRule.UNDER_CAS: "only the call whose `cas` succeeds stores",
    StoreRule.ANY_WINNER: "one of the writers wins, and the program says so (`any=`)",
}


class DataFacts:
    """Describes the data of one program; `effects` and `findings` are of the same program as `facts`."""

    def __init__(self, facts: Facts, effects: ProgramEffects, findings: Findings) -> None:
        self.facts = facts
        self.program = facts.program
        self.effects = effects
        self.findings = findings
        self.accesses = Accesses(self.program)
        self.steps = tuple(all_steps(self.program.schedule))

    def all(self) -> tuple[DataFact, ...]:
        """Every array and scalar, in the order of the text."""
        hidden = {name for history in self._histories() for name in history.data}
        return tuple(self._fact(data) for data in self.program.data if data.name not in hidden)

    def _histories(self) -> Iterator[ir.History]:
        """Histories are kept in data that the program cannot name."""
        yield from (step.history for step in self.steps if isinstance(step, ir.PushLevel | ir.TakeLevel))

    def _fact(self, data: Data) -> DataFact:
        writes = tuple(dict.fromkeys(self._writes(data.name)))
        computed = bool(writes) or not data.is_input
        initial = print_expression(data.initial) if data.initial is not None else ""
        kind = "input" if data.is_input else "local" if data.is_local else "result"
        grade = data.grade.value if computed else ""
        reasons = tuple(dict.fromkeys(self._reasons(data, writes))) if computed else ()
        reads = tuple(dict.fromkeys(self._reads(data.name)))
        return DataFact(data.name, kind, data.type.name, _extent(data), initial, grade, reasons, writes, reads)

    # ------------------------------------------------------------ writes

    def _writes(self, name: str) -> Iterator[Access]:
        for step in self.steps:
            if isinstance(step, ir.Operator):
                yield from self._writes_of_operator(step, name)
            elif any(each.writes and each.name == name for each in self.accesses.of_step(step)):
                yield Access(step.span.words, "the schedule", "=", _BETWEEN)
            elif isinstance(step, ir.Swap) and name in (step.first, step.second):
                yield Access(step.span.words, "the schedule", "swap", f"{_BETWEEN}; no value is moved")

    def _writes_of_operator(self, step: ir.Operator, name: str) -> Iterator[Access]:
        by = _operator(step)
        if step.stores == name:
            combined = step.combines_by if isinstance(step, ir.NeighborReduce) else "the winning vote"
            reason = "each member's result is stored once, after all are computed"
            yield Access(step.span.words, by, combined, reason)
        if step.adds_to == name:
            yield Access(step.span.words, by, "+=", "`+=` of integers gives the same in any order")
        site = self.effects.sites.get(step.site)
        if site is None:
            return
        judged = self.findings.sites[step.site]
        modes = {(each.label, each.span.order): each.modes for each in self.facts.writes.get(name, ())}
        for write in site.written(name):
            how = modes.get((step.label, write.span.order), ())
            reason = _reason_of_write(self.findings, judged, write)
            yield Access(write.span.words, f"{site.functor.name} in {by}", _form(write), reason, how)

    # ------------------------------------------------------------ reads

    def _reads(self, name: str) -> Iterator[Access]:
        for step in self.steps:
            if not any(not each.writes and each.name == name for each in self.accesses.of_step(step)):
                continue
            if not isinstance(step, ir.Operator):
                yield Access(step.span.words, "the schedule", "", _BETWEEN)
                continue
            by = _operator(step)
            rules = self._rules(step, name)
            functor = f"{step.functor} in {by}" if step.functor is not None else by
            if not rules:
                yield Access(step.span.words, functor, "", self._reason_of_plain_read(step, name))
            yield from (Access(span.words, functor, "", rule.value) for span, rule in rules)

    def _rules(self, step: ir.Operator, name: str) -> list[tuple[Span, ReadRule]]:
        """Of the reads of what the operator writes itself, why each is allowed."""
        site = self.effects.sites.get(step.site)
        if site is None:
            return []
        judged = self.findings.sites[step.site]
        rules = read_rules(site, judged.writers, judged.closings)
        of_name = ((read.span, rules[number]) for number, read in site.reads.items() if read.name == name)
        return [(span, rule) for span, rule in of_name if rule is not None]

    def _reason_of_plain_read(self, step: ir.Operator, name: str) -> str:
        if step.stores == name:
            return "results are stored after all are computed"
        return _NOT_WRITTEN

    # ------------------------------------------------------------ grades

    def _reasons(self, data: Data, writes: tuple[Access, ...]) -> Iterator[str]:
        """Why data has its grade."""
        if data.grade not in (Grade.EXACT, Grade.TRIED):
            yield doubt_of(data) or GRADES[data.grade.value]
            return
        if data.grade is Grade.TRIED:
            yield "a reduction by the program's own operator, whose laws held on samples and are not proved"
        if not writes:
            yield "nothing changes its initial value"
        yield from (f"{each.reason} ({each.place})" for each in writes if each.reason != _BETWEEN)
        if all(each.reason == _BETWEEN for each in writes) and writes:
            yield "computed between operators, from values that are the same in every run"
        for loop in self._loops(data.name):
            yield f"any order of visits ends in the same values ({loop.span.words})"

    def _loops(self, name: str) -> Iterator[ir.While]:
        for step in walk(self.program.schedule):
            if isinstance(step, ir.While) and step.monotone:
                touched = (each for node in all_steps(step.body) for each in self.accesses.of_step(node))
                if any(each.writes and each.name == name for each in touched):
                    yield step


def _operator(step: ir.Operator) -> str:
    return f"{step.word} @{step.label}"


def _form(write: Write) -> str:
    return write.form if write.outcome is None else f"{write.outcome.value}({write.form})"


def _extent(data: Data) -> str:
    if isinstance(data, ir.Scalar):
        return "one value"
    each = "vertex" if data.domain is Domain.VERTEX else "edge"
    if data.is_set:
        return "a flag for each vertex, from a set"
    if data.count is None:
        return f"one for each {each}"
    return f"{print_expression(data.count).partition(':')[0]} for each {each}"


def _reason_of_write(findings: Findings, judged: JudgedOperator, write: Write) -> str:
    """Why the calls of one operator that meet in this write do not conflict."""
    if judged.writers.single(write.name):
        return "each call writes its own element"
    if judged.writers.by_ticket(write.name):
        return "no two calls have the same index, a ticket of `fetch`"
    if write.kind is WriteKind.REDUCE:
        return _reason_of_reduction(write)
    if write.kind is WriteKind.CAS:
        return "one `cas` at a time changes the element"
    rule = StoreRule.ANY_WINNER if write.kind is WriteKind.ANY else findings.stores.get(id(write.node))
    return _STORES[rule or StoreRule.SAME_VALUE]


def _reason_of_reduction(write: Write) -> str:
    assert write.operation is not None
    if write.operation in IDEMPOTENT:
        return f"`{write.form}` gives the same in any order"
    if write.type.holds_float:
        return f"`{write.form}` of {write.type.name} is atomic, and its order only affects rounding"
    if write.operation is ReduceOperation.SUBTRACT:
        return "sums of integers are the same in any order"
    return f"`{write.form}` of integers gives the same in any order"
