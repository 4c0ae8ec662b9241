"""Every fix of E0301 and E0303 to E0307 that gives code is typed in: accepted, of one answer, right by the oracles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from interleaving.interleave import explore
from orders import program_of
from pairs import all_pairs
from test_cases import CASES, LIMITS, distinct, more_graphs, read
from test_fixes_typed_in import bellman_ford, closing, offset, refusals, replaced

from gdsl.binding import bind
from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.graph import Graph
from gdsl.pipeline import load_source
from gdsl.source import Source, Span

CLOSING = """program p;
problem {{ vertex d: int32 = -1; vertex m: bool; vertex count: int32; scalar n: int32; edge used: bool; }}
edge functor visit(src, dst, e) {{ {} }}
schedule {{ d[0] = 0; m[0] = true; frontier f = {{ 0 }}; while (f) {{ f = advance(f, visit); }} }}
"""
VERTICES = """program p;
problem {{ vertex a: int32; scalar n: int32; scalar lock: int32; scalar go: bool; }}
vertex functor g(v) {{ apply {{ {} }} }}
schedule {{ compute(vertices, g); }}
"""
EDGES = """program p;
problem {{ vertex a: int32 = int32(id) * 5 % 7; vertex p: vertex; vertex taken: bool; edge seen: bool; }}
edge functor g(src, dst, e) {{ {} }}
schedule {{ advance(vertices, g, to=none); }}
"""
MORE = {
    "a scalar is counted": CLOSING.format("cond d[dst] == -1; apply { d[dst] = iteration + 1; n += 1; }"),
    "turned round": CLOSING.format("cond -1 == d[dst]; apply { n += 2; d[dst] = iteration + 1; }"),
    "by a flag": CLOSING.format("cond !m[dst]; apply { m[dst] = true; n += 1; count[dst] += 1; }"),
    "two counters": CLOSING.format("cond d[dst] == -1; apply { d[dst] = iteration + 1; n += 1; count[src] += 1; }"),
    "any closes": CLOSING.format("cond d[dst] == -1; apply { d[dst] any= iteration + 1; n += 1; }"),
    "a test by order": CLOSING.format("cond d[dst] < 0; apply { d[dst] = iteration + 1; used[e] = true; }"),
    "accept of an edge": CLOSING.format("cond d[dst] == -1; apply { d[dst] = iteration + 1; accept src != 1; }"),
    "least and largest": EDGES.format("apply { a[dst] min= a[0] * 0 + 3; a[src] max= 5; }").replace(
        "a[0] * 0 + 3", "3"
    ),
    "added and scaled": EDGES.format("apply { a[dst] += 1; a[dst] *= 2; }"),
    "any and plain": EDGES.format("apply { p[dst] any= src; p[src] = none; }"),
    "another end": EDGES.format("apply { if (cas(taken[src], false, true)) { p[dst] = src; } }"),
    "another element": EDGES.format("apply { if (cas(seen[e], false, true)) { p[dst] = src; } }"),
    "a lock": VERTICES.format("while (!cas(lock, 0, 1)) { } n += 1; lock any= 0;").replace(
        "lock any= 0", "cas(lock, 1, 0)"
    ),
    "a flag awaited": VERTICES.format("if (v == 3) { go = true; } while (!now go) { } a[v] = 1;"),
    "left by break": VERTICES.format("if (v == 3) { go = true; } while (true) { if (now go) { break; } } a[v] = 1;"),
}


def bad_programs() -> Iterator[tuple[str, str]]:
    yield from ((pair.name, pair.refused) for pair in all_pairs())
    yield from ((path.stem, read(path).text) for path in CASES if read(path).verdict.startswith("refused"))
    yield from MORE.items()


def functor_at(text: str, span: Span) -> tuple[int, int]:
    place = offset(text, span.line, span.column)
    start = [found.start() for found in re.finditer("(?:vertex|edge|common) functor", text[:place])][-1]
    return start, closing(text, text.index("{", start))


def in_functor(text: str, span: Span, change: Callable[[str], str]) -> str:
    start, end = functor_at(text, span)
    return text[:start] + change(text[start:end]) + text[end:]


def in_second_operator(text: str, one: Diagnostic, statement: str) -> str:
    """`statement` moved from the functor to a copy of it that has nothing else, which runs behind it."""
    assert one.span is not None
    start, end = functor_at(text, one.span)
    functor = text[start:end]
    name = re.match(r"\w+ functor (\w+)", functor)
    assert name is not None and functor.count(statement) == 1
    head = re.sub(rf"functor {name[1]}\b", f"functor {name[1]}_2", functor[: functor.index("apply")])
    second = f"{head} apply {{ {' '.join(re.findall(r'let [^;]*;', functor))} {statement} }} }}"
    first = functor.replace(statement, "")
    call = re.compile(rf"(?:\w+ = )?((?:advance|compute|filter|intersect)\([^;]*\b{name[1]}\b[^;]*;)")
    named = re.compile(rf"\b{name[1]}\b")
    rest = call.sub(lambda found: f"{found[0]} {named.sub(name[1] + '_2', found[1])}", text[end:])
    return text[:start] + first + second + rest


def of_mixture(text: str, one: Diagnostic, fix: str) -> Iterator[str]:
    assert one.span is not None
    apart = re.search(r"or do `([^`]*;)` in a second operator after this one", fix)
    assert apart is not None
    yield in_second_operator(text, one, apart[1])
    rewritten = re.findall(r"`([^`]*? (?:any|min|max)=) [^`]*;`", fix[: apart.start()])
    if rewritten:

        def change(functor: str) -> str:
            for form in rewritten:
                target = form.rpartition(" ")[0]
                functor = functor.replace(f"{target} = ", f"{form} ")
            return functor

        yield in_functor(text, one.span, change)


def of_closing(text: str, one: Diagnostic, fix: str) -> Iterator[str]:
    assert one.span is not None
    by_cas = re.search(r"`(if \(cas\(.*\)\) \{ (.*) \})` in place of `(.*;)` and of it", fix)
    by_any = re.findall(r"`([^`]*?) any= [^`]*;`", fix.partition("let any of those that run do it")[2])
    under = re.search(r"`(if \(\w+\) \{ (.*) \})` in its place", fix)
    if by_cas is not None:
        moved = (
            [by_cas[2]] if by_cas[2].startswith("if") else [f"{part};" for part in by_cas[2].rstrip(";").split("; ")]
        )

        def change(functor: str) -> str:
            for statement in moved:
                assert statement in functor
                functor = functor.replace(statement, "")
            assert by_cas is not None and by_cas[3] in functor
            return functor.replace(by_cas[3], by_cas[1])

        yield in_functor(text, one.span, change)
    elif under is not None:
        yield in_functor(text, one.span, lambda functor: functor.replace(under[2], under[1]))
    if by_any:

        def free(functor: str) -> str:
            for target in by_any:
                functor = functor.replace(f"{target} = ", f"{target} any= ")
            return functor

        yield in_functor(text, one.span, free)


def of_accept(text: str, one: Diagnostic, fix: str) -> Iterator[str]:
    assert one.span is not None
    accept = re.compile(r"accept [^;]*;")
    if "`accept true;`" in fix:
        yield in_functor(text, one.span, lambda functor: accept.sub("accept true;", functor))
    without = re.search(r"`(\w+\(.*to=none\);)`", fix)
    if without is not None:
        called = without[1].replace(", to=none", "").rstrip(";)")
        mended = re.sub(rf"(?:\w+ = )?{re.escape(called)}[^;]*;", lambda _: without[1], text)
        assert mended != text
        yield accept.sub("", mended)


def of_cas(text: str, one: Diagnostic, fix: str) -> Iterator[str]:
    assert one.span is not None
    target = re.search(r"`([^`]*?) any= [^`]*;`", fix)
    assert target is not None
    yield in_functor(text, one.span, lambda functor: functor.replace(f"{target[1]} = ", f"{target[1]} any= "))
    other = re.search(r"`if \((cas\([^`]*\))\)` takes", fix)
    if other is not None:
        yield replaced(text, one.labels[0].span, other[1])
    yield from of_store(text, one, fix)


def of_store(text: str, one: Diagnostic, fix: str) -> Iterator[str]:
    """`if (cas(taken[i], …))` around a single store."""
    assert one.span is not None
    single = re.search(r"`(if \(cas\([^`]*\)\))`, with `(\w+ \w+ : bool;)`", fix)
    if single is not None and (one.code == "E0306" or not one.labels):
        start, end = (offset(text, one.span.line, column) for column in (one.span.column, one.span.end_column))
        stop = end if text[end - 1] == ";" else end + 1
        wrapped = f"{text[:start]}{single[1]} {{ {text[start:stop]} }}{text[stop:]}"
        yield wrapped.replace("problem {", f"problem {{ {single[2]} ", 1)


def of_waiting(text: str, one: Diagnostic, fix: str) -> Iterator[str]:
    assert one.span is not None
    tried = re.search(r"`(if \(.*\})` in place", fix)
    if tried is not None:
        start, end = functor_at(text, one.span)
        loop = text.rindex("while", 0, offset(text, one.span.line, one.span.column))
        apply = closing(text, text.index("{", text.index("apply", start)))
        yield f"{text[:loop]}{tried[1]} {text[apply - 1 : end]}{text[end:]}"


TYPED = {
    "E0301": of_store,
    "E0303": of_mixture,
    "E0304": of_closing,
    "E0305": of_accept,
    "E0306": of_cas,
    "E0307": of_waiting,
}
BAD = dict(bad_programs())
"""Also programs of which no fix gives code: to leave them out, every worker would compile all of them to begin with."""


def mended(name: str) -> Iterator[tuple[Diagnostic, str]]:
    for one in refusals(BAD[name]):
        if one.code in TYPED and one.fix is not None:
            yield from ((one, text) for text in TYPED[one.code](BAD[name], one, one.fix))


@pytest.mark.parametrize("name", BAD)
@pytest.mark.sampled(20)
def test_what_is_typed_in_is_accepted_and_has_one_answer(name: str) -> None:
    before = refusals(BAD[name])
    assert "…" not in " ".join(one.fix or "" for one in before)
    for one, text in mended(name):
        if len(before) > 1 and (left := left_in(text)):
            assert (one.code, one.message) not in left and left < {(other.code, other.message) for other in before}
            continue
        program = program_of(text, name)
        if program.requires.symmetric:
            continue
        found = distinct(program, range(8), everything=False)
        assert len([answer for answer in found if answer.error is None]) <= 1, text


def left_in(text: str) -> set[tuple[str, str]]:
    try:
        load_source(Source("p.gdsl", text))
    except GdslError as error:
        return {(one.code, one.message) for one in error.diagnostics}
    return set()


def reached(graph: Graph) -> list[int]:
    """Hops from vertex 0, -1 where there is no way."""
    return [int(d) if d < 10**8 else -1 for d in bellman_ford(graph, lambda edge: 1)]


def behind_each_other(graph: Graph) -> list[int]:
    """Every vertex with an edge to it at most 3, and then every vertex with an edge from it at least 5."""
    ends = np.array([graph.ends(edge) for edge in range(graph.num_edges)])
    values = np.arange(graph.num_vertices) * 5 % 7
    values[ends[:, 1]] = np.minimum(values[ends[:, 1]], 3)
    values[ends[:, 0]] = np.maximum(values[ends[:, 0]], 5)
    return [int(value) for value in values]


def counted(graph: Graph) -> int:
    return sum(hops > 0 for hops in reached(graph))


def scaled(graph: Graph) -> list[int]:
    values = np.arange(graph.num_vertices) * 5 % 7
    for edge in range(graph.num_edges):
        values[graph.ends(edge)[1]] += 1
    for edge in range(graph.num_edges):
        values[graph.ends(edge)[1]] *= 2
    return [int(value) for value in values]


ORACLES: dict[str, dict[str, Callable[[Graph], object]]] = {
    "a scalar is counted": {"d": reached, "n": counted},
    "turned round": {"d": reached, "n": lambda graph: 2 * counted(graph)},
    "by a flag": {"n": counted, "count": lambda graph: [int(hops > 0) for hops in reached(graph)]},
    "two counters": {"d": reached, "n": counted},
    "any closes": {"d": reached, "n": counted},
    "accept of an edge": {"d": reached},
    "least and largest": {"a": behind_each_other},
    "added and scaled": {"a": scaled},
}


@pytest.mark.parametrize("name", ORACLES)
def test_what_is_typed_in_is_right(name: str) -> None:
    texts = [text for _, text in mended(name)]
    assert texts
    for program in (program_of(text, name) for text in texts):
        for graph in more_graphs().values():
            for answer in explore(program, graph, bind(program, graph, {}), range(6), limits=LIMITS, everything=True):
                assert answer.error is None
                for data, oracle in ORACLES[name].items():
                    expected = oracle(graph)
                    found = answer.arrays[data] if data in answer.arrays else answer.scalars[data]
                    assert np.asarray(found).tolist() == expected, (name, data)
