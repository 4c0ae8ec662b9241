"""Puts a deliberate mistake into the templates while a program is generated."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from gdsl.backends.cuda import plan_of
from gdsl.backends.interface import Outcome
from gdsl.binding import bind
from gdsl.codegen import templates
from gdsl.codegen.cuda.generate import generate
from gdsl.codegen.generated import CudaText
from gdsl.codegen.library import pieces_of
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.plan.graph_class import class_of
from gdsl.plan.nodes import Plan

from .driver import EmulatedModule, EmulatorError
from .mutants import GENERATED, Mutant
from .running import NARROW, SMALL, Built, device_for, differences, expect, program_of


def mutated(text: str, mutant: Mutant) -> str:
    """`text` with the mistake; fails the test where there is nothing to change any more."""
    if mutant.old not in text:
        pytest.fail(f"mutant {mutant.name!r}: its text is no longer in {mutant.file}; find its place anew")
    return text.replace(mutant.old, mutant.new)


@contextmanager
def templates_with(mutant: Mutant, folder: Path) -> Iterator[None]:
    """Generate code from templates with the mistake in them."""
    if mutant.file == GENERATED:
        yield
        return
    copy = folder / "templates"
    shutil.copytree(templates.resource_directory("templates"), copy)
    file = copy / "cuda" / mutant.file
    file.write_text(mutated(file.read_text(), mutant))
    with pytest.MonkeyPatch.context() as patch:

        def directory(name: str) -> Path:
            assert name == "templates"
            return copy

        def text(name: str, *parts: str) -> str:
            return directory(name).joinpath(*parts).read_text()

        patch.setattr(templates, "resource_directory", directory)
        patch.setattr(templates, "resource_text", text)
        _forget()
        try:
            yield
        finally:
            patch.undo()
            _forget()


def _forget() -> None:
    templates.environment.cache_clear()
    pieces_of.cache_clear()


def as_params(mutants: Iterable[Mutant]) -> list[ParameterSet]:
    """What a test of each mistake is parametrized with."""
    return [pytest.param(mutant, id=mutant.name.replace(" ", "-")) for mutant in mutants]


def built_with(mutant: Mutant, folder: Path, program: Program | None = None, several_gpus: bool = False) -> Built:
    """The mutant's program, or another, with the mistake."""
    with templates_with(mutant, folder):
        program = program or program_of(mutant.program, mutant.words)
        plan = plan_of(program, SMALL, graph=class_of(mutant.graph), several_gpus=several_gpus)
        generated = generate(plan, NARROW)
    text = mutated(generated.text, mutant) if mutant.file == GENERATED else generated.text
    return built_from(program, plan, generated, text)


def built_from(program: Program, plan: Plan, generated: CudaText, text: str) -> Built:
    """A program that runs `text` instead of what was generated."""
    return Built(program, plan, generated, EmulatedModule(text, f"{program.name}.cu"), NARROW)


def rewritten(program: Program, change: Callable[[str], str]) -> Built:
    """A program that several GPUs run together, with a change of its text."""
    plan = plan_of(program, SMALL, several_gpus=True)
    generated = generate(plan, NARROW)
    text = change(generated.text)
    assert text != generated.text
    return built_from(program, plan, generated, text)


def seen_on_gpus(
    built: Built,
    graphs: Iterable[Graph],
    values: Callable[[Graph, int], dict[str, Any]],
    differ: Callable[[Program, Outcome, Outcome], object] = differences,
    gpus: int = 2,
    seeds: int = 20,
) -> set[str]:
    """The kinds of red in one run of each graph under some seeds, until there is some; `values` are those of a call,
    and results are wrong if they `differ` from the reference's."""
    program = built.program
    for seed in range(seeds):
        for graph in graphs:
            bindings = bind(program, graph, values(graph, seed))
            device = device_for(seed, blocks=2 * gpus, gpus=gpus)
            device.schedule.max_steps = 5_000_000
            try:
                found = built.run(graph, bindings, device)
            except EmulatorError as error:
                return kinds(error)
            except GdslError:
                return {"error"}
            if differ(program, expect(program, graph, bindings), found):
                return {"result"}
    return set()


def findings_on_two_gpus(built: Built, graph: Graph) -> set[str]:
    """The kinds of what the emulator finds in runs from six sources."""
    seen = set[str]()
    for seed in range(6):
        try:
            built.run(graph, bind(built.program, graph, {"source": seed}), device_for(seed, blocks=4, gpus=2))
        except EmulatorError as error:
            seen |= kinds(error)
    return seen


def kinds(error: EmulatorError) -> set[str]:
    """The kinds of an error's findings."""
    return {finding.kind.name.lower() for finding in error.findings}


def assert_shows(mutant: Mutant, seen: set[str]) -> None:
    """A mistake is seen, and as it should be."""
    assert seen, "nothing turned red"
    assert seen & set(mutant.shows.split()), f"it shows as {seen}"
