"""The fixes that messages offer, in the program's own words: only what is correct when typed in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from gdsl.effects.proof import Proof
from gdsl.effects.summary import Effects, Guard, Read, Write, WriteKind, each
from gdsl.effects.terms import Choice, Constant, ElementTerm, Operation, ScalarTerm, Term, inside, parts, split
from gdsl.ir import nodes
from gdsl.operations import EXTREMES, LARGER, SMALLER, BinaryOperation, Builtin, ReduceOperation, UnaryOperation
from gdsl.rules.redundant_tests import is_redundant, same_text
from gdsl.source import Span
from gdsl.types import Type

_SUBTRACT = (BinaryOperation.SUBTRACT, BinaryOperation.SUBTRACT_SATURATING)
Words = Callable[[Span], str]

UNKNOWN = "…"
"""Stands for text that is too long to be shown."""
ONE_STEP = "reads and writes in one step, so that every call counts"


_UPDATES = {
    BinaryOperation.ADD: "+=",
    BinaryOperation.ADD_SATURATING: "+=",
    BinaryOperation.SUBTRACT: "-=",
    BinaryOperation.SUBTRACT_SATURATING: "-=",
    BinaryOperation.MULTIPLY: "*=",
    BinaryOperation.BIT_AND: "&=",
    BinaryOperation.AND: "&=",
    BinaryOperation.BIT_OR: "|=",
    BinaryOperation.OR: "|=",
    BinaryOperation.BIT_XOR: "^=",
    Builtin.MIN: "min=",
    Builtin.MAX: "max=",
}
"""The statement that does `x = x op y` in one step."""


_OF_ONE_CALL = (
    BinaryOperation.DIVIDE,
    BinaryOperation.INTEGER_DIVIDE,
    BinaryOperation.MODULO,
    BinaryOperation.SHIFT_LEFT,
    BinaryOperation.SHIFT_RIGHT,
)
"""Operations whose `x = x op y` is not an update: with several calls the result depends on their order."""


def fix_of_store(effects: Effects, write: Write, words: Words, taken: str) -> str:
    """For E0301; `taken` is a name that the program does not use."""
    value, target, scalar = write.value, words(write.target), effects.is_scalar(write)
    if isinstance(value, Operation) and value.operation in _OF_ONE_CALL and is_target(write, value.arguments[0]):
        return _by_one_call(write, value.operation.value, scalar)
    update = as_update(write)
    if update is not None:
        operand = operand_of_update(words(write.span), target, update)
        return f"`{target} {update} {operand};` {ONE_STEP}"
    for guard in each(write.guard):
        without = reduced_without_test(effects, guard, words)
        if without is not None:
            return without
    index = target[len(write.name) :] if target.startswith(write.name) else ""
    declared = "scalar" if scalar else f"{'edge' if write.index.type is Type.EDGE else 'vertex'}"
    single = (
        f"several stores have one writer under `if (cas({taken}{index}, false, true))`, with "
        f"`{declared} {taken} : bool;`"
    )
    others = effects.written(write.name)
    if any(other.kind is not WriteKind.STORE for other in others):
        return f"use one form for all writes of `{write.name}` in this functor; {single}"
    stored = value_of_store(words(write.span), target)
    ordered = write.type is not Type.BOOL
    everywhere = ", at all of its stores here," if len(others) > 1 else ""
    fixes = [f"`{target} any= {stored};`{everywhere} lets any of the writers win"]
    if ordered:
        fixes.append(f"`{target} min= {stored};` or `{target} max= {stored};`{everywhere} picks by value")
    return "; ".join([*fixes, single])


def _by_one_call(write: Write, sign: str, scalar: bool) -> str:
    """For `x /= y` and its like."""
    together = f"{write.name}_by"
    if scalar:
        where = f"in the schedule, after this operator: `{write.name} {sign}= {together};`"
    else:
        index, *value = split(write.index)
        of_edges = index.type is Type.EDGE
        at = f"[{'e' if of_edges else 'v'}]"
        element = f"{write.name}{at}{'[i]' * len(value)}"
        place = "functor for `compute` on edges" if of_edges else "vertex functor"
        where = f"in a {place} after this operator: `{element} {sign}= {together}{at};`"
    return f"let a single call do it, {where}, combining the values of calls in `{together}` by `+= *= min= max=`"


def as_update(write: Write) -> str | None:
    """For `x = x + y` and the like: the form that means it."""
    if write.kind is not WriteKind.STORE or not isinstance(write.value, Operation):
        return None
    return next((form for form, term in _operands(write.value) if is_target(write, term)), None)


def _operands(value: Operation) -> Iterator[tuple[str, Term]]:
    """The parts of `x + y - z` and of other runs of one operator, each with the form for `part = value`."""
    left = [value]
    while left:
        operation = left.pop()
        form = _UPDATES.get(operation.operation)
        if form is None:
            return
        for part in operation.arguments[:1] if operation.operation in _SUBTRACT else operation.arguments:
            inner = _UPDATES.get(part.operation) if isinstance(part, Operation) else None
            if isinstance(part, Operation) and (inner == form or {inner, form} == {"+=", "-="}):
                left.append(part)
            else:
                yield form, part


def is_target(write: Write, term: Term) -> bool:
    """Whether `term` reads the element or scalar that is written."""
    if isinstance(term, ElementTerm):
        return term.array == write.name and term.index is write.index
    return isinstance(term, ScalarTerm) and term.name == write.name


def fix_of_read(effects: Effects, read: Read, write: Write, words: Words) -> str:
    """The fix of E0302, a read of what other calls write."""
    for store in effects.written(read.name):
        update = as_update(store)
        if update is not None and is_target(store, read.term) and read.term in inside(store.value):
            target = words(store.target)
            operand = operand_of_update(words(store.span), target, update)
            return f"`{target} {update} {operand};` {ONE_STEP}"
    special = _of_a_test(effects, read, words) or _in_a_value(effects, read, words) or _as_ticket(effects, read, words)
    if special is not None:
        return special
    fixes = [f"write into a second {'scalar' if effects.is_scalar(read) else 'array'} and use it in the next operator"]
    plain = (WriteKind.STORE, WriteKind.ANY, WriteKind.CAS)
    stores = all(other.kind in plain and other.index is read.index for other in effects.written(read.name))
    if read.in_condition and stores and _is_plain_test(effects, read):
        fixes.insert(0, "store what certainly makes the test false, such as a literal or `iteration + 1`")
    into = _into_operand(effects, read, write, words) if write.form in ("min=", "max=", "|=", "&=") else None
    if into is not None:
        fixes.insert(0, into)
    return "; or ".join(fixes)


def _is_plain_test(effects: Effects, read: Read) -> bool:
    """Whether the read alone decides its part of `cond`: compared with something, or itself a bool."""
    for conjunct in effects.conjuncts:
        if conjunct is read.term:
            return True
        if isinstance(conjunct, Operation) and read.term in parts(conjunct):
            compares = isinstance(conjunct.operation, BinaryOperation) and conjunct.operation.is_comparison
            return compares or conjunct.operation is UnaryOperation.NOT
    return False


def _in_a_value(effects: Effects, read: Read, words: Words) -> str | None:
    """For the value of a store that a reduction takes the place of, with its test."""
    for write in effects.written(read.name):
        if read.term in inside(write.value):
            for guard in each(write.guard):
                without = reduced_without_test(effects, guard, words)
                if without is not None:
                    return without
    return None


def _as_ticket(effects: Effects, read: Read, words: Words) -> str | None:
    """For `let i = count; count += 1;`: each call is to have a number of its own."""
    if read.in_condition or read.now:
        return None
    writes = effects.written(read.name)
    if len(writes) != 1 or writes[0].operation is not ReduceOperation.ADD or writes[0].index is not read.index:
        return None
    (write,) = writes
    if write.outcome is not None or not isinstance(write.value, Constant):
        return None
    is_after = (write.span.line, write.span.column) < (read.span.line, read.span.column)
    statement = words(write.span)
    use = f"`before + {statement.partition('+=')[2].strip()}`" if is_after else "`before`"
    return f"let each call have a number of its own: `let before = fetch({statement});`, and {use} in place of this"


def _into_operand(effects: Effects, read: Read, write: Write, words: Words) -> str | None:
    """The one place where what a reduction writes may be read by other calls."""
    if not read.in_condition or effects.is_scalar(read):
        return f"use it only in the operand or index of `{words(write.span)};`"
    target = words(write.target)
    test = next((node for node in effects.functor.condition if holds(node.span, read.span)), None)
    accepts = effects.accept is None or effects.accept is write.result
    if test is None or len(effects.writes) != 1 or len(effects.functor.condition) != 1 or not accepts:
        return None
    value = value_of_store(words(write.span).removeprefix("changed(").removesuffix(")"), target, write.form)
    moved = f"{target} {write.form} {words(test.span)} ? {value} : {target}"
    statement = f"accept changed({moved});" if effects.accept is not None else f"{moved};"
    return f"move the test into the operand: `{statement}`"


def branch_around(body: Sequence[nodes.Statement], write: Write) -> nodes.Branch | None:
    """The innermost `if` in which `write` is a statement."""
    for node in body:
        if isinstance(node, nodes.Branch) and holds(node.span, write.span):
            return branch_around((*node.then, *node.otherwise), write) or node
        if isinstance(node, nodes.Loop | nodes.ForRange) and holds(node.span, write.span):
            return branch_around(node.body, write)
    return None


def holds(outer: Span, inner: Span) -> bool:
    """Whether a span has all of another one."""
    return (outer.line, outer.column) <= (inner.line, inner.column) and (
        (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    )


def _of_a_test(effects: Effects, read: Read, words: Words) -> str | None:
    """The fix where the read is a test of the element that is then written."""
    if read.in_condition:
        return _take_by_cas(effects, read, words)
    guard = next(
        (
            comparison
            for write in effects.written(read.name)
            for comparison in each(write.guard)
            if read.term in inside(comparison.term) and comparison.term.depth < 20
        ),
        None,
    )
    if guard is None:
        return None
    return reduced_without_test(effects, guard, words) or _test_in_condition(effects, read, guard, words)


def reduced_without_test(effects: Effects, guard: Guard, words: Words) -> str | None:
    """For `if (y < x[i]) { x[i] min= y; }`: the reduction performs the test itself."""
    test = guard.term
    if not isinstance(test, Operation) or not guard.expected or len(test.arguments) != 2:
        return None
    for write in effects.writes:
        if write.guard is not guard:
            continue
        if _has_more_tests(effects, write):
            return None
        if is_redundant(test, write):
            return _in_place_of_the_test(effects, guard, words(write.span))
        statement = _as_extreme(effects, test, write, words)
        if statement is not None:
            return _in_place_of_the_test(effects, guard, statement)
    return None


def _as_extreme(effects: Effects, test: Operation, write: Write, words: Words) -> str | None:
    """The `min=` or `max=` that a write is together with its test, whether it compares `y < x[i]` or `x[i] > y`."""
    stores = write.kind is WriteKind.STORE and len(effects.written(write.name)) == 1
    if not stores and write.operation not in EXTREMES:
        return None
    left, right = test.arguments
    smaller = write.operation is ReduceOperation.MIN
    if stores:
        smaller = (test.operation in SMALLER) is same_text(left, write.value)
    for value, element, signs in (
        (left, right, SMALLER if smaller else LARGER),
        (right, left, LARGER if smaller else SMALLER),
    ):
        at = write.index if isinstance(element, ScalarTerm) else getattr(element, "index", None)
        named = getattr(element, "array", getattr(element, "name", None)) == write.name
        if test.operation in signs and named and at is write.index and same_text(value, write.value):
            statement = words(write.span)
            if not stores:
                return statement
            value_words = value_of_store(statement, words(write.target))
            return f"{words(write.target)} {'min=' if smaller else 'max='} {value_words}"
    return None


def _has_more_tests(effects: Effects, write: Write) -> bool:
    """Whether the `if` around `write` has several tests, so that it cannot be dropped with one of them."""
    branch = branch_around(effects.functor.body, write)
    condition = branch.condition if branch is not None else None
    return isinstance(condition, nodes.Binary) and condition.operation is BinaryOperation.AND


def _in_place_of_the_test(effects: Effects, guard: Guard, statement: str) -> str:
    """How a reduction that performs the test itself replaces it."""
    under = [write for write in effects.writes if guard in each(write.guard)]
    accept = effects.accept
    if len(under) > 1:
        return f"put the reduction in place of the test, which it performs itself: `if (changed({statement})) {{ … }}`"
    if accept is not None and (accept is effects.terms.true or guard.term in inside(accept)):
        return f"`accept changed({statement});` performs the test and says whether it held"
    return f"drop the test: `{statement};` performs it itself"


def _test_in_condition(effects: Effects, read: Read, guard: Guard, words: Words) -> str | None:
    """For `if (x[i] == old) { x[i] = new; … }` around everything: as a `cond` the test closes."""
    writes = effects.written(read.name)
    if not guard.expected or any(
        write.kind is not WriteKind.STORE or write.index is not read.index for write in writes
    ):
        return None
    everything = all(guard in each(write.guard) for write in effects.writes)
    accept = effects.accept
    accepted = accept is None or accept is guard.term or (
        isinstance(accept, Choice) and accept.condition is guard.term and accept.no is effects.terms.false
    )  # fmt: skip
    tests = [(write, effects.terms.replace(guard.term, read.term, write.value)) for write in writes]
    made_false = all(effects.determined(test, write.index) and Proof().decide(test) is False for write, test in tests)
    node = _branch_with(effects, read)
    if not (everything and accepted and made_false and node is not None):
        return None
    return f"move the test to `cond`: `cond {words(node.condition.span)};`, which the store then makes false"


def _branch_with(effects: Effects, read: Read) -> nodes.Branch | None:
    """The statement of the body with the read in its condition."""
    for node in effects.functor.body:
        if isinstance(node, nodes.Branch):
            first, last = node.condition.span, read.span
            if holds(first, last):
                return node
    return None


def _take_by_cas(effects: Effects, read: Read, words: Words) -> str | None:
    """For a `cond` that tests what `apply` then stores at several elements: one `cas` each takes them."""
    taken = effects.written(read.name)
    simple = all(write.kind is WriteKind.STORE and write.value is effects.terms.true for write in taken)
    if not simple or len(taken) < 2 or len({write.index for write in taken}) != len(taken):
        return None
    if read.term.type is not Type.BOOL or any(write.guard is not None for write in effects.writes):
        return None
    rest = " ".join(f"{words(write.span)};" for write in effects.writes if write.name != read.name)
    body = f" {rest} " if rest else " "
    for write in reversed(taken):
        body = f" if (cas({words(write.target)}, false, true)) {{{body}}} "
    return f"in place of the test let one call take each element: `apply {{{body}}}`"


def value_of_store(statement: str, target: str, sign: str = "=") -> str:
    """`y` of the text `x = y`, or of `x op= y` with another `sign`."""
    match = re.match(re.escape(target) + r"\s*" + re.escape(sign) + r"(?!=)\s*(.+)$", statement, re.DOTALL)
    return match[1].strip() if match else UNKNOWN


def operand_of_update(statement: str, target: str, update: str) -> str:
    """`y` of a text such as `x = x + y`, `x = y + x` or `x = min(x, y)`, as the operand of `x update`."""
    value, sign, name = value_of_store(statement, target), re.escape(update.removesuffix("=")), re.escape(target)
    signs = rf"(?:{sign}{sign}|{sign})" if sign in (r"\|", "&") else sign
    if update in ("min=", "max="):
        match = re.fullmatch(rf"{sign}\(\s*{name}\s*,\s*(.+)\)", value) or re.fullmatch(
            rf"{sign}\(\s*(.+?)\s*,\s*{name}\s*\)", value
        )
    else:
        match = re.fullmatch(rf"{name}\s*{signs}\s*(.+)", value)
        if match is None and update != "-=":
            match = re.fullmatch(rf"(.+?)\s*{signs}\s*{name}", value)
        if match is not None and update == "-=" and re.search(r"[-+]", _outside_brackets(match[1])):
            match = None
    if match is None or re.search(rf"(?<!\w){name}(?!\w)", match[1]) or not _closed(match[1]):
        return UNKNOWN
    return match[1].strip()


def _outside_brackets(text: str) -> str:
    before = None
    while before != text:
        before, text = text, re.sub(r"\([^()\[\]]*\)|\[[^()\[\]]*\]", "", text)
    return text


def _closed(text: str) -> bool:
    """Whether all brackets are closed, and there are only these."""
    return not re.search(r"[()\[\]]", _outside_brackets(text))
