"""The functions of a program's functors, for C++ and for CUDA: each variant's, printed when a sweep first runs it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from gdsl.codegen.function_text import READ_AHEAD, Argument, BodyForm, Cached, PrintedFunction
from gdsl.codegen.functions import FunctionPrinter
from gdsl.ir.nodes import EdgeFunctor, Expression, Functor, Select
from gdsl.operations import ReduceOperation
from gdsl.plan.hints import EarlyRead, ReadAhead
from gdsl.plan.nodes import LaneLoop, Mode, Total, Variant

Arguments = dict[Argument, str]
ON_COMMON: Arguments = {
    Argument.SOURCE: "u",
    Argument.DESTINATION: "w",
    Argument.COMMON: "x",
    Argument.EDGE: "e",
    Argument.SOURCE_EDGE: "eu",
    Argument.DESTINATION_EDGE: "ew",
}
"""The arguments of functors for a common neighbor of the ends of an edge."""


@dataclass(frozen=True, slots=True)
class ReadAheadCalls:
    """Reads for several elements, numbered `k`, before one of them is visited: those `before` a test (empty: there is
    none), and those `after` it for elements where it holds."""

    type: str
    """The struct of what is read."""
    side_by_side: int
    before: tuple[str, ...]
    test: str
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls for an element: all of `tests` in order, then `apply` (empty: nothing); `says`: its result is
    whether the element is accepted."""

    tests: tuple[str, ...]
    apply: str
    says: bool
    read_ahead: ReadAheadCalls | None = None


@dataclass(frozen=True, slots=True)
class Ballot:
    """The calls for an edge that votes: `test`, empty where there is nothing to test, the key and the weight."""

    test: str
    key: str
    weight: str


@dataclass(frozen=True, slots=True)
class SelectedValues:
    """`which` of two values all edges of a reduction have."""

    which: str
    yes: str
    no: str


@dataclass
class FunctorTexts:
    """Prints variants when they are first called, and remembers them in that order."""

    printer: FunctionPrinter
    printed: dict[tuple[str, str, object], PrintedFunction | None] = field(default_factory=dict)
    """By functor, kind of function, and what it does."""
    totals: dict[str, tuple[Total, ...]] = field(default_factory=dict)
    """The members of each struct of scalars that a sweep sums up."""

    def __post_init__(self) -> None:
        program = self.printer.program
        self._functors = {functor.name: functor for functor in program.functors}
        self._used_names: set[str] = set()

    def functor(self, name: str) -> Functor:
        """The functor of that name."""
        return self._functors[name]

    def functions(self) -> tuple[PrintedFunction, ...]:
        """What was printed."""
        return tuple(text for text in self.printed.values() if text is not None)

    def calls(
        self,
        variant: Variant,
        arguments: Arguments,
        condition: str = "condition",
        apply: str = "apply",
        key_array: str | None = None,
        skip_array: str | None = None,
        blind: bool = False,
        at_once: bool = False,
        alone: bool = False,
        handed: str | None = None,
    ) -> Calls:
        """What a variant calls; `condition` and `apply` are what its functions are named for, where they are new.
        `key_array`: the array whose new value `key` becomes. `skip_array`: the array by which members are skipped,
        whose changes return whether any call has changed the element. `blind`: while members are few, claims are tried
        without a look first. `at_once`: all tests are made in any case. `alone`: a call's claim is that of no other.
        `handed`: the array of whose element the call is given the value."""
        functor = self.functor(variant.functor)
        tests = [self._condition(functor, variant, condition, at_once=at_once)]
        claim = variant.claim
        if claim is not None:
            tests.append(self._claim_alone(variant) if alone else self._claim(variant, blind))
        text = self._apply(functor, variant, apply, BodyForm(key_array, skip_array, handed=handed))
        called = tuple(test.call(arguments) for test in tests if test is not None)
        if text is None and claim is not None:  # the claim is all there is to do, and its result is the answer
            return Calls(called[:-1], called[-1], True)
        return Calls(called, text.call(arguments) if text else "", text is not None and variant.accepts)

    def calls_by_warp(self, variant: Variant, lanes: tuple[LaneLoop, ...], arguments: Arguments) -> Calls:
        """What a whole warp calls, whose lanes share the loops `lanes`."""
        functor = self.functor(variant.functor)
        test = self._condition(functor, variant, "condition")
        text = self._apply(functor, variant, "apply_by_warp", BodyForm(lanes=lanes))
        assert text is not None
        return Calls((test.call(arguments),) if test is not None else (), text.call(arguments), variant.accepts)

    def calls_after_reads(
        self,
        variant: Variant,
        read_ahead: ReadAhead,
        arguments: Arguments,
        each: Arguments,
        skip_array: str | None = None,
        bounds: ReduceOperation | None = None,
    ) -> Calls:
        """What a variant calls where values are read ahead: the reads for `each` of several elements, and the calls
        that follow for one of them. The tests between the reads are not repeated."""
        functor = self.functor(variant.functor)
        each = {**each, Argument.READ_AHEAD: f"{READ_AHEAD}[k]"}
        test = self._condition(functor, variant, "condition", read_ahead)
        part = "apply" if skip_array is None else "apply_late"
        apply = self._apply(functor, variant, part, BodyForm(None, skip_array, read_ahead, bounds=bounds))
        before, after = (
            tuple(self._reads(functor, level, read_ahead, skip_array).call(each) for level in levels)
            for levels in (read_ahead.before, read_ahead.after)
        )
        tested = test is not None and bool(after)
        early_test = test.call(each) if tested and test is not None else ""
        struct = self.printer.struct_of(functor.name, read_ahead)
        called = ReadAheadCalls(struct, read_ahead.elements, before, early_test, after)
        tests = () if tested or test is None else (test.call(arguments),)
        return Calls(tests, apply.call(arguments) if apply else "", apply is not None and variant.accepts, called)

    def _reads(
        self, functor: Functor, level: tuple[EarlyRead, ...], read_ahead: ReadAhead, skip_array: str | None
    ) -> PrintedFunction:
        def make(part: str) -> PrintedFunction:
            return self.printer.reads(functor, level, part, read_ahead, skip_array)

        text = self._printed(functor, "read", (level, self._struct(functor, read_ahead)), "read", make)
        assert text is not None
        return text

    def test(self, variant: Variant, arguments: Arguments, condition: str) -> str:
        """What a variant tests alone."""
        text = self._condition(self.functor(variant.functor), variant, condition)
        return text.call(arguments) if text is not None else "true"

    def value(self, variant: Variant, arguments: Arguments, empty: str, cached: Cached | None = None) -> str:
        """What an edge gives to a reduction: `empty` where its tests do not hold; `cached`: values in
        shared memory."""
        test, value = self.test_and_value(variant, arguments, cached)
        return f"{test} ? {value} : {empty}" if test else value

    def test_and_value(self, variant: Variant, arguments: Arguments, cached: Cached | None = None) -> tuple[str, str]:
        """What is tested of an edge (empty: nothing), and what it gives to a reduction where that holds."""
        functor = self.functor(variant.functor)
        assert isinstance(functor, EdgeFunctor)
        condition = self._condition(functor, variant, "condition")
        text = self._printed(functor, "value", cached, "value", partial(self.printer.value, functor, cached=cached))
        assert text is not None
        return condition.call(arguments) if condition is not None else "", text.call(arguments)

    def selected_values(self, variant: Variant, arguments: Arguments, empty: str) -> SelectedValues:
        """The same of a functor whose value is one of two, apart from what says which."""
        functor = self.functor(variant.functor)
        assert isinstance(functor, EdgeFunctor) and isinstance(functor.value, Select)
        select, condition = functor.value, self._condition(functor, variant, "condition")
        test = condition.call(arguments) if condition is not None else "true"

        def printed(part: str, value: Expression) -> str:
            one = dataclasses.replace(functor, value=value)
            text = self._printed(functor, "value", part, part, partial(self.printer.value, one))
            assert text is not None
            return text.call(arguments)

        which = printed("which", select.condition)
        yes, no = printed("yes", select.yes), printed("no", select.no)
        return SelectedValues(which, f"{test} ? {yes} : {empty}", f"{test} ? {no} : {empty}")

    def ballot(self, variant: Variant, arguments: Arguments) -> Ballot:
        """What an edge gives to a vote."""
        functor = self.functor(variant.functor)
        assert isinstance(functor, EdgeFunctor)
        condition = self._condition(functor, variant, "condition")
        key = self._printed(functor, "key", "", "key", partial(self.printer.value, functor, key=True))
        weight = self._printed(functor, "value", "", "weight", partial(self.printer.value, functor))
        assert key is not None and weight is not None
        test = condition.call(arguments) if condition is not None else ""
        return Ballot(test, key.call(arguments), weight.call(arguments))

    def score(self, name: str, arguments: Arguments) -> str:
        """The score that the vote functor `name` gives."""
        functor = next(each for each in self.printer.program.vote_functors if each.name == name)
        key = (name, "score", "")
        text = self.printed.get(key)
        if text is None:
            text = self.printed[key] = self.printer.score(functor)
        return text.call(arguments)

    def totals_of(self, functor: str, totals: tuple[Total, ...]) -> str:
        """The struct of the scalars that a functor sums up; empty without any."""
        return self.totals_called(self.printer.names.functor(functor, "totals"), totals) if totals else ""

    def totals_called(self, name: str, totals: tuple[Total, ...]) -> str:
        """The struct `name` of scalars that are summed up; empty without any."""
        if not totals:
            return ""
        self.totals.setdefault(name, totals)
        return name

    def _condition(
        self,
        functor: Functor,
        variant: Variant,
        part: str,
        read_ahead: ReadAhead | None = None,
        at_once: bool = False,
    ) -> PrintedFunction | None:
        conjuncts = tuple(functor.condition[i] for i in variant.tests)
        form = (variant.tests, self._struct(functor, read_ahead), at_once)
        make = partial(self.printer.condition, functor, conjuncts, read_ahead=read_ahead, at_once=at_once)
        return self._printed(functor, "condition", form, part, make)

    def claim_alone(self, variant: Variant, arguments: Arguments) -> str:
        """The claim where no other thread is there."""
        return self._claim_alone(variant).call(arguments)

    def _claim_alone(self, variant: Variant) -> PrintedFunction:
        functor, claim = self.functor(variant.functor), variant.claim
        assert isinstance(functor, EdgeFunctor) and claim is not None
        make = partial(self.printer.claim, functor, claim, alone=True)
        text = self._printed(functor, "claim", (claim.conjunct, claim.statement, "alone"), "claim_alone", make)
        assert text is not None
        return text

    def _claim(self, variant: Variant, blind: bool) -> PrintedFunction:
        functor, claim = self.functor(variant.functor), variant.claim
        assert isinstance(functor, EdgeFunctor) and claim is not None
        make = partial(self.printer.claim, functor, claim, blind=blind)
        text = self._printed(functor, "claim", (claim.conjunct, claim.statement), "claim", make)
        assert text is not None
        return text

    def _apply(self, functor: Functor, variant: Variant, part: str, form: BodyForm) -> PrintedFunction | None:
        plain = frozenset(write.name for write in variant.writes if write.mode is Mode.PLAIN)
        totals = frozenset(write.name for write in variant.writes if write.mode is Mode.TOTAL)
        written = (write.name for write in variant.writes if write.mode is Mode.EVERYWHERE)
        everywhere = {name: self.printer.replicas[name] for name in written}
        kept = tuple(write.name for write in variant.writes if write.mode is Mode.OWN)
        without = variant.claim.statement if variant.claim is not None else None
        struct, bounds = self._struct(functor, form.read_ahead), form.bounds_type
        key = (variant.body, variant.writes, form.key_array, form.skip_array, struct, bounds, form.lanes, form.handed)
        make = partial(
            self.printer.apply,
            plain_arrays=plain,
            accumulated=totals,
            without=without,
            form=form,
            everywhere=everywhere,
            kept=kept,
        )
        return self._printed(functor, "apply", key, part, lambda name: make(functor, name))

    def _struct(self, functor: Functor, read_ahead: ReadAhead | None) -> str | None:
        return None if read_ahead is None else self.printer.struct_of(functor.name, read_ahead)

    def _printed(
        self, functor: Functor, kind: str, form: object, part: str, make: Callable[[str], PrintedFunction | None]
    ) -> PrintedFunction | None:
        """The function of this form, printed when it is first used; a name that another form has gets a number."""
        key = (functor.name, kind, form)
        if key not in self.printed:
            number = 1
            name = part
            while self.printer.names.functor(functor.name, name) in self._used_names:
                number += 1
                name = f"{part}_{number}"
            text = self.printed[key] = make(name)
            if text is not None:
                self._used_names.add(text.name)
        return self.printed[key]
