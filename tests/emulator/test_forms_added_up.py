"""All programs in rows of other forms, of which some are kept at random: always the results of the reference."""

from __future__ import annotations

import random

import pytest
from oracles import CASES
from support.programs import ROOT

import gdsl
from gdsl.api.schedules import differences
from gdsl.backends.cuda import observed_forms
from gdsl.backends.cuda.observed_forms import ObservedForms
from gdsl.plan import alternatives

from . import build
from .fake_cupy import FakeCupy
from .running import program_of
from .test_passes import chosen
from .test_programs import graphs

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
_RUNS = 30


@pytest.mark.parametrize("place", range(len(CASES)), ids=[case.name for case in CASES])
@pytest.mark.slow
@pytest.mark.rare(24)
def test_forms_add_up(place: int, cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is tried, whatever runs show; none of them fails."""
    monkeypatch.setattr(observed_forms, "TIMES", 0)
    monkeypatch.setattr(observed_forms, "WARM", 1)
    monkeypatch.setattr(alternatives, "LEAST_EDGES", 1)
    monkeypatch.setattr(alternatives, "_MUCH", -1.0)
    case, draw = CASES[place], random.Random(place)
    tree = program_of(case.name)
    if not alternatives.may_differ(tree) or any(data.type.is_pair for data in (*tree.arrays, *tree.scalars)):
        pytest.skip("it has knobs of its own, or pairs, which arrays of the emulator do not split")

    def note_try(self: ObservedForms, ms: float) -> bool:
        trying = self.trying
        if trying is None or draw.random() < 0.4:
            self.lose("is not kept")
            return False
        self.kept = (*(each for each in self.kept if not trying.replaces(each)), trying)
        self.trying = None
        return True

    monkeypatch.setattr(ObservedForms, "note_try", note_try)
    folders = (ROOT / "samples", ROOT / "tests" / "programs")
    (path,) = (place for place in (folder / f"{case.name}.gdsl" for folder in folders) if place.exists())
    graph, program = graphs()[chosen(case)[0]], gdsl.compile(path)
    values = case.values(graph, 1)
    expected = program.run(graph, values, backend="reference")
    for _ in range(_RUNS):
        found = program.run(graph, values, backend="cuda")
        assert list(differences(program.ir, dict(expected.items()), found)) == [], found.form_line
        forms = program.last_run(graph, "cuda")[1]._on(graph).forms  # type: ignore[attr-defined]
    assert forms.alternatives is not None and len(forms.kept) + len(forms.lines) > 0
    assert all(line.endswith("is not kept") for line in forms.lines), "none has failed"
