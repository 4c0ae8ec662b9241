"""Whether a call for an edge and one for the same edge with its ends exchanged do the same.

Then it makes no difference whether both run or one of them: a call may read what others write at any moment, so the
second may read what the first read. It writes the same values to the same elements by operations that change nothing
the second time, and nothing but flags depends on whether they changed anything. To `join` two sets is one operation.

Operands may be exchanged where that changes neither the value nor what is evaluated. Of 0.0 and -0.0 the smaller is the
one that comes first; and an operand that may stop the run is not evaluated if the one before it has decided.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import BinaryOperation, Builtin, ForestWord, Outcome, ReduceOperation
from gdsl.plan.functor_facts import may_stop
from gdsl.types import Type

_EXCHANGED = {ir.Role.SOURCE: ir.Role.DESTINATION, ir.Role.DESTINATION: ir.Role.SOURCE}
_COMMUTATIVE = frozenset(
    {
        BinaryOperation.AND,
        BinaryOperation.OR,
        BinaryOperation.BIT_AND,
        BinaryOperation.BIT_OR,
        BinaryOperation.BIT_XOR,
        BinaryOperation.EQUAL,
        BinaryOperation.NOT_EQUAL,
        Builtin.MIN,
        Builtin.MAX,
    }
)
_DECIDES = frozenset({BinaryOperation.AND, BinaryOperation.OR})
"""Those of which the first operand may decide."""
_REPEATABLE = frozenset({ReduceOperation.MIN, ReduceOperation.MAX, ReduceOperation.BIT_AND, ReduceOperation.BIT_OR})
_CHANGED = "changed"
_ONLY_SET = frozenset({BinaryOperation.OR, BinaryOperation.AND, BinaryOperation.BIT_OR, BinaryOperation.BIT_AND})


def does_the_same_from_both_ends(functor: ir.EdgeFunctor) -> bool:
    """Whether a call of `functor` for an edge and one with the ends exchanged are one call twice, and no more than
    once."""
    text = _Text(functor, {})
    return text.is_plain and text.parts == _Text(functor, _EXCHANGED).parts


class _Text:
    """What a functor tests and changes, in a form that does not depend on the order of operands and statements.

    roles: the parameters that these represent, where they differ. is_plain: whether there is nothing else in it.
    """

    def __init__(self, functor: ir.EdgeFunctor, roles: dict[ir.Role, ir.Role]) -> None:
        self.roles = roles
        self.is_plain = functor.common is None and functor.value is None
        self._locals: dict[str, object] = {}
        joins = [each for each in functor.body if _joins(each)]
        self._joined = {node.name for loop in joins for node in walk(loop) if isinstance(node, ir.Assign)}
        tests = [repr(self._form(test)) for test in functor.condition]
        changes = [self._change(statement) for statement in functor.body]
        asked = tuple(tests) if may_stop(functor.condition) else frozenset(tests)
        self.parts = (asked, frozenset(repr(change) for change in changes if change is not None))

    def _change(self, statement: ir.Statement) -> object:
        """What a statement changes; None for a local."""
        if isinstance(statement, ir.Loop) and _joins(statement):
            return statement.forest, self._form(statement.condition)
        if isinstance(statement, ir.Let) and (not statement.mutable or statement.name in self._joined):
            value = statement.value
            if isinstance(value, ir.UpdateValue) and value.outcome is Outcome.CHANGED:
                change = self._change(value.update)
                self._locals[statement.name] = (_CHANGED, change)
                return change
            self._locals[statement.name] = self._form(value)
            return None
        if not isinstance(statement, ir.Update) or statement.operation not in _REPEATABLE:
            self.is_plain = False
            return None
        stored, target = self._form(statement.value), self._form(statement.target)
        sets_flag = statement.operation is ReduceOperation.BIT_OR and _is_set_by_changes(stored)
        self.is_plain &= not _uses_answer(target) and (sets_flag or not _uses_answer(stored))
        return statement.operation, target, stored

    def _form(self, part: object) -> object:
        match part:
            case ir.Parameter():
                self.is_plain &= part.role in _EXCHANGED
                return self.roles.get(part.role, part.role)
            case ir.Local():
                self.is_plain &= part.name in self._locals
                return self._locals.get(part.name)
            case ir.UpdateValue() | ir.CompareAndSwap() | ir.Place():
                self.is_plain = False
                return None
            case ir.Binary(operation=operation, left=left, right=right) if _is_commutative(part):
                return operation, *sorted(map(self._form, (left, right)), key=repr)
            case ir.BuiltinCall(function=function, arguments=arguments) if _is_commutative(part):
                return function, *sorted(map(self._form, arguments), key=repr)
            case ir.Node():
                slots = [slot.name for slot in dataclasses.fields(part) if slot.name != "span"]
                return type(part).__name__, *(self._form(getattr(part, name)) for name in slots)
            case tuple():
                return tuple(map(self._form, part))
        return part


def _joins(statement: ir.Statement) -> bool:
    """Whether this joins two sets: the second time they are one, and which labels they have is open either way."""
    forest = statement.forest if isinstance(statement, ir.Loop) else None
    return forest is not None and forest.word is ForestWord.JOIN


def _is_commutative(part: ir.Binary | ir.BuiltinCall) -> bool:
    """Whether the operands may be exchanged."""
    if isinstance(part, ir.Binary):
        return part.operation in _COMMUTATIVE and not (part.operation in _DECIDES and may_stop(part))
    parts: tuple[Type, ...] = part.type.parts if part.type.is_pair else (part.type,)
    return part.function in _COMMUTATIVE and not any(each.is_float for each in parts)


def _uses_answer(form: object) -> bool:
    """Whether a value depends on what a change has changed."""
    return isinstance(form, tuple) and (form[:1] == (_CHANGED,) or any(map(_uses_answer, form)))


def _is_set_by_changes(form: object) -> bool:
    """Whether a value is only ever set by a change that has changed something: no later one clears it, or sets another
    bit."""
    if not _uses_answer(form) or not isinstance(form, tuple) or form[0] == _CHANGED:
        return True
    return form[0] in _ONLY_SET and all(map(_is_set_by_changes, form[1:]))
