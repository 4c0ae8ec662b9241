"""Tuning entries: which knobs there are, what they take, and what they turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gdsl.diagnostics import Label, enumerate_words
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.vocabulary import closest
from gdsl.knobs import BY_NAME, LARGEST_ARGUMENT, OPERATOR_KNOBS, OPTIONAL_PASSES, SCHEDULE_KNOBS, Chosen, Knob, clashes
from gdsl.operations import Direction, Domain
from gdsl.source import Span


@dataclass(slots=True)
class Knobs:
    """All tuning of a program: `program` by knob, `operators` by functor name or label, then by knob."""

    program: dict[str, Chosen] = field(default_factory=dict)
    operators: dict[str, dict[str, Chosen]] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    """The passes over a plan that the caller leaves out."""

    def copy(self) -> Knobs:
        """A copy of these knobs, to which more can be added."""
        return Knobs(
            dict(self.program), {subject: dict(knobs) for subject, knobs in self.operators.items()}, self.without
        )

    def of_call(self, call: syntax.OperatorCall) -> dict[str, Chosen]:
        """What is chosen for one operator: for its functor, overridden knob by knob by its label. What has nothing to
        decide because of a knob from the other source (text or caller) is left out: neither source knew the other."""
        special = self.operators.get(call.label, {}) if call.label is not None else {}
        chosen = {**self.operators.get(call.name, {}), **special}
        for clash in clashes({name: each.value for name, each in chosen.items()}, call.over):
            if clash.knob in chosen and chosen[clash.knob].of_text is not chosen[clash.beside].of_text:
                del chosen[clash.knob]
        return chosen


def operator_calls(statements: Iterable[syntax.Statement]) -> list[syntax.OperatorCall]:
    """All operator calls of a typed schedule, in the order of the text."""
    return [
        node for statement in statements for node in syntax.walk(statement) if isinstance(node, syntax.OperatorCall)
    ]


class TuningChecker:
    """Checks tuning entries against a program, and puts them into `knobs`. The text sets a knob once; of the
    caller's words a later one wins over an earlier one."""

    def __init__(
        self,
        environment: Environment,
        calls: list[syntax.OperatorCall],
        knobs: Knobs,
        *,
        complete: bool = True,
        of_text: bool = True,
    ) -> None:
        """`calls` are all of the schedule; `whole`: that has no mistakes, so none is missing; `of_text`: the
        entries are in the program's text, too, so that messages can show both places."""
        self.complete = complete
        self.knows_text = of_text
        self.environment = environment
        self.knobs = knobs
        self.calls: dict[str, list[syntax.OperatorCall]] = {name: [] for name in environment.functors}
        for call in calls:
            if call.functor is not None and call.functor.name in environment.functors:
                self.calls[call.functor.name].append(call)
            if call.label is not None:
                self.calls.setdefault(call.label, []).append(call)

    def entries(self, entries: Iterable[syntax.TuneEntry]) -> None:
        """Check and keep every entry."""
        first: dict[tuple[str, str], syntax.TuneEntry] = {}
        for entry in entries:
            former = first.setdefault((entry.subject or "schedule", entry.knob), entry)
            if self.knows_text and former is not entry:
                message, labels = f"`{entry.knob}` is set twice", (Label(former.span, "the first"),)
                self.environment.report("E0412", message, entry.span, labels=labels, fix="leave one of them out")
            elif entry.subject in (None, "schedule"):
                self._schedule(entry)
            elif entry.subject in self.calls:
                self._operator(entry, entry.subject)
            elif entry.subject in self.environment.broken.names:
                continue
            else:
                near = closest(entry.subject or "", [*self.calls, "schedule"])
                fix = f"did you mean `{near}`?" if near else f"write {_enumeration([*self.calls, 'schedule'])}"
                message = f"there is no functor and no label `{entry.subject}`"
                self.environment.report("E0411", message, entry.span, fix=fix)

    def disable_pass(self, name: str, span: Span) -> None:
        """Disable the pass `name` of the plan, which is at `span` in the caller's word."""
        if name in OPTIONAL_PASSES:
            self.knobs.without = tuple(sorted({*self.knobs.without, name}))
            return
        near = closest(name, OPTIONAL_PASSES)
        fix = f"did you mean `{near}`?" if near else f"there are {_enumeration(OPTIONAL_PASSES, 'and')}"
        self.environment.report("E0412", f"there is no pass `{name}` over a plan that can be left out", span, fix=fix)

    def _unknown(self, entry: syntax.TuneEntry, knobs: tuple[str, ...]) -> None:
        near = closest(entry.knob, knobs)
        named = (knob if entry.subject is not None or knob == "bounds" else f"schedule.{knob}" for knob in knobs)
        fix = f"did you mean `{near}`?" if near else f"there are {_enumeration(tuple(named), 'and')}"
        if entry.subject is None and entry.knob in self.calls:
            fix = self._knob_of(entry)
        elif entry.subject is None and entry.knob != "bounds" and near is not None:
            fix = f"write `{'' if near == 'bounds' else 'schedule.'}{near} = …`"
        elif entry.subject is None and entry.knob in OPERATOR_KNOBS:
            fix = f"it belongs to a functor or a label: write `{self._holder(BY_NAME[entry.knob])}.{entry.knob} = …`"
        elif entry.subject not in (None, "schedule") and entry.knob in SCHEDULE_KNOBS:
            whole = entry.knob if entry.knob == "bounds" else f"schedule.{entry.knob}"
            fix = f"it belongs to the whole schedule: write `{whole} = …`"
        self.environment.report("E0412", f"there is no knob `{entry.knob}` here", entry.span, fix=fix)

    def _knob_of(self, entry: syntax.TuneEntry) -> str:
        """How to set a knob of the functor or label that an entry names as if it were a knob."""
        calls, value = self.calls[entry.knob], str(entry.value)
        fitting = [name for name in OPERATOR_KNOBS if any(call.tuned_as in BY_NAME[name].operators for call in calls)]
        for name in fitting:
            if value in BY_NAME[name].values:
                return f"write `{entry.knob}.{name} = {value}`"
        return f"name one of its knobs: `{entry.knob}.{fitting[0]} = …`" if fitting else "leave it out: it has no knobs"

    def _holder(self, knob: Knob) -> str:
        """A functor or label of the program that has `knob`, or how one may be called."""
        fitting = (name for name, calls in self.calls.items() if any(c.tuned_as in knob.operators for c in calls))
        return next(fitting, "functor")

    def _choice(self, entry: syntax.TuneEntry, knob: Knob) -> Chosen | None:
        """What the entry sets `knob` to; None after a message."""
        value = knob.values.get(str(entry.value))
        if value is None or (entry.arguments and not knob.arguments):
            message = f"`{entry.knob}` does not take `{entry.value}`"
            if entry.arguments:
                message = f"`{entry.knob}` takes no arguments"
            self.environment.report("E0412", message, entry.span, fix=f"it takes {_enumeration(knob.values)}")
            return None
        arguments = self._arguments(entry, knob)
        return Chosen(value, arguments, self.knows_text) if arguments is not None else None

    def _arguments(self, entry: syntax.TuneEntry, knob: Knob) -> dict[str, int] | None:
        names = {argument.name for argument in knob.arguments}
        numbers: dict[str, int] = {}
        for argument in entry.arguments:
            number = argument.value
            if argument.name in numbers:
                message, fix = f"`{argument.name}=` is given twice", "leave one of them out"
                self.environment.report("E0412", message, argument.span, fix=fix)
                return None
            in_range = isinstance(number, int) and 0 < number <= LARGEST_ARGUMENT
            if entry.value != "auto" or argument.name not in names or not in_range:
                example = ", ".join(f"{each.name}={each.default}" for each in knob.arguments)
                message = f"`{knob.name}` does not take `{argument.name}={number}`"
                fix = f"write `auto({example})` with whole numbers from 1 to {LARGEST_ARGUMENT:,}"
                self.environment.report("E0412", message, argument.span, fix=fix)
                return None
            assert isinstance(number, int)
            numbers[argument.name] = number
        return numbers

    # ------------------------------------------------------------ the whole program

    def _schedule(self, entry: syntax.TuneEntry) -> None:
        if entry.knob not in SCHEDULE_KNOBS or (entry.subject is None and not BY_NAME[entry.knob].alone):
            self._unknown(entry, SCHEDULE_KNOBS)
            return
        chosen = self._choice(entry, BY_NAME[entry.knob])
        if chosen is not None:
            self.knobs.program[entry.knob] = chosen

    # ------------------------------------------------------------ one functor or label

    def _operator(self, entry: syntax.TuneEntry, subject: str) -> None:
        knob = entry.knob
        if knob not in OPERATOR_KNOBS:
            self._unknown(entry, OPERATOR_KNOBS)
            return
        if not any(call.tuned_as in BY_NAME[knob].operators for call in self.calls[subject]):
            if not self.complete:
                return  # the call may be where the mistake is
            operators = _enumeration(BY_NAME[knob].operators)
            message = f"`{knob}` is for {operators}, which `{subject}` does not take part in"
            self.environment.report("E0413", message, entry.span)
            return
        chosen = self._choice(entry, BY_NAME[knob])
        if chosen is not None and self._may_pull(entry, subject, chosen):
            self.knobs.operators.setdefault(subject, {})[knob] = chosen

    def _may_pull(self, entry: syntax.TuneEntry, subject: str, chosen: Chosen) -> bool:
        """Whether a direction is possible for all its operators; reports one that is not."""
        advances = (call for call in self.calls[subject] if call.kind is syntax.OperatorKind.ADVANCE)
        edges = next((call for call in advances if call.gives is Domain.EDGE), None)
        if chosen.value is not Direction.PULL or edges is None:
            return True
        message = f"`{subject}` runs in an `advance` with `to=edges`, which only pushes"
        labels = (Label(edges.span, "this one"),)
        fix = "write `push` or `auto`, or tune another call by its `@label`"
        self.environment.report("E0413", message, entry.span, labels=labels if self.knows_text else (), fix=fix)
        return False


def _enumeration(words: Iterable[str], last: str = "or") -> str:
    return enumerate_words([f"`{word}`" for word in words], last)
