"""What histories may stand for, and what is said where they may not."""

from __future__ import annotations

import pytest
from support.refusing import mistake

from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.pipeline import load


def text_of(schedule: str, apply: str = "hops[v] += 1;") -> str:
    return f"""program p;
problem {{ scalar s : int64; vertex h_members : int32; vertex hops : int32; scalar flag : bool; }}
vertex functor tally(v) {{ apply {{ {apply} }} }}
edge functor step(src, dst, e) {{ apply {{ hops[dst] += 1; }} }}
schedule {{ frontier f = vertices; edge frontier some = edges; {schedule} }}"""


def test_lowered() -> None:
    program = load(text_of("history h; h.push(f); for g in backward(h) { compute(g, tally); } s = size(h);"))
    _, _, emptied, pushed, loop, size = program.schedule
    assert isinstance(emptied, nodes.StoreScalar) and isinstance(pushed, nodes.PushLevel)
    assert isinstance(loop, nodes.Repeat) and isinstance(size, nodes.StoreScalar)
    taken, _ = loop.body
    assert isinstance(taken, nodes.TakeLevel) and taken.backward and taken.name == "g"
    assert emptied.scalar == pushed.history.levels == taken.history.levels
    hidden = {array.name for array in program.arrays} - {"h_members", "hops"}
    assert hidden == {pushed.history.members, pushed.history.ends}
    assert all(array.is_local for array in program.arrays if array.name in hidden)


@pytest.mark.parametrize("order", ["backward", "forward"])
def test_words_are_names_too(order: str) -> None:
    """`push` and the like mean something only where a history is spoken of."""
    text = text_of(f"history h; h.push(f); for {order}_ in {order}(h) {{ compute({order}_, tally); }} s = 1;")
    assert any(isinstance(node, nodes.TakeLevel) for node in walk(load(text).schedule))
    assert load(text_of("frontier push = f; compute(push, tally);")).schedule


@pytest.mark.parametrize(
    ("schedule", "code", "words"),
    [
        ("history h; h.pop();", "E0418", "a history has no `.pop(…)`"),
        ("history h; h.push();", "E0402", "`push` takes one set, not 0"),
        ("history h; h.push(f, f);", "E0402", "`push` takes one set, not 2"),
        ("history h; h.push(set=f);", "E0402", "`push` takes no argument `set=`"),
        ("history h; h.push(some);", "E0416", "a level of `h` is a set of vertices"),
        ("history h; h.push(s);", "E0403", "`s` is a scalar, not a frontier"),
        ("history h; h.push(h);", "E0403", "`h` is a history, not a frontier"),
        ("history h; f = h;", "E0403", "`h` is a history, not a frontier"),
        ("history h; compute(h, tally);", "E0403", "`h` is a history, not a frontier"),
        ("history h; if (h) { f = { }; }", "E0204", "`h` is a history, not a value"),
        ("history h; s = h;", "E0204", "`h` is a history, not a value"),
        ("history h; s = h.push(f);", "E0418", "`h.push(…)` gives no value"),
        ("history h; f = h.push(f);", "E0418", "`h.push(…)` gives no value"),
        ("f.push(f);", "E0112", "a frontier has no `.push(…)`"),
        ("hops.push(f);", "E0418", "`hops` is an array, not a history"),
        ("k.push(f);", "E0201", "`k` is not declared"),
        ("{ 1 }.push(f);", "E0418", "only a history has methods"),
        ("for g in backward(f) { compute(g, tally); }", "E0418", "`f` is a frontier, not a history"),
        ("for g in backward(k) { compute(g, tally); }", "E0201", "`k` is not declared"),
        ("history h; for g in h { compute(g, tally); }", "E0418", "the order of the loop over `h`"),
        ("for g in f { compute(g, tally); }", "E0221", "`for` only over the levels of a history"),
        ("history h; for g in backwards(h) { compute(g, tally); }", "E0221", "`for` only over the levels"),
        ("history h; for g in backward(h, h) { compute(g, tally); }", "E0402", "`backward` takes one history"),
        ("history h; for g in backward(of=h) { compute(g, tally); }", "E0402", "`backward` takes no argument `of=`"),
        ("history h; for g in backward(h) { g = f; }", "E0214", "`g` cannot be written"),
        ("history h; for g in backward(h) { h.push(f); }", "E0418", "`h` cannot be pushed to inside a loop over it"),
        (
            "history h; for g in forward(h) { if (flag) { repeat (2) { h.push(g); } } }",
            "E0418",
            "cannot be pushed to inside a loop over it",
        ),
        (
            "history h; for g in backward(h) { for k in forward(h) { } h.push(g); }",
            "E0418",
            "cannot be pushed to inside a loop over it",
        ),
        ("history h; for f in backward(h) { }", "E0202", "`f` is declared twice"),
        ("history h; history h;", "E0202", "`h` is declared twice"),
        ("history hops;", "E0202", "`hops` is declared twice"),
        ("for i in 0..3 { s = 1; }", "E0221", "no `for` over numbers"),
        ("if (flag) { history h; } h.push(f);", "E0201", "`h` is not declared"),
        ("history h; backward(h);", "E0404", "`backward` is not allowed here"),
    ],
)
def test_refused(schedule: str, code: str, words: str) -> None:
    found = mistake(text_of(schedule))
    assert (found.code, words in found.message) == (code, True), found.message


def test_in_a_functor() -> None:
    found = mistake(text_of("", apply="history h;"))
    assert found.code == "E0221" and "`history` belongs to the schedule" in found.message


def test_fixes() -> None:
    assert mistake(text_of("history h; for g in h { }")).fix == "write `backward(h)` or `forward(h)`"
    assert mistake(text_of("history past; pats.push(f);")).fix == "did you mean `past`?"
    assert mistake(text_of("history h; for g in bakward(h) { }")).fix == "did you mean `backward(…)`?"
