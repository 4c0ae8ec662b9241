"""Graphs that the schedule builds, and which sets belong to which of them.

A set of vertices belongs to a *family* of graphs, which have the same vertices: a graph and its subgraphs. A set of
edges belongs to one block: the schedule, or the `on h { … }` in which it was declared. What a variable holds may change
where one of its values is a contraction; each `on` of such a variable is a separate family.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment, refuse_fixed_size
from gdsl.frontend.check.operands import Block, OperandChecker
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.operations import JOINING_FLOATS, JOINING_INTEGERS, Domain, NeighborOperation
from gdsl.source import NOWHERE
from gdsl.types import Type

GRAPH_CALLS = ("subgraph", "contract")
_FORMS = "`subgraph(e)` of an edge frontier, or `contract(label, weight)`"
_CONTRACTED = "contracted "
"""What the family of a variable begins with that may hold a contraction; no name has a space."""
_UNNAMED = Symbol(SymbolKind.GRAPH, "", NOWHERE)


def is_graph_call(value: syntax.Expression | None) -> bool:
    """Whether `value` builds a graph, by its name."""
    return isinstance(value, syntax.Call) and value.function in GRAPH_CALLS


class GraphChecker:
    """Declarations and assignments of graphs, and `on`; None in an answer means that a mistake was reported."""

    def __init__(self, environment: Environment, operators: OperandChecker) -> None:
        self.environment = environment
        self.operators = operators
        self.contracted: frozenset[str] = frozenset()
        self._blocks = 0

    def note(self, statements: Iterable[syntax.Statement]) -> None:
        """Look through a schedule for the names that may hold a contraction: an `on` may come before it."""
        names: set[str] = set()
        for node in (each for statement in statements for each in syntax.walk(statement)):
            value = node.value if isinstance(node, syntax.GraphDeclaration | syntax.Assign) else None
            if not isinstance(value, syntax.Call) or value.function != "contract":
                continue
            if isinstance(node, syntax.GraphDeclaration):
                names.add(node.name)
            elif isinstance(node, syntax.Assign) and isinstance(node.target, syntax.Name):
                names.add(node.target.name)
        self.contracted = frozenset(names)

    def declaration(self, statement: syntax.GraphDeclaration) -> syntax.Statement | None:
        """`graph h;`, `graph h = …;`."""
        name, (_, family) = statement.name, self.environment.around[-1]
        graph = f"{_CONTRACTED}{name}" if name in self.contracted else family
        value = statement.value
        typed = self._value(value, name) if value is not None else None
        symbol = Symbol(SymbolKind.GRAPH, name, statement.name_span, mutable=True, graph=graph)
        symbol = self.environment.declare(symbol)
        if value is None:
            return syntax.SameGraph(statement.span, symbol)
        return dataclasses.replace(typed, span=statement.span, symbol=symbol) if typed is not None else None

    def assign(self, statement: syntax.Assign, symbol: Symbol) -> syntax.Statement | None:
        """An assignment to a graph, `h = …;`; None after a mistake."""
        typed = self._value(statement.value, symbol.name)
        _, family = self.environment.around[-1]
        if typed is None:
            return None
        if symbol.graph != family and not symbol.graph.startswith(_CONTRACTED):
            message = f"`{symbol.name}` holds graphs with the vertices of another graph than this one"
            labels = (Label(symbol.span, "declared here"),)
            fix = "declare a graph inside this `on { … }`"
            self.environment.report("E0421", message, statement.span, labels=labels, fix=fix)
            return None
        return dataclasses.replace(typed, span=statement.span, symbol=symbol)

    def on(self, statement: syntax.On, block: Block) -> syntax.Statement | None:
        """`on h { … }`."""
        environment = self.environment
        symbol = environment.find(statement.name)
        if symbol is None:
            fix = f"declare it: `graph {statement.name} = …;`"
            environment.report("E0201", f"there is no graph `{statement.name}`", statement.name_span, fix=fix)
        elif symbol.kind not in (SymbolKind.GRAPH, SymbolKind.MISTAKEN):
            labels = (Label(symbol.span, "declared here"),) if symbol.span != NOWHERE else ()
            message = f"`on` takes a graph, and `{symbol.name}` is {symbol.kind.with_article}"
            environment.report("E0402", message, statement.name_span, labels=labels)
            symbol = None
        self._blocks += 1
        family = symbol.graph if symbol is not None else ""
        if family.startswith(_CONTRACTED):
            family = f"on {self._blocks}"
        environment.around.append((f"block {self._blocks}", family))
        with environment.block():
            body = block(statement.body)
        environment.around.pop()
        if symbol is None or symbol.kind is SymbolKind.MISTAKEN:
            return None
        return dataclasses.replace(statement, body=body, symbol=symbol)

    # ------------------------------------------------------------ values

    def _value(self, value: syntax.Expression, name: str) -> syntax.Subgraph | syntax.Contract | None:
        if not isinstance(value, syntax.Call) or value.function not in GRAPH_CALLS:
            message = f"`{name}` is a graph, and this is not one"
            self.environment.report("E0402", message, value.span, fix=f"a graph is {_FORMS}")
            return None
        return self._subgraph(value) if value.function == "subgraph" else self._contract(value)

    def _subgraph(self, call: syntax.Call) -> syntax.Subgraph | None:
        if len(call.arguments) == 2 and not any(each.keyword for each in call.arguments):
            words = [self.environment.words(each.value.span) for each in call.arguments]
            message = "`subgraph` takes a set of edges, and no functor that chooses among them"
            fix = f"write `subgraph(filter({'edges' if words[0] == 'vertices' else words[0]}, {words[1]}))`"
            self.environment.report("E0402", message, call.span, fix=fix)
            return None
        arguments = self.operators.arguments(call)
        if arguments is None:
            return None
        edges = self.operators.members(arguments["e"], Domain.EDGE, "the input of `subgraph`")
        return None if edges is None else syntax.Subgraph(call.span, _UNNAMED, edges)

    def _contract(self, call: syntax.Call) -> syntax.Contract | None:
        arguments = self.operators.arguments(call)
        if arguments is None:
            return None
        label = self._array(arguments["label"], Domain.VERTEX, "the label of `contract`", "an integer or a vertex")
        weight = None
        if "weight" in arguments:
            weight = self._array(arguments["weight"], Domain.EDGE, "the weight of `contract`", "a number")
        operation = self._operation(arguments["op"], weight) if "op" in arguments else NeighborOperation.SUM
        if label is None or (weight is None and "weight" in arguments) or operation is None:
            return None
        return syntax.Contract(call.span, _UNNAMED, label, weight, operation)

    def _operation(self, value: syntax.Expression, weight: syntax.Name | None) -> NeighborOperation | None:
        """The reduction of the weights of parallel edges."""
        word = self.operators.word(value, [each.value for each in JOINING_INTEGERS], "the reduction of `contract`")
        if word is None:
            return None
        operation = NeighborOperation(word)
        kind = weight.type if weight is not None else None
        if kind is not None and kind.is_float and operation not in JOINING_FLOATS:
            message = f"`{word}` is for integers, and the weights are of {kind.name}"
            self.environment.report("E0407", message, value.span)
            return None
        return operation

    def _array(self, value: syntax.Expression, domain: Domain, what: str, wanted: str) -> syntax.Name | None:
        """An array that a contraction gives new values."""
        environment = self.environment
        symbol = None
        if isinstance(value, syntax.Name):
            symbol = self.operators.expressions.resolve(value.name, value.span)
            if symbol is None:
                return None
        if not isinstance(value, syntax.Name) or symbol is None or symbol.kind is not SymbolKind.ARRAY:
            environment.report("E0402", f"{what} is the name of an array over {domain.plural}", value.span)
            return None
        if refuse_fixed_size(symbol, "`contract`", environment, value.span):
            return None
        labels = (Label(symbol.span, "declared here"),)
        if symbol.domain is not domain:
            message = f"{what} is an array over {domain.plural}, and `{symbol.name}` is not"
            environment.report("E0402", message, value.span, labels=labels)
            return None
        kind = symbol.type
        also = kind is not None and (kind.is_float if domain is Domain.EDGE else kind is Type.VERTEX)
        fits = kind is not None and (kind.is_integer or also)
        if not fits and kind is not None:
            message = f"each element of {what} is {wanted}, and those of `{symbol.name}` are of {kind.name}"
            environment.report("E0407", message, value.span, labels=labels)
            return None
        if symbol.is_input:
            fix = "copy it into another array, by its initial value"
            message = f"`{symbol.name}` cannot be written: it is an input"
            environment.report("E0214", message, value.span, labels=labels, fix=fix)
            return None
        return dataclasses.replace(value, name=symbol.name, symbol=symbol, type=kind)
