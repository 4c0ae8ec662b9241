"""Procedures: statements of the schedule under a name, which are expanded where they are called.

A procedure is checked twice: once on its own, with parameters of which only the kind is known, and again at each
call, where they are bound to its arguments. The first check reports what is wrong in every call, the second what is
wrong because of it. Names are hygienic by scope: the body sees its own names, its parameters and the whole program,
never the names around the call.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from gdsl.diagnostics import Diagnostic, Label
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment, Generated, Place, graph_of, names_without, refuse_fixed_size
from gdsl.frontend.check.operators import OperatorChecker
from gdsl.frontend.check.recursion import names_on_cycles, refuse_recursion
from gdsl.frontend.check.statements import resolve_type
from gdsl.frontend.syntax import Symbol, SymbolKind, with_spans
from gdsl.interpreter import DEEPEST_NESTING
from gdsl.operations import Domain
from gdsl.source import Origin, Span
from gdsl.types import Type

MOST_EXPANSIONS = 1_000
"""Calls of procedures that are expanded; procedures that call others twice grow beyond any program that way."""
LARGEST_EXPANSION = 30_000
"""Nodes of the syntax tree, some 5,000 statements, that all expanded calls have: a procedure may be long."""
DEEPEST_CALLS = 50
"""Levels of procedures that call each other."""
Block = Callable[
    [Environment, "Procedures", OperatorChecker | None, Iterable[syntax.Statement]], tuple[syntax.Statement, ...]
]
"""Checks a block of the schedule in an environment; the labels that an operator checker has met are taken."""


@dataclass(slots=True)
class Procedures:
    """The procedures of a program. `root` sees its declarations."""

    root: Environment
    block: Block
    known: dict[str, syntax.Procedure] = field(default_factory=dict)
    recursive: set[str] = field(default_factory=set)
    """Those that lead to themselves, which are not expanded."""
    faulty: set[str] = field(default_factory=set)
    """Those with a reported mistake, which calls do not report again."""
    expansions: int = 0
    expanded: int = 0
    """The nodes of the bodies of all calls so far."""
    checking: bool = False
    """Whether a procedure is checked on its own: calls within it are not expanded."""
    _sizes: dict[str, int] = field(default_factory=dict)
    """By procedure the nodes of its syntax tree."""
    _limit_reported: bool = False
    _reported: set[tuple[str, str, Span | None]] = field(default_factory=set)

    def declare(self, procedures: tuple[syntax.Procedure, ...]) -> None:
        """Make the procedures known."""
        for node in procedures:
            self.root.declare_global(Symbol(SymbolKind.PROCEDURE, node.name, node.name_span))
            self.known.setdefault(node.name, node)
        calls = {
            node.name: [
                (part.function, part.span)
                for part in syntax.walk(node)
                if isinstance(part, syntax.Call) and part.function in self.known
            ]
            for node in procedures
        }
        self._sizes = {node.name: sum(1 for _ in syntax.walk(node)) for node in procedures}
        self.recursive = names_on_cycles(calls)
        refuse_recursion("procedure", {node.name: node.name_span for node in procedures}, calls, self.root, once=True)

    def check_all(self) -> None:
        """Check every procedure on its own."""
        self.checking = True
        for node in self.known.values():
            before = len(self.root.diagnostics)
            parameters = self.root.part(Place.SCHEDULE).seeing({})
            names = {each.name: parameters.declare(self._unknown(each)) for each in node.parameters}
            inner = self._inside(node, names)
            inner.generated = Generated(taken=set(self.root.generated.taken), labels=self.root.generated.labels)
            self.block(inner, self, None, node.body)
            if len(self.root.diagnostics) > before:
                self.faulty.add(node.name)
        self.checking = False

    def _unknown(self, parameter: syntax.ProcedureParameter) -> Symbol:
        """A parameter that is bound to nothing yet."""
        name, span = parameter.name, parameter.span
        if parameter.declared is None:
            return Symbol(SymbolKind.FRONTIER, name, span, None, parameter.domain, False, True, name)
        type_ = resolve_type(parameter.declared, self.root)
        if type_ is None:
            return Symbol(SymbolKind.MISTAKEN, name, span)
        kind = SymbolKind.SCALAR if parameter.domain is None else SymbolKind.ARRAY
        return Symbol(kind, name, span, type_, parameter.domain, False, parameter.domain is not None, name)

    def _inside(self, node: syntax.Procedure, names: dict[str, Symbol]) -> Environment:
        """What the statements of a procedure see, with `names` for its parameters."""
        declaring = (
            syntax.FrontierDeclaration,
            syntax.HistoryDeclaration,
            syntax.BucketsDeclaration,
            syntax.GraphDeclaration,
            syntax.LoopName,
        )
        declared = {part.name for part in syntax.walk(node) if isinstance(part, declaring)}
        inner = self.root.part(Place.SCHEDULE).seeing({**names_without(self.root.globals, declared), **names})
        inner.in_procedure = True
        return inner

    # ------------------------------------------------------------ calls

    def called(self, statement: syntax.Statement, environment: Environment) -> syntax.Call | None:
        """The call of a procedure that `statement` is; None for any other statement."""
        call = statement.value if isinstance(statement, syntax.ExpressionStatement) else None
        if not isinstance(call, syntax.Call):
            return None
        symbol = environment.find(call.function)
        return call if symbol is not None and symbol.kind is SymbolKind.PROCEDURE else None

    def expand(
        self, call: syntax.Call, environment: Environment, operators: OperatorChecker
    ) -> tuple[syntax.Statement, ...]:
        """The typed statements that `call` expands to; none after a mistake."""
        node = self.known[call.function]
        before = len(environment.diagnostics)
        bound = _Binding(self, node, call, environment, operators)
        bound.all()
        if len(environment.diagnostics) > before or self.checking or node.name in self.recursive:
            return ()
        if not self._may_grow(call, node, environment):
            return ()
        body = with_spans(node, lambda span: dataclasses.replace(span, origin=Origin(span.file, call.span)))
        inner = self._inside(node, bound.names)
        inner.taken, inner.loops = environment.taken, environment.loops
        inner.around = list(environment.around)
        inner.blocks_around = environment.blocks_around + len(environment.scopes)
        inner.diagnostics, inner.declared = [], []
        statements = self.block(inner, self, operators, body.body)
        if node.name not in self.faulty:
            nested = environment.in_procedure
            environment.diagnostics += [each for each in inner.diagnostics if nested or self._first(each)]
        return (*bound.before, *statements)

    def _may_grow(self, call: syntax.Call, node: syntax.Procedure, environment: Environment) -> bool:
        """Whether one more call is expanded; the first that is not is reported."""
        self.expansions += 1
        self.expanded += self._sizes[node.name]
        message = None
        if len(call.span.calls) >= DEEPEST_CALLS:
            message = f"procedures call each other more than {DEEPEST_CALLS} levels deep here"
        elif environment.blocks_around + len(environment.scopes) > DEEPEST_NESTING:
            message = f"the blocks of these procedures are more than {DEEPEST_NESTING} levels inside each other here"
        elif self.expansions > MOST_EXPANSIONS:
            message = f"the schedule has more than {MOST_EXPANSIONS:,} calls of procedures, nested ones included"
        elif self.expanded > LARGEST_EXPANSION:
            message = f"the calls of procedures become more than {LARGEST_EXPANSION:,} names, numbers and operations"
        if message is not None and not self._limit_reported:
            environment.report("E0242", message, call.span, fix="call them in a loop")
            self._limit_reported = True
        return message is None

    def _first(self, diagnostic: Diagnostic) -> bool:
        """Whether a mistake is new: a mistake of the procedure would be reported at every call."""
        place = diagnostic.span.written if diagnostic.span is not None else None
        said = (diagnostic.code, diagnostic.message, place)
        new = said not in self._reported
        self._reported.add(said)
        return new


class _Binding:
    """What the parameters of a procedure are at one call. `before` are the statements that make it so."""

    def __init__(
        self,
        procedures: Procedures,
        node: syntax.Procedure,
        call: syntax.Call,
        environment: Environment,
        operators: OperatorChecker,
    ) -> None:
        self.node = node
        self.call = call
        self.environment = environment
        self.operators = operators
        self.generated = procedures.root.generated
        self.checking = procedures.checking
        self.names: dict[str, Symbol] = {}
        self.before: list[syntax.Statement] = []

    def all(self) -> None:
        """Bind every parameter, or report what the call has wrong."""
        node, call = self.node, self.call
        form = f"{node.name}({', '.join(parameter.name for parameter in node.parameters)});"
        if call.label is not None:
            message = f"a call of a procedure has no label, as `@{call.label}`"
            self.environment.report("E0240", message, call.span, fix="label the operators in the procedure")
        keyword = next((argument for argument in call.arguments if argument.keyword is not None), None)
        if keyword is not None:
            message = f"`{node.name}` takes its arguments by their place, not as `{keyword.keyword}=`"
            self.environment.report("E0240", message, keyword.span, fix=f"write `{form}`")
        elif len(call.arguments) != len(node.parameters):
            count = len(node.parameters)
            wanted = f"{count} argument{'' if count == 1 else 's'}"
            message = f"`{node.name}` takes {wanted}, not {len(call.arguments)}"
            labels = (Label(node.name_span, "declared here"),)
            self.environment.report("E0240", message, call.span, labels=labels, fix=f"write `{form}`")
        else:
            for parameter, argument in zip(node.parameters, call.arguments, strict=True):
                self._bind(parameter, argument.value)

    def _bind(self, parameter: syntax.ProcedureParameter, argument: syntax.Expression) -> None:
        if parameter.declared is None:
            self._frontier(parameter, argument)
            return
        type_ = resolve_type(parameter.declared, Environment(types=self.environment.types))
        if type_ is None:
            return
        if parameter.domain is None:
            self._value(parameter, argument, type_)
        else:
            self._array(parameter, argument, type_)

    def _value(self, parameter: syntax.ProcedureParameter, argument: syntax.Expression, type_: Type) -> None:
        """Evaluated once: a param is passed as it is, every other value is stored in a scalar."""
        value = self.operators.expressions.value(argument, type_, f"`{parameter.name}`")
        if value.type is None or self.checking:
            return
        if isinstance(value, syntax.Name) and value.symbol is not None and value.symbol.kind is SymbolKind.PARAM:
            self.names[parameter.name] = value.symbol
            return
        name = self.generated.name(f"{self.node.name}_{parameter.name}", numbered=False)
        symbol = Symbol(SymbolKind.SCALAR, name, parameter.span, type_, unique=name)
        self.generated.scalars.append(symbol)
        target = syntax.Name(argument.span, name, symbol=symbol, type=type_)
        self.before.append(syntax.Assign(argument.span, target, value))
        self.names[parameter.name] = symbol

    def _array(self, parameter: syntax.ProcedureParameter, argument: syntax.Expression, type_: Type) -> None:
        assert parameter.domain is not None
        article = "an" if parameter.domain is Domain.EDGE else "a"
        wanted = f"the name of {article} {parameter.domain.value} array of {type_.name}"
        symbol = None
        if isinstance(argument, syntax.Name):
            symbol = self.operators.expressions.resolve(argument.name, argument.span)
            if symbol is None:
                return
        if symbol is None or (symbol.kind, symbol.domain, symbol.type) != (SymbolKind.ARRAY, parameter.domain, type_):
            message = f"`{parameter.name}` of `{self.node.name}` takes {wanted}"
            labels = (Label(symbol.span, "declared here"),) if symbol is not None else ()
            self.environment.report("E0240", message, argument.span, labels=labels)
            return
        if not refuse_fixed_size(symbol, f"`{self.node.name}`", self.environment, argument.span):
            self.names[parameter.name] = symbol

    def _frontier(self, parameter: syntax.ProcedureParameter, argument: syntax.Expression) -> None:
        """A frontier of the caller is passed as it is, so that the procedure may change it; other sets are copied."""
        domain = parameter.domain or Domain.VERTEX
        value = self.operators.members(argument, domain, f"`{parameter.name}` of `{self.node.name}`")
        if value is None or self.checking:
            return
        symbol = value.symbol if isinstance(value, syntax.Name) else None
        if symbol is None or symbol.kind is not SymbolKind.FRONTIER or not symbol.mutable:
            unique = self.environment.unique(parameter.name)
            graph = graph_of(self.environment, domain)
            symbol = Symbol(
                SymbolKind.FRONTIER, parameter.name, parameter.span, None, domain, False, True, unique, graph
            )
            self.before.append(syntax.FrontierDeclaration(argument.span, unique, parameter.span, value, symbol, domain))
        self.names[parameter.name] = symbol
