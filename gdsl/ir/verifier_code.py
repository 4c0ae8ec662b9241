"""What must hold of expressions and statements of the IR: names that are known, types that agree."""

from __future__ import annotations

from gdsl.ir import graph_reads, nodes, signatures, slots
from gdsl.operations import BinaryOperation, Domain, Outcome
from gdsl.types import Type


class VerificationError(AssertionError):
    """An IR that does not hold together; the message names the pass that made it."""


class CodeVerifier:
    """Looks at single expressions and statements of one program. `kept`: the parts that are known to be well."""

    def __init__(self, program: nodes.Program, after: str, kept: frozenset[int]) -> None:
        self.root = program
        self.kept = kept
        self.after = after
        self.arrays = {array.name: array for array in program.arrays}
        self.scalars = {scalar.name: scalar for scalar in program.scalars}
        self.params = {param.name: param for param in program.params}
        self.functions = {function.name: function for function in program.functions}
        self.vertex_functors = {functor.name: functor for functor in program.vertex_functors}
        self.edge_functors = {functor.name: functor for functor in program.edge_functors}
        self.frontiers = {frontier.name: frontier.domain for frontier in program.frontiers}
        self.graphs = frozenset(program.graphs)
        self.locals: dict[str, Type] = {}

    def expect(self, holds: bool, what: str, node: nodes.Node) -> None:
        """Raises `VerificationError` that says `what` is wrong and where, unless it `holds`."""
        if not holds:
            place = node.span.place_in(self.root.source_name)
            raise VerificationError(f"after {self.after}: {what}, in {type(node).__name__} at {place}")

    def expression(self, node: nodes.Expression) -> None:
        """One expression; its parts are looked at by themselves."""
        match node:
            case nodes.Local() | nodes.ListVariable():
                self.expect(self.locals.get(node.name) is node.type, f"the local {node.name} is not known", node)
            case nodes.ParamValue():
                known = self.params.get(node.name)
                self.expect(known is not None and known.type is node.type, f"no param {node.name}", node)
            case nodes.ScalarValue():
                scalar = self.scalars.get(node.name)
                self.expect(scalar is not None and scalar.type is node.type, f"no scalar {node.name}", node)
            case nodes.Element():
                array = self.arrays.get(node.array)
                fits = array is not None and (array.type, array.domain) == (node.type, node.domain)
                self.expect(fits, f"no array {node.array}", node)
                self.index(node.index, node.domain, node, array)
            case nodes.DegreeOf() | nodes.GraphRead():
                self.expect(graph_reads.fits(node), "arguments of other types", node)
            case nodes.Literal():
                self.expect(node.type.is_float == isinstance(node.value, float), "a literal of another type", node)
            case nodes.Unary():
                self.expect(node.operand.type is node.type, "the operand has another type", node)
            case nodes.Binary() | nodes.Chain():
                self._binary(node)
            case nodes.Select():
                same = node.yes.type is node.type and node.no.type is node.type
                self.expect(same and node.condition.type is Type.BOOL, "the sides have other types", node)
            case nodes.BuiltinCall():
                given = [argument.type for argument in node.arguments]
                self.expect(signatures.fits(node.function, node.type, given), "an argument has another type", node)
            case nodes.FunctionCall():
                self._call(node)
            case nodes.MakePair() | nodes.PairPart():
                self._pair(node)
            case nodes.FrontierSize() | nodes.FrontierNotEmpty():
                self.expect(node.frontier in self.frontiers, f"no frontier {node.frontier}", node)
            case nodes.UpdateValue() | nodes.CompareAndSwap():
                self._effect(node)

    def _effect(self, node: nodes.UpdateValue | nodes.CompareAndSwap) -> None:
        if isinstance(node, nodes.CompareAndSwap):
            same = node.old.type is node.target.type and node.new.type is node.target.type
            self.expect(same, "the values have other types than the target", node)
            return
        wanted = Type.BOOL if node.outcome is Outcome.CHANGED else node.update.target.type
        self.expect(node.type is wanted, "the outcome has another type", node)

    def _pair(self, node: nodes.MakePair | nodes.PairPart) -> None:
        if isinstance(node, nodes.MakePair):
            parts = (node.first.type, node.second.type)
            self.expect(parts == node.type.parts, "the parts of a pair have other types", node)
            return
        fits = node.place in (0, 1) and node.pair.type.is_pair
        self.expect(fits and node.pair.type.parts[node.place] is node.type, "no such part of a pair", node)

    def _binary(self, node: nodes.Binary | nodes.Chain) -> None:
        if isinstance(node, nodes.Chain):
            self.expect(node.first.type is node.type, "an operand has another type", node)
            for operation, operand in node.links:
                self._operands(operation, node.type, operand.type, node)
            return
        operation, left, right = node.operation, node.left.type, node.right.type
        self._operands(operation, left, right, node)
        result = Type.BOOL if operation.is_comparison or operation.is_logical else left
        self.expect(node.type is result, "the result has another type", node)

    def _operands(self, operation: BinaryOperation, left: Type, right: Type, node: nodes.Node) -> None:
        shifts = operation in (BinaryOperation.SHIFT_LEFT, BinaryOperation.SHIFT_RIGHT)
        fits = left.is_integer and right.is_integer if shifts else left is right
        self.expect(fits, f"{left.name} {operation.value} {right.name}", node)

    def _call(self, node: nodes.FunctionCall) -> None:
        function = self.functions.get(node.function)
        self.expect(function is not None, f"no function {node.function}", node)
        if function is not None:
            given = tuple(argument.type for argument in node.arguments)
            wanted = tuple(type_ for _, type_ in function.parameters)
            self.expect(given == wanted and node.type is function.result, "the function has other types", node)

    def index(self, index: nodes.Expression, domain: Domain, node: nodes.Node, array: nodes.Array | None) -> None:
        """The index of an element of `array`, which is over `domain`."""
        own = Type.VERTEX if domain is Domain.VERTEX else Type.EDGE
        self.expect(array is None or slots.fits(index, array), "the index is not one of this array's", node)
        index = nodes.element_index(index)
        self.expect(index.type is own or index.type.is_integer, "the index has a wrong type", node)

    # ------------------------------------------------------------ statements

    def target(self, node: nodes.Target) -> None:
        """What is written."""
        if isinstance(node, nodes.ScalarTarget):
            scalar = self.scalars.get(node.scalar)
            self.expect(scalar is not None and scalar.type is node.type, f"no scalar {node.scalar}", node)
            return
        array = self.arrays.get(node.array)
        fits = array is not None and (array.type, array.domain) == (node.type, node.domain)
        self.expect(fits, f"no array {node.array}", node)
        self.index(node.index, node.domain, node, array)

    def statement(self, node: nodes.Statement) -> None:
        """One statement; its parts are looked at by themselves."""
        match node:
            case nodes.Let():
                self.expect(node.value.type is node.type, "the value has another type", node)
            case nodes.Assign():
                self.expect(self.locals.get(node.name) is node.value.type, f"no local {node.name} of this type", node)
            case nodes.Store() | nodes.Update():
                self.expect(node.value.type is node.target.type, "the value has another type", node)
            case nodes.Accept():
                self.expect(node.value.type is Type.BOOL, "accept takes a bool", node)
            case nodes.Branch() | nodes.Loop():
                self.expect(node.condition.type is Type.BOOL, "a condition is a bool", node)
            case nodes.ForNeighbors():
                self.expect(node.vertex.type is Type.VERTEX, "a list of no vertex", node)
            case nodes.ForRange():
                same = node.first.type is node.type and node.last.type is node.type
                self.expect(same, "the ends of the range have other types", node)
