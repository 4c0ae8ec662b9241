"""Lowers a whole program."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from gdsl import extents
from gdsl.frontend import syntax
from gdsl.frontend.check import CheckedProgram
from gdsl.frontend.check.type_parameters import parameter_of
from gdsl.frontend.syntax import DeclarationKind, FunctorForm, SymbolKind
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import ExpressionLowering, default_value, impossible
from gdsl.ir.lowering.functors import FunctorLowering, StatementLowering
from gdsl.ir.lowering.reductions import with_first_values
from gdsl.ir.lowering.schedule import ScheduleLowering
from gdsl.ir.traversal import contains, rewrite
from gdsl.ir.verifier import verify
from gdsl.knobs import settled
from gdsl.operations import Domain, GraphQuery
from gdsl.source import NOWHERE
from gdsl.types import Type


def lower(checked: CheckedProgram) -> nodes.Program:
    """The IR of a checked program. Functors and functions that nothing uses are left out.

    What the rules find (`Store.rule`, `closing`, grades) is filled in later by `gdsl.annotate`.
    """
    program = _with_checked_params(_Lowering(checked).program())
    verify(program, "lowering")
    return program


def _type_parameter(node: syntax.TypeDeclaration, tree: syntax.Program) -> nodes.TypeParameter:
    if node.type is None or node.class_name is None:
        impossible(node)
    users = tuple(each.name for each in tree.declarations if parameter_of(each.declared.name, tree) == node.name)
    default = Type.named(node.target.name)
    return nodes.TypeParameter(node.span, node.name, node.class_name, default, node.type, users)


class _Lowering:
    def __init__(self, checked: CheckedProgram) -> None:
        self.tree = checked.program
        self.checked = checked
        self.expressions = ExpressionLowering()
        self.statements = StatementLowering(self.expressions)
        self.functors = FunctorLowering(self.expressions, self.statements, self.tree.functors)

    def program(self) -> nodes.Program:
        tree = self.tree
        functors = self.functors
        schedule = ScheduleLowering(self.expressions, self.checked, functors, _frontier_names(tree.schedule))
        self._counts(schedule)
        functors.name_ballots(_calls(tree), schedule.hidden)
        steps = schedule.block(tree.schedule)
        hidden, used = schedule.hidden, _used_functors(tree)
        steps, hidden_scalars = with_first_values(steps, hidden.scalars, schedule.reductions.scalars)
        words = {word.name for word in tree.requires}
        place = tree.requires[0].span if tree.requires else NOWHERE
        declarations = tree.declarations
        fields: dict[str, Any] = settled(None, self.checked.knobs.program)
        return nodes.Program(
            span=tree.span,
            name=tree.name,
            doc=tree.doc,
            source_name=self.checked.source.name,
            requires=nodes.Requirements(place, "symmetric" in words, "simple" in words),
            params=(
                *(self._param(node) for node in declarations if node.kind is DeclarationKind.PARAM),
                *self.expressions.counts.params,
            ),
            arrays=(*(self._array(node) for node in declarations if node.kind.domain), *hidden.arrays),
            scalars=(
                *(self._scalar(node) for node in declarations if node.kind is DeclarationKind.SCALAR),
                *hidden_scalars,
            ),
            functions=tuple(self._function(node) for node in _used_functions(tree, used)),
            vertex_functors=(
                *(functors.vertex_functor(node) for node in used if node.form is FunctorForm.VERTEX),
                *hidden.vertex_functors,
            ),
            edge_functors=(*functors.edge_functors(used), *hidden.edge_functors),
            frontiers=tuple(schedule.frontiers.values()),
            schedule=steps,
            tuning=nodes.Tuning(NOWHERE, tuple(hidden.sites), without=self.checked.knobs.without, **fields),
            graphs=tuple(schedule.graphs),
            vote_functors=tuple(functors.vote_functor(node) for node in used if node.form is FunctorForm.VOTE),
            types=tuple(_type_parameter(node, tree) for node in tree.types if node.is_parameter),
        )

    # ------------------------------------------------------------ problem data

    def _counts(self, schedule: ScheduleLowering) -> None:
        """Declare the number of values per element of each array."""
        for node in self.tree.declarations:
            if node.count is not None:
                value = self.expressions.expression(node.count)
                self.expressions.counts.add(node.name, value, schedule.hidden.name(f"values_of_{node.name}"))

    def _optional(self, node: syntax.Expression | None) -> nodes.Expression | None:
        return self.expressions.expression(node) if node is not None else None

    def _param(self, node: syntax.Declaration) -> nodes.Param:
        if node.type is None:
            impossible(node)
        return nodes.Param(
            node.span, node.name, node.type, self._optional(node.initial), where=self._optional(node.where)
        )

    def _initial(self, node: syntax.Declaration) -> nodes.Expression | None:
        if node.type is None:
            impossible(node)
        if node.is_input:
            return None
        return self._optional(node.initial) or default_value(node.type, node.span)

    def _array(self, node: syntax.Declaration) -> nodes.Array:
        domain = node.kind.domain
        if node.type is None or domain is None:
            impossible(node)
        return nodes.Array(
            span=node.span,
            name=node.name,
            domain=domain,
            extent=_extent(domain, self.expressions.counts.of(node.name)),
            type=node.type,
            initial=self._initial(node),
            is_input=node.is_input,
            is_local=node.is_local,
            where=self._optional(node.where),
            count=self.expressions.counts.of(node.name),
            is_set=node.is_set,
            least=node.least,
        )

    def _scalar(self, node: syntax.Declaration) -> nodes.Scalar:
        if node.type is None:
            impossible(node)
        return nodes.Scalar(
            span=node.span,
            name=node.name,
            type=node.type,
            initial=self._initial(node),
            is_input=node.is_input,
            is_local=node.is_local,
            where=self._optional(node.where),
        )

    # ------------------------------------------------------------ functors and functions

    def _function(self, node: syntax.Function) -> nodes.Function:
        if node.result is None:
            impossible(node)
        parameters = []
        for parameter in node.parameters:
            if parameter.symbol is None or parameter.type is None:
                impossible(parameter)
            parameters.append((parameter.symbol.unique, parameter.type))
        return nodes.Function(node.span, node.name, tuple(parameters), node.result, self.statements.block(node.body))


def _extent(domain: Domain, count: nodes.Expression | None) -> extents.Extent:
    """The number of values of an array."""
    if isinstance(count, nodes.Literal):
        return extents.of_array(domain, int(count.value))
    return extents.of_array(domain, count.name if isinstance(count, nodes.ParamValue) else None)


_GRAPHS = (syntax.SameGraph, syntax.Subgraph, syntax.Contract)


def _frontier_names(statements: Iterable[syntax.Statement]) -> set[str]:
    return {
        node.symbol.unique
        for statement in statements
        for node in syntax.walk(statement)
        if isinstance(node, (syntax.FrontierDeclaration, *_GRAPHS)) and node.symbol is not None
    }


def _used_functors(tree: syntax.Program) -> list[syntax.Functor]:
    names = {functor.name for call in _calls(tree) for functor in (call.functor, call.score) if functor is not None}
    return [functor for functor in tree.functors if functor.name in names]


def _calls(tree: syntax.Program) -> Iterator[syntax.OperatorCall]:
    parts = (node for statement in tree.schedule for node in syntax.walk(statement))
    return (node for node in parts if isinstance(node, syntax.OperatorCall))


def _used_functions(tree: syntax.Program, functors: list[syntax.Functor]) -> list[syntax.Function]:
    """The functions that data, used functors and the schedule call, each after those that it calls."""
    functions = {function.name: function for function in tree.functions}
    ordered: dict[str, syntax.Function] = {}
    for root in (*tree.declarations, *functors, *tree.schedule):
        waiting = [("", iter(_called(root, functions)))]
        while waiting:
            caller, calls = waiting[-1]
            callee = next((name for name in calls if name not in ordered), None)
            if callee is not None:
                waiting.append((callee, iter(_called(functions[callee], functions))))
                continue
            waiting.pop()
            if caller:
                ordered[caller] = functions[caller]
    return list(ordered.values())


def _called(node: syntax.Node, functions: dict[str, syntax.Function]) -> list[str]:
    """The program's own functions that `node` calls or combines by, in the order of the text."""
    names = []
    for part in syntax.walk(node):
        if isinstance(part, syntax.Call) and part.function in functions and part.symbol is not None:
            names += [part.function] if part.symbol.kind is SymbolKind.FUNCTION else []
        elif isinstance(part, syntax.OperatorCall) and part.own_operation is not None:
            names.append(part.own_operation.name)
    return names


def _is_unchecked(node: nodes.Node) -> bool:
    """Whether `node` uses a param as an index without a test."""
    match node:
        case nodes.Element() | nodes.ElementTarget():
            index = node.index
        case nodes.Slot():
            index = node.element
        case nodes.DegreeOf() | nodes.ForNeighbors():
            index = node.vertex
        case nodes.GraphRead() if node.query is not GraphQuery.HAS_EDGE:
            index = node.arguments[0]
        case _:
            return False
    return isinstance(index, nodes.ParamValue) and not node.checked


def _with_checked_params(program: nodes.Program) -> nodes.Program:
    """`program` with a test wherever functors and the schedule use a param as an index, if it contracts graphs: the
    test before the run is about the given graph, which has more vertices."""
    if not contains(program.schedule, nodes.Contract):
        return program

    def change(node: Any) -> Any:
        return dataclasses.replace(node, checked=True) if _is_unchecked(node) else node

    return dataclasses.replace(
        program,
        vertex_functors=rewrite(program.vertex_functors, change),
        edge_functors=rewrite(program.edge_functors, change),
        vote_functors=rewrite(program.vote_functors, change),
        schedule=rewrite(program.schedule, change),
    )
