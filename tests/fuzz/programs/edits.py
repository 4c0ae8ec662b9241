"""Changes of a program's text by the spans of its tree: what mutates programs and what makes findings smaller."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from gdsl.frontend import check, parse, syntax
from gdsl.source import NOWHERE, Source, Span

_LITERALS = ("true", "false", "0", "1", "none", "vertices", "{ 0 }")


class Tree:
    """The tree of a text, and the text of its parts."""

    def __init__(self, text: str, *, typed: bool = False) -> None:
        """Parse `text`; check it too where `typed`. Raises GdslError."""
        self.text = text
        source = Source("program.gdsl", text)
        self.program = parse(source)
        if typed:
            self.program = check(self.program, source).program
        self._lines = [0, *accumulate(len(line) for line in text.splitlines(keepends=True))]

    def bounds(self, span: Span) -> tuple[int, int]:
        """Where a span begins and ends in the text."""
        start, end = self._lines[span.line - 1] + span.column - 1, self._lines[span.end_line - 1] + span.end_column - 1
        return start, end

    def words(self, *nodes: syntax.Node) -> str:
        """The text of some nodes, one after another."""
        return " ".join(self._whole(node) for node in nodes)

    def with_text(self, node: syntax.Node, replacement: str) -> str:
        """The program's text with other words for `node`."""
        start, end = self._extent(node)
        return f"{self.text[:start]}{replacement}{self.text[end:]}"

    def _whole(self, node: syntax.Node) -> str:
        start, end = self._extent(node)
        return self.text[start:end]

    def _extent(self, node: syntax.Node) -> tuple[int, int]:
        """A statement goes with its semicolon."""
        start, end = self.bounds(node.span)
        owns = isinstance(node, syntax.Statement | syntax.Declaration | syntax.TuneEntry)
        if owns and self.text[end - 1 : end] not in ";}":
            mark = end + len(self.text[end:]) - len(self.text[end:].lstrip())
            end = mark + 1 if self.text[mark : mark + 1] == ";" else end
        return start, end

    def nodes(self, *kinds: type[syntax.Node]) -> list[syntax.Node]:
        """All nodes of some kinds that stand in the text, outermost first."""
        found = (node for node in syntax.walk(self.program) if isinstance(node, kinds) and node.span != NOWHERE)
        return list({(node.span, type(node)): node for node in found}.values())

    def statements(self) -> list[syntax.Statement]:
        """All statements; the update inside `changed(…)` is none."""
        inner = {id(node.update) for node in self.nodes(syntax.UpdateValue) if isinstance(node, syntax.UpdateValue)}
        found = self.nodes(syntax.Statement)
        return [node for node in found if isinstance(node, syntax.Statement) and id(node) not in inner]


def smaller_texts(text: str) -> Iterator[str]:
    """Texts with less in them, the largest cuts first; most of them are no programs."""
    tree = Tree(text)
    for part in tree.nodes(syntax.Functor, syntax.Function, syntax.TuneEntry):
        yield tree.with_text(part, "")
    for statement in tree.statements():
        yield tree.with_text(statement, "")
        yield from _opened(tree, statement)
    for part in tree.nodes(syntax.Declaration):
        yield tree.with_text(part, "")
        assert isinstance(part, syntax.Declaration)
        if part.initial is not None:
            yield tree.with_text(part.initial, "0")
    for expression in tree.nodes(syntax.Expression):
        yield from _smaller(tree, expression)


def _opened(tree: Tree, statement: syntax.Statement) -> Iterator[str]:
    """What is in a statement, without it."""
    if isinstance(statement, syntax.If):
        yield tree.with_text(statement, tree.words(*statement.then))
        if statement.otherwise:
            yield tree.with_text(statement, tree.words(*statement.otherwise))
            condition, then = tree.words(statement.condition), tree.words(*statement.then)
            yield tree.with_text(statement, f"if ({condition}) {{ {then} }}")
    elif isinstance(statement, syntax.While | syntax.Repeat | syntax.For):
        yield tree.with_text(statement, tree.words(*statement.body))


def _smaller(tree: Tree, expression: syntax.Node) -> Iterator[str]:
    words = tree.words(expression)
    if len(words) <= 2:
        return
    for literal in _LITERALS:
        if literal != words:
            yield tree.with_text(expression, literal)
    for child in syntax.children(expression):
        inner = child.value if isinstance(child, syntax.Argument) else child
        if isinstance(inner, syntax.Expression):
            yield tree.with_text(expression, tree.words(inner))
