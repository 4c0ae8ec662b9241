"""NVRTC compiles what is generated, with no GPU, and reads nothing that a kernel writes through the read-only cache."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import every_operation
import pytest
from fuzz.names import cuda_errors

from gdsl.backends.cuda import nvrtc, plan_of, planning, source_text
from gdsl.backends.cuda.numbering import text_for
from gdsl.codegen.cuda.generate import generate
from gdsl.codegen.cuda.runtime import pieces
from gdsl.diagnostics import GdslError
from gdsl.operations import Balance
from gdsl.pipeline import load
from gdsl.plan.buffers import exchanged_pairs
from gdsl.types import Widths
from tests.support.programs import LIBRARY, PROGRAMS, SAMPLES

ROOT = Path(__file__).parents[1]
ARCHITECTURES = ["sm_75", "sm_80", "sm_90", "sm_120"]
FORMS = {"fused": (), "unfused": ("schedule.fuse=off",)}
WIDE = ("bfs", "lookups", "discovery_tree", "neighborhoods")
WIDE_IDS = [path for path in (*SAMPLES, *PROGRAMS) if path.stem in WIDE]
NO_LDG = "#define __ldg(place) (*(place))\n"
"""Makes the reads that the generated text sends through the read-only cache plain ones."""


@pytest.fixture(scope="module", autouse=True)
def _needs_nvrtc() -> None:
    pytest.importorskip("cupy_backends", reason="CuPy, which brings the way to NVRTC, is not installed: gdsl[cuda13]")


def name_of(path: Path) -> str:
    return path.stem


def generated(path: Path, *tune: str, ids: int = 32) -> str:
    return source_text(load(str(path), tune), ids)


def assert_compiles(text: str, architecture: str) -> None:
    cubin = nvrtc.compile_to_cubin(text, architecture)
    assert cubin.startswith(b"\x7fELF")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
@pytest.mark.sampled(3)
def test_samples(path: Path, architecture: str) -> None:
    assert_compiles(generated(path), architecture)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("several_gpus", [False, True], ids=["one", "several"])
@pytest.mark.parametrize("bits", [32, 64])
def test_what_numbers_vertices_by_degree(bits: int, several_gpus: bool) -> None:
    assert_compiles(text_for(Widths.both(bits), several_gpus), ARCHITECTURES[bits // 64])


def test_the_form_for_many_values() -> None:
    plan = plan_of(load(str(ROOT / "samples" / "bfs.gdsl")), teams=True)
    assert_compiles(generate(plan, Widths.both(64)).text, "sm_90")


@pytest.mark.sampled(9)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_sample_unfused(architecture: str) -> None:
    """Bodies of operators are those of the fused form; what starts and ends a kernel is the same in every program."""
    assert_compiles(generated(ROOT / "samples" / "bfs.gdsl", *FORMS["unfused"]), architecture)


@pytest.mark.slow
def test_text_does_not_depend_on_the_architecture() -> None:
    """So that programs are compiled for one of them each, in turn, and the first samples for all. What a warp's lanes
    have together is asked in two ways, which all architectures see in the next test."""
    (either,) = (piece.text for piece in pieces() if piece.names == ("or_of_warp",))
    assert any(either in generated(path) for path in SAMPLES)
    for path in (*SAMPLES, *PROGRAMS):
        assert "__CUDA_ARCH__" not in generated(path).replace(either, "")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_worklist_from_near_to_far(architecture: str) -> None:
    assert_compiles(generated(ROOT / "samples" / "sssp.gdsl", "schedule.order=near_far"), architecture)


def forms() -> Iterator[tuple[Path, str, str]]:
    """The library as users run it, and the programs of the tests unfused, each for one architecture in turn. Bodies of
    operators are the same in both forms, and several of them in one kernel take the assembler several times as long.
    Without `pytest -m thorough` seven of eight go through the front end only, which is what refuses a text."""
    forms = [*((path, "fused") for path in LIBRARY), *((path, "unfused") for path in (*SAMPLES, *PROGRAMS))]
    turns = itertools.cycle((*ARCHITECTURES, ARCHITECTURES[-1]))  # an odd number, so that each has its turn at both
    return ((*each, architecture) for each, architecture in zip(forms, turns, strict=False))


by_form = pytest.mark.parametrize(
    ("place", "path", "form", "architecture"),
    [(place, *each) for place, each in enumerate(forms())],
    ids=lambda part: getattr(part, "stem", part),
)


@by_form
@pytest.mark.sampled(88)
def test_programs(place: int, path: Path, form: str, architecture: str) -> None:
    compiles_as(path, form, architecture, whole=place % 8 == 0)


@pytest.mark.thorough
@by_form
def test_machine_code_of_programs(place: int, path: Path, form: str, architecture: str) -> None:
    compiles_as(path, form, architecture, whole=True)


def compiles_as(path: Path, form: str, architecture: str, whole: bool) -> None:
    program = load(str(path), FORMS[form])
    if architecture != "sm_90" and exchanged_pairs(plan_of(program), Widths.both(32)):
        with pytest.raises(GdslError, match="E0908"):
            planning.check_wide_pairs(plan_of(program), Widths.both(32), "sm_75")
        architecture = "sm_90"
    text = generated(path, *FORMS[form])
    if whole:
        assert_compiles(text, architecture)
    else:
        assert cuda_errors(text, architecture) == []


@pytest.mark.parametrize(("place", "path"), list(enumerate(PROGRAMS)), ids=lambda part: getattr(part, "stem", part))
@pytest.mark.sampled(15)
def test_programs_fused(place: int, path: Path) -> None:
    """One of eight up to the assembler, to which one kernel is like another."""
    text = generated(path)
    assert cuda_errors(text, "sm_90") == []
    if place % 8 == 1:
        assert ".entry gdsl_" in nvrtc.compile_to_ptx(text, "sm_90")


def test_an_error_of_the_front_end_is_seen() -> None:
    text = generated(SAMPLES[0])
    assert cuda_errors(text.replace("__device__ __forceinline__ bool", "__device__ __forceinline__ boolean"), "sm_90")


@pytest.mark.thorough
@pytest.mark.parametrize("path", PROGRAMS, ids=name_of)
def test_machine_code_of_programs_fused(path: Path) -> None:
    assert_compiles(generated(path), "sm_90")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("place", ["apply", "initial"])
@pytest.mark.slow
def test_every_operation_on_every_type(place: str) -> None:
    text = every_operation.program(place, every=3).text()
    assert_compiles(source_text(load(text), 32), "sm_90")


@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_absolute_values_and_extremes(kind: str) -> None:
    text = f"""program extremes; problem {{ input vertex a : {kind}; vertex b : {kind}; }}
        vertex functor f(v) {{ apply {{ b[v] = max(abs(a[v]), min(a[v], -a[v])); }} }}
        schedule {{ compute(vertices, f); }}"""
    assert_compiles(source_text(load(text), 32), "sm_90")


@pytest.mark.sampled(12)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", WIDE_IDS, ids=name_of)
def test_wide_ids(path: Path, form: str) -> None:
    """What has the most code goes through the front end only."""
    text = generated(path, *FORMS[form], ids=64)
    if path.stem == "neighborhoods":
        assert cuda_errors(text, "sm_90") == []
    else:
        assert_compiles(text, "sm_90")


@pytest.mark.thorough
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", WIDE_IDS, ids=name_of)
def test_machine_code_of_wide_ids(path: Path, form: str) -> None:
    assert_compiles(generated(path, *FORMS[form], ids=64), "sm_90")


BALANCES = [f"balance={balance.value}" for balance in Balance if balance is not Balance.AUTO]
KNOBS = ["direction=push", "direction=pull", "frontier=bitmap", "frontier=queue", "dedup=none"]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("words", KNOBS)
@pytest.mark.parametrize("operator", ["bfs/visit", "sssp/relax"])
def test_knobs_of_an_advance(operator: str, words: str) -> None:
    program, functor = operator.split("/")
    assert_compiles(generated(ROOT / "samples" / f"{program}.gdsl", f"{functor}.{words}"), "sm_90")


@pytest.mark.sampled(15)
@pytest.mark.parametrize("words", BALANCES)
@pytest.mark.parametrize("operator", ["sssp/relax", "pagerank/received"])
def test_balances_with_wide_ids(operator: str, words: str) -> None:
    program, functor = operator.split("/")
    assert_compiles(generated(ROOT / "samples" / f"{program}.gdsl", f"{functor}.{words}", ids=64), "sm_90")


def read_only_loads(text: str) -> int:
    """How many loads of the PTX go through the non-coherent cache."""
    return len(re.findall(r"\bld\.global\.(?:\w+\.)*nc\b", nvrtc.compile_to_ptx(text, "sm_90")))


def test_read_only_loads_are_found() -> None:
    """The next test would see a read-only load that the compiler makes of its own accord."""
    body = "(const int* __restrict__ from, int* __restrict__ to) { to[threadIdx.x] = from[threadIdx.x]; }"
    assert read_only_loads(f'extern "C" __global__ void copy{body}') == 1
    assert read_only_loads(f'extern "C" __global__ void copy{body}'.replace("__restrict__", "")) == 0


@pytest.mark.sampled(21)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_the_read_only_cache_is_used_for_the_graph_alone(path: Path, form: str) -> None:
    """The text asks for it on graph arrays only, and without those requests the compiler does so nowhere."""
    text = generated(path, *FORMS[form])
    asked = re.findall(r"__ldg\(&?([\w.]+)", text)
    assert [place for place in asked if not re.fullmatch(r"(?:d\.)?(?:graph|g)\.\w+", place)] == []
    assert "__restrict__" not in text
    assert read_only_loads(NO_LDG + text) == 0
    assert (read_only_loads(text) > 0) == bool(asked)


def test_an_error_names_the_architecture() -> None:
    with pytest.raises(GdslError, match="E0904"):
        nvrtc.compile_to_cubin(generated(SAMPLES[0]), "sm_12")
    with pytest.raises(GdslError, match="E0904"):
        nvrtc.compile_to_cubin(generated(SAMPLES[0]), "volta")


SHARED = """
program everything_shared;
problem {
    param source : vertex;
    vertex label : vertex = id;
    edge weight : int64 = 1;
    vertex seen : bool;
    scalar found : int64;
    scalar reached : int64;
}
vertex functor low(v) { cond out_degree(v) > 1; }
edge functor go(src, dst, e) { apply { accept changed(seen[dst] |= true); } }
edge functor up(src, dst, e) { cond src < dst; }
schedule {
    frontier f = { source };
    while (f) { f = advance(f, go); }
    f = where(low);
    edge frontier some = filter(edges, up);
    frontier c = intersect(edges, count=found);
    reached += size(f) + size(some) + size(c);
    graph h = subgraph(some);
    on h { graph k = contract(label, weight); on k { reached += size(edges); } }
}
tune { go.balance = block; }
"""
"""Whatever takes memory that a block's threads share."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("block", "widths"),
    [(64, Widths.both(64)), (512, Widths(32, 64)), (512, Widths.both(64)), (1024, Widths.both(32))],
    ids=str,
)
def test_shared_memory_is_enough(block: int, widths: Widths) -> None:
    """PTX says how much it is, beside which the system takes some."""
    text = sharing(block, widths)
    declared = re.findall(r"^\s*\.shared .*\.b8 \w+\[(\d+)\];$", nvrtc.compile_to_ptx(text, "sm_90"), re.MULTILINE)
    assert declared
    assert sum(map(int, declared)) <= 48 * 1024 - 1024


@pytest.mark.thorough
def test_the_assembler_takes_most_shared_memory() -> None:
    assert_compiles(sharing(512, Widths.both(64)), "sm_90")


def sharing(block: int, widths: Widths) -> str:
    return generate(plan_of(load(SHARED, (f"schedule.block={block}",))), widths).text
