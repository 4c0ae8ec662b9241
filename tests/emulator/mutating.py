"""Puts a deliberate mistake into the templates while a program is generated."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gdsl.backends.cuda import plan_of
from gdsl.binding import bind
from gdsl.codegen import templates
from gdsl.codegen.cuda.generate import generate
from gdsl.codegen.library import pieces_of
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph

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


def seen_on_two_gpus(
    mutant: Mutant, folder: Path, graphs: Iterable[Graph], values: Callable[[Graph, int], dict[str, Any]]
) -> set[str]:
    """The kinds of red in one run of each graph under some seeds, until there is some; `values` are those of a call."""
    with templates_with(mutant, folder):
        program = program_of(mutant.program, mutant.words)
        plan = plan_of(program, SMALL, several_gpus=True)
        generated = generate(plan, NARROW)
    text = mutated(generated.text, mutant) if mutant.file == GENERATED else generated.text
    built = Built(program, plan, generated, EmulatedModule(text, f"{program.name}.cu"), NARROW)
    for seed in range(20):
        for graph in graphs:
            bindings = bind(program, graph, values(graph, seed))
            device = device_for(seed, blocks=4, gpus=2)
            device.schedule.max_steps = 5_000_000
            try:
                found = built.run(graph, bindings, device)
            except EmulatorError as error:
                return {finding.kind.name.lower() for finding in error.findings}
            except GdslError:
                return {"error"}
            if differences(program, expect(program, graph, bindings), found):
                return {"result"}
    return set()
