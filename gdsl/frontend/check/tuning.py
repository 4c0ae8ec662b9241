"""Tuning entries: which knobs there are, what they take, and what they turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.vocabulary import closest, enumerate_words
from gdsl.knobs import BY_NAME, LATER_KNOBS, OPERATOR_KNOBS, SCHEDULE_KNOBS, Knob
from gdsl.operations import Balance, Direction, Domain
from gdsl.source import Span

_LARGEST_THRESHOLD = 1_000_000


@dataclass(frozen=True, slots=True)
class OperatorKnobs:
    """What is tuned for one functor or label; None: not tuned."""

    direction: Direction | None = None
    alpha: int | None = None
    beta: int | None = None
    balance: Balance | None = None


@dataclass(slots=True)
class Knobs:
    """All tuning of a program. `operators` is keyed by functor name or label."""

    operators: dict[str, OperatorKnobs] = field(default_factory=dict)
    fuse: bool = True
    block: int | None = None
    ids: int | None = None
    bounds: bool = True


def operator_calls(statements: Iterable[syntax.Statement]) -> list[syntax.OperatorCall]:
    """All operator calls of a typed schedule, in the order of the text."""
    return [
        node for statement in statements for node in syntax.walk(statement) if isinstance(node, syntax.OperatorCall)
    ]


class TuningChecker:
    """Checks tuning entries against a program, and puts them into `knobs`; a later entry wins over an earlier one."""

    def __init__(
        self,
        environment: Environment,
        calls: list[syntax.OperatorCall],
        knobs: Knobs,
        *,
        whole: bool = True,
        of_text: bool = True,
    ) -> None:
        """`calls` are all of the schedule; `whole`: that has no mistakes, so none is missing; `of_text`: the
        entries are in the program's text, too, so that messages can show both places."""
        self.whole = whole
        self.knows_text = of_text
        self.environment = environment
        self.knobs = knobs
        self.calls: dict[str, list[syntax.OperatorCall]] = {name: [] for name in environment.functors}
        for call in calls:
            if call.functor is not None:
                self.calls[call.functor.name].append(call)
            if call.label is not None:
                self.calls.setdefault(call.label, []).append(call)

    def entries(self, entries: Iterable[syntax.TuneEntry]) -> None:
        """Check and keep every entry."""
        for entry in entries:
            if entry.subject in (None, "schedule"):
                self._schedule(entry)
            elif entry.subject in self.calls:
                self._operator(entry, entry.subject)
            elif entry.subject in self.environment.broken.names:
                continue
            else:
                near = closest(entry.subject or "", [*self.calls, "schedule"])
                fix = f"did you mean `{near}`?" if near else f"write {_listed([*self.calls, 'schedule'])}"
                message = f"there is no functor and no label `{entry.subject}`"
                self.environment.report("E0411", message, entry.span, fix=fix)

    def _unknown(self, entry: syntax.TuneEntry, knobs: tuple[str, ...]) -> None:
        near = closest(entry.knob, knobs)
        fix = f"did you mean `{near}`?" if near else f"there are {_listed(knobs, 'and')}"
        if entry.subject is None and entry.knob != "bounds" and near is not None:
            fix = f"write `{'' if near == 'bounds' else 'schedule.'}{near} = …`"
        self.environment.report("E0412", f"there is no knob `{entry.knob}` here", entry.span, fix=fix)

    def _value(self, entry: syntax.TuneEntry, knob: Knob) -> str | None:
        value, values = str(entry.value), knob.values
        if value in values and not (entry.arguments and not knob.arguments):
            return value
        message = f"`{entry.knob}` does not take `{value}`"
        if entry.arguments:
            message = f"`{entry.knob}` takes no arguments"
        self.environment.report("E0412", message, entry.span, fix=f"it takes {_listed(values)}")
        return None

    # ------------------------------------------------------------ the whole program

    def _schedule(self, entry: syntax.TuneEntry) -> None:
        knob = entry.knob
        if knob not in SCHEDULE_KNOBS or (entry.subject is None and not BY_NAME[knob].alone):
            self._unknown(entry, SCHEDULE_KNOBS)
        elif knob in ("fuse", "bounds"):
            value = self._value(entry, BY_NAME[knob])
            if value is not None and knob == "fuse":
                self.knobs.fuse = value == "on"
            elif value is not None:
                self.knobs.bounds = value == "on"
        elif knob == "ids":
            value = self._value(entry, BY_NAME[knob])
            self.knobs.ids = int(value) if value is not None else self.knobs.ids
        else:
            value = self._value(entry, BY_NAME[knob])
            self.knobs.block = int(value) if value is not None else self.knobs.block

    # ------------------------------------------------------------ one functor or label

    def _operator(self, entry: syntax.TuneEntry, subject: str) -> None:
        knob = entry.knob
        if knob in LATER_KNOBS:
            self._later(f"the knob `{knob}`", entry.span)
            return
        if knob not in OPERATOR_KNOBS:
            self._unknown(entry, OPERATOR_KNOBS)
            return
        if not any(call.kind.value in BY_NAME[knob].operators for call in self.calls[subject]):
            if not self.whole:
                return  # the call may be where the mistake is
            operators = _listed(BY_NAME[knob].operators)
            message = f"`{knob}` is for {operators}, which `{subject}` does not take part in"
            self.environment.report("E0413", message, entry.span)
            return
        former = self.knobs.operators.get(subject, OperatorKnobs())
        if knob == "balance":
            if entry.value in BY_NAME[knob].later:
                self._later(f"`balance = {entry.value}`", entry.span)
                return
            value = self._value(entry, BY_NAME[knob])
            if value is not None:
                self.knobs.operators[subject] = replace(former, balance=Balance(value))
        else:
            self._direction(entry, subject, former)

    def _direction(self, entry: syntax.TuneEntry, subject: str, former: OperatorKnobs) -> None:
        value = self._value(entry, BY_NAME["direction"])
        if value is None:
            return
        thresholds: dict[str, int] = {}
        for argument in entry.arguments:
            number = argument.value
            whole = isinstance(number, int) and 0 < number <= _LARGEST_THRESHOLD
            if value != "auto" or argument.name not in BY_NAME["direction"].arguments or not whole:
                message = f"`direction` does not take `{argument.name}={number}`"
                fix = "write `auto(alpha=15, beta=20)` with whole numbers above 0"
                self.environment.report("E0412", message, argument.span, fix=fix)
                return
            assert isinstance(number, int)
            thresholds[argument.name] = number
        edges = next((call for call in self.calls[subject] if call.gives is Domain.EDGE), None)
        if value == Direction.PULL.value and edges is not None:
            message = f"`{subject}` runs in an `advance` with `to=edges`, which only pushes"
            labels = (Label(edges.span, "this one"),)
            fix = "write `push` or `auto`, or tune another call by its `@label`"
            self.environment.report("E0413", message, entry.span, labels=labels if self.knows_text else (), fix=fix)
            return
        self.knobs.operators[subject] = replace(
            former, direction=Direction(value), alpha=thresholds.get("alpha"), beta=thresholds.get("beta")
        )

    def _later(self, what: str, span: Span) -> None:
        self.environment.report("E0502", f"not built yet: {what}", span)


def _listed(words: Iterable[str], last: str = "or") -> str:
    return enumerate_words([f"`{word}`" for word in words], last)
