"""Makes terms: each once, and in the simplest form that has the same value."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from gdsl.arithmetic.constants import integer_range, nearest_float32
from gdsl.effects import terms
from gdsl.effects.terms import Term
from gdsl.ir.nodes import Role
from gdsl.operations import BinaryOperation, Builtin, Degree, Domain, UnaryOperation
from gdsl.types import Type

AnyTerm = TypeVar("AnyTerm", bound=Term)


class Terms:
    """The terms of one operator."""

    def __init__(self) -> None:
        self.atoms = terms.Atoms()
        self._made: dict[Hashable, Term] = {}
        self._numbers = 0
        self.true = self.constant(Type.BOOL, True)
        self.false = self.constant(Type.BOOL, False)
        self.unit = self.unknown(Type.BOOL, terms.Origin.OTHERS, "", 0)
        """The index of a scalar: there is one element."""
        self.placeholder = self.unknown(Type.VERTEX, terms.Origin.OTHERS, "", 0)
        """Stands for the index when the stores of two calls are compared, or for which of the values it means."""
        self.placeholder_of_element = self.unknown(Type.VERTEX, terms.Origin.OTHERS, "", 0)
        """The same for the element that has these values."""

    def number(self) -> int:
        """A number that no read, unknown or write has yet."""
        self._numbers += 1
        return self._numbers

    def _once(self, key: Hashable, make: Callable[[], AnyTerm]) -> AnyTerm:
        term = self._made.get(key)
        if term is None:
            term = self._made[key] = make()
        return term  # type: ignore[return-value]

    # ------------------------------------------------------------ leaves

    def constant(self, kind: Type, value: bool | int | float | None) -> terms.Constant:
        """A literal, rounded to its type; 0.0 and -0.0 are two."""
        if kind is Type.FLOAT32 and isinstance(value, float):
            value = nearest_float32(value)
        return self._once((terms.Constant, kind, repr(value)), lambda: terms.Constant(kind, 0, 0, value))

    def param(self, kind: Type, name: str) -> terms.ParamTerm:
        """A param of the program."""
        return self._once((terms.ParamTerm, name), lambda: terms.ParamTerm(kind, 0, 0, name))

    def passes(self) -> terms.PassTerm:
        """The term of `iteration`, the number of a loop's pass."""
        return self._once(terms.PassTerm, lambda: terms.PassTerm(Type.INT32, self.atoms.bit(terms.OfPass()), 0))

    def count(self, domain: Domain) -> terms.CountTerm:
        """`num_vertices`, `num_edges`."""
        return self._once((terms.CountTerm, domain), lambda: terms.CountTerm(Type.INT64, 0, 0, domain))

    def end(self, role: Role, other: bool = False) -> terms.End:
        """What the call is for."""
        kind = Type.EDGE if role.is_edge else Type.VERTEX
        return self._once(
            (terms.End, role, other), lambda: terms.End(kind, self.atoms.bit(terms.OfEnd(role, other)), 0, role, other)
        )

    def place(self, other: bool = False) -> terms.PlaceTerm:
        """The term of `place`, where an edge is in the list; `other`: of another call."""
        bit = self.atoms.bit(terms.OfPlace(other))
        return self._once((terms.PlaceTerm, other), lambda: terms.PlaceTerm(Type.INT32, bit, 0, other))

    def unknown(self, kind: Type, origin: terms.Origin, name: str, depends: int) -> terms.Unknown:
        """A new value about which only `depends` is known."""
        return terms.Unknown(kind, depends, 0, origin, name, self.number())

    def unseen(self, kind: Type) -> terms.Unknown:
        """The value of a form that this room does not know."""
        return self.unknown(kind, terms.Origin.UNSEEN, "…", self.atoms.bit(terms.OfUnseen(self.number())))

    def argument(self, kind: Type, name: str, position: int) -> terms.Unknown:
        """A parameter of a function that is analyzed separately."""
        return self.unknown(kind, terms.Origin.ARGUMENT, name, self.atoms.bit(terms.OfArgument(position)))

    def result(self, kind: Type, name: str, number: int) -> terms.Unknown:
        """What write number `number` gave."""
        return self.unknown(kind, terms.Origin.RESULT, name, self.atoms.bit(terms.OfResult(number)))

    def loop_variable(self, kind: Type, name: str, loop: int, bounds: Iterable[Term]) -> terms.Unknown:
        """The variable of loop number `loop`."""
        depends = self.atoms.bit(terms.OfRound(loop))
        for bound in bounds:
            depends |= bound.depends
        return self.unknown(kind, terms.Origin.LOOP_VARIABLE, name, depends)

    # ------------------------------------------------------------ reads

    def element(self, kind: Type, array: str, index: Term, read: int = 0) -> terms.ElementTerm:
        """`array[index]`."""
        depends = self.atoms.bit(terms.OfRead(read) if read else terms.OfData(array)) | index.depends
        key = (terms.ElementTerm, array, index, read)
        return self._once(key, lambda: terms.ElementTerm(kind, depends, index.depth + 1, array, index, read))

    def scalar(self, kind: Type, name: str, read: int = 0) -> terms.ScalarTerm:
        """The term of a scalar's value; `read`: the number of a read that may see
        another value than others, or 0."""
        depends = self.atoms.bit(terms.OfRead(read) if read else terms.OfData(name))
        return self._once((terms.ScalarTerm, name, read), lambda: terms.ScalarTerm(kind, depends, 0, name, read))

    def of_frontier(self, kind: Type, name: str) -> terms.Unknown:
        """How many elements a frontier has, or whether it has any."""
        facts = self.atoms.bit(terms.OfFrontier(name, kind is Type.BOOL))
        return self._once((kind, name), lambda: self.unknown(kind, terms.Origin.OTHERS, name, facts))

    def degree(self, degree: Degree, vertex: Term) -> terms.DegreeTerm:
        """`out_degree(vertex)`, `in_degree(vertex)`."""
        key = (terms.DegreeTerm, degree, vertex)
        facts = vertex.depends, vertex.depth + 1
        return self._once(key, lambda: terms.DegreeTerm(Type.INT32, *facts, degree, vertex))

    # ------------------------------------------------------------ operations

    def operation(self, kind: Type, operation: UnaryOperation | BinaryOperation | Builtin, *arguments: Term) -> Term:
        """A pure operation."""
        simpler = self._simpler(operation, arguments)
        if simpler is not None:
            return simpler
        key = (terms.Operation, kind, operation, arguments)
        return self._once(key, lambda: terms.Operation(kind, *_facts_of(arguments), operation, arguments))

    def _simpler(
        self, operation: UnaryOperation | BinaryOperation | Builtin, arguments: tuple[Term, ...]
    ) -> Term | None:
        first = arguments[0]
        if operation is UnaryOperation.NOT:
            if isinstance(first, terms.Constant):
                return self.false if first is self.true else self.true
            inner = isinstance(first, terms.Operation) and first.operation is UnaryOperation.NOT
            return first.arguments[0] if inner and isinstance(first, terms.Operation) else None
        if operation in (BinaryOperation.AND, BinaryOperation.OR):
            neutral = self.true if operation is BinaryOperation.AND else self.false
            for one, other in (arguments, arguments[::-1]):
                if one is neutral:
                    return other
                if isinstance(one, terms.Constant):
                    return one
        return None

    def choice(self, condition: Term, yes: Term, no: Term) -> Term:
        """`condition ? yes : no`."""
        if yes is no:
            return yes
        if isinstance(condition, terms.Constant):
            return yes if condition is self.true else no
        if isinstance(condition, terms.Operation) and condition.operation is UnaryOperation.NOT:
            return self.choice(condition.arguments[0], no, yes)
        if isinstance(yes, terms.Choice) and yes.condition is condition:
            yes = yes.yes
        if isinstance(no, terms.Choice) and no.condition is condition:
            no = no.no
        if yes is no:
            return yes
        if yes is self.true and no is self.false:
            return condition
        if yes is self.false and no is self.true:
            return self.operation(Type.BOOL, UnaryOperation.NOT, condition)
        key = (terms.Choice, condition, yes, no)
        return self._once(key, lambda: terms.Choice(yes.type, *_facts_of((condition, yes, no)), condition, yes, no))

    def conversion(self, kind: Type, operand: Term) -> Term:
        """A change of type; literals are converted immediately."""
        if operand.type is kind:
            return operand
        if isinstance(operand, terms.Constant) and operand.value is not None:
            if kind.is_float and (operand.type.is_integer or operand.type.is_float):
                return self.constant(kind, float(operand.value))
            if kind.is_integer and operand.type.is_integer and _fits(kind, int(operand.value)):
                return self.constant(kind, int(operand.value))
        facts = operand.depends, operand.depth + 1
        return self._once((terms.Conversion, kind, operand), lambda: terms.Conversion(kind, *facts, operand))

    def pair(self, kind: Type, first: Term, second: Term) -> Term:
        """`(first, second)`."""
        facts = _facts_of((first, second))
        return self._once((terms.PairTerm, first, second), lambda: terms.PairTerm(kind, *facts, first, second))

    def part(self, pair: Term, place: int) -> Term:
        """`pair.0`, `pair.1`."""
        if isinstance(pair, terms.PairTerm):
            return pair.second if place else pair.first
        if (
            isinstance(pair, terms.Choice)
            and isinstance(pair.yes, terms.PairTerm)
            and isinstance(pair.no, terms.PairTerm)
        ):
            return self.choice(pair.condition, self.part(pair.yes, place), self.part(pair.no, place))
        kind, facts = pair.type.parts[place], (pair.depends, pair.depth + 1)
        return self._once((terms.PartTerm, pair, place), lambda: terms.PartTerm(kind, *facts, pair, place))

    def function(self, kind: Type, function: str, arguments: tuple[Term, ...]) -> terms.FunctionTerm:
        """The result of a function that is not expanded."""
        key = (terms.FunctionTerm, function, arguments)
        return self._once(key, lambda: terms.FunctionTerm(kind, *_facts_of(arguments), function, arguments))

    # ------------------------------------------------------------ rewriting

    def rebuilt(self, term: Term, new: tuple[Term, ...]) -> Term:
        """`term` with `new` in the place of its parts."""
        if isinstance(term, terms.Operation):
            return self.operation(term.type, term.operation, *new)
        if isinstance(term, terms.FunctionTerm):
            return self.function(term.type, term.function, new)
        if isinstance(term, terms.Choice):
            return self.choice(*new)
        if isinstance(term, terms.Conversion):
            return self.conversion(term.type, new[0])
        if isinstance(term, terms.PairTerm):
            return self.pair(term.type, *new)
        if isinstance(term, terms.PartTerm):
            return self.part(new[0], term.place)
        if isinstance(term, terms.ElementTerm):
            return self.element(term.type, term.array, new[0], term.read)
        return self.degree(term.degree, new[0]) if isinstance(term, terms.DegreeTerm) else term

    def replace_terms(self, root: Term, change: Callable[[Term], Term | None]) -> Term:
        """`root` with `change(part)` in the place of each part for which it is not None, the outermost first."""
        done: dict[Term, Term] = {}
        waiting = [root]
        while waiting:
            term = waiting[-1]
            if term in done:
                waiting.pop()
                continue
            direct = change(term)
            if direct is not None:
                done[term] = direct
                continue
            missing = [part for part in terms.parts(term) if part not in done]
            if missing:
                waiting.extend(missing)
                continue
            new = tuple(done[part] for part in terms.parts(term))
            done[term] = term if new == terms.parts(term) else self.rebuilt(term, new)
        return done[root]

    def replace(self, root: Term, old: Term, new: Term) -> Term:
        """`root` with `new` in place of every `old`."""
        return self.replace_terms(root, lambda term: new if term is old else None)


def _facts_of(arguments: Iterable[Term]) -> tuple[int, int]:
    """The atoms and the depth of a term with these `arguments`."""
    depends, depth = 0, 0
    for argument in arguments:
        depends |= argument.depends
        depth = max(depth, argument.depth)
    return depends, depth + 1


def _fits(kind: Type, value: int) -> bool:
    lowest, most = integer_range(kind)
    return lowest <= value <= most
