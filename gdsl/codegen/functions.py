"""Functors and functions of a program as C++ and CUDA functions, ready for a template to lay out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gdsl.codegen.checks import CheckTable
from gdsl.codegen.expressions import REDUCTIONS, ExpressionPrinter
from gdsl.codegen.function_text import (
    BOUNDS,
    KEPT,
    READ_AHEAD,
    SEEN,
    Argument,
    BodyForm,
    Cached,
    FunctionParameter,
    PrintedFunction,
    places_ahead,
)
from gdsl.codegen.lane_loops import LanePrinter
from gdsl.codegen.lines import Lines
from gdsl.codegen.literals import type_name
from gdsl.codegen.names import Names, Scope
from gdsl.codegen.precedence import Text, call
from gdsl.codegen.statements import StatementPrinter, accepts_last, always_accepts, polls
from gdsl.codegen.usage import Uses, function_uses, uses_of
from gdsl.ir import nodes as ir
from gdsl.ir.calls import function_order, long_functions
from gdsl.ir.traversal import contains, walk
from gdsl.operations import Domain, Outcome
from gdsl.passes.writers import written_arrays, written_several_ways
from gdsl.plan.hints import EarlyRead, ReadAhead
from gdsl.plan.nodes import Claim
from gdsl.types import Type

_NOTHING_BESIDES = BodyForm()
_NOWHERE: Mapping[str, int] = {}
KEY = "key"
"""What a functor's function calls that value."""
_ROLES = {
    ir.Role.VERTEX: Argument.VERTEX,
    ir.Role.SOURCE: Argument.SOURCE,
    ir.Role.DESTINATION: Argument.DESTINATION,
    ir.Role.EDGE: Argument.EDGE,
    ir.Role.NEAR: Argument.NEAR,
    ir.Role.FAR: Argument.FAR,
    ir.Role.COMMON: Argument.COMMON,
    ir.Role.SOURCE_EDGE: Argument.SOURCE_EDGE,
    ir.Role.DESTINATION_EDGE: Argument.DESTINATION_EDGE,
}


class FunctionPrinter:
    """Prints the functions of one program; `checks` gathers the computed indices of all of them."""

    def __init__(self, program: ir.Program, names: Names, checks: CheckTable, line_directives: bool = True) -> None:
        self.program = program
        self.names = names
        self.checks = checks
        self.line_directives = line_directives
        self.replicas: dict[str, int] = {}  # by array that each of several GPUs has whole: the number of its copy
        self.looks_at_totals = False  # whether these are in memory, where each write is waited for
        self.narrow: Mapping[str, Type] = {}  # by array that is stored in fewer bits than its values have: as what
        self.long_functions = long_functions(program)
        self.uses = function_uses(program)
        self.function_arguments = {
            name: ", ".join(["d"] * uses.data + ["iteration"] * uses.iteration) for name, uses in self.uses.items()
        }
        """What each of the program's functions gets before its arguments."""
        self.structs: dict[tuple[str, ReadAhead], str] = {}
        """By functor and what its calls read ahead: the struct of that."""

    def functions(self) -> tuple[PrintedFunction, ...]:
        """The program's own functions, each after those that it calls."""
        return tuple(self._function(function) for function in function_order(self.program))

    def struct_of(self, functor: str, read_ahead: ReadAhead) -> str:
        """The struct of what is read ahead, wherever that is."""
        key = (functor, replace(read_ahead, over=None))
        if key not in self.structs:
            number = sum(name == functor for name, _ in self.structs) + 1
            part = READ_AHEAD if number == 1 else f"{READ_AHEAD}_{number}"
            self.structs[key] = self.names.functor(functor, part)
        return self.structs[key]

    def condition(
        self,
        functor: ir.Functor,
        conjuncts: tuple[ir.Expression, ...] | None = None,
        part: str = "condition",
        read_ahead: ReadAhead | None = None,
        at_once: bool = False,
    ) -> PrintedFunction | None:
        """`cond`, or only these `conjuncts` of it, as a bool function; None where there is nothing to test.
        `at_once`: all comparisons are evaluated, without branches."""
        tested = functor.condition if conjuncts is None else conjuncts
        if not tested:
            return None
        lines = Lines(depth=1)
        expressions = self.expressions(functor)
        expressions.read_ahead = places_ahead(read_ahead)
        each = (f"({expressions.print(conjunct)})" for conjunct in tested)
        text = " & ".join(each) if at_once else expressions.conjunction(tested)
        lines.add(f"return {text};", tested[0].span)
        return self._after(read_ahead, functor, self._finish(functor, part, "bool", tested, lines))

    def reads(
        self,
        functor: ir.Functor,
        level: tuple[EarlyRead, ...],
        part: str,
        read_ahead: ReadAhead,
        skip_array: str | None = None,
    ) -> PrintedFunction:
        """Reads one level of the values that are read ahead."""
        lines = Lines(depth=1)
        expressions = self.expressions(functor, form=BodyForm(skip_array=skip_array))
        expressions.shared_arrays = written_arrays(functor)
        expressions.read_ahead = places = places_ahead(read_ahead)
        for read in level:
            lines.add(f"{places[read.places[0]]} = {expressions.print_anew(read.value)};", read.value.span)
        used = tuple(read.value for read in level)
        return self._after(read_ahead, functor, self._finish(functor, part, "void", used, lines))

    def apply(
        self,
        functor: ir.Functor,
        part: str = "apply",
        plain_arrays: frozenset[str] = frozenset(),
        accumulated: frozenset[str] = frozenset(),
        without: int | None = None,
        form: BodyForm = _NOTHING_BESIDES,
        everywhere: Mapping[str, int] = _NOWHERE,
        kept: Sequence[str] = (),
    ) -> PrintedFunction | None:
        """The body, whose result is whether the call is accepted (`void` where it says nothing about that).

        `plain_arrays` are written without atomics, `accumulated` scalars into `totals`, arrays `everywhere` in the
        copies of that number on all GPUs, and the statement at `without` is left out. Of the arrays `kept` a local has
        the call's own element. None if nothing is left to do.
        """
        body = tuple(statement for i, statement in enumerate(functor.body) if i != without)
        if not body:
            return None
        says = contains(body, ir.Accept)
        returns = says and accepts_last(body)
        lines = Lines(depth=1)
        self._preamble(lines, body)
        if says and not returns:
            lines.add("bool accepted = true;")
        expressions = self.expressions(functor, plain_arrays, form)
        expressions.shared_arrays = written_arrays(functor) - plain_arrays
        expressions.everywhere = everywhere
        expressions.kept = {name: self._keep(lines, functor, name) for name in kept}
        handed = self.names.derived(Scope.LOCAL, f"own_{form.handed}", "own") if form.handed is not None else ""
        expressions.kept |= {form.handed: handed} if form.handed is not None else {}
        expressions.read_ahead = places_ahead(form.read_ahead)
        if isinstance(expressions, SkipPrinter) and form.read_ahead is not None:
            expressions.seen, expressions.bounds = f"{READ_AHEAD}.{SEEN}", BOUNDS if form.bounds_type else ""
        statements = StatementPrinter(
            expressions,
            lines,
            accumulated,
            "return false;" if says else "return;",
            returns,
            written_several_ways(functor),
            self.looks_at_totals,
        )
        if form.lanes and isinstance(functor, ir.VertexFunctor):
            statements = LanePrinter(statements, functor, form.lanes)
        statements.block(body)
        if says and not (returns and always_accepts(body)):
            lines.add("return true;" if returns else "return accepted;")
        text = self._finish(functor, part, "bool" if says else "void", body, lines, bool(accumulated))
        text = self._after(form.read_ahead, functor, text)
        if form.skip_array is not None and form.bounds_type:
            text = text.with_parameters(FunctionParameter(Argument.BOUNDS, f"const {form.bounds_type}&", BOUNDS))
        if form.handed is not None:
            kind = self.program.array(form.handed).type
            text = text.with_parameters(FunctionParameter(Argument.HANDED, type_name(kind), handed))
        if form.key_array is not None:
            kind = self.program.array(form.key_array).type
            text = text.with_parameters(FunctionParameter(Argument.KEY, f"{type_name(kind)}&", KEY))
        return text

    def value(
        self,
        functor: ir.EdgeFunctor,
        part: str = "value",
        key: bool = False,
        cached: Cached | None = None,
    ) -> PrintedFunction:
        """What the functor gives to `neighbor_reduce`, or the weight or the `key` that it gives to `neighbor_vote`."""
        value = functor.key if key else functor.value
        assert value is not None
        lines, expressions = Lines(depth=1), self.expressions(functor)
        expressions.gathers = True
        if cached is not None:
            expressions.read_ahead = {each: f"{KEPT}[{expressions.print(each.index)}]" for each in cached.places}
        lines.add(f"return {expressions.print(value)};", value.span)
        text = self._finish(functor, part, type_name(value.type), value, lines)
        if cached is None:
            return text
        keeps = FunctionParameter(Argument.KEPT, f"const first_values<{type_name(cached.type)}>&", KEPT)
        return text.with_parameters(keeps)

    def score(self, functor: ir.VoteFunctor) -> PrintedFunction:
        """What a vote functor makes of a key and its total at a vertex."""
        value = functor.value
        lines = Lines(depth=1)
        lines.add(f"return {self.expressions(functor).print(value)};", value.span)
        text = self._finish(functor, "score", type_name(value.type), value, lines)
        own = ((Argument.KEY, functor.key_type, functor.key), (Argument.TOTAL, functor.total_type, functor.total))
        votes = (FunctionParameter(each, type_name(kind), self.names.local(name)) for each, kind, name in own)
        place = sum(text.takes(argument) for argument in (Argument.DATA, Argument.VERTEX))
        return replace(text, parameters=(*text.parameters[:place], *votes, *text.parameters[place:]))

    def claim(
        self, functor: ir.EdgeFunctor, claim: Claim, part: str = "claim", blind: bool = False, alone: bool = False
    ) -> PrintedFunction:
        """The store that closes the functor as a compare-and-swap: true for the single call that takes the far end.
        `alone`: no other thread runs."""
        store = functor.body[claim.statement]
        assert isinstance(store, ir.Store) and isinstance(store.target, ir.ElementTarget)
        expressions = self.expressions(functor)
        values = (expressions.print(claim.expected), expressions.print(store.value))
        lines = Lines(depth=1)
        function, few = ("claim", ["few"]) if blind else ("claim_alone" if alone else "compare_and_swap", [])
        arguments = ", ".join((expressions.address(store.target), *values, *few))
        lines.add(f"return {function}({arguments});", store.span)
        text = self._finish(functor, part, "bool", (store, claim.expected), lines)
        return text.with_parameters(FunctionParameter(Argument.FEW, "bool", "few")) if few else text

    def expressions(
        self,
        functor: ir.Functor | ir.VoteFunctor | None = None,
        plain_arrays: frozenset[str] = frozenset(),
        form: BodyForm = _NOTHING_BESIDES,
    ) -> ExpressionPrinter:
        """A printer of expressions that knows what the program's functions take."""
        own = _parameter_names(functor) if functor is not None else {}
        parameters = {role: self.names.local(name) for role, name in own.items()}
        printer: ExpressionPrinter
        if form.skip_array is not None:
            printer = SkipPrinter(self.names, self.checks, parameters, plain_arrays)
            printer.skip_array = form.skip_array
            edges = (each for each in self.program.arrays if each.domain is Domain.EDGE and each.count is None)
            printer.once = frozenset(
                each.name for each in edges if each.type.bits in (32, 64) and each.name not in self.narrow
            )
        elif form.key_array is not None:
            printer = KeyPrinter(self.names, self.checks, parameters, plain_arrays)
            printer.key_array = form.key_array
        else:
            printer = ExpressionPrinter(self.names, self.checks, parameters, plain_arrays)
        printer.function_arguments = self.function_arguments
        printer.narrow = self.narrow
        return printer

    def _function(self, function: ir.Function) -> PrintedFunction:
        lines = Lines(depth=1)
        self._preamble(lines, function.body)
        result = type_name(function.result)
        stopped = f"return {result}();"
        if function.name in self.long_functions:
            lines.add(f"if (stop_requested_in_recursion(d)) {{ {stopped} }}")
        StatementPrinter(self.expressions(), lines, stopped=stopped).block(function.body)
        own = [
            FunctionParameter(Argument.OWN, type_name(kind), self.names.local(name))
            for name, kind in function.parameters
        ]
        first = self._shared_parameters(self.uses[function.name])
        parameters = (*first, *own)
        return PrintedFunction(self.names.function(function.name), result, parameters, self._body(lines))

    def _preamble(self, lines: Lines, body: tuple[ir.Statement, ...]) -> None:
        if polls(body):
            lines.add("uint32 polls = 0;")

    def _keep(self, lines: Lines, functor: ir.Functor, array: str) -> str:
        """Read the call's own element of `array` into a local, whose name this is."""
        assert isinstance(functor, ir.VertexFunctor)
        name = self.names.derived(Scope.LOCAL, f"own_{array}", "own")
        kind = type_name(self.program.array(array).type)
        element = f"d.{self.names.member(array)}[{self.names.local(functor.vertex)}]"
        stored = any(isinstance(each, ir.Store) and each.target.data == array for each in walk(functor.body))
        lines.add(f"{kind} {name} = {element if stored else f'load_now(&{element})'};")
        return name

    def _finish(
        self,
        functor: ir.Functor | ir.VoteFunctor,
        part: str,
        result: str,
        used: ir.Node | tuple[ir.Node, ...],
        lines: Lines,
        has_totals: bool = False,
    ) -> PrintedFunction:
        uses = uses_of(used, self.uses)
        parameters = list(self._shared_parameters(uses))
        own = [
            FunctionParameter(_ROLES[role], "edge" if role.is_edge else "vertex", self.names.local(name))
            for role, name in _parameter_names(functor).items()
            if role in uses.roles
        ]
        place = 1 if uses.data else 0
        parameters[place:place] = own
        if has_totals:
            totals = self.names.functor(functor.name, "totals")
            parameters.append(FunctionParameter(Argument.TOTALS, f"{totals}&", "totals"))
        return PrintedFunction(self.names.functor(functor.name, part), result, tuple(parameters), self._body(lines))

    def _after(self, read_ahead: ReadAhead | None, functor: ir.Functor, text: PrintedFunction) -> PrintedFunction:
        """`text` with the values that were read ahead as one more parameter."""
        if read_ahead is None:
            return text
        struct = self.struct_of(functor.name, read_ahead)
        return text.with_parameters(FunctionParameter(Argument.READ_AHEAD, f"{struct}&", READ_AHEAD))

    def _shared_parameters(self, uses: Uses) -> tuple[FunctionParameter, ...]:
        data = FunctionParameter(Argument.DATA, "const data_slice&", "d")
        iteration = FunctionParameter(Argument.ITERATION, "int32", "iteration")
        return (data,) * uses.data + (iteration,) * uses.iteration

    def _body(self, lines: Lines) -> tuple[str, ...]:
        return lines.directed(self.program.source_name) if self.line_directives else lines.plain()


def _parameter_names(functor: ir.Functor | ir.VoteFunctor) -> dict[ir.Role, str]:
    """The functor's own parameters, in the order in which generated functions take them."""
    if isinstance(functor, ir.VertexFunctor | ir.VoteFunctor):
        return {ir.Role.VERTEX: functor.vertex}
    if functor.common is not None:
        return {
            ir.Role.SOURCE: functor.source,
            ir.Role.DESTINATION: functor.destination,
            ir.Role.COMMON: functor.common.vertex,
            ir.Role.EDGE: functor.edge,
            ir.Role.SOURCE_EDGE: functor.common.source_edge,
            ir.Role.DESTINATION_EDGE: functor.common.destination_edge,
        }
    return {
        ir.Role.SOURCE: functor.source,
        ir.Role.DESTINATION: functor.destination,
        ir.Role.EDGE: functor.edge,
        ir.Role.NEAR: "near",
        ir.Role.FAR: "far",
    }


class KeyPrinter(ExpressionPrinter):
    """Prints changes of the array `key_array`, which store the new value in ``key``: ``changed_min(&x, key = y)``."""

    key_array = ""

    def update(self, node: ir.Update, outcome: Outcome) -> Text:
        """`changed(x op= y)` of that array."""
        target = node.target
        if not isinstance(target, ir.ElementTarget) or target.array != self.key_array:
            return super().update(node, outcome)
        assert outcome is Outcome.CHANGED
        plain = "plain_" if self.is_plain(target) else ""
        value = f"{KEY} = {self.print(node.value)}"
        return call(f"{plain}changed_{REDUCTIONS[node.operation]}", self.address(target), value)


class SkipPrinter(ExpressionPrinter):
    """Prints changes of the array `skip_array`, by which members are skipped, so that they return whether this or
    another call has changed the element since the last barrier: ``late_changed_min(&x, y)``, with the value that was
    `seen` before as a third argument, if there is one. Where that may be one of the `bounds`:
    ``bounded_changed_min(bounds, v, &x, y, seen)``. Values of edges are read ``once``, as their lists are: the
    multiprocessor's cache is for the values that are compared."""

    skip_array = ""
    seen = ""
    bounds = ""
    once: frozenset[str] = frozenset()

    def read(self, node: ir.Element) -> Text:
        """`array[index]`, which others may write now or not."""
        if node.array not in self.once or node.now or node.array in self.shared_arrays:
            return super().read(node)
        return call("load_once", f"&{self.element(node.array, node.index, node.checked, node.domain)}")

    def update(self, node: ir.Update, outcome: Outcome) -> Text:
        """`changed(x op= y)` of that array, whose elements others change too."""
        target = node.target
        if not isinstance(target, ir.ElementTarget) or target.array != self.skip_array:
            return super().update(node, outcome)
        assert outcome is Outcome.CHANGED and not self.is_plain(target)
        arguments = (self.address(target), self.print(node.value), *([self.seen] if self.seen else []))
        operation = REDUCTIONS[node.operation]
        if self.bounds:
            return call(f"bounded_changed_{operation}", self.bounds, self.print(target.index), *arguments)
        return call(f"late_changed_{operation}", *arguments)
