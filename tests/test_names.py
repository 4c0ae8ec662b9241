"""Whatever a program calls its things, the generated text compiles and computes the same."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from gdsl.backends.cpu import source_text as cpp_text
from gdsl.backends.cpu.compiler import required_compiler
from gdsl.backends.cuda import nvrtc
from gdsl.backends.cuda import source_text as cuda_text
from gdsl.backends.interface import Limits
from gdsl.backends.registry import get
from gdsl.binding import bind
from gdsl.frontend.vocabulary import RESERVED
from gdsl.ir.nodes import Program
from gdsl.pipeline import load
from tests.support.graphs import make_graph

ROOT = Path(__file__).parents[1]
GRAPH = make_graph([(0, 1), (1, 2)], 3)
CHUNK = 300
ROLES = 5

CPP = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype
default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int
long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template
this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
while xor xor_eq final override import module restrict typeof main std size_t ptrdiff_t int8_t int16_t int32_t
int64_t uint8_t uint16_t uint32_t uint64_t printf malloc free memcpy errno NULL EOF assert INFINITY NAN stdin
stdout stderr linux unix i386 signal exit abort time clock index rindex y0 y1 yn j0 j1 jn gamma isnan isinf fabs
fmin fmax round trunc sin cos tan div remainder exp2 log2 log10 expm1 log1p hypot cbrt _Bool _Complex _Pragma
__FILE__ __LINE__ __func__ __attribute__ __asm__ __restrict__ __builtin_expect omp_get_thread_num _Exit
__cplusplus _OPENMP __GNUC__ __x86_64__ int8 int16 uchar uint ulong ushort byte word a A x _ __ a_ a__ _a
"""
CUDA = """
threadIdx blockIdx blockDim gridDim warpSize dim3 uint3 int2 int4 float2 float4 double2 uchar4 longlong2
__global__ __device__ __host__ __shared__ __constant__ __managed__ __launch_bounds__ __forceinline__
__noinline__ __syncthreads __syncwarp __threadfence __ldg __ldcg __shfl_sync __ballot_sync __popc __ffs __clz
__activemask __any_sync __all_sync __match_any_sync __nanosleep __trap __brkpt __assert_fail __CUDA_ARCH__
__CUDACC_RTC__ atomicAdd atomicSub atomicMin atomicMax atomicCAS atomicExch atomicOr atomicAnd atomicXor
atomicInc clock clock64 cudaError_t cudaMalloc cudaStream_t half __half nv_bfloat16 cooperative_groups cg
thread_block tex1D surf1Dread fdividef rsqrt rsqrtf sinpi saturate __saturatef umin umax llmin ullmax rcbrt
normcdf erf lgamma tgamma shared device global host kernel block warp lane grid make_int2 make_float4
__int_as_float __float_as_int __double_as_longlong asm_volatile
"""


@cache
def names() -> tuple[str, ...]:
    """C++'s and CUDA's words, and every word that stands in a generated text, as far as a program may declare it."""
    found = dict.fromkeys(f"{CPP} {CUDA}".split())
    for path in sorted([*(ROOT / "samples").glob("*.gdsl"), *(ROOT / "tests" / "programs").glob("*.gdsl")]):
        program = load(str(path))
        for text in (cuda_text(program, 32), cpp_text(program, 32)):
            found |= dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text))
    return tuple(name for name in found if name not in RESERVED)


def chunks() -> Iterator[tuple[str, ...]]:
    every = names()
    for first in range(0, len(every), CHUNK):
        yield every[first : first + CHUNK]


def program_of(words: tuple[str, ...], turn: int) -> tuple[Program, dict[str, int]]:
    """A program that declares every word in one of five roles, and what the results that are data must be.

    Each functor calls a function, binds its argument to a local, counts in a scalar and writes an array.
    """
    groups = [words[(turn + role) % ROLES :: ROLES] for role in range(ROLES)]
    count = min(len(group) for group in groups)
    groups = [group[:count] for group in groups]
    data, functors, schedule, expected = [], [], [], {}
    for number, (array, scalar, function, functor, local) in enumerate(zip(*groups, strict=True)):
        param = f"given_{number}"
        data.append(f"vertex {array} : int32 = {number}; scalar {scalar} : int64; param {param} : int32 = {number};")
        kept = f"{{ let {local} = {function}({array}[q0] + {param}); {array}[q0] = {local}; {scalar} += 1; }}"
        functors.append(f"function {function}({local}: int32) -> int32 {{ return {local} * 2 + 1; }}")
        functors.append(f"vertex functor {functor}(q0) {{ apply {kept} }}")
        schedule.append(f"frontier {local} = where({functor}); {scalar} += size({local});")
        expected |= {array: number * 4 + 1, scalar: 6}
    name = words[turn]
    text = f"program {name}; problem {{ {' '.join(data)} }} {' '.join(functors)} schedule {{ {' '.join(schedule)} }}"
    return load(text), expected


CHUNKS = tuple(chunks())
by_turn = pytest.mark.parametrize("turn", range(ROLES))
by_chunk = pytest.mark.parametrize("chunk", range(len(CHUNKS)))


def assert_results(program: Program, expected: dict[str, int], backend: str) -> None:
    outcome = get(backend).build(program, 32).run(GRAPH, bind(program, GRAPH, {}), Limits())
    found = {name: array.tolist() for name, array in outcome.arrays.items()} | outcome.scalars
    assert found == {name: [expected[name]] * 3 if name in outcome.arrays else expected[name] for name in expected}


def refusals(text: str) -> list[str]:
    """NVRTC's errors. For debugging (-G), since optimising programs as large as these takes a minute."""
    compiler = nvrtc.bindings()
    program = compiler.createProgram(text, "names.cu", (), ())
    try:
        compiler.compileProgram(program, ("-std=c++17", "-default-device", "-G", "-arch=compute_90"))
    except compiler.NVRTCError:
        return [line for line in compiler.getProgramLog(program).splitlines() if "error" in line][:3]
    finally:
        compiler.destroyProgram(program)
    return []


@by_turn
@by_chunk
def test_reference(chunk: int, turn: int) -> None:
    assert_results(*program_of(CHUNKS[chunk], turn), "reference")


@by_chunk
def test_cpu(chunk: int) -> None:
    assert_results(*program_of(CHUNKS[chunk], chunk % ROLES), "cpu")


@by_turn
@by_chunk
def test_cpu_compiles(chunk: int, turn: int, tmp_path: Path) -> None:
    source = tmp_path / "names.cpp"
    source.write_text(cpp_text(program_of(CHUNKS[chunk], turn)[0], 32), encoding="utf-8")
    command = [*required_compiler().command, "-std=c++17", "-fopenmp", "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if "error" in line][:3] == []


@by_turn
@by_chunk
def test_cuda_compiles(chunk: int, turn: int) -> None:
    pytest.importorskip("cupy_backends", reason="CuPy, which brings the way to NVRTC, is not installed: gdsl[cuda13]")
    assert refusals(cuda_text(program_of(CHUNKS[chunk], turn)[0], 32)) == []


@pytest.mark.gpu
def test_cuda() -> None:
    assert_results(*program_of(CHUNKS[0], 0), "cuda")
