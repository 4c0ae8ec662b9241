"""The fixes of E0303 to E0307: the user's own statements, rewritten so that they can be typed in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gdsl.effects.summary import Effects, Write, WriteKind
from gdsl.effects.terms import Term
from gdsl.ir import nodes
from gdsl.operations import EXTREMES, UnaryOperation
from gdsl.rules.fixes import UNKNOWN, Words, value_of_store
from gdsl.source import Span
from gdsl.types import Type


def fix_of_mixture(effects: Effects, first: Write, second: Write, words: Words) -> str:
    """For E0303: one form for all writes where one does what the stores mean, else an operator of its own."""
    own = _alone(effects, second)
    one_form = f"use one form for all writes to `{first.name}` in this functor"
    apart = f"or do {_code(words, own)} in a second operator after this one"
    stores = [write for write in effects.written(first.name) if write.kind is WriteKind.STORE]
    others = {(write.kind, write.operation) for write in effects.written(first.name) if write not in stores}
    if not stores or len(others) != 1:
        return f"{one_form}, {apart}"
    ((kind, operation),) = others
    if kind is not WriteKind.ANY and (operation not in EXTREMES or stores[0].type is Type.BOOL):
        return f"{one_form}, {apart}"
    sign = "any=" if operation is None else operation.value
    meaning = "lets any of the writers win" if operation is None else "picks by value"
    rewritten = [_with_sign(write, sign, words) for write in stores]
    if any(UNKNOWN in statement for statement in rewritten):
        return f"{one_form}, {apart}"
    return f"{one_form}: {' and '.join(f'`{statement}`' for statement in rewritten)} {meaning}; {apart}"


def _with_sign(store: Write, sign: str, words: Words) -> str:
    target = words(store.target)
    return f"{target} {sign} {value_of_store(words(store.span), target)};"


def fix_under_cas(effects: Effects, write: Write, cas: Write, other_index: bool, words: Words, taken: str) -> str:
    """The fix of E0306, a store under a `cas` that other calls may win."""
    target = words(write.target)
    stores = effects.written(write.name)
    everywhere = ", at all of its stores here," if len(stores) > 1 else ""
    any_winner = f"`{_with_sign(write, 'any=', words)}`{everywhere} lets any of the winners store"
    index = target[len(write.name) :] if target.startswith(write.name) else ""
    same_elements = write.index.type is cas.index.type
    if other_index and len(stores) == 1 and same_elements and len(effects.written(cas.name)) == 1:
        match = re.match(r"cas\(\s*" + re.escape(words(cas.target)) + r"\s*,(.*)$", words(cas.span), re.DOTALL)
        if match is not None and words(cas.target).startswith(cas.name):
            moved = f"`if (cas({cas.name}{index},{match[1]})` takes the element that is stored into"
            return f"{moved}; or {any_winner}"
    domain = "scalar" if effects.is_scalar(write) else "edge" if write.index.type is Type.EDGE else "vertex"
    single = f"`if (cas({taken}{index}, false, true))`, with `{domain} {taken} : bool;`, around it leaves one of them"
    needs = (
        "the `cas` needs an `old` that is the same for all calls and a `new` that differs from it, at the index stored"
    )
    return f"{needs}: {single}; or {any_winner}" if len(stores) == 1 else f"{needs}; or {any_winner}"


# ---------------------------------------------------------------- closing functors


def fix_in_closing(effects: Effects, closed: str, moving: Sequence[Write], looped: bool, words: Words) -> str:
    """For E0304; `moving` has all writes that depend on how many calls run."""
    where = "after the loop" if looped else "after this one"
    fixes = [f"do it in a second operator {where}"]
    one_call = _by_the_winner(effects, closed, moving, words)
    if one_call is not None:
        fixes.append(f"let one call do it: {one_call}")
    if all(write.kind is WriteKind.STORE for write in moving):
        stores = [_with_sign(write, "any=", words) for write in moving]
        if not any(UNKNOWN in statement for statement in stores):
            fixes.append(f"let any of those that run do it: {' and '.join(f'`{statement}`' for statement in stores)}")
    return ", or ".join(fixes)


def _by_the_winner(effects: Effects, closed: str, moving: Sequence[Write], words: Words) -> str | None:
    """`moving` under the success of one `cas` on what closes."""
    closers = effects.written(closed)
    tops = [_top_of(effects, write.span) for write in moving]
    if len(closers) != 1 or closers[0].guard is not None or any(top is None for top in tops):
        return None
    (closer,) = closers
    body = " ".join(dict.fromkeys(_statement(words, top) for top in tops if top is not None))
    if UNKNOWN in body or any(closer.span == top.span for top in tops if top is not None):
        return None
    if closer.kind is WriteKind.CAS:
        won = _local_of(effects, closer)
        return None if won is None else f"`if ({won}) {{ {body} }}` in its place"
    target, old = words(closer.target), _old_value(effects, words(closer.target), words)
    value = value_of_store(words(closer.span), target, closer.form)
    if old is None or closer.statement is None or value == UNKNOWN:
        return None
    return f"`if (cas({target}, {old}, {value})) {{ {body} }}` in place of `{words(closer.span)};` and of it"


def _old_value(effects: Effects, target: str, words: Words) -> str | None:
    """The value that `cond` requires of `target`, if it requires a single one."""
    for node in effects.functor.condition:
        text = words(node.span)
        if text in (target, f"!{target}"):
            return "true" if text == target else "false"
        for side, rest in (text.split("==", 1), text.split("==", 1)[::-1]) if text.count("==") == 1 else ():
            if side.strip() == target and re.fullmatch(r"\s*(-?[\w.]+)\s*", rest):
                return rest.strip()
    return None


def _local_of(effects: Effects, cas: Write) -> str | None:
    """The local that says whether `cas` succeeded."""
    for node in effects.functor.body:
        if isinstance(node, nodes.Let) and not node.mutable and node.value is cas.node:
            return node.name
    return None


def fix_of_accept(effects: Effects, key: Term, words: Words) -> str:
    """The fix of E0305, an `accept` that depends on which call reaches the vertex."""
    if key in (effects.far, effects.collected):
        return (
            "accept what depends on that vertex alone: `accept true;` takes all that are reached, and a `filter` "
            "after this operator decides the rest"
        )
    text = words(effects.operator.span)
    apart = "and make the set by another operator, which does not write what its `cond` reads"
    if isinstance(effects.operator, nodes.Advance) and text.endswith(")"):
        without = re.sub(r",\s*to\s*=\s*\w+", "", text)
        return f"let this operator return no set with `to=none`: `{without[:-1]}, to=none);` without `accept`, {apart}"
    return f"let this operator return no set, {apart}"


# ---------------------------------------------------------------- loops that wait


def fix_of_waiting(effects: Effects, loop: nodes.Loop, words: Words) -> str:
    """For E0307: one try a call, and the schedule tries again."""
    general = (
        "let the schedule wait: end the call here and go on in the next operator or pass; or let each round change "
        "something by a `min=`, `max=`, `|=` or `&=` and go on only if it `changed`; or bound the rounds by a `for` "
        "over numbers, which `break` leaves"
    )
    following = _following(effects.functor.body, loop)
    awaited = _awaited(loop, words)
    if following is None or awaited is None:
        return general
    rest = words(_over(following))
    if rest == UNKNOWN:
        return general
    ended = rest if rest.endswith("}") else f"{rest};"
    return (
        f"let the schedule wait: a call tries once, `if ({awaited}) {{ {ended} }}` in place of the loop and of what "
        "follows it, and the schedule calls it again"
    )


def _awaited(loop: nodes.Loop, words: Words) -> str | None:
    """What the loop waits for, where it does nothing else."""
    condition = loop.condition
    if not loop.body:
        if isinstance(condition, nodes.Unary) and condition.operation is UnaryOperation.NOT:
            return words(condition.operand.span)
        return f"!({words(condition.span)})"
    only = loop.body[0]
    if not isinstance(only, nodes.Branch) or len(loop.body) > 1 or words(condition.span) != "true":
        return None
    leaves = not only.otherwise and all(isinstance(node, nodes.Break) for node in only.then)
    return words(only.condition.span) if leaves else None


def _following(body: Sequence[nodes.Statement], loop: nodes.Loop) -> Sequence[nodes.Statement] | None:
    """The statements of the functor after `loop`; None if it is in another statement, or nothing follows."""
    for place, node in enumerate(body):
        if node is loop:
            return body[place + 1 :] or None
    return None


# ---------------------------------------------------------------- statements as they are written


def _alone(effects: Effects, write: Write) -> Span:
    top = _top_of(effects, write.span)
    return top.span if top is not None and write.outcome is not None else write.span


def _top_of(effects: Effects, span: Span) -> nodes.Statement | None:
    """The statement of the functor's body that contains `span`."""
    place = (span.line, span.column)
    for node in effects.functor.body:
        if (node.span.line, node.span.column) <= place < (node.span.end_line, node.span.end_column):
            return node
    return None


def _statement(words: Words, node: nodes.Statement) -> str:
    text = words(node.span)
    return text if isinstance(node, nodes.Branch | nodes.Loop | nodes.ForRange) else f"{text};"


def _code(words: Words, span: Span) -> str:
    text = words(span)
    return "the one" if text == UNKNOWN else f"`{text};`"


def _over(statements: Sequence[nodes.Statement]) -> Span:
    first, last = statements[0].span, statements[-1].span
    return Span(first.line, first.column, last.end_line, last.end_column, first.origin)
