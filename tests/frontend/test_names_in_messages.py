"""Messages name what the program names: never what the compiler calls the parts of a form that it expands, or the
second of two blocks' `f`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from mistake_programs import CHECKED, with_parts

import gdsl
from gdsl.diagnostics import Diagnostic, GdslError, render
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.vocabulary import CONTEXTUAL_FORMS, CONTEXTUAL_FUNCTIONS, CONTEXTUAL_KEYWORDS, RESERVED
from gdsl.graph import Graph
from gdsl.ir.lowering.hidden import Hidden
from gdsl.ir.lowering.sets import SetLowering
from gdsl.pipeline import analyze, load_source, warnings
from gdsl.source import Source

RULES = Path(__file__).parents[1] / "rules" / "cases"
LANGUAGE = RESERVED | CONTEXTUAL_KEYWORDS | CONTEXTUAL_FUNCTIONS | CONTEXTUAL_FORMS.keys()

HEAD = """program p;
problem {
    vertex c : vertex = id; vertex w : vertex; vertex d : int32; vertex x : float32; edge o : int32; edge q : vertex;
    vertex many[3] : int32; param start : vertex = 0; scalar s : int32; scalar n : int64; scalar spot : vertex;
}
edge functor link(src, dst, e) { %s }
vertex functor each(v) { %s }
schedule { compute(edges, link); compute(vertices, each); %s }
"""
NOTHING = ("apply { o[e] = 1; }", "apply { d[v] = 1; }", "")
OF_EDGES = (
    "apply { join(c, c[src], dst); }",
    "apply { join(c, c[c[src]], w[dst]); o[e] = int32(c[dst]); }",
    "cond c[src] != c[dst]; apply { join(c, src, dst); }",
    "apply { join(c, src, dst); w[c[src]] any= src; }",
    "apply { join(c, src, dst); let r = root(c, src); q[e] = r; }",
    "apply { let r = root(w, src); w[r] min= dst; }",
    "apply { let r = root(w, src); d[r] = 1; d[r] = int32(dst); }",
    "apply { let r = root(w, w[src]); q[e] = r; d[r] = int32(dst); }",
    "apply { let r = root(w, src); d[r] += 1; let t = root(w, dst); o[e] = d[t]; }",
    "apply { d[dst] /= 2; d[src] += 1; }",
    "apply { many[dst][d[src]] /= 2; many[w[dst]][1] %= o[e]; }",
    "apply { x[dst] /= x[src]; }",
    "apply { s += changed(d[dst] min= 1) ? 1 : 0; }",
    "apply { if (s > 0) { var x2 = w[src]; d[x2] = 1; } else { var x2 = w[dst]; d[x2] = int32(src); } }",
    "apply { if (s > 0) { var y = w[src]; while (y != w[y]) { y = w[y]; } d[y] = 2; } else { var y = w[dst];"
    " while (y != w[y]) { y = w[y]; } d[y] = int32(src); } }",
    "apply { for i in 0..2 { d[vertex(i)] = int32(src); } for i in 0..2 { d[vertex(i)] = int32(dst); } }",
    "apply { while (true) { join(c, src, dst); } }",
    "cond d[src] == 0; apply { accept changed(d[dst] min= d[src]); }",
)
OF_VERTICES = (
    "apply { w[v] = root(c, w[v]); c[w[v]] min= v; }",
    "apply { c[v] = root(c, w[v]); }",
    "apply { let r = root(w, v); let u = root(w, w[v]); d[r] = int32(u); }",
    "apply { c[v] = root(c, v); w[c[v]] = v; }",
    "apply { for u in neighbors(v) { d[u] = int32(v); } for u in neighbors(v) { d[u] /= 2; } }",
)
OF_SCHEDULES = (
    "if (n == 0) { frontier f = { start }; while (f) { advance(f, link); } }"
    " if (n == 0) { frontier f = { start }; while (f) { advance(f, link); } while (size(f) > 0) { n += 1; } }",
    "frontier f = { start }; while (f) { f = advance(f | { spot }, link); }",
    "w = neighbor_reduce(vertices, (src, dst, e) => dst, min); while (any(v => d[v] > 0)) { n += 1; }",
    "n = d[vertex(n)]; while (d[spot] > 0) { n += 1; }",
    "while (n > 0 && d[spot] > 0) { n += 1; } d[out_degree(start)] = 1; many[0][d[start]] = 3;",
    "graph h = subgraph(filter(edges, (src, dst, e) => src < dst)); on h { compute(edges, link); }"
    " graph g = contract(c); on g { compute(vertices, each); frontier f = { start }; compute(f, each); }",
    "buckets b(d, 1) = { start }; while (b) { b.push(advance(b.pop(), link)); n = b.level; }",
    "compute(advance(vertices, link) - { start }, each); compute(top(vertices, (src, dst, e) => x[dst], 2), link);",
)
STOPPED = (
    ("compute({ vertex(n - 1) }, each);", "member none of this set"),
    ("compute({ start } | { vertex(n + 7) }, each);", "member none of this set"),
    (
        "if (n == 0) { frontier f = { start }; } if (n == 0) { frontier f = { vertex(n - 1) }; compute(f, each); }",
        "`f`",
    ),
    ("n = d[vertex(n - 1)];", "index none of `d`"),
    ("spot = none; many[0][2] = d[spot];", "index none of `d`"),
    ("many[0][1] = 8; n = many[0][many[0][1]];", "value 8 of an element of `many`"),
    (
        "repeat (2) { history h; frontier f = { start }; h.push(f); }"
        " history h; frontier f = { start }; repeat (5) { h.push(f); }",
        "`h` would hold",
    ),
    ("repeat (2) { buckets b(d, 1); } buckets b(d, s) = { start }; compute(b.pop(), each);", "the width of `b`"),
    ("compute(filter({ spot, vertex(n + 90) }, v => d[v] > 0), each);", "member none of this set"),
)


class Recorded:
    """The names that the compiler gives to what has none in the program."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: set[str] = set()
        for owner, method in ((Hidden, "name"), (SetLowering, "temporary"), (Environment, "unique")):
            monkeypatch.setattr(owner, method, self._recording(getattr(owner, method)))

    def _recording(self, method: object):
        def recorded(*arguments: object, **more: object) -> str:
            name = method(*arguments, **more)
            self.names.add(name)
            return name

        return recorded

    def in_messages(self, found: list[Diagnostic], source: Source) -> set[str]:
        """Those in the code of messages that the text of the program does not have."""
        words = set(re.findall(r"\w+", source.text)) | LANGUAGE
        texts = [render(one, None) for one in found]
        texts += [each for one in found for each in (one.hint, *(label.text for label in one.labels))]
        texts += [suggestion.words for one in found for suggestion in one.suggestions]
        said = {word for text in texts for code in re.findall(r"`([^`]*)`", text) for word in re.findall(r"\w+", code)}
        return said & (self.names - words)


def said(source: Source) -> Iterator[Diagnostic]:
    """All that gdsl says of a program: mistakes, or else warnings and the reasons of grades."""
    yield from analyze(source).diagnostics
    yield from warnings(source)
    try:
        program = load_source(source)
    except GdslError:
        return
    for each in (*program.arrays, *program.scalars):
        if each.doubt is not None:
            yield Diagnostic("W00", each.doubt.reason, each.doubt.span)


def programs() -> dict[str, str]:
    whole = {name: with_parts(**{place: content}) for name, (place, content) in CHECKED.items()}
    whole |= {path.stem: path.read_text(encoding="utf-8") for path in sorted(RULES.glob("*.gdsl"))}
    edge, vertex, schedule = NOTHING
    whole |= {each: HEAD % (each, vertex, schedule) for each in OF_EDGES}
    whole |= {each: HEAD % (edge, each, schedule) for each in OF_VERTICES}
    whole |= {each: HEAD % (edge, vertex, each) for each in OF_SCHEDULES}
    whole |= {f"{one} {other}": HEAD % (one, vertex, other) for one in OF_EDGES[::3] for other in OF_SCHEDULES}
    return whole


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in (1, 2, 3))])
def test_mistakes_warnings_and_reasons(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = Recorded(monkeypatch)
    for name, text in list(programs().items())[part::4]:
        source = Source("p.gdsl", text)
        recorded.names.clear()
        found = list(said(source))
        assert recorded.in_messages(found, source) == set(), (name, [render(one, source) for one in found])


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize(("schedule", "message"), STOPPED)
def test_what_stops_a_run(schedule: str, message: str, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = Recorded(monkeypatch)
    text = HEAD % (NOTHING[0], NOTHING[1], schedule)
    load_source(Source("p.gdsl", text))  # which the cache may spare the run
    with pytest.raises(GdslError) as caught:
        gdsl.compile(text).run(Graph.from_edges([0, 1], [1, 2], 3), backend=backend)
    assert recorded.names and message in str(caught.value)
    assert recorded.in_messages(list(caught.value.diagnostics), Source("p.gdsl", text)) == set()


def test_the_fixes_have_these_names_too() -> None:
    text = HEAD % (NOTHING[0], NOTHING[1], OF_SCHEDULES[0])
    found = [one for one in warnings(Source("p.gdsl", text)) if one.code == "W01"]
    assert [one.fix for one in found] == ["write `f = advance(f, link);`"] * 2
