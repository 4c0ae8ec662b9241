"""How certain what `intersect` finds is."""

from __future__ import annotations

import pytest

from gdsl.operations import Grade
from gdsl.pipeline import load


def test_what_it_finds_is_exact() -> None:
    program = load("""program p; problem { scalar s : int64; scalar t : int64; vertex hops : int32; }
        vertex functor tally(v) { apply { hops[v] += 1; } }
        schedule { s = intersect(edges); frontier c = intersect(edges, count=t); compute(c, tally); }""")
    assert all(data.grade is Grade.EXACT for data in (*program.arrays, *program.scalars))


def test_an_addition_is_as_certain_as_what_it_is_added_to() -> None:
    text = """program p; problem { scalar s : int64; scalar t : int64; vertex mark : vertex = none; }
        edge functor visit(src, dst, e) { apply { mark[dst] any= src; } }
        vertex functor note(v) { cond mark[v] == 0; apply { s += 1; } }
        schedule { advance(vertices, visit, to=none); compute(vertices, note); %s }"""
    grades = {
        schedule: {scalar.name: scalar.grade for scalar in load(text % schedule).scalars}["s"]
        for schedule in ("s += intersect(edges);", "s = intersect(edges);", "if (s > 1) { s = intersect(edges); }")
    }
    assert list(grades.values()) == [Grade.NOT_UNIQUE, Grade.EXACT, Grade.NOT_UNIQUE]


@pytest.mark.parametrize(
    ("members", "grade"),
    [
        ("edges", Grade.EXACT),
        ("filter(edges, up)", Grade.EXACT),
        ("filter(edges, tree)", Grade.NOT_UNIQUE),
        ("advance(f, first, to=edges)", Grade.NOT_UNIQUE),
        ("advance(f, up, to=edges)", Grade.EXACT),
    ],
)
def test_what_it_finds_is_as_certain_as_its_edges(members: str, grade: Grade) -> None:
    """Of `first` the far ends are the same in every run, and the edges are not."""
    program = load(f"""program p; problem {{
            scalar s : int64; scalar all : int64; vertex mark : vertex = none; vertex level : int32 = -1;
            vertex hit : bool; vertex after : int32;
        }}
        edge functor visit(src, dst, e) {{ apply {{ mark[dst] any= src; }} }}
        edge functor up(src, dst, e) {{ cond src < dst; }}
        edge functor tree(src, dst, e) {{ cond mark[dst] == src; }}
        edge functor first(src, dst, e) {{ cond level[dst] == -1; apply {{ level[dst] = 1; }} }}
        vertex functor note(v) {{ apply {{ hit[v] = true; }} }}
        vertex functor late(v) {{ apply {{ after[v] = 1; }} }}
        schedule {{
            frontier f = vertices;
            advance(f, visit, to=none);
            frontier c = intersect({members}, count=s);
            compute(c, note);
            c = intersect(edges, count=all);
            compute(c, late);
        }}""")
    grades = {data.name: data.grade for data in (*program.arrays, *program.scalars)}
    assert (grades["s"], grades["hit"]) == (grade, grade)
    assert grades["all"] is grades["after"] is Grade.EXACT
