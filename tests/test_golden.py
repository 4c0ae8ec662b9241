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
from collections.abc import Callable, Mapping
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
BY_STEM = {path.stem: path for path in sorted({*PATHS, *LIBRARY})}
PLANS = [*(f"plan/{stem}.txt" for stem in BY_STEM), "plan/bfs_unfused.txt"]
BALANCES = ("thread", "warp", "block", "merge", "bins", "edges")
PLANS += [f"plan/sssp_{balance}.txt" for balance in BALANCES]
UNFUSED = ("bfs",)
"""Programs whose text of a kernel an operator is pinned too."""

IR = [f"ir/{path.stem}.txt" for path in PATHS]
CUDA = [*(f"cuda/{path.stem}.cu" for path in PATHS), *(f"cuda/{name}_unfused.cu" for name in UNFUSED)]

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
def texts_of(path: Path) -> dict[str, str]:
    """What is pinned of one program, by the name of its file in tests/golden."""
    program = program_of(path)
    found = {f"plan/{path.stem}.txt": print_plan(plan_of(program))}
    if path in PATHS:
        found[f"ir/{path.stem}.txt"] = print_program(program)
        found[f"cuda/{path.stem}.cu"] = own_part(cuda_text(program, 32))
    if path.stem in UNFUSED:
        unfused = program_of(path, "schedule.fuse=off")
        found[f"plan/{path.stem}_unfused.txt"] = print_plan(plan_of(unfused))
        found[f"cuda/{path.stem}_unfused.cu"] = own_part(cuda_text(unfused, 32))
    for balance in BALANCES if path.stem == "sssp" else ():
        found[f"plan/sssp_{balance}.txt"] = print_plan(plan_of(program_of(path, f"relax.balance={balance}")))
    return found


def text_of(name: str) -> str:
    """What must be in this file."""
    stem = Path(name).stem
    return texts_of(BY_STEM.get(stem) or BY_STEM[stem.rpartition("_")[0]])[name]


@pytest.mark.parametrize("name", IR)
@pytest.mark.sampled(5)
def test_ir(name: str, golden: Golden) -> None:
    golden(name, text_of(name))


@pytest.mark.parametrize("name", PLANS)
def test_plan(name: str, golden: Golden) -> None:
    golden(name, text_of(name))


@pytest.mark.parametrize("name", CUDA)
def test_cuda(name: str, golden: Golden) -> None:
    golden(name, text_of(name))


def test_no_golden_file_is_left_over() -> None:
    folders = [GOLDEN / folder for folder in ("ir", "plan", "cuda")]
    found = {path.relative_to(GOLDEN).as_posix() for folder in folders for path in folder.iterdir()}
    assert found == {*IR, *PLANS, *CUDA}


@by_path
def test_text_is_tidy(path: Path) -> None:
    """One line end at the end, no tabs, no stretches of empty lines, no word of a template left."""
    for name in (f"cuda/{path.stem}.cu", f"plan/{path.stem}.txt", f"ir/{path.stem}.txt"):
        text = text_of(name)
        assert text.endswith("\n"), name
        assert not text.endswith("\n\n"), name
        for sign in ("\t", "\r", "\n\n\n\n", "{%", "None", "Undefined"):
            assert sign not in text, f"{sign!r} in {name}"


def digests(pinned: Mapping[str, str]) -> dict[str, str]:
    """A hash of every pinned text, and of what every third program is in C++, and in CUDA fused and unfused in turn."""
    everything = dict(pinned)
    for place, path in enumerate(PATHS[::3]):
        everything[f"{path.stem}.cpp"] = cpp_text(program_of(path), 32)
        tune, ids = (("schedule.fuse=off",), 64) if place % 2 else ((), 32)
        everything[f"{path.stem} in CUDA"] = cuda_text(program_of(path, *tune), ids)
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in everything.items()}


@pytest.mark.long
@pytest.mark.slow
def test_another_hash_seed_gives_the_same_bytes() -> None:
    """This process has a seed of its own, by chance; what is pinned was compared with the golden files."""
    code = """
import json
from tests.test_golden import BY_STEM, digests, texts_of
print(json.dumps(digests({name: text for path in BY_STEM.values() for name, text in texts_of(path).items()})))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "4711"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    pinned = {name: (GOLDEN / name).read_text(encoding="utf-8") for name in (*IR, *PLANS, *CUDA)}
    assert json.loads(done.stdout) == digests(pinned)
