"""How many calls can address one element."""

from __future__ import annotations

from gdsl.effects.summary import Effects, Read
from gdsl.effects.terms import Constant, Conversion, End, OfData, OfPass, Operation, PlaceTerm, Term, split
from gdsl.ir.nodes import Role
from gdsl.operations import BinaryOperation, Outcome, ReduceOperation

_BELOW = {BinaryOperation.LESS: 1, BinaryOperation.LESS_EQUAL: 0}
_ABOVE = {BinaryOperation.GREATER: 1, BinaryOperation.GREATER_EQUAL: 0}


class Writers:
    """Which indices name an element that a single call of the operator can name."""

    def __init__(self, effects: Effects) -> None:
        self.effects = effects
        self._single: dict[str, bool] = {}
        self.alone = frozenset(role for role in (Role.SOURCE, Role.DESTINATION) if self._leaves_one_call(role))
        """The ends of the edge for which `cond` leaves one call at each vertex."""
        self.lone = not effects.visits_twice and any(map(self._names_one, effects.conjuncts))
        """Whether `cond` leaves one call in all: that of one vertex, or of one edge of a set, which all calls know."""

    def names_own(self, index: Term) -> bool:
        """Whether no other call names the element of `index`, whether its `cond` holds or not."""
        index = split(index)[0]
        if not isinstance(index, End) or index.other:
            return False
        return index.role is Role.VERTEX or (index.role is Role.EDGE and not self.effects.visits_twice)

    def is_own(self, index: Term) -> bool:
        """Whether no other call that passes `cond` names the element of `index`."""
        index = split(index)[0]
        return self.names_own(index) or (isinstance(index, End) and not index.other and index.role in self.alone)

    def single(self, name: str) -> bool:
        """Whether every element of `name` is written by one call at most, in ways that name it as its own; a scalar by
        one call in all."""
        if name not in self._single:
            indices = {split(write.index)[0] for write in self.effects.written(name)}
            own = len(indices) == 1 and all(self.is_own(index) for index in indices)
            self._single[name] = own or (self.lone and indices == {self.effects.terms.unit})
        return self._single[name]

    def by_ticket(self, name: str) -> bool:
        """Whether every element of `name` is written by at most one call since its index is a ticket, the result of a
        `fetch(n += 1)`, and no two tickets are equal. Which call gets which ticket is open."""
        indices = {split(write.index)[0] for write in self.effects.written(name)}
        return len(indices) == 1 and all(self._is_ticket(index) for index in indices)

    def _is_ticket(self, index: Term) -> bool:
        """Whether an id is a ticket. Those of 32 bits wrap only after values that are not ids, if they are signed; a
        sum that stops at `inf` gives it again and again."""
        if not isinstance(index, Conversion):
            return False
        ticket = index.operand
        fetched = self.effects.write_of(ticket)
        if fetched is None or fetched.outcome is not Outcome.FETCH or not self.effects.is_scalar(fetched):
            return False
        wide = ticket.type.is_integer and (ticket.type.bits == 64 or (ticket.type.bits == 32 and ticket.type.is_signed))
        by_one = isinstance(fetched.value, Constant) and fetched.value.value in (1, -1)
        counts = fetched.operation in (ReduceOperation.ADD, ReduceOperation.SUBTRACT)
        return wide and by_one and counts and len(self.effects.written(fetched.name)) == 1

    def sees_own(self, read: Read) -> bool:
        """Whether no other call writes what `read` reads."""
        if not self.single(read.name):
            return False
        # Before `cond` has held, calls that it will not leave are about, too.
        own = self.names_own(read.index) if read.in_condition else self.is_own(read.index)
        return own and split(read.index)[0] is split(self.effects.written(read.name)[0].index)[0]

    def _names_one(self, conjunct: Term) -> bool:
        """Whether a conjunct is `v == x`, where `x` has the same value for all calls."""
        if not isinstance(conjunct, Operation) or conjunct.operation is not BinaryOperation.EQUAL:
            return False
        atoms = self.effects.terms.atoms
        return any(
            self.names_own(one) and all(isinstance(atom, OfData | OfPass) for atom in atoms.members(other.depends))
            for one, other in (conjunct.arguments, reversed(conjunct.arguments))
        )

    def _leaves_one_call(self, role: Role) -> bool:
        """Whether a conjunct holds for one edge of each vertex at `role` at most: the first of its source's list, or
        that from (to) one vertex, where there are no parallel edges."""
        effects = self.effects
        if effects.visits_twice or not effects.on_edges:
            return False
        return any(self._picks_one(conjunct, role) for conjunct in effects.conjuncts)

    def _picks_one(self, conjunct: Term, role: Role) -> bool:
        if not isinstance(conjunct, Operation) or not isinstance(conjunct.operation, BinaryOperation):
            return False
        if len(conjunct.arguments) != 2:
            return False
        left, right = conjunct.arguments
        if role is Role.SOURCE and self._first_place(conjunct.operation, left, right):
            return True
        if conjunct.operation is not BinaryOperation.EQUAL or not self.effects.requires_simple:
            return False
        key = self.effects.terms.end(role)
        other = self.effects.terms.end(Role.DESTINATION if role is Role.SOURCE else Role.SOURCE)
        return any(
            one is other and self.effects.determined(against, key) for one, against in ((left, right), (right, left))
        )

    def _first_place(self, operation: BinaryOperation, left: Term, right: Term) -> bool:
        """Whether a comparison holds for one place of a list at most."""
        if operation is BinaryOperation.EQUAL:
            return any(
                isinstance(one, PlaceTerm) and self.effects.determined(other, self.effects.terms.end(Role.SOURCE))
                for one, other in ((left, right), (right, left))
            )
        for place, bound, table in ((left, right, _BELOW), (right, left, _ABOVE)):
            if isinstance(place, PlaceTerm) and isinstance(bound, Constant) and operation in table:
                return isinstance(bound.value, int) and bound.value <= table[operation]
        return False
