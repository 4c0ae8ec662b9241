"""`join(a, s, t);` and `root(a, v)`: sets of vertices as a forest of labels, of which each is a vertex of the same set
and not above its own vertex. The root of a set, which is its own label, is its smallest vertex.

Both words become statements of the language, which every stage after this one knows.

`join` is Rem's algorithm (Patwary, Blair and Manne, Experiments on Union-Find Algorithms for the Disjoint-Set Data
Structure, SEA 2010), which climbs from the larger of two vertices, and gives each that it leaves the smaller one's
label:

    var high = max(s, t); var low = min(s, t);
    while (low < high) {
        let label = now a[low];
        let before = fetch(a[high] min= label);
        if (before >= high || before == label) { break; }      # it was a root, or has this label already
        high = max(before, low); low = min(before, low);
    }

No link is lost, however many calls do so at one time, and even where `label` is a former label of `low`. Say that a
call that is at `high` and `low` holds an edge between the two. Then, of the edges of labels and those that are held, a
path from each vertex to each of its former labels has no vertex above that vertex, always: a `fetch` that gives `high`
the label, for `before`, leaves a path from `high` by the label to `low`, all below `high`, and an edge to `before` that
is held. Where the call ends, `low` has a path to `label` that has no vertex above `low`, so that it needs no edge at
`high`, and `high` has the label. So all that was ever joined is one set once no call holds an edge: when the operator
ends. It ends, as `high` is smaller in each round.

`root` follows labels up to one that is its own. Where the element of a vertex becomes its own root,
`a[v] = root(a, v)`, it lowers its label as long as that changes anything, so that others find a shorter way.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.diagnostics import Edit, Label, Suggestion
from gdsl.frontend import syntax
from gdsl.frontend.check.arguments import bind
from gdsl.frontend.check.environment import Environment, Place, built_in, poison, same_expression
from gdsl.frontend.check.label_fixes import has_wrong_count, instead_of_write
from gdsl.frontend.check.names import NameChecker
from gdsl.frontend.signatures import SIGNATURES
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import LABEL_WORDS
from gdsl.operations import BinaryOperation, Domain, Forest, ForestWord, Outcome, ReduceOperation
from gdsl.source import Span
from gdsl.types import Type

_EXAMPLE = "`vertex component : vertex = id;`"


def is_label_word(call: syntax.Call, environment: Environment, word: str = "") -> bool:
    """Whether a call is of `join` or `root` (`word`, where one is given), and nothing of the program."""
    own = call.function in ((word,) if word else LABEL_WORDS)
    return own and environment.find(call.function) is None


def with_labels(statement: syntax.Statement, checker: NameChecker) -> tuple[syntax.Statement, ...] | None:
    """The typed statements before `statement`, and what is left of it; nothing after a mistake, None if it has neither
    of the two words where they are allowed."""
    environment = checker.environment
    value = getattr(statement, "value", None)
    if environment.place is not Place.APPLY or not isinstance(value, syntax.Call):
        return None
    if isinstance(statement, syntax.ExpressionStatement) and is_label_word(value, environment, "join"):
        return _joined(value, checker)
    if not isinstance(statement, syntax.Let | syntax.Assign | syntax.Update):
        return None
    if not is_label_word(value, environment, "root"):
        return None
    arguments = _arguments(value, checker)
    if arguments is None:
        return (dataclasses.replace(statement, value=poison(value.span)),)
    array, (vertex,) = arguments
    if isinstance(statement, syntax.Assign) and _is_own(statement, value):
        return (_flattened(statement.span, array, vertex),)
    before, local = _followed(value.span, array, vertex, environment)
    return *before, dataclasses.replace(statement, value=local)


def _arguments(call: syntax.Call, checker: NameChecker) -> tuple[Symbol, tuple[syntax.Expression, ...]] | None:
    """The labels and the vertices of a call; None after a mistake."""
    environment, signature = checker.environment, SIGNATURES[call.function]
    if call.label is not None:
        message, fix = "only operators of the schedule have labels", f"leave out `@{call.label}`"
        environment.report("E0404", message, call.span, fix=fix)
        return None
    if has_wrong_count(call, environment) or bind(call.arguments, signature, environment, call.span) is None:
        return None
    labels, *others = (argument.value for argument in call.arguments)
    array = _labels(labels, call, checker)
    vertices = []
    for other in others:
        typed = checker.infer(other, Type.VERTEX)
        if typed.type not in (None, Type.VERTEX):
            message = f"`{call.function}` takes vertices, and this is {typed.type.name if typed.type else 'none'}"
            words = environment.words(other.span)
            cast = f"write `vertex({words})`" if typed.type and typed.type.is_integer else None
            environment.report("E0213", message, other.span, fix=cast)
            return None
        vertices.append(typed)
    if array is None or any(vertex.type is None for vertex in vertices):
        return None
    return array, tuple(vertices)


def _labels(value: syntax.Expression, call: syntax.Call, checker: NameChecker) -> Symbol | None:
    environment = checker.environment
    if not isinstance(value, syntax.Name):
        name = value.array if isinstance(value, syntax.Index) else ""
        fix = f"give the whole array, `{name}`" if name else f"declare {_EXAMPLE}: `{call.function}(component, …)`"
        message = f"`{call.function}` takes an array of labels first, by its name"
        suggestions = (Suggestion(f"write `{name}`", (Edit(value.span, name),)),) if name else ()
        environment.report("E0228", message, value.span, fix=fix, suggestions=suggestions)
        return None
    symbol = checker.resolve(value.name, value.span)
    if symbol is None:
        return None
    wrong: str | None = None
    if symbol.kind is not SymbolKind.ARRAY:
        wrong = f"`{symbol.name}` is {symbol.kind.with_article}"
    elif symbol.domain is not Domain.VERTEX or symbol.type is not Type.VERTEX or symbol.count is not None:
        over = "edges" if symbol.domain is Domain.EDGE else "vertices"
        several = " with several values each" if symbol.count is not None else ""
        wrong = f"`{symbol.name}` has {symbol.type.name if symbol.type else '…'} for {over}{several}"
    elif symbol.is_input:
        wrong = f"`{symbol.name}` is an input, whose labels may lead in a circle"
    if wrong is None:
        return symbol
    message = f"`{call.function}` takes an array that has a vertex for each vertex, and {wrong}"
    environment.report("E0228", message, value.span, fix=f"declare another one, such as {_EXAMPLE}")
    return None


# ---------------------------------------------------------------- what they become


def _is_own(statement: syntax.Assign, call: syntax.Call) -> bool:
    """Whether this is `a[v] = root(a, v);`."""
    target, (labels, vertex) = statement.target, (argument.value for argument in call.arguments)
    if not isinstance(target, syntax.Index) or not isinstance(labels, syntax.Name) or target.place is not None:
        return False
    return target.array == labels.name and same_expression(target.index, vertex) and not statement.any_winner


@dataclasses.dataclass(frozen=True, slots=True)
class _Code:
    """Builds typed nodes at one place."""

    span: Span
    array: Symbol
    environment: Environment

    def local(self, name: str, value: syntax.Expression, *, mutable: bool = False) -> tuple[syntax.Let, syntax.Name]:
        symbol = self.environment.hidden(name, Type.VERTEX)
        let = syntax.Let(self.span, name, self.span, None, value, mutable, Type.VERTEX, symbol)
        return let, syntax.Name(self.span, name, symbol=symbol, type=Type.VERTEX)

    def element(self, index: syntax.Expression, *, now: bool = False) -> syntax.Index:
        name, kind = self.array.name, Type.VERTEX
        checked = not (isinstance(index, syntax.Name) and index.symbol is not None and index.symbol.kind in _SOUND)
        return syntax.Index(self.span, name, self.span, index, now=now, symbol=self.array, type=kind, checked=checked)

    def of_two(self, function: str, one: syntax.Expression, other: syntax.Expression) -> syntax.Call:
        arguments = tuple(syntax.Argument(self.span, each) for each in (one, other))
        return syntax.Call(self.span, function, self.span, arguments, symbol=built_in(function), type=Type.VERTEX)

    def binary(self, operation: BinaryOperation, one: syntax.Expression, other: syntax.Expression) -> syntax.Binary:
        return syntax.Binary(self.span, operation, one, other, type=Type.BOOL)

    def lowered(self, index: syntax.Expression, value: syntax.Expression, outcome: Outcome) -> syntax.UpdateValue:
        update = syntax.Update(self.span, self.element(index), ReduceOperation.MIN, value)
        type_ = Type.BOOL if outcome is Outcome.CHANGED else Type.VERTEX
        return syntax.UpdateValue(self.span, outcome, update, type=type_)

    def forest(self, word: ForestWord) -> Forest:
        return Forest(word, self.array.name)

    def once(self, value: syntax.Expression) -> tuple[tuple[syntax.Let, ...], syntax.Expression]:
        """A value that is evaluated once, however often it is used."""
        if isinstance(value, syntax.Name):
            return (), value
        let, name = self.local("one", value)
        return (let,), name


_SOUND = (SymbolKind.VERTEX, SymbolKind.SOURCE, SymbolKind.DESTINATION, SymbolKind.NEAR, SymbolKind.FAR)


def _joined(call: syntax.Call, checker: NameChecker) -> tuple[syntax.Statement, ...]:
    arguments = _arguments(call, checker)
    if arguments is None:
        return ()
    array, (one, other) = arguments
    code, span = _Code(call.span, array, checker.environment), call.span
    before_one, one = code.once(one)
    before_other, other = code.once(other)
    high_let, high = code.local("high", code.of_two("max", one, other), mutable=True)
    low_let, low = code.local("low", code.of_two("min", one, other), mutable=True)
    label_let, label = code.local("label", code.element(low, now=True))
    before_let, before = code.local("before", code.lowered(high, label, Outcome.FETCH))
    was_root = code.binary(BinaryOperation.GREATER_EQUAL, before, high)
    has_label = code.binary(BinaryOperation.EQUAL, before, label)
    done = code.binary(BinaryOperation.OR, was_root, has_label)
    body = (
        label_let,
        before_let,
        syntax.If(span, done, (syntax.Break(span),), ()),
        syntax.Assign(span, high, code.of_two("max", before, low)),
        syntax.Assign(span, low, code.of_two("min", before, low)),
    )
    condition = code.binary(BinaryOperation.LESS, low, high)
    loop = syntax.While(span, condition, body, code.forest(ForestWord.JOIN))
    return *before_one, *before_other, high_let, low_let, loop


def _flattened(span: Span, array: Symbol, vertex: syntax.Expression) -> syntax.Statement:
    code = _Code(span, array, Environment())
    condition = code.lowered(vertex, code.element(code.element(vertex)), Outcome.CHANGED)
    return syntax.While(span, condition, (), code.forest(ForestWord.FLATTEN))


def _followed(
    span: Span, array: Symbol, vertex: syntax.Expression, environment: Environment
) -> tuple[tuple[syntax.Statement, ...], syntax.Name]:
    """The statements that find a root, and the local that has it, by a name that no text can have."""
    code = _Code(span, array, environment)
    at_let, at = code.local("at", vertex, mutable=True)
    up_let, up = code.local("up", code.element(at), mutable=True)
    step = (syntax.Assign(span, at, up), syntax.Assign(span, up, code.element(at)))
    loop = syntax.While(span, code.binary(BinaryOperation.NOT_EQUAL, up, at), step, code.forest(ForestWord.ROOT))
    name = f"{at_let.symbol.unique if at_let.symbol else ''} of root"
    environment.scopes[-1][name] = at.symbol if at.symbol is not None else built_in(name)
    return (at_let, up_let, loop), syntax.Name(span, name)


# ---------------------------------------------------------------- what else may change labels


def check_forests(program: syntax.Program, environment: Environment) -> None:
    """Report whatever else changes labels that are joined in a typed program, or that become their roots."""
    uses = [(functor, node) for functor in program.functors for node in syntax.walk(functor) if _forest(node)]
    forests = [(forest, node.span) for _, node in uses if (forest := _forest(node)) and forest.word in _CHANGING]
    changed: dict[str, Label] = {}
    for forest, span in sorted(forests, key=lambda each: _CHANGING.index(each[0].word)):
        joins = forest.word is ForestWord.JOIN
        changed.setdefault(forest.array, Label(span, "joined here" if joins else "follows labels to the root here"))
    for name, label in changed.items():
        labels = (label,)
        declaration = next(each for each in program.declarations if each.name == name)
        initial = declaration.initial
        if not isinstance(initial, syntax.Name) or initial.name != "id":
            message = f"`{name}` does not begin as `id`, so its labels may lead in a circle"
            fix = f"declare `vertex {name} : vertex = id;`"
            environment.report("E0228", message, declaration.name_span, fix=fix, labels=labels)
        places = ((program.functors, False), (program.schedule, True))
        writes = [(each, in_schedule) for parts, in_schedule in places for each in _other_writes(parts, name)]
        for (node, how), in_schedule in writes:
            message = f"labels of `{name}` may only become smaller, and {how} may make one larger"
            fix, suggestions = instead_of_write(node, name, in_schedule, environment)
            environment.report("E0228", message, node.span, fix=fix, labels=labels, suggestions=suggestions)
    for functor in program.functors:
        _check_functor(functor, environment)


_CHANGING = (ForestWord.JOIN, ForestWord.FLATTEN)


def _forest(node: syntax.Node) -> Forest | None:
    return node.forest if isinstance(node, syntax.While) else None


def _other_writes(parts: tuple[syntax.Node, ...], name: str) -> Iterator[tuple[syntax.Node, str]]:
    """Everything in parts of a program that writes `name` by something else than `min=`."""
    for node in (node for part in parts for node in syntax.walk(part)):
        target = getattr(node, "target", None)
        symbol = target.symbol if isinstance(target, syntax.Name | syntax.Index) else None
        if symbol is not None and symbol.name == name and symbol.kind is SymbolKind.ARRAY:
            if not isinstance(node, syntax.Update):
                yield node, "`cas`" if isinstance(node, syntax.CompareAndSwap) else "`=`"
            elif node.operation is not ReduceOperation.MIN:
                yield node, f"`{node.operation.value}`"
        elif isinstance(node, syntax.Call) and node.function in ("swap", "fill") and _names(node, name):
            yield node, f"`{node.function}`"


def _names(call: syntax.Call, name: str) -> bool:
    symbols = [each.value.symbol for each in call.arguments if isinstance(each.value, syntax.Name)]
    return any(each is not None and each.name == name and each.kind is SymbolKind.ARRAY for each in symbols)


def _check_functor(functor: syntax.Functor, environment: Environment) -> None:
    """Report what a functor does to labels besides: only then is every link kept, and every root final."""
    uses = [(forest, node) for node in syntax.walk(functor) if (forest := _forest(node))]
    for forest, loop in uses:
        inside = {id(node) for other, each in uses if other == forest for node in syntax.walk(each)}
        for node in syntax.walk(functor):
            target = getattr(node, "target", None)
            if id(node) in inside or not isinstance(target, syntax.Index) or target.array != forest.array:
                continue
            what = {
                ForestWord.JOIN: f"`join` loses links where a call changes `{forest.array}` in another way",
                ForestWord.FLATTEN: f"roots of `{forest.array}` are not final where a call changes it in another way",
                ForestWord.ROOT: f"`root` follows labels of `{forest.array}`, which other calls change",
            }[forest.word]
            fix, suggestions = "do one of the two in another operator, after this one", tuple[Suggestion, ...]()
            if isinstance(node, syntax.Assign) and f"root({target.array}," in environment.words(node.span):
                fix, suggestions = instead_of_write(node, target.array, False, environment)
            where = (Label(loop.span, "here"),)
            environment.report("E0228", what, node.span, labels=where, fix=fix, suggestions=suggestions)
            return
