"""Edge lists as networkx.write_edgelist writes them: two nodes and a dictionary of Python on each line."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

from gdsl.diagnostics import printable as printable_path
from gdsl.graph.arguments import numbers_of
from gdsl.graph.edge_list_head import Head
from gdsl.graph.fields import comment_of, decoded
from gdsl.graph.messages import notice
from gdsl.graph.text import TextLines, printable, short
from gdsl.graph.worded_lists import Worded, ids_of

_FIX = "networkx.write_weighted_edgelist, or write_edgelist with data=False, writes what is read"


def ends_of_list(lines: TextLines, head: Head) -> Iterator[list[str]]:
    """The two ends of each row."""
    for words, _ in _rows(lines):
        yield words


def read_networkx_list(path: str, head: Head) -> Worded:
    """The list at `path`; nodes that are not whole numbers are names. Attributes that all edges have are kept; an edge
    without a weight gets 1 if others have one, as in NetworkX.

    Raises GdslError E0705 or E0711 with file and line.
    """
    with TextLines(path) as lines:
        values: list[dict[str, Any]] = []

        def rows() -> Iterator[list[str]]:
            for words, data in _rows(lines):
                values.append(data)
                yield words

        sources, destinations, names = ids_of(lines, head, (0, 1), rows())
        attributes, left_out = {}, []
        for name, count in Counter(name for data in values for name in data).items():
            result = None
            if count == len(values) or name == "weight":
                result = numbers_of(name, [data.get(name) for data in values], "edge")
            if result is None:
                left_out.append(f"`{printable(name)}`")
            else:
                attributes[name] = result
        if left_out:
            notice(f"{printable_path(path)}: {', '.join(left_out[:5])}: not a number for each edge, and left out")
        return Worded(sources, destinations, names, attributes)


def _rows(lines: TextLines) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """Both nodes of each line and the attributes of the edge; NetworkX quotes nothing."""
    for line in lines:
        if comment_of(line) is not None or not line.strip():
            lines.skip()
            continue
        front, brace, rest = decoded(lines, line).partition("{")
        front = front.rstrip(" ")
        mark = next((each for each in "\t,;" if front.endswith(each)), None)
        words = [word.strip() for word in front.removesuffix(mark or "").split(mark)]
        if not brace or len(words) != 2:
            message = f"the line is not two nodes and a dictionary, as the first one is: `{short(lines.line)}`"
            raise lines.error("E0705", message, _FIX)
        yield words, _dictionary(lines, brace + rest)


def _dictionary(lines: TextLines, text: str) -> dict[str, Any]:
    try:
        result = ast.literal_eval(_Plain().visit(ast.parse(text.strip(), mode="eval")))
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        _refuse(lines, text)
    if not isinstance(result, dict) or not all(isinstance(name, str) for name in result):
        _refuse(lines, text)
    return result


class _Plain(ast.NodeTransformer):
    """Replaces what Python and NumPy write for some numbers: `nan`, `inf`, `np.float64(2.0)`."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(float(node.id)) if node.id in ("nan", "inf") else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        is_numpy = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
        of_number = is_numpy and len(node.args) == 1 and not node.keywords
        return self.visit(node.args[0]) if of_number else node


def _refuse(lines: TextLines, text: str) -> NoReturn:
    raise lines.error("E0705", f"this is not a dictionary of plain values: `{printable(text)}`", _FIX)
