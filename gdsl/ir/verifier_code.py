"""What must hold of expressions and statements of the IR: names are declared, and types agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdsl.ir import nodes, slots
from gdsl.operations import BinaryOperation, Builtin, Domain, Outcome
from gdsl.types import WHOLE_WORDS, Type


class VerificationError(AssertionError):
    """An inconsistent program; the message names the pass that produced it."""


def expecting(subject: str) -> Callable[[bool, str], None]:
    """A function that raises `VerificationError` for `subject`, unless it holds what is expected."""

    def expect(holds: bool, what: str) -> None:
        if not holds:
            raise VerificationError(f"{subject}: {what}")

    return expect


class CodeVerifier:
    """Checks single expressions and statements of a program. `verified`: the parts that need no check, by identity."""

    def __init__(self, program: nodes.Program, after: str, verified: frozenset[int]) -> None:
        self.root = program
        self.verified = verified
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

    def has_array(self, name: str, type_: Type, domain: Domain) -> bool:
        """Whether an array is declared so."""
        array = self.arrays.get(name)
        return array is not None and (array.type, array.domain) == (type_, domain)

    def has_scalar(self, name: str, type_: Type) -> bool:
        """Whether a scalar is declared so."""
        scalar = self.scalars.get(name)
        return scalar is not None and scalar.type is type_

    def expression(self, node: nodes.Expression) -> None:
        """One expression, without its parts."""
        match node:
            case nodes.Local() | nodes.ListVariable():
                self.expect(self.locals.get(node.name) is node.type, f"the local {node.name} is not known", node)
            case nodes.ParamValue():
                known = self.params.get(node.name)
                self.expect(known is not None and known.type is node.type, f"no param {node.name}", node)
            case nodes.ScalarValue():
                self.expect(self.has_scalar(node.name, node.type), f"no scalar {node.name}", node)
            case nodes.Element():
                self._element(node, node.index)
                of_cache = node.now and node.type in WHOLE_WORDS
                self.expect(of_cache or not node.cached, "a read from the cache that may not be one", node)
            case nodes.DegreeOf() | nodes.GraphRead():
                self.expect(_fits_query(node), "arguments of other types", node)
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
                types = [argument.type for argument in node.arguments]
                self.expect(_fits_signature(node.function, node.type, types), "an argument has another type", node)
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
            types = tuple(argument.type for argument in node.arguments)
            wanted = tuple(type_ for _, type_ in function.parameters)
            self.expect(types == wanted and node.type is function.result, "the function has other types", node)

    def _element(self, node: nodes.Element | nodes.ElementTarget, index: nodes.Expression) -> None:
        """An element that is read or written."""
        self.expect(self.has_array(node.array, node.type, node.domain), f"no array {node.array}", node)
        own = Type.VERTEX if node.domain is Domain.VERTEX else Type.EDGE
        self.expect(slots.fits(index, self.arrays[node.array]), "the index is not one of this array's", node)
        index = nodes.element_index(index)
        self.expect(index.type is own or index.type.is_integer, "the index has a wrong type", node)

    # ------------------------------------------------------------ statements

    def target(self, node: nodes.Target) -> None:
        """Expect that what is written is declared with the type of the target."""
        if isinstance(node, nodes.ScalarTarget):
            self.expect(self.has_scalar(node.scalar, node.type), f"no scalar {node.scalar}", node)
        else:
            self._element(node, node.index)

    def statement(self, node: nodes.Statement) -> None:
        """One statement, without its parts."""
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


def _fits_query(node: nodes.DegreeOf | nodes.GraphRead) -> bool:
    """Whether the arguments and the result have the types of the query."""
    if isinstance(node, nodes.DegreeOf):
        return node.vertex.type is Type.VERTEX
    query, first, others = node.query, node.arguments[:1], node.arguments[1:]
    own = Type.EDGE if query.of_edge else Type.VERTEX
    if node.type is not query.result or [part.type for part in first] != [own]:
        return False
    if len(others) != (0 if query.of_edge else 1):
        return False
    return all(other.type.is_integer if query.in_list else other.type is Type.VERTEX for other in others)


_PAIRS = (Builtin.MIN, Builtin.MAX, Builtin.POW, Builtin.ATAN2)
_OF_ALL_NUMBERS = (Builtin.MIN, Builtin.MAX, Builtin.ABS)
_OF_BITS = (Builtin.POPCOUNT, Builtin.CTZ)
_RANDOM = {Builtin.RANDOM: Type.FLOAT32, Builtin.RANDOM_BITS: Type.UINT64}


def _fits_signature(function: Builtin, result: Type, arguments: Sequence[Type]) -> bool:
    """Whether `function` returns a `result` for arguments of these types."""
    if function.is_random:
        limits = arguments[:1] if function is Builtin.RANDOM_BELOW else ()
        keys = arguments[len(limits) :]
        own = result.is_integer and list(limits) == [result] if limits else result is _RANDOM.get(function)
        return own and len(keys) > 0 and all(key is Type.INT64 for key in keys)
    if len(arguments) != (2 if function in _PAIRS else 1):
        return False
    if function in _OF_BITS:
        return result is Type.INT32 and arguments[0].is_integer
    if any(argument is not result for argument in arguments):
        return False
    ordered = (result.is_id or result.is_pair) and function in (Builtin.MIN, Builtin.MAX)
    return ordered or (result.is_numeric if function in _OF_ALL_NUMBERS else result.is_float)
