"""A short run of the campaign of programs, and what it makes of a checker and of backends that are wrong."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from fuzz import programs
from fuzz.campaign import run
from fuzz.programs import checks, groups, imports, many_runs, running, trials
from fuzz.programs.checks import check_orders
from fuzz.programs.families import shaped_text
from fuzz.programs.free import free_program
from fuzz.programs.graphs import Shape
from fuzz.programs.groups import Options
from fuzz.programs.running import Place, compiled
from fuzz.programs.shrinking import shrunk
from fuzz.programs.trials import Trial, difference, trial_of, under_orders

from gdsl.backends.cpu.backend import CpuExecutable
from gdsl.backends.interface import Outcome
from gdsl.diagnostics import GdslError
from gdsl.native.compiler import find_compiler
from gdsl.operations import Grade
from gdsl.source import Source

SEED = 20_261
COMPILER = find_compiler() is not None
TWO_ANSWERS = """program p;
problem { vertex b : int32 = int32(id); vertex c : int32; scalar spare : int32 = 3; }
edge functor f(src, dst, e) { apply { if (b[dst] >= 0) { c[dst] = b[src] + 1; } spare += 1; } }
schedule { frontier f1 = vertices; repeat (2) { f1 = advance(f1, f); } }
"""
FORK = Shape(4, ((0, 2), (1, 2), (2, 3)))


@pytest.fixture(autouse=True)
def options(monkeypatch: pytest.MonkeyPatch) -> Iterator[Options]:
    """The campaign's options, as they were when the test is over."""
    backends = ("reference", "cpu") if COMPILER else ("reference",)
    made = Options(backends=backends, shrinks=20)
    monkeypatch.setattr(programs, "options", made)
    yield made


@pytest.mark.slow
def test_nothing_is_found() -> None:
    campaign = run("programs", programs.case, seed=SEED, count=1)
    held_back = {answer[:5] for answer in campaign.answers if answer.startswith("E0")} - {groups.FREE_CHOICE}
    assert {code[:3] for code in held_back} <= {"E03", "E06", "E08"}
    assert campaign.answers["exact"] > 0
    if campaign.findings:
        pytest.fail("\n\n".join(text for _, text in campaign.findings), pytrace=False)


@pytest.mark.skipif(not COMPILER, reason="the emulator needs g++")
@pytest.mark.slow
def test_nothing_is_found_by_the_emulator(options: Options) -> None:
    options.backends, options.emulated = ("reference", "emulator"), 4.0
    campaign = run("programs", programs.case, seed=SEED + 1000, count=1)
    assert campaign.answers["emulator"] > 0 or campaign.findings
    if campaign.findings:
        pytest.fail("\n\n".join(text for _, text in campaign.findings), pytrace=False)


@pytest.mark.slow
def test_the_generators_write_all_that_there_is() -> None:
    texts = [free_program(random.Random(seed)) for seed in range(1000)]
    texts += [shaped_text(random.Random(seed)) for seed in range(400)]
    words = (
        "advance filter where compute neighbor_reduce swap fill size while repeat if else for break let var changed "
    )
    words += (
        "fetch cas any= now accept cond function param input edge scalar frontier to=none all_edges place near far "
    )
    words += "min max sum product some every count direction balance fuse ids block float64 uint64 iteration tune"
    words += " intersect( count= to=edges procedure top( [2] [wide] part on subgraph( contract( history buckets .pop() "
    words += ".push( .level backward( forward( number( neighbor_vote( keep= width=auto"
    joined = [f"to=edges) {operator} " for operator in "|&-"]
    missing = [word for word in (*words.split(), *joined) if not any(word in text for text in texts)]
    assert missing == []


@pytest.mark.parametrize(
    "form",
    [
        "buckets u(",
        "width=auto",
        "frontier z = ",
        "edge frontier e = ",
        "for k in ",
        "n2[",
        "h2[e]",
        "param v0",
        "place < k2",
    ],
)
def test_programs_of_a_family_with_each_form_are_well_typed(form: str) -> None:
    texts = (shaped_text(random.Random(seed)) for seed in range(2000))
    with_it = itertools.islice((text for text in texts if form in text), 30)
    assert any(is_well_typed(text) for text in with_it)


def is_well_typed(text: str) -> bool:
    try:
        compiled(text, refuse=False)
    except GdslError:
        return False
    return True


@pytest.mark.slow
def test_imports_mean_what_they_did() -> None:
    """The definitions of programs in files of their own, of which one imports from the other."""
    files = Counter[int]()
    for seed in range(25):
        text = free_program(random.Random(seed))
        source = imports.split(random.Random(seed), text)
        files[sum(bool(each.text) for each in source.imported or ()) if source is not None else 0] += 1
        assert imports.misread(random.Random(seed), text) is None
    assert files[2] > 3


@pytest.mark.slow
def test_a_wrong_import_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """An importer that takes something else: in the other file each `+` is a `-`."""
    right = imports.load

    def wrong(source: Source) -> object:
        others = tuple(Source(each.name, each.text.replace("+", "-"), ()) for each in source.imported or ())
        return right(Source(source.name, source.text, others))

    monkeypatch.setattr(imports, "load", wrong)
    found = [imports.misread(random.Random(seed), free_program(random.Random(seed))) for seed in range(15)]
    assert any(found)


REPEATED = """program p;
problem { vertex c : int32; }
edge functor f(src, dst, e) { apply { %s } }
schedule { frontier f1 = vertices; repeat (2) { f1 = advance(f1, f); } }
tune { f.dedup = none; schedule.fuse = off; }
"""


@pytest.mark.parametrize(("write", "refused"), [("c[dst] += 1;", False), ("c[dst] = c[src] + 1;", True)])
@pytest.mark.slow
def test_knobs_that_do_not_fit_are_taken_out(write: str, refused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "_UNCHECKED", 1.0)
    monkeypatch.setattr(groups, "random_text", lambda _: REPEATED % write)
    campaign = run("programs", programs.case, seed=SEED, count=1)
    assert not campaign.findings
    assert (campaign.answers["knobs that do not fit"] > 0) != refused
    assert (campaign.answers["exact"] > 0) != refused
    assert any(answer.startswith("E03") for answer in campaign.answers) == refused


@pytest.mark.slow
def test_a_program_that_the_rules_let_pass_is_found_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    unchecked = compiled

    def trusting(text: str, *, refuse: bool = True) -> object:
        program = unchecked(text, refuse=False)
        everything = [
            tuple(dataclasses.replace(data, grade=Grade.EXACT, doubt=None) for data in part)
            for part in (program.arrays, program.scalars)
        ]
        return dataclasses.replace(program, arrays=everything[0], scalars=everything[1])

    monkeypatch.setattr(checks, "compiled", trusting)
    trial = Trial(TWO_ANSWERS, FORK)
    found = check_orders(trial)
    assert found is not None and "c[2] is" in found
    smaller = shrunk(trial, check_orders, 300)
    assert len(smaller.shape.edges) == 2
    assert len(smaller.text) < len(TWO_ANSWERS) - 60 and "spare" not in smaller.text
    again = f"{smaller.header()}\n{smaller.text}"
    assert trial_of(again).shape == smaller.shape
    programs.options.backends = ("reference",)
    assert programs.repeat(again)


@pytest.mark.skipif(not COMPILER, reason="there is no C++ compiler")
@pytest.mark.slow
@pytest.mark.thorough
def test_a_wrong_backend_is_found(monkeypatch: pytest.MonkeyPatch, options: Options) -> None:
    options.shrinks = 0
    right = CpuExecutable.run

    def wrong(self: CpuExecutable, *arguments: object) -> Outcome:
        outcome = right(self, *arguments)  # type: ignore[arg-type]
        for values in outcome.arrays.values():
            if values.dtype == "int32" and len(values):
                values[-1] += 1
        return outcome

    monkeypatch.setattr(CpuExecutable, "run", wrong)
    campaign = run("programs", programs.case, seed=SEED, count=1)
    assert any("# cpu" in text for _, text in campaign.findings)


def test_errors_and_endless_loops_count_where_everything_is_exact() -> None:
    exact = compiled("program p;\nproblem { scalar n : int32; }\nschedule { n = 1; }\n")
    marked = compiled(
        "program p;\nproblem { vertex a : vertex; }\n"
        "edge functor f(src, dst, e) { apply { a[dst] any= src; } }\nschedule { advance(vertices, f, to=none); }\n"
    )
    place = Place(FORK.graph, {})
    answer = running.on_reference(exact)(place, 0, 1)
    assert difference(exact, answer, "E0801") == "an answer, and E0801"
    assert "without end" in (difference(exact, answer, "E0803") or "")
    assert difference(exact, "E0802", "E0803") is None
    assert difference(marked, answer, "E0801") is None


def test_exact_and_rounding_results_are_compared() -> None:
    program = compiled("program p;\nproblem { scalar n : int32; }\nschedule { n = 1; }\n")
    graded = [dataclasses.replace(program.scalars[0], grade=grade) for grade in Grade]
    compared = [each.grade for each in graded if trials.is_compared(each)]
    assert compared == [Grade.EXACT, Grade.TRIED, Grade.ROUNDING]
    assert [each.grade for each in graded if trials.is_exact(each)] == [Grade.EXACT, Grade.TRIED]


def test_endless_loops_of_the_schedule_alone_are_bounded() -> None:
    head = "program p;\nproblem { scalar go : bool = true; scalar n : int32; }\n"
    head += "vertex functor f(v) { apply { while (changed(n min= 0)) { } } }\n"
    text = groups.bounded(head + "schedule { while (go) { compute(vertices, f); } }\n", "2")
    assert text == head + "schedule { repeat (2) { compute(vertices, f); } }\n"
    compiled(text)


def test_a_run_that_only_takes_longer_is_not_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits of a first run are too small for one order: it gets more time before it is judged."""
    program = compiled("program p;\nproblem { scalar n : int32; }\nschedule { repeat (70) { n += 1; } }\n")
    ends = running.on_reference(program)
    orders = trials.Orders(ends(Place(FORK.graph, {}), 0, 20), 0)
    assert isinstance(orders.answer, Outcome)
    assert trials.compare(program, Place(FORK.graph, {}), orders, ends, 1) is None
    assert under_orders(program, Trial("", FORK), range(4)).answer == "E0803"


REACHES = """program reaches;
problem { param source : vertex; param most : int32; vertex level : int32 = -1; }
edge functor reach(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; } }
schedule { level[source] = 0; frontier f = {source}; while (f && iteration < most) { f = advance(f, reach); } }
"""


@pytest.mark.skipif(not COMPILER, reason="all of these need g++")
@pytest.mark.parametrize("name", many_runs.RUNNERS)
@pytest.mark.slow
def test_workers_and_runs_together(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They answer as the reference does; what others of them give instead is a finding."""
    program = compiled(REACHES.replace(" && iteration < most", "") if name == "words" else REACHES)
    trial = Trial(REACHES, FORK, {"source": (1,), "most": (5,)})
    place, orders = Place(FORK.graph, trial.pools), under_orders(program, trial, range(2))
    found = many_runs.RUNNERS[name](program, random.Random(1))
    assert found is not None
    for seed in range(4):
        assert trials.compare(program, place, orders, found[0], seed) is None
    if name != "workers":
        monkeypatch.setattr(random.Random, "randint", lambda *_: 0)  # the place of the own values
        numbered = many_runs._numbered
        monkeypatch.setattr(many_runs, "_numbered", lambda own, parts, at: numbered(own, parts, -1))
        assert any(trials.compare(program, place, orders, found[0], seed) for seed in range(9))
