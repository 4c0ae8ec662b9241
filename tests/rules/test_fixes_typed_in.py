"""Every statement that a fix of the race rules spells out is typed in: it is accepted, and right by the oracles."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from interleaving.interleave import explore
from orders import program_of
from pairs import all_pairs
from test_cases import CASES, LIMITS, make, more_graphs, read

from gdsl.binding import bind
from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.pipeline import load_source
from gdsl.source import Source, Span

BFS = """program bfs;
problem {{ vertex d: int32 = -1; scalar n: int32; vertex order: int32; vertex m: bool; edge used: bool; }}
edge functor visit(src, dst, e) {{ {} }}
schedule {{ d[0] = 0; frontier f = {{ 0 }}; while (f) {{ f = advance(f, visit); }} }}
"""
SSSP = """program sssp;
problem {{ vertex d: int32 = inf; edge w: int32 = 1 + int32(id) % 3; vertex p: vertex = none; }}
edge functor relax(src, dst, e) {{ apply {{ {} }} }}
schedule {{ d[0] = 0; frontier f = {{ 0 }}; while (f) {{ f = advance(f, relax); }} }}
"""
OF_VERTICES = """program counting;
problem {{ scalar n: int32; vertex a: int32; vertex b: int32 = int32(id) * 3; vertex v2: vertex = none; }}
vertex functor g(v) {{ apply {{ {} }} }}
schedule {{ compute(vertices, g); }}
"""

TESTED = "apply {{ if ({}) {{ d[dst] = iteration + 1; accept true; }} else {{ accept false; }} }}"
HOPS = {test: TESTED.format(test) for test in ("d[dst] == -1", "d[dst] < 0", "-1 == d[dst]", "d[dst] <= -1")}
DISTANCES = {
    "min= under a test": "if (d[src] + w[e] < d[dst]) { d[dst] min= d[src] + w[e]; } else { accept false; }",
    "store under a test": "if (d[src] + w[e] < d[dst]) { d[dst] = d[src] + w[e]; accept true; } else { accept false; }",
    "turned": "if (d[dst] > d[src] + w[e]) { d[dst] = d[src] + w[e]; } else { accept false; }",
    "by a local": "let r = d[src] + w[e]; if (r < d[dst]) { d[dst] = r; accept true; } else { accept false; }",
}


def refusals(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(GdslError) as caught:
        load_source(Source("p.gdsl", text))
    return caught.value.diagnostics


def offset(text: str, line: int, column: int) -> int:
    return sum(len(part) + 1 for part in text.split("\n")[: line - 1]) + column - 1


def replaced(text: str, span: Span, new: str) -> str:
    start, end = offset(text, span.line, span.column), offset(text, span.end_line, span.end_column)
    return text[:start] + new + text[end:]


def if_around(text: str, position: int) -> tuple[int, int]:
    """Where the `if` begins in whose condition `position` lies, and where it ends with its `else`."""
    start = text.rindex("if (", 0, position + 4)
    end = closing(text, text.index("{", position))
    rest = re.match(r"\s*else\s*\{", text[end:])
    return start, closing(text, end + rest.end() - 1) if rest else end


def closing(text: str, opening: int) -> int:
    depth = 0
    for place in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    raise AssertionError(text)


@pytest.mark.parametrize("name", HOPS)
def test_hops(name: str) -> None:
    text = BFS.format(HOPS[name])
    [one] = refusals(text)
    assert one.fix is not None and one.span is not None
    condition = re.search(r"`(cond .*?;)`", one.fix)
    assert condition is not None, one.fix
    start, end = if_around(text, offset(text, one.span.line, one.span.column))
    opening = text.index("{", start)
    body = text[opening + 1 : closing(text, opening) - 1]
    mended = text.replace(f"apply {{ {text[start:end]}", f"{condition[1]} apply {{ {body}")
    program = program_of(mended, name)
    for graph in more_graphs().values():
        answers = explore(program, graph, bind(program, graph, {}), range(6), limits=LIMITS, everything=True)
        assert len(answers) == 1 and answers[0].error is None
        assert answers[0].arrays["d"].tolist() == hops(graph)


def hops(graph: object) -> list[int]:
    return [int(d) if d < 10**8 else -1 for d in bellman_ford(graph, lambda edge: 1)]


def bellman_ford(graph: object, weight: object) -> list[int]:
    ends = [graph.ends(edge) for edge in range(graph.num_edges)]  # type: ignore[attr-defined]
    found = [0] + [10**9] * (graph.num_vertices - 1)  # type: ignore[attr-defined]
    for _ in found:
        for edge, (one, other) in enumerate(ends):
            found[other] = min(found[other], found[one] + weight(edge))  # type: ignore[operator]
    return found


@pytest.mark.parametrize("name", DISTANCES)
def test_distances(name: str) -> None:
    text = SSSP.format(DISTANCES[name])
    [one] = refusals(text)
    assert one.fix is not None
    statement = re.search(r"`(accept changed\(.*?\);)`", one.fix)
    assert statement is not None, one.fix
    start, end = if_around(text, text.index("if ("))
    program = program_of(text[:start] + statement[1] + text[end:], name)
    for graph in more_graphs().values():
        answers = explore(program, graph, bind(program, graph, {}), range(6), limits=LIMITS, everything=True)
        assert len(answers) == 1 and answers[0].error is None
        expected = [d if d < 10**8 else 2**31 - 1 for d in bellman_ford(graph, lambda edge: 1 + edge % 3)]
        assert answers[0].arrays["d"].tolist() == expected


def test_a_ticket() -> None:
    text = OF_VERTICES.format("let i = n; n += 1; a[v] = i;")
    [one] = refusals(text)
    assert one.fix is not None and "`fetch(n += 1)` in place of this and of `n += 1;`" in one.fix
    mended = text.replace("let i = n; n += 1;", "let i = fetch(n += 1);")
    program = program_of(mended, "ticket")
    graph = make([(0, 1)], 5)
    for answer in explore(program, graph, bind(program, graph, {}), range(6), limits=LIMITS, everything=True):
        assert sorted(answer.arrays["a"].tolist()) == list(range(5))


UPDATES = {
    "n = n + b[v];": ("n += b[v];", 30),
    "n = b[v] + n;": ("n += b[v];", 30),
    "n = n - b[v];": ("n -= b[v];", -30),
    "n = max(n, b[v]);": ("n max= b[v];", 12),
    "n = min(b[v], n);": ("n min= b[v];", 0),
    "n = n + b[v] * 2 - 1;": ("n += b[v] * 2 - 1;", 55),
    "n = n | b[v];": ("n |= b[v];", 15),
}


@pytest.mark.parametrize("statement", UPDATES)
def test_every_call_counts(statement: str) -> None:
    text = OF_VERTICES.format(statement)
    form, result = UPDATES[statement]
    [one] = refusals(text)
    assert one.fix is not None and f"`{form}`" in one.fix
    program = program_of(text.replace(statement, form), "update")
    graph = make([(0, 1)], 5)
    for answer in explore(program, graph, bind(program, graph, {}), range(6), limits=LIMITS, everything=True):
        assert int(np.asarray(answer.scalars["n"])) == result


def test_what_closes_is_counted_behind_the_loop() -> None:
    closes = "cond d[dst] == -1; apply { d[dst] = iteration + 1; n += 1; }"
    [one] = refusals(BFS.format(closes))
    assert one.fix is not None and one.fix.startswith("do it in a second operator after the loop")
    alone = BFS.format(closes).replace("while (f) { f = advance(f, visit); }", "f = advance(f, visit);")
    [one] = refusals(alone)
    assert one.fix is not None and one.fix.startswith("do it in a second operator after this one")


def test_a_test_that_no_store_makes_false() -> None:
    text = BFS.format("cond m[dst] || int32(src) % 3 == 0; apply { m[dst] = true; }")
    [one] = refusals(text)
    assert one.fix is not None and "literal" not in one.fix


def test_a_matching_is_one_conflict() -> None:
    text = BFS.format("cond !m[src] && !m[dst]; apply { m[src] = true; m[dst] = true; used[e] = true; }")
    [one] = refusals(text)
    assert one.fix is not None and len(one.labels) >= 2
    body = re.search(r"`(apply \{.*\})`", one.fix)
    assert body is not None
    load_source(Source("p.gdsl", BFS.format(body[1])))


def bad_programs() -> Iterator[tuple[str, str]]:
    for pair in all_pairs():
        yield pair.name, pair.refused
    for path in CASES:
        case = read(path)
        if case.verdict.startswith("refused"):
            yield path.stem, case.text
    for name, body in HOPS.items():
        yield name, BFS.format(body)
    for name, body in DISTANCES.items():
        yield name, SSSP.format(body)


BAD = dict(bad_programs())


@pytest.mark.parametrize("name", BAD)
@pytest.mark.sampled(7)
def test_statements_in_place_of_a_store(name: str) -> None:
    """`x any= y;` and the like of E0301, typed in at all stores of x, give no message about x any more."""
    text = BAD[name]
    for one in refusals(text):
        if one.code != "E0301" or one.fix is None or one.span is None:
            continue
        for target, sign in re.findall(r"`([^`=]+?) (any=|min=|max=|\+=|-=|\*=|&=|\|=|\^=) [^`]*;`", one.fix):
            assert "…" not in one.fix, one.fix
            array = target.partition("[")[0]
            mended = retyped(text, one, target, sign)
            try:
                load_source(Source("p.gdsl", mended))
            except GdslError as error:
                assert not [d for d in error.diagnostics if f"`{array}" in d.message], (mended, str(error))


def retyped(text: str, one: Diagnostic, target: str, sign: str) -> str:
    """`text` with the statements of `one` (its place and its labels) changed as the fix says."""
    assert one.span is not None and one.fix is not None
    if sign in ("any=", "min=", "max="):
        line = re.escape(target.partition("[")[0]) + r"(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])?\s"
        functor = text[: offset(text, one.span.line, one.span.column)].rindex("functor")
        end = closing(text, text.index("{", functor))
        body = re.sub(rf"({line})=(?!=)", rf"\1{sign}", text[functor:end])
        return text[:functor] + body + text[end:]
    statement = re.search(rf"`({re.escape(target)} {re.escape(sign)} [^`]*;)`", one.fix)
    assert statement is not None
    return replaced(text, one.span, statement[1])
