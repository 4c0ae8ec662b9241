"""What `neighbor_vote` and its functors may stand for, and what is said where they may not."""

from __future__ import annotations

import pytest
from support.refusing import mistakes

from gdsl.ir import nodes
from gdsl.operations import Over
from gdsl.pipeline import load
from gdsl.types import Type

HEAD = """program p; problem {
    vertex label : vertex = id; vertex other : vertex; vertex rank : float32; vertex count : int64; scalar s : int64;
    input vertex given : vertex; edge weight : int32; edge near_label : vertex;
}
"""
BALLOT = "edge functor ballot(src, dst, e) -> (vertex, int32) { cond src != dst; value (label[dst], weight[e]); }\n"
WIDE = "edge functor wide(src, dst, e) -> (int64, float64) { value (count[src], 1.5); }\n"
GAIN = "vote functor gain(v, key, total) -> float64 { value float64(total) * rank[key] - rank[v]; }\n"
OTHERS = """vertex functor settle(v) { apply { rank[v] = 0.0; } }
edge functor visit(src, dst, e) { apply { weight[e] = 1; } }
edge functor told(src, dst, e) -> vertex { value dst; }
"""


def text_of(schedule: str, parts: str = BALLOT + WIDE + GAIN + OTHERS) -> str:
    return f"{HEAD}{parts}schedule {{ frontier f = {{ 0 }}; {schedule} }}"


@pytest.mark.parametrize(
    ("schedule", "score", "over", "keep"),
    [
        ("label = neighbor_vote(vertices, ballot);", None, Over.OUT_EDGES, None),
        ("label = neighbor_vote(f, ballot, over=in_edges);", None, Over.IN_EDGES, None),
        ("label = neighbor_vote({ 0 } | f, ballot, gain);", "gain", Over.OUT_EDGES, None),
        ("other = neighbor_vote(vertices, ballot, gain, over=all_edges, keep=label);", "gain", Over.ALL_EDGES, "label"),
        ("other = neighbor_vote(vertices, ballot, keep=given);", None, Over.OUT_EDGES, "given"),
        ("label = neighbor_vote(where(settle), ballot, keep=label) @step;", None, Over.OUT_EDGES, "label"),
    ],
)
def test_forms(schedule: str, score: str | None, over: Over, keep: str | None) -> None:
    program = load(text_of(schedule))
    step = program.schedule[-1]
    assert isinstance(step, nodes.NeighborVote)
    assert (step.functor, step.score, step.over, step.keep) == ("ballot", score, over, keep)
    (functor,) = program.edge_functors
    assert functor.key is not None and functor.value is not None
    assert (functor.key.type, functor.value.type) == (Type.VERTEX, Type.INT32)
    assert [vote.name for vote in program.vote_functors] == ([score] if score else [])


def test_a_score_takes_the_types_of_its_ballot() -> None:
    (vote,) = load(text_of("label = neighbor_vote(f, ballot, gain);")).vote_functors
    assert (vote.key_type, vote.total_type) == (Type.VERTEX, Type.INT32)


@pytest.mark.parametrize(
    ("schedule", "code", "said"),
    [
        ("neighbor_vote(f, ballot);", "E0406", "`a = neighbor_vote(…);`"),
        ("f = neighbor_vote(f, ballot);", "E0406", "array over vertices"),
        ("s = neighbor_vote(f, ballot);", "E0415", "no single value"),
        ("near_label = neighbor_vote(f, ballot);", "E0406", "not over vertices"),
        ("given = neighbor_vote(f, ballot);", "E0214", "input"),
        ("rank = neighbor_vote(f, ballot);", "E0205", "the keys, which are vertex"),
        ("label = neighbor_vote(f, wide);", "E0205", "the keys, which are int64"),
        ("label = neighbor_vote(edges, ballot);", "E0416", "set of edges"),
        ("label = neighbor_vote(f);", "E0402", "takes 2 or 3 arguments, not 1"),
        ("label = neighbor_vote(f, ballot, gain, gain);", "E0402", "not 4"),
        ("label = neighbor_vote(f, ballot, kep=label);", "E0402", "`keep=`"),
        ("label = neighbor_vote(f, ballot, keep=label, keep=label);", "E0402", "given twice"),
        ("label = neighbor_vote(f, ballot, keep=rank);", "E0205", "`keep=` takes"),
        ("label = neighbor_vote(f, ballot, keep=near_label);", "E0406", "not over vertices"),
        ("label = neighbor_vote(f, ballot, keep=f);", "E0402", "the name of an array"),
        ("label = neighbor_vote(f, ballot, keep=0);", "E0402", "the name of an array"),
        ("label = neighbor_vote(f, ballot, over=edges);", "E0402", "`over`"),
        ("label = neighbor_vote(f, told);", "E0401", "a key and a weight"),
        ("label = neighbor_vote(f, visit);", "E0401", "a key and a weight"),
        ("label = neighbor_vote(f, ballot, told);", "E0401", "a vote functor"),
        ("label = neighbor_vote(f, ballot, sum);", "E0201", "`sum`"),
        ("label = neighbor_vote(f, balot);", "E0201", "`ballot`"),
        ("advance(f, ballot, to=none);", "E0401", "an edge functor with a `value`"),
        ("compute(f, gain);", "E0401", "a vote functor"),
        ("label = neighbor_reduce(f, ballot, min);", "E0205", "gives (vertex, int32)"),
        ("label = neighbor_vote(f, ballot, gain); count = neighbor_vote(f, wide, gain);", "E0205", "two kinds"),
    ],
)
def test_mistakes_of_calls(schedule: str, code: str, said: str) -> None:
    (found,) = mistakes(text_of(schedule))
    assert found.code == code and found.span is not None
    assert said in f"{found.message} {found.fix}"


@pytest.mark.parametrize(
    ("functor", "code", "said"),
    [
        ("edge functor b(src, dst, e) -> (node, int32) { value (src, 1); }", "E0225", "`vertex`"),
        ("edge functor b(src, dst, e) -> (vertex, int32) { value src; }", "E0205", "write a pair"),
        ("edge functor b(src, dst, e) -> (vertex, int32) { cond true; }", "E0110", "no `value`"),
        ("edge functor b(src, dst, e) -> (vertex, int32) { value (weight[e], 1); }", "E0205", "the result of `b`"),
        ("edge functor b(src, dst, e) -> (vertex, int32) { value (src, 1.5); }", "E0205", "the result of `b`"),
        ("edge functor b(src, dst, e) -> (vertex, int32) { apply { } }", "E0110", "no `value`"),
        ("vote functor b(v, key) -> int32 { value 1; }", "E0110", "`v, key, total`"),
        ("vote functor b(v, key, total, more) -> int32 { value 1; }", "E0110", "not 4"),
        ("vote functor b(v, key, total) -> int32 { cond true; value 1; }", "E0110", "c ? x : y"),
        ("vote functor b(v, key, total) -> int32 { }", "E0110", "no `value`"),
        ("vertex functor b(v) { cond key == v; }", "E0201", "`key`"),
    ],
)
def test_mistakes_of_functors(functor: str, code: str, said: str) -> None:
    found = mistakes(text_of("", functor + "\n"))
    assert code in {one.code for one in found}
    assert any(said in f"{one.message} {one.fix}" and one.span is not None for one in found)


@pytest.mark.parametrize(
    ("result", "value", "said"),
    [
        ("(float32, int32)", "(rank[src], 1)", "are float32; those of votes are integers or ids"),
        ("(bool, int32)", "(true, 1)", "are bool; those of votes are integers or ids"),
        ("(vertex, vertex)", "(src, dst)", "are vertex; those of votes are numbers"),
        ("(vertex, bool)", "(src, true)", "are bool; those of votes are numbers"),
    ],
)
def test_pairs_that_are_no_votes(result: str, value: str, said: str) -> None:
    functor = f"edge functor b(src, dst, e) -> {result} {{ value {value}; }}\n"
    (found,) = mistakes(text_of("label = neighbor_vote(f, b);", functor))
    assert found.code == "E0205" and said in found.message and found.labels


def test_one_functor_of_pairs_for_votes_and_for_a_reduction() -> None:
    text = text_of("best = neighbor_reduce(f, ballot, max); label = neighbor_vote(f, ballot);", BALLOT)
    program = load(text.replace("problem {", "problem { vertex best : (vertex, int32);"))
    pairs, ballot = program.edge_functors
    assert (pairs.name, pairs.key) == ("ballot", None) and pairs.value is not None and pairs.value.type.is_pair
    assert ballot.name == "ballot_ballot" and ballot.key is not None and ballot.key.type is Type.VERTEX


@pytest.mark.parametrize("value", ["told[dst]", "src < dst ? (src, 1) : told[src]"])
def test_a_ballot_may_come_as_a_pair(value: str) -> None:
    functor = f"edge functor b(src, dst, e) -> (vertex, int32) {{ value {value}; }}\n"
    text = text_of("label = neighbor_vote(f, b);", functor)
    (ballot,) = load(text.replace("problem {", "problem { vertex told : (vertex, int32);")).edge_functors
    assert isinstance(ballot.key, nodes.PairPart) and isinstance(ballot.value, nodes.PairPart)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("near == v ? 1.0 : 2.0", "E0215"),
        ("float64(place)", "E0215"),
        ("rank[total]", None),
        ("rank[key] + 1.0", None),
        ("rank[rank[v]]", "E0213"),
        ("key < v ? 1.0 : float64(iteration)", None),
        ("true", "E0205"),
    ],
)
def test_what_a_score_may_be(value: str, code: str | None) -> None:
    vote = f"vote functor g(v, key, total) -> float64 {{ value {value}; }}\n"
    text = text_of("label = neighbor_vote(f, ballot, g);", BALLOT + vote)
    if code is None:
        load(text)
    else:
        assert [found.code for found in mistakes(text)] == [code]


def test_a_score_is_a_number() -> None:
    vote = "vote functor g(v, key, total) -> vertex { value key; }\n"
    (found,) = mistakes(text_of("label = neighbor_vote(f, ballot, g);", BALLOT + vote))
    assert found.code == "E0205" and "a score is a number" in found.message


def test_votes_in_a_procedure() -> None:
    """Of arrays that it takes as parameters, and scored by a functor that only the procedure names."""
    procedure = """procedure elect(mine: vertex vertex, kept: vertex vertex, f: frontier) {
        mine = neighbor_vote(f, ballot, gain, keep=kept);
    }
    """
    steps = load(text_of("elect(label, other, f); elect(other, label, vertices);", BALLOT + GAIN + procedure)).schedule
    votes = [step for step in steps if isinstance(step, nodes.NeighborVote)]
    assert [(step.array, step.keep) for step in votes] == [("label", "other"), ("other", "label")]
