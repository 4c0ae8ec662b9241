"""DOT files, read by pydot. NetworkX would ignore subgraphs and take ports for parts of names."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gdsl.diagnostics import GdslError
from gdsl.graph.file_bytes import text_of
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import refused_file
from gdsl.graph.number_text import is_number

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
"""A text or a comment, which may lack its end: what looks for one from each place takes time that grows as a square."""
_TOKEN = re.compile(
    rf"(?P<skip>//[^\n]*|/\*.*?(?:\*/|\Z)|^\#[^\n]*)|(?P<open>\"(?:[^\"\\]|\\.)*\\?\Z)|(?P<arrow>-[->])|(?P<brace>[{{}}])"
    rf"""|{_QUOTED.pattern}|<(?:[^<>]|<[^<>]*>)*>|[^\s{{}}"<>;,\[\]=/-]+|\S""",
    re.DOTALL | re.MULTILINE,
)
_TWO_WORDS = re.compile(r"(?:\d+\.?\d*|\.\d+)[eE]\d*")
_NESTED_END = re.compile(r"""-[->]\s*(?:subgraph\b\s*(?:""|[^\s{}"]+)?\s*)?\{[^}]*\{""")
"""A set of nodes with another inside, which pydot drops."""
_NAME_OR_TEXT = re.compile(rf"{_QUOTED.pattern}|(?<![\w.-])name(?=\s*=)", re.DOTALL)
_OTHER_NAME = "gdsl_name"
"""Replaces the attribute `name` while pydot reads: igraph writes it, and pydot takes it for its own argument."""
_NO_SET = (
    "an end of an edge is a subgraph that is more than a set of nodes",
    "write the subgraph before the edge, and the nodes as its end: a -> {b c}",
)
_BYTES_PER_EDGE = 400
"""Bytes that NetworkX needs for an edge."""


def read_dot(networkx: Any, content: bytes, path: str) -> Any:
    """The graph of NetworkX that a DOT file holds, with the nodes and edges of its subgraphs.

    Raises GdslError E0705 or E0710, and any exception of pydot.
    """
    import pydot

    text = text_of(content, path)
    if _NESTED_END.search(_QUOTED.sub('""', text)):
        raise refused_file(path, *_NO_SET)
    output = io.StringIO()  # pydot prints its messages
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        result = pydot.graph_from_dot_data(_NAME_OR_TEXT.sub(_other_name, _without_subgraphs(text, path)))
    if not result:
        lines = [line for line in output.getvalue().splitlines() if line.strip(" ^")]
        raise ValueError(lines[-1] if lines else "pydot finds no graph in it")
    if len(result) > 1:
        raise refused_file(
            path, f"this file holds {len(result):,} graphs, and only one can be read", "write each into its own file"
        )
    whole = result[0]
    directed, strict = whole.get_type() == "digraph", bool(whole.get_strict())
    kinds = {
        (False, False): "MultiGraph",
        (False, True): "Graph",
        (True, False): "MultiDiGraph",
        (True, True): "DiGraph",
    }
    graph = getattr(networkx, kinds[directed, strict])()
    for part in _parts(whole):
        edges = [
            ((_ends(edge.get_source(), path), _ends(edge.get_destination(), path)), dict(edge.get_attributes()))
            for edge in part.get_edge_list()
        ]
        # Between sets of nodes there is an edge for each pair.
        count = sum(len(sources) * len(targets) for (sources, targets), _ in edges)
        require_memory(count * _BYTES_PER_EDGE, f"{count:,} edges", path)
        _add_nodes(graph, part, path)
        _add_edges(graph, edges)
    if (
        "subgraph" in graph and '"subgraph"' not in text
    ):  # the keyword, which pydot reads as a node without a following name
        raise refused_file(path, *_NO_SET)
    return graph


def _without_subgraphs(text: str, path: str) -> str:
    """`text` with blanks for the frames of subgraphs that are no ends of edges: their nodes and edges are the graph's,
    and pydot takes several times as long for each level of them, above all where something in them is wrong.

    Raises GdslError E0710 for a brace or a quote that is not closed.
    """
    tokens = [found for found in _TOKEN.finditer(text) if found["skip"] is None]
    if tokens and tokens[-1]["open"]:
        raise _not_closed('"', tokens[-1], path)
    _refuse_tokens(tokens, path)
    frames: list[tuple[int, int]] = []  # the first token of each open frame, and its brace
    blanks: list[tuple[int, int]] = []
    for place, token in enumerate(tokens):
        if token["brace"] == "{":
            words = [each[0].lower() for each in tokens[max(place - 2, 0) : place]]
            before = 1 if words[-1:] == ["subgraph"] else 2 if words[:-1] == ["subgraph"] else 0
            frames.append((place - before, place))
        elif token["brace"] == "}" and frames:
            first, opening = frames.pop()
            is_end = any(each["arrow"] for each in (*tokens[first - 1 : first], *tokens[place + 1 : place + 2]))
            if frames and not is_end:
                blanks += [(tokens[first].start(), tokens[opening].end()), token.span()]
    if frames:
        raise _not_closed("{", tokens[frames[-1][1]], path)
    pieces, end = [], 0
    for start, stop in sorted(blanks):
        pieces += [text[end:start], re.sub(r"[^\n]", " ", text[start:stop])]
        end = stop
    return "".join([*pieces, text[end:]])


def _refuse_tokens(tokens: Sequence[re.Match[str]], path: str) -> None:
    """Raise E0705 for the arrows of the other kind of graph, and for numbers that DOT takes for two words, such as 1e5.
    Graphviz refuses the first and warns of the second."""
    kind = next((token[0].lower() for token in tokens[:2] if token[0].lower() in ("graph", "digraph")), None)
    other = {"graph": "->", "digraph": "--"}.get(kind or "")
    for before, token in itertools.pairwise(tokens):
        line = None
        if token["arrow"] is not None and token["arrow"] == other:
            line, message = token, f"a {kind} has no edges with {other}"
            fix = f"write {'-- for them, or digraph' if kind == 'graph' else '-> for them, or graph'} at the beginning"
        elif before[0] in ("=", "-") and _TWO_WORDS.fullmatch(token[0]):
            line, message = token, f"`{token[0][:20]}` begins a number with an exponent, which DOT takes for two words"
            fix = 'put it in double quotes, such as "1e5"'
        if line is not None:
            place = f"{path}:{token.string.count(chr(10), 0, token.start()) + 1}"
            raise GdslError.single("E0705", message, fix=fix, place=place)


def _not_closed(word: str, token: re.Match[str], path: str) -> GdslError:
    line = token.string.count("\n", 0, token.start()) + 1
    other = "}" if word == "{" else word
    return GdslError.single("E0710", f"this `{word}` is not closed", fix=f"add the `{other}`", place=f"{path}:{line}")


def _other_name(result: re.Match[str]) -> str:
    return _OTHER_NAME if result[0] == "name" else result[0]


def _parts(graph: Any) -> Iterator[Any]:
    """A graph of pydot, and the subgraphs in it, whose nodes and edges are the graph's."""
    pending = [graph]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(part.get_subgraph_list())


def _add_nodes(graph: Any, part: Any, path: str) -> None:
    for node in part.get_node_list():
        name = _dot_name(node.get_name())
        attributes = node.get_attributes()
        if name == "edge" and is_number(str(attributes.get("weight", "")).strip('"')):
            message = "this DOT file gives edges a default `weight`, which NetworkX does not apply"
            raise refused_file(path, message, "write the weight on each edge")
        if name not in ("node", "edge", "graph", "\\n"):
            graph.add_node(name)
            graph.nodes[name].update(attributes)
            if _OTHER_NAME in attributes:
                graph.nodes[name]["name"] = graph.nodes[name].pop(_OTHER_NAME)


def _add_edges(graph: Any, edges: list[tuple[tuple[list[str], list[str]], dict[str, Any]]]) -> None:
    for (sources, targets), attributes in edges:
        for source, target in itertools.product(sources, targets):
            key = graph.add_edge(source, target)
            data = graph[source][target]
            (data[key] if graph.is_multigraph() else data).update(attributes)


def _ends(end: Any, path: str) -> list[str]:
    """The names of an end of an edge, which may be a set of nodes. Raises E0705 for a set that holds more."""
    if isinstance(end, str):
        return [_dot_name(end)]
    if not isinstance(end, Mapping):
        end = end.obj_dict
    if end.get("edges") or end.get("subgraphs") or not end.get("nodes"):
        raise refused_file(path, *_NO_SET)
    return [_dot_name(name) for name in end["nodes"]]


def _dot_name(word: str) -> str:
    """A name without its quotes, and without the port after it."""
    if word.startswith('"'):
        quoted = re.match(r'"((?:[^"\\]|\\.)*)"', word, re.DOTALL)
        return quoted[1].replace('\\"', '"') if quoted else word
    return word.partition(":")[0]
