"""Nothing is computed twice where a warp has diverged: a fault of the assembler (CUDA 13.0) that ended runs of two
forms of the runtime with addresses that there are not. And what a team has is known to be in the memory of the GPU: an
atomic at another address waits for the former value."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdsl.backends.cuda import nvrtc, plan_of, source_text
from gdsl.codegen.cuda.generate import generate
from gdsl.pipeline import load
from gdsl.types import Widths
from tests.support.machine_code import computed_twice, disassembled, generic_addresses
from tests.support.programs import PROGRAMS, SAMPLES
from tests.test_set_expressions import SIZES, program_of

pytestmark = pytest.mark.gpu

LONG = ("betweenness", "bfs", "coreness", "delta_stepping", "louvain", "max_flow", "set_operations", "unvisited")
CHOSEN = [path for path in (*SAMPLES, *PROGRAMS) if path.stem in LONG]


def assert_computed_once(text: str, folder: Path) -> None:
    cubin = folder / "kernel.cubin"
    cubin.write_bytes(nvrtc.compile_to_cubin(text, "sm_90"))
    assert computed_twice(disassembled(cubin)) == []


@pytest.mark.parametrize("path", CHOSEN, ids=lambda path: path.stem)
def test_programs(path: Path, tmp_path: Path) -> None:
    assert_computed_once(source_text(load(str(path)), 32), tmp_path)


@pytest.mark.parametrize("seed", range(8))
def test_expressions_of_sets(seed: int, tmp_path: Path) -> None:
    _, program = program_of(seed, *SIZES["cuda"], ())
    assert_computed_once(program.source("cuda"), tmp_path)


@pytest.mark.parametrize("form", [{"teams": True}, {"instances": 4}], ids=["a value each", "many values"])
def test_addresses_of_teams_are_known(form: dict[str, int], tmp_path: Path) -> None:
    search = """program search; problem { param source : vertex; vertex level : int32 = -1; scalar total : int64 = 0; }
    edge functor reach(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; } }
    schedule { level[source] = 0; frontier f = {source};
        while (f) { compute(f, v => { total += level[v]; }); f = advance(f, reach); } }"""
    cubin = tmp_path / "kernel.cubin"
    text = generate(plan_of(load(search), **form), Widths(32, 32)).text
    cubin.write_bytes(nvrtc.compile_to_cubin(text, "sm_90"))
    assert generic_addresses(disassembled(cubin)) == []
