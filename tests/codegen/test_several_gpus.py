"""The text for several GPUs: without copies on each GPU, it differs from that for one in how blocks are numbered, in
where they wait for each other and in scopes, and in nothing else. On several GPUs no run is stopped for another order of work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gdsl.backends.cuda import plan_of
from gdsl.codegen.cuda.generate import generate
from gdsl.knobs import WITHOUT
from gdsl.pipeline import load
from gdsl.source import Source
from gdsl.types import Widths
from tests.support.programs import PROGRAMS, SAMPLES

PATHS = sorted([*SAMPLES, *PROGRAMS])
_LINE = re.compile(r'^#line \d+ ("\w+\.cu")$', re.MULTILINE)
_PLACE = re.compile(r"^// The blocks of a run are numbered.*?^__device__ [^\n]* block_count\(\)[^\n]*\n\n", re.M | re.S)
_BARRIER = re.compile(
    r"^(?://[^\n]*\n)+__device__ [^\n]* (?:arrive|arrive_without_result|arrive_everywhere|"
    r"arrive_everywhere_without_result|wait_for_arrivals|wait_here_for_arrivals)\(.*?^}\n\n",
    re.M | re.S,
)


def as_on_one_gpu(text: str) -> str:
    """The text for one GPU, made of that for several."""
    text, places = _PLACE.subn("", text)
    assert places == 1
    for word, other in (
        ("block_index()", "blockIdx.x"),
        ("block_count()", "gridDim.x"),
        ("arrive_everywhere", "arrive"),
        ("wait_here_for", "wait_for"),
        ("_system(", "("),
        (".sys.", ".gpu."),
        (", on several GPUs", ""),
    ):
        text = text.replace(word, other)
    return text


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.sampled(20)
def test_it_differs_in_scopes_alone(path: Path) -> None:
    program = load(
        Source(path.name, path.read_text(encoding="utf-8")), (f"{WITHOUT}mirrors", "schedule.order=as_given")
    )
    texts = (generate(plan_of(program, several_gpus=on), Widths.both(32)).text for on in (False, True))
    one, several = (_BARRIER.sub("", text) for text in texts)
    assert _LINE.sub(r"#line resume \1", as_on_one_gpu(several)) == _LINE.sub(r"#line resume \1", one)
    assert ".gpu." not in several
    assert "blockIdx." not in several.replace("uint32(gdsl_place[0]) + blockIdx.x", "")
    atomics = set(re.findall(r"\batomic[A-Z][A-Za-z]*\((.{0,24})", several))
    shared = ("&run.shared.", "&order.state.", "&digits.", "&halves[", "&table.")
    assert all(operand.startswith(shared) for operand in atomics), atomics
