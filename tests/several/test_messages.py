"""What an array of several values an element is not: one clear error each, with the fix where there is one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gdsl
from gdsl import cache
from gdsl.cli.main import main
from gdsl.diagnostics import GdslError
from gdsl.pipeline import load

_HEAD = "program p; problem {{ param rank : int32 = 3; param half : float32 = 0.5; input vertex x[3] : float32; "
_DATA = _HEAD + "vertex a[rank] : int32; vertex b[3] : int32; vertex c : int32; edge w[2] : int32; {data} }} "
_TEXT = _DATA + "vertex functor f(v) {{ apply {{ {apply} }} }} "
_TEXT += "edge functor g(src, dst, e) {{ apply {{ {edges} }} }} edge functor h(src, dst, e) -> int32 {{ value 1; }} "
_TEXT += "schedule {{ {schedule} compute(vertices, f); advance(vertices, g, to=none); }}"

_REFUSED = [
    ("data", "vertex d[0] : int32;", "E0224", "1 to 2,147,483,647"),
    ("data", "vertex d[-1] : int32;", "E0224", "1 to 2,147,483,647"),
    ("data", "vertex d[inf] : int32;", "E0224", "1 to 2,147,483,647"),
    ("data", "vertex d[2.5] : int32;", "E02", ""),
    ("data", "vertex d[half] : int32;", "E0205", ""),
    ("data", "vertex d[true] : int32;", "E0205", ""),
    ("data", "vertex d[num_vertices] : int32;", "E0215", ""),
    ("data", "param s : vertex; vertex d[out_degree(s)] : int32;", "E0215", "cannot access the graph"),
    ("data", "vertex d[rank + in_degree(0)] : int32;", "E0215", "cannot access the graph"),
    ("data", "vertex d[id] : int32;", "E0215", ""),
    ("data", "vertex d[iteration] : int32;", "E0215", ""),
    ("data", "vertex d[c] : int32;", "E0222", ""),
    ("data", "vertex d[nothing] : int32;", "E0201", ""),
    ("data", "param d[3] : int32;", "E0224", "vertex d[…]"),
    ("data", "scalar d[3] : int32;", "E0224", "vertex d[…]"),
    ("data", "vertex d : int32 = part;", "E0201", ""),
    ("data", "vertex d[3] : float32 = x[id];", "E0204", "x[id][i]"),
    ("data", "vertex d[4] : float32 = x[id][part];", "E0222", "same number of values"),
    ("data", "vertex d[rank] : float32 = x[id][part];", "E0222", "same number of values"),
    ("data", "vertex d[3] : float32 = x[id][part + 0];", "E0222", "same number of values"),
    ("data", "vertex d[3] : float32 = x[id][3];", "E0213", ""),
    ("data", "vertex d[3] : float32 = x[part][part];", "E0222", "x[id]"),
    ("apply", "c[v] = a[v];", "E0204", "a[v][i]"),
    ("apply", "a[v] = 1;", "E0204", "a[v][i]"),
    ("apply", "a[v] += 1;", "E0204", "a[v][i]"),
    ("apply", "c[v][0] = 1;", "E0204", "c[v]"),
    ("apply", "c[v] = c[v][0];", "E0204", "c[v]"),
    ("apply", "b[v][3] = 1;", "E0213", ""),
    ("apply", "b[v][-1] = 1;", "E0213", ""),
    ("apply", "b[v][1.0] = 1;", "E0213", ""),
    ("apply", "b[v][v] = 1;", "E0213", ""),
    ("apply", "b[v][true] = 1;", "E0213", ""),
    ("apply", "b[0.5][0] = 1;", "E0213", ""),
    ("apply", "b[v][0][0] = 1;", "E0204", ""),
    ("apply", "let y = a;", "E0204", "a[v][i]"),
    ("apply", "x[v][0] = 1.0;", "E0214", ""),
    ("edges", "b[dst][0] = int32(src);", "E0301", ""),
    ("edges", "b[dst][int32(src) % 3] = int32(src);", "E0301", ""),
    ("edges", "for i in 0..3 { b[dst][i] = b[src][i]; }", "E0301", ""),
    ("edges", "b[src][0] = b[dst][1];", "E0301", ""),
    ("edges", "w[0][1] = place;", "E0301", ""),
    ("schedule", "c = neighbor_reduce(vertices, h, sum); b = neighbor_reduce(vertices, h, sum);", "E0424", ""),
    ("schedule", "b = number(vertices);", "E0424", ""),
    ("schedule", "buckets q(b, 2);", "E0424", ""),
    ("schedule", "if (sum(b) > 0) { fill(c, 1); }", "E0424", ""),
    ("schedule", "if (max(a) > 0) { fill(c, 1); }", "E0424", ""),
    ("schedule", "swap(a, b);", "E0405", "`a[n]`, `b[n]`"),
    ("schedule", "swap(b, c);", "E0405", ""),
    ("schedule", "b[0] = 1;", "E0204", "b[0][i]"),
    ("schedule", "b[0][rank + 1] = 1;", "E0409", ""),
    ("schedule", "fill(a, 1.5);", "E02", ""),
]
_ACCEPTED = [
    ("data", "vertex d[rank] : int32 = a_of(id, part); vertex q[2 * rank + 1] : bool; vertex r[max(rank, 2)] : bool;"),
    ("data", "vertex d[3] : float32 = x[id][part]; vertex p[2] : (int32, vertex) = (part, id);"),
    ("data", "vertex part : int32; vertex d[2] : int32 = out_degree(id);"),
    ("apply", "b[v][0] = b[v][1]; b[v][1] = b[v][2] + a[v][0]; c[v] = b[v][0];"),
    ("apply", "for i in 0..rank { a[v][i] = i; } for i in 0..rank { a[v][i] //= 2; a[v][(i + 1) % 3] //= 2; }"),
    ("apply", "let t = changed(b[v][1] min= 3); let s = fetch(b[0][1] min= 4);"),
    ("edges", "for i in 0..3 { b[dst][i] += 1; }"),
    ("edges", "for i in 0..3 { b[dst][i] = i; } "),
    ("edges", "for i in 0..rank { b[dst][0] = iteration; }"),
    ("edges", "for i in 0..3 { b[dst][i] = int32(x[dst][i]) + int32(dst); }"),
    ("edges", "w[e][0] = w[e][1] + 1; w[e][1] = place;"),
    ("edges", "b[dst][0] min= b[src][0];"),
    ("schedule", "fill(a, 1); b[0][2] = rank; swap(a, a);"),
]


def text_of(place: str, words: str) -> str:
    """The program with `words` at a place."""
    words_at = {"data": "", "apply": "", "edges": "", "schedule": ""} | {place: words}
    return _TEXT.format(**words_at) + " function a_of(v : vertex, i : int32) -> int32 { return int32(v) + i; }"


@pytest.mark.parametrize(("place", "words", "code", "fix"), _REFUSED)
def test_refused(place: str, words: str, code: str, fix: str) -> None:
    with pytest.raises(GdslError) as caught:
        gdsl.compile(text_of(place, words))
    found = caught.value.diagnostics
    assert len(found) == 1 or place == "edges", [one.message for one in found]
    assert found[0].code.startswith(code), (found[0].code, found[0].message)
    assert fix in (found[0].fix or "") or fix in found[0].message


@pytest.mark.parametrize(("place", "words"), _ACCEPTED)
@pytest.mark.sampled(30)
def test_accepted(place: str, words: str) -> None:
    graph = gdsl.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 1], num_vertices=4)
    program = gdsl.compile(text_of(place, words))
    given = {"x": np.arange(12, dtype=np.float32).reshape(4, 3)}
    reference = program.run(graph, given, backend="reference")
    cpu = program.run(graph, given, backend="cpu")
    for name, values in reference.host_arrays().items():
        assert np.array_equal(values, cpu.host_arrays()[name]), name


_CHECKED = """program p;
problem { param rank : int32 = 3; param at : int64 = 0; param w : vertex = 0; vertex a[rank] : int32; }
vertex functor f(v) { apply { for i in 0..rank { a[v][i] = i; } a[v][at] = 7; } }
schedule { compute(vertices, f); a[w][2] = 1; }
"""


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize(
    ("values", "message"), [({"at": 3}, "value 3 of"), ({"at": -1}, "value -1 of"), ({"rank": 2}, "value 2 of")]
)
def test_places_are_checked(backend: str, values: dict[str, int], message: str) -> None:
    graph = gdsl.Graph.from_edges([0], [1], num_vertices=2)
    with pytest.raises(GdslError) as caught:
        gdsl.compile(_CHECKED).run(graph, values, backend=backend)
    assert caught.value.diagnostics[0].code == "E0801"
    assert message in str(caught.value)
    assert f"an element has {values.get('rank', 3)} values" in str(caught.value)


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize(("rank", "code"), [(0, "E0614"), (-5, "E0614"), (2**31 - 1, "E0708")])
def test_how_many_is_checked_before_the_run(backend: str, rank: int, code: str) -> None:
    graph = gdsl.Graph.from_edges([0], [1], num_vertices=100)
    with pytest.raises(GdslError) as caught:
        gdsl.compile(_CHECKED).run(graph, {"rank": rank}, backend=backend)
    assert caught.value.diagnostics[0].code == code
    assert f"{rank:,}" in str(caught.value)


@pytest.mark.parametrize("shape", [(4,), (12,), (3, 4), (4, 2), (4, 3, 1), (0, 3)])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    graph = gdsl.Graph.from_edges([0], [1], num_vertices=4)
    program = gdsl.compile(
        "program p; problem { input vertex x[3] : float32; vertex s : float32 = x[id][0]; } schedule { }"
    )
    with pytest.raises(GdslError) as caught:
        program.run(graph, {"x": np.zeros(shape, np.float32)}, backend="reference")
    assert caught.value.diagnostics[0].code == "E0606"
    assert "(4, 3)" in str(caught.value)


def test_a_condition_names_the_value() -> None:
    graph = gdsl.Graph.from_edges([0], [1], num_vertices=2)
    text = "program p; problem { input vertex x[2] : int32 where x >= part; vertex s : int32 = x[id][1]; } schedule { }"
    values = np.array([[0, 1], [5, 0]], order="F")
    with pytest.raises(GdslError, match="value 1 of vertex 1 has 0"):
        gdsl.compile(text).run(graph, {"x": values}, backend="reference")
    assert gdsl.compile(text).run(graph, {"x": values + 1}, backend="cpu").s.tolist() == [2, 1]


def test_the_params_of_lengths_are_not_the_callers() -> None:
    program = gdsl.compile(_CHECKED)
    assert list(program.params) == ["rank", "at", "w"]
    graph = gdsl.Graph.from_edges([0], [1], num_vertices=2)
    with pytest.raises(GdslError, match="no param and no input"):
        program.run(graph, {"values_of_a": 9}, backend="reference")


def test_results_as_files(tmp_path: Path) -> None:
    (tmp_path / "p.gdsl").write_text(
        "program p; problem { param n : int32 = 2; vertex a[n] : int32 = int32(id) * 10 + part; vertex c : bool; "
        "vertex b[2] : float32 = inf; } schedule { }"
    )
    (tmp_path / "g.txt").write_text("0 1\n")
    for suffix in ("csv", "npz", "json"):
        out = tmp_path / f"x.{suffix}"
        words = ["run", str(tmp_path / "p.gdsl"), str(tmp_path / "g.txt"), "-o", str(out), "--backend", "reference"]
        assert main(words) == 0
    lines = (tmp_path / "x.csv").read_text().splitlines()
    assert lines == ["vertex,a.0,a.1,c,b.0,b.1", "0,0,1,false,inf,inf", "1,10,11,false,inf,inf"]
    assert np.load(tmp_path / "x.npz")["a"].tolist() == [[0, 1], [10, 11]]
    assert '"a": [[0, 1], [10, 11]]' in (tmp_path / "x.json").read_text()


def test_the_cache_keeps_them() -> None:
    for words in ("", "for i in 0..rank { a[v][i] = i; }"):
        program = load(text_of("apply", words))
        cache.store("front", ("a",), program)
        assert cache.load("front", ("a",)) == program
