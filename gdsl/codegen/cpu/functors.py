"""The functions of a program's functors, each printed when an operator first calls it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from gdsl.codegen.cpu.plan import Total, Totals
from gdsl.codegen.cpu.reductions import identity
from gdsl.codegen.expressions import REDUCTIONS
from gdsl.codegen.functions import Argument, FunctionPrinter, FunctionText, Functor
from gdsl.ir.nodes import Advance, EdgeFunctor, Expression, ScalarTarget, Update, VertexFunctor
from gdsl.ir.traversal import walk
from gdsl.operations import ReduceOperation
from gdsl.passes.writers import accumulated_scalars, far_roles

Arguments = dict[Argument, str]


@dataclass(frozen=True, slots=True)
class Steps:
    """What a visit does: all of `tests` in order, then `apply` (empty: nothing), whose result may decide."""

    tests: tuple[str, ...]
    apply: str
    decides: bool


@dataclass
class FunctorTexts:
    """Prints functors on demand and remembers what was printed, in order."""

    printer: FunctionPrinter
    made: list[tuple[str, FunctionText]] = field(default_factory=list)
    """(functor and part, function)"""
    totals: dict[str, Totals] = field(default_factory=dict)

    def __post_init__(self) -> None:
        program = self.printer.program
        self._forms: dict[tuple[object, ...], FunctionText | None] = {}
        self._same: dict[tuple[str, FunctionText], FunctionText] = {}
        self._taken: set[str] = set()
        self._accumulated: dict[str, frozenset[str]] = {}
        self.vertex_functors = {functor.name: functor for functor in program.vertex_functors}
        self.edge_functors = {functor.name: functor for functor in program.edge_functors}

    def totals_of(self, functor: Functor) -> str:
        """The struct of the scalars that `functor` sums up; empty without any."""
        accumulated = self._accumulated_in(functor)
        if not accumulated:
            return ""
        if functor.name not in self.totals:
            updates: dict[str, Update] = {}
            for node in walk(functor.body):
                if isinstance(node, Update) and isinstance(node.target, ScalarTarget):
                    updates.setdefault(node.target.scalar, node)
            members = tuple(self._total(update) for name, update in updates.items() if name in accumulated)
            self.totals[functor.name] = Totals(self.printer.names.functor(functor.name, "totals"), members)
        return self.totals[functor.name].type

    def visit(self, functor: Functor, arguments: Arguments, plain: frozenset[str] = frozenset()) -> Steps:
        """`cond`, then `apply`."""
        return self._steps(functor, arguments, functor.condition, "condition", "apply", plain)

    def claimed(self, functor: EdgeFunctor, op: Advance, arguments: Arguments) -> Steps:
        """`cond`, the compare-and-swap that takes the far end, then the rest of `apply`."""
        closing = op.closing
        assert closing is not None
        claim = self._made(
            functor,
            "claim",
            (op.over, closing.statement, closing.conjunct),
            lambda part: self.printer.claim(functor, closing, far_roles(op.over), part),
        )
        assert claim is not None
        without = closing.statement
        steps = self._steps(functor, arguments, functor.condition, "condition", "apply_claimed", without=without)
        return replace(steps, tests=(*steps.tests, claim.call(arguments)))

    def pulled(self, functor: EdgeFunctor, op: Advance, arguments: Arguments, plain: frozenset[str]) -> Steps:
        """What `cond` says beside `select`, then `apply`."""
        rest = tuple(conjunct for i, conjunct in enumerate(functor.condition) if i not in op.select)
        return self._steps(functor, arguments, rest, "meets", "apply_alone" if plain else "apply", plain)

    def selected(self, functor: EdgeFunctor, op: Advance, arguments: Arguments) -> str:
        """What `cond` says of the far end alone."""
        chosen = tuple(functor.condition[i] for i in op.select)
        condition = self._condition(functor, "selects", chosen)
        return condition.call(arguments) if condition is not None else "true"

    def value(self, functor: EdgeFunctor, arguments: Arguments, empty: str) -> str:
        """What an edge gives to a reduction: `empty` where `cond` does not hold."""
        text = self._made(functor, "value", (), lambda part: self.printer.value(functor, part))
        condition = self._condition(functor, "condition", functor.condition)
        assert text is not None
        value = text.call(arguments)
        return value if condition is None else f"{condition.call(arguments)} ? {value} : {empty}"

    def _steps(
        self,
        functor: Functor,
        arguments: Arguments,
        conjuncts: tuple[Expression, ...],
        condition_part: str,
        apply_part: str,
        plain: frozenset[str] = frozenset(),
        without: int | None = None,
    ) -> Steps:
        condition = self._condition(functor, condition_part, conjuncts)

        def make(part: str) -> FunctionText | None:
            return self.printer.apply(functor, part, plain, self._accumulated_in(functor), without)

        apply = self._made(functor, apply_part, (plain, without), make)
        tests = (condition.call(arguments),) if condition is not None else ()
        if apply is None:
            return Steps(tests, "", False)
        return Steps(tests, apply.call(arguments), apply.result == "bool")

    def _condition(self, functor: Functor, part: str, conjuncts: tuple[Expression, ...]) -> FunctionText | None:
        form = tuple(id(conjunct) for conjunct in conjuncts)  # the program holds them
        return self._made(functor, part, form, lambda name: self.printer.condition(functor, conjuncts, name))

    def _accumulated_in(self, functor: Functor) -> frozenset[str]:
        if functor.name not in self._accumulated:
            self._accumulated[functor.name] = accumulated_scalars(functor)
        return self._accumulated[functor.name]

    def _made(
        self, functor: Functor, part: str, form: tuple[object, ...], make: Callable[[str], FunctionText | None]
    ) -> FunctionText | None:
        """The `part` of a functor in one form, printed once."""
        key = (functor.name, part, *form)
        if key not in self._forms:
            self._forms[key] = self._make(functor, part, make)
        return self._forms[key]

    def _make(self, functor: Functor, part: str, make: Callable[[str], FunctionText | None]) -> FunctionText | None:
        """A function of `functor`, or the one of the same text that was made before."""
        key = "condition" if part in ("condition", "meets", "selects") else part.split("_")[0]
        function = make(part)
        if function is None:
            return None
        owner = f"{functor.name} {key}"
        same = (owner, replace(function, name=""))
        if same in self._same:
            return self._same[same]
        number = 2
        while function is not None and function.name in self._taken:
            function = make(f"{part}_{number}")
            number += 1
        assert function is not None
        self.made.append((owner, function))
        self._taken.add(function.name)
        self._same[same] = function
        return function

    def _total(self, update: Update) -> Total:
        assert isinstance(update.target, ScalarTarget)
        target, operation = update.target, update.operation
        if operation is ReduceOperation.SUBTRACT:  # each thread sums up below zero
            operation = ReduceOperation.ADD
        name = self.printer.names.member(target.scalar)
        return Total(target.type.value, name, identity(operation, target.type), f"reduce_{REDUCTIONS[operation]}")


def own_arguments(printer: FunctionPrinter, functor: VertexFunctor) -> Arguments:
    """The argument of a vertex functor: the lambda's parameter has the functor's own name for it."""
    return {Argument.VERTEX: printer.names.local(functor.vertex)}
