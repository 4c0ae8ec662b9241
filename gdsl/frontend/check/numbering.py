"""`a = number(f);`: the place of each member among those of a set, by ascending id."""

from __future__ import annotations

from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.check.operator_parts import Operators
from gdsl.frontend.check.sets import WORDS
from gdsl.frontend.syntax import Symbol
from gdsl.operations import Domain

_NAME = "number"


def is_numbering(call: syntax.Call, environment: Environment) -> bool:
    """Whether a call is the built-in one, and not of a function that the program declares."""
    return call.function == _NAME and environment.find(_NAME) is None


def numbering(call: syntax.Call, array: Symbol, operators: Operators) -> syntax.Numbering | None:
    """`array = number(f)` typed; None after a mistake, which is reported."""
    environment, shape = operators.environment, f"write `{array.name} = number(f);`"
    given = call.arguments[0] if len(call.arguments) == 1 else None
    if given is None or given.keyword is not None or call.label is not None:
        environment.report("E0402", "`number` takes one frontier, and nothing else", call.span, fix=shape)
        return None
    if array.is_input:
        environment.report("E0214", f"`{array.name}` cannot be written: it is an input", call.span)
        return None
    own = array.domain or Domain.VERTEX
    found = operators.sets.domain_of(given.value, own)
    if found is not own:
        message = f"this is a set of {WORDS[found]}, and `{array.name}` is over {WORDS[own]}"
        environment.report("E0416", message, given.value.span, fix=f"declare an array over {WORDS[found]}")
        return None
    source = operators.members(given.value, own, "the input of `number`")
    if array.type is not None and not array.type.is_integer:
        message = f"`number` gives integers, and `{array.name}` is {array.type.name}"
        environment.report("E0205", message, call.span, fix=f"declare `{array.name} : int64`")
        return None
    return None if source is None else syntax.Numbering(call.span, source, own)
