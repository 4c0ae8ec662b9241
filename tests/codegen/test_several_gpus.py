"""The text for several GPUs: without copies on each GPU, it differs from that for one in how blocks are numbered, in
where they wait for each other, in who takes which vertices, in how results are counted and in scopes, and in nothing
else. On several GPUs no run is stopped for another order of work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gdsl.backends.cuda import plan_of
from gdsl.codegen.cuda.generate import generate
from gdsl.codegen.cuda.runtime import LIBRARY, on_several_gpus
from gdsl.codegen.library import SEVERAL_GPUS, Library
from gdsl.codegen.templates import template_text
from gdsl.knobs import WITHOUT
from gdsl.pipeline import load
from gdsl.plan.walking import sweeps
from gdsl.source import Source
from gdsl.types import Widths
from tests.support.programs import PROGRAMS, SAMPLES

PATHS = sorted([*SAMPLES, *PROGRAMS])
_LINE = re.compile(r'^#line \d+ ("\w+\.cu")$', re.MULTILINE)
_STAGED = re.compile(r"^constexpr uint32 STAGED = .*\n", re.MULTILINE)
"""Members that a warp gathers, of which several GPUs have more."""
_APART = """
    block_index block_count own_gpu gpu_count own_block_index arrive arrive_without_result arrive_everywhere
    arrive_everywhere_without_result is_last_of_gpu wait_for_arrivals wait_here_for_arrivals first_values all_warps
    grid_threads grid_warps all_members
"""
"""The first names of pieces that are not compared."""


def compared(text: str, library: Library) -> str:
    """The text without what only one of the two needs."""
    for piece in library.pieces:
        if piece.file == SEVERAL_GPUS or piece.names[0] in _APART.split():
            text = text.replace(f"{piece.text}\n\n", "").replace(f"{piece.text}\n", "")
    return text


def as_on_one_gpu(text: str) -> str:
    """The text for one GPU, made of that for several."""
    words = template_text("cuda", "one_gpu.words").splitlines()
    for word, other in (
        *((word, other) for word, other in (re.split(" {2,}", line) for line in words) if "grid" not in word),
        ("_system(", "("),
        (".sys.", ".gpu."),
        (", on several GPUs", ""),
    ):
        text = text.replace(word, other)
    return text


def parts_of(text: str) -> list[str]:
    """What blank lines separate, in any order: which function needs another one decides where that is."""
    return sorted(part.strip() for part in _LINE.sub(r"#line resume \1", text).split("\n\n") if part.strip())


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.sampled(20)
def test_it_differs_in_scopes_alone(path: Path) -> None:
    words = (
        f"{WITHOUT}read_elements",
        f"{WITHOUT}mirrors",
        f"{WITHOUT}local_rounds",
        f"{WITHOUT}lane_loops",
        f"{WITHOUT}in_place",
        f"{WITHOUT}merges",
        f"{WITHOUT}proposals",
        f"{WITHOUT}label_copies",
        f"{WITHOUT}replicas",
        f"{WITHOUT}own_queues",
        f"{WITHOUT}narrow_arrays",
        f"{WITHOUT}solo_rounds",
        f"{WITHOUT}late_chunks",
        "schedule.order=as_given",
    )
    source = Source(path.name, path.read_text(encoding="utf-8"))
    program = load(source, words)
    if any(walk.repeats for sweep in sweeps(plan_of(program)) for walk in sweep.walks):  # one GPU walks fewer lists
        program = load(source, (*words, f"{WITHOUT}list_bounds"))
    texts = [generate(plan_of(program, several_gpus=on), Widths.both(32)).text for on in (False, True)]
    if "add_accepted(" in texts[0]:  # blocks of several GPUs add once what a pull has accepted
        program = load(source, (*words, f"{WITHOUT}list_bounds", f"{WITHOUT}direction"))
        texts = [generate(plan_of(program, several_gpus=on), Widths.both(32)).text for on in (False, True)]
    texts = [_STAGED.sub("", text) for text in texts]
    one, several = map(compared, texts, (LIBRARY, on_several_gpus(LIBRARY)))
    assert parts_of(as_on_one_gpu(several)) == parts_of(one)
    assert ".gpu." not in several
    assert "blockIdx." not in several
    atomics = set(re.findall(r"\batomic[A-Z][A-Za-z]*\((.{0,24})", several))
    shared = ("&run.shared.", "&order.state.", "&digits.", "&halves[", "&table.")
    assert all(operand.startswith(shared) for operand in atomics), atomics


def test_blocks_keep_values_of_their_own_gpus_copy() -> None:
    """Whatever reads an array at far ends begins after the copy is there, and refers to it."""
    path = next(path for path in PATHS if path.stem == "pagerank")
    program = load(Source(path.name, path.read_text(encoding="utf-8")), ("schedule.layout=by_degree",))
    text = generate(plan_of(program, several_gpus=True), Widths.both(32)).text
    operator = text[text.index("void reduce_received(") : text.index("reduce_warps<4>(run")]
    lines = [line.strip() for line in operator.splitlines()]
    copied = lines.index("d.share = copy_for_gpu(run, 0, d.share, d.graph.num_vertices);")
    assert lines[copied + 1] == "synchronize(run);"
    kept = next(i for i, line in enumerate(lines) if line.startswith("const first_values<float32> kept(d.share"))
    assert kept > copied + 1
