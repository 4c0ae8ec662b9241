"""A program that is read once and tuned many times is what it is when it is read anew for each way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from gdsl.api.schedules import Schedules
from gdsl.diagnostics import GdslError
from gdsl.ir.nodes import Program
from gdsl.pipeline import Tunable, load_source
from gdsl.program_files import read_source
from gdsl.source import Source
from tests.support.programs import LIBRARY, PROGRAMS, SAMPLES

REFUSED = (("nobody.direction=push",), ("schedule.fuse=off", "schedule.order=near_far"), ("schedule.ids=33",))
TWICE = """program twice;
problem { vertex level : int32; }
edge functor visit(src, dst, e) { apply { level[dst] = 1; } }
schedule { frontier f = advance(vertices, visit); f = advance(f, visit) @second; }
tune { visit.direction = pull; @second.frontier = bitmap; }
"""


def what_comes(load: Callable[[Source, Sequence[str]], Program], source: Source, words: Sequence[str]) -> object:
    """The program, or what is said of it."""
    try:
        return load(source, words)
    except GdslError as error:
        return error.diagnostics


@pytest.mark.parametrize("path", (*SAMPLES, *LIBRARY, *PROGRAMS[::3]), ids=lambda path: path.stem)
@pytest.mark.sampled(48)
def test_tuned_programs_are_the_same(path: Path) -> None:
    source = read_source(path)
    once = Tunable(source)
    ways = [way.words for way in Schedules(source, grid=True).sample(1, seed=len(path.stem))]
    turn = len(path.stem) % len(REFUSED)
    for words in ((), *ways, REFUSED[turn]):
        assert what_comes(lambda _, given: once.tuned(given), source, words) == what_comes(load_source, source, words)


def test_words_of_one_way_are_forgotten_in_the_next() -> None:
    source = Source("<text>", TWICE)
    once = Tunable(source)
    for words in (("visit.direction=push", "visit.balance=edges"), ("@second.dedup=exact",), ()):
        assert once.tuned(words) == load_source(source, words)


def test_a_program_with_mistakes_is_no_program_to_tune() -> None:
    for text in (TWICE.replace("level[dst]", "stage[dst]"), TWICE.replace("level[dst] = 1", "level[dst] = int32(src)")):
        source = Source("<text>", text)
        with pytest.raises(GdslError) as caught:
            Tunable(source)
        assert caught.value.diagnostics == what_comes(load_source, source, ())
