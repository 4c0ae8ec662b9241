"""Each deliberate mistake in the templates turns something red: the emulator's checks are worth something."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracles import BY_NAME
from support.graphs import grid, make_graph, random_graph

from gdsl.binding import bind
from gdsl.diagnostics import GdslError

from . import build
from .driver import EmulatorError
from .mutants import ALL, GENERATED, Mutant
from .mutating import as_params, assert_shows, built_with, kinds
from .running import Built, device_for, differences, expect

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

GRAPHS = (
    random_graph(160, 700, seed=3, directed=False),
    random_graph(90, 200, seed=4, directed=False),
    random_graph(300, 2500, seed=5, directed=False),
    make_graph(grid(11, 13), 143, directed=False),  # no list is cut into chunks
    make_graph([(v, 32 + w) for v in range(32) for w in range(64)], 96, directed=False),  # lists of whole warps
)
STEPS = 5_000_000


def what_is_seen(mutant: Mutant, built: Built) -> set[str]:
    """The kinds of red in one run of each graph under some seeds, until there is some."""
    case = BY_NAME.get(mutant.program)
    for seed in range(300 if mutant.stops else 40):
        for graph in GRAPHS:
            bindings = bind(
                built.program, graph, case.values(graph, seed) if case else {"source": seed % graph.num_vertices}
            )
            device = device_for(seed)
            device.schedule.max_steps = STEPS
            device.schedule.stop_at = 1 + 397 * seed if mutant.stops else 0
            try:
                outcome = built.run(graph, bindings, device)
            except EmulatorError as error:
                return kinds(error)
            except GdslError:
                if mutant.stops:
                    continue
                return {"error"}
            if differences(built.program, expect(built.program, graph, bindings), outcome):
                return {"result"}
    return set()


@pytest.mark.parametrize("mutant", as_params(ALL))
@pytest.mark.sampled(54)
@pytest.mark.rare(6)
def test_mutant_is_seen(mutant: Mutant, tmp_path: Path) -> None:
    assert_shows(mutant, what_is_seen(mutant, built_with(mutant, tmp_path)))


def test_mutants_are_many() -> None:
    names = [mutant.name for mutant in ALL]
    assert len(names) == len(set(names)) >= 300


TEMPLATES = Path(__file__).parents[2] / "templates" / "cuda"


@pytest.mark.parametrize("mutant", [each for each in ALL if each.file != GENERATED], ids=lambda each: each.name)
def test_mutant_changes_its_template(mutant: Mutant) -> None:
    """Quick, so that a renamed template or variable is noticed for every mutant, not only for those that are built."""
    assert mutant.old in (TEMPLATES / mutant.file).read_text(encoding="utf-8")
