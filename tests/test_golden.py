"""The text of every stage, pinned: the IR, the kernel plan and the CUDA of the first samples and every test program,
byte for byte; of the CUDA only what is the program's own, with the names of the runtime's pieces in their places. Of
the rest of the library the plan alone."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from gdsl.backends.cpu import source_text as cpp_text
from gdsl.backends.cuda import plan_of
from gdsl.backends.cuda import source_text as cuda_text
from gdsl.codegen.cuda import runtime
from gdsl.ir.nodes import Program
from gdsl.ir.printer import print_program
from gdsl.pipeline import load
from gdsl.plan.printer import print_plan
from gdsl.source import Source
from tests.support.programs import LIBRARY, PROGRAMS, SAMPLES

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"
MADE_GRAPHS = ("louvain", "triangle_count")
"""Of the library, those whose texts have graphs that the schedule makes: a contraction, a subgraph."""
PATHS = sorted([*SAMPLES, *PROGRAMS, *(path for path in LIBRARY if path.stem in MADE_GRAPHS)])
PLANS = [*(f"plan/{path.stem}.txt" for path in sorted({*PATHS, *LIBRARY})), "plan/bfs_unfused.txt"]
BALANCES = ("thread", "warp", "block", "merge", "bins", "edges")
PLANS += [f"plan/sssp_{balance}.txt" for balance in BALANCES]
UNFUSED = ("bfs",)
"""Programs whose text of a kernel an operator is pinned too."""

Golden = Callable[[str, str], None]
by_path = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def program_of(path: Path, *tune: str) -> Program:
    """The IR; the program's name in it does not depend on where the checkout lies."""
    return load(Source(path.name, path.read_text(encoding="utf-8")), tune)


def own_part(text: str) -> str:
    """A CUDA text without what all programs share, and without line numbers that depend on its length."""
    for piece in sorted(runtime.pieces(), key=lambda piece: -len(piece.text)):
        text = text.replace(f"\n{piece.text}\n", f"\n// piece: {' '.join(piece.names)}\n")
    text = re.sub(r"(// piece: .*\n)\n(?=// piece: )", r"\1", text)
    return re.sub(r'^#line \d+ ("\w+\.cu")$', r"#line resume \1", text, flags=re.MULTILINE)


@cache
def texts() -> dict[str, str]:
    """Everything that is pinned, by the name of its file in tests/golden."""
    found = {f"plan/{path.stem}.txt": print_plan(plan_of(program_of(path))) for path in LIBRARY}
    for path in PATHS:
        program = program_of(path)
        found[f"ir/{path.stem}.txt"] = print_program(program)
        found[f"cuda/{path.stem}.cu"] = own_part(cuda_text(program, 32))
        found[f"plan/{path.stem}.txt"] = print_plan(plan_of(program))
        if path.stem in UNFUSED:
            found[f"plan/{path.stem}_unfused.txt"] = print_plan(plan_of(program_of(path, "schedule.fuse=off")))
            found[f"cuda/{path.stem}_unfused.cu"] = own_part(cuda_text(program_of(path, "schedule.fuse=off"), 32))
    for balance in BALANCES:
        tuned = program_of(ROOT / "samples" / "sssp.gdsl", f"relax.balance={balance}")
        found[f"plan/sssp_{balance}.txt"] = print_plan(plan_of(tuned))
    return found


@pytest.mark.parametrize("name", [f"ir/{path.stem}.txt" for path in PATHS])
@pytest.mark.sampled(5)
def test_ir(name: str, golden: Golden) -> None:
    golden(name, texts()[name])


@pytest.mark.parametrize("name", PLANS)
def test_plan(name: str, golden: Golden) -> None:
    golden(name, texts()[name])


@pytest.mark.parametrize("name", [f"cuda/{path.stem}.cu" for path in PATHS] + [f"cuda/{n}_unfused.cu" for n in UNFUSED])
def test_cuda(name: str, golden: Golden) -> None:
    golden(name, texts()[name])


def test_no_golden_file_is_left_over() -> None:
    folders = [GOLDEN / folder for folder in ("ir", "plan", "cuda")]
    found = {path.relative_to(GOLDEN).as_posix() for folder in folders for path in folder.iterdir()}
    assert found == set(texts())


@by_path
def test_text_is_tidy(path: Path) -> None:
    """One line end at the end, no tabs, no stretches of empty lines, no word of a template left."""
    for name in (f"cuda/{path.stem}.cu", f"plan/{path.stem}.txt", f"ir/{path.stem}.txt"):
        text = texts()[name]
        assert text.endswith("\n"), name
        assert not text.endswith("\n\n"), name
        for sign in ("\t", "\r", "\n\n\n\n", "{%", "None", "Undefined"):
            assert sign not in text, f"{sign!r} in {name}"


@cache
def digests() -> dict[str, str]:
    """A hash of every pinned text, and of what every third program is in C++, and in CUDA fused and unfused in turn."""
    everything = dict(texts())
    for place, path in enumerate(PATHS[::3]):
        everything[f"{path.stem}.cpp"] = cpp_text(program_of(path), 32)
        tune, ids = (("schedule.fuse=off",), 64) if place % 2 else ((), 32)
        everything[f"{path.stem} in CUDA"] = cuda_text(program_of(path, *tune), ids)
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in everything.items()}


@pytest.mark.long
@pytest.mark.slow
def test_another_hash_seed_gives_the_same_bytes() -> None:
    """This process has a seed of its own, by chance."""
    code = "import json; from tests.test_golden import digests; print(json.dumps(digests()))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "4711"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert json.loads(done.stdout) == digests()
