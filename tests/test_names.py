"""Whatever a program calls its things, the generated text compiles and computes the same."""

from __future__ import annotations

import os
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from fuzz.names import cpp_errors, cuda_errors, own_words

from gdsl.backends.cpu import source_text as cpp_text
from gdsl.backends.cuda import source_text as cuda_text
from gdsl.backends.interface import Limits
from gdsl.backends.registry import get
from gdsl.binding import bind
from gdsl.frontend.vocabulary import RESERVED
from gdsl.ir.nodes import Program
from gdsl.pipeline import load
from tests.support.graphs import make_graph
from tests.support.programs import PROGRAMS, SAMPLES

ROOT = Path(__file__).parents[1]
GRAPH = make_graph([(0, 1), (1, 2)], 3)
CHUNKS, MOST_IN_A_CHUNK = 13, 400
ROLES = 7

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
__int_as_float __float_as_int __double_as_longlong asm_volatile cudaTextureType1D cudaArrayDefault va_arg va_copy
"""
MACROS = """
M_PI M_PIf M_E M_SQRT2f64 math_errhandling FP_NAN HUGE_VALF strdupa strndupa alloca clock_t time_t isgreater signbit
offsetof setjmp va_start va_end stdin errno major minor makedev st_atime sa_handler si_value CLOCK_MONOTONIC EOF BIG
CHAR_BIT SIGINT WEXITSTATUS CMPLX _Complex_I htons defined CUDART_VERSION NV_IF_TARGET
"""
NEAR = """
active mark marks accepted selects pulls chunks size_ far_ near_ at e v a b out run seen spare saved shared members
direction direction_0 direction_of_advance_f advance_f filter_f compute_f reduce_f f_apply f_condition f_totals f_claim
f_value f_apply_2 passes_0 times i i_end d total totals combine combined reduced polls initialize initialize
run_schedule host_slice data_slice control_block gdsl gdsl_run gdsl_release gdsl_p_enactor x__y _x x_ __x__ _1 _0_ q_
common vote procedure import from set
"""


@cache
def names() -> tuple[str, ...]:
    """C++'s and CUDA's words, and every word that stands in a generated text, as far as a program may declare it."""
    found = dict.fromkeys(f"{CPP} {CUDA} {MACROS} {NEAR}".split())
    for path in sorted([*SAMPLES, *PROGRAMS]):
        program = load(str(path))
        for text in (cuda_text(program, 32), cpp_text(program, 32)):
            found |= dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text, re.ASCII))
    return tuple(name for name in found if name not in RESERVED)


def words_of(chunk: int) -> tuple[str, ...]:
    """One of the parts into which all names fall; a part has a name for each role at least."""
    size = -(-len(names()) // CHUNKS)
    found = names()[chunk * size : (chunk + 1) * size]
    assert ROLES <= len(found) <= MOST_IN_A_CHUNK
    return found


def program_of(words: tuple[str, ...], turn: int) -> tuple[Program, dict[str, object]]:
    """A program that declares every word in one of seven roles, and what the results that are data must be.

    Each functor calls a function, binds its argument to a local, counts in a loop and in a scalar and writes an array.
    """
    groups = [words[(turn + role) % ROLES :: ROLES] for role in range(ROLES)]
    count = min(len(group) for group in groups)
    groups = [group[:count] for group in groups]
    data, functors, schedule, expected = [], [], [], {}
    for number, names in enumerate(zip(*groups, strict=True)):
        array, scalar, function, functor, local, own, loop = names
        param, along = f"given_{number}", f"edges_{number}"
        data.append(f"vertex {array} : int32 = {number}; scalar {scalar} : int64; param {param} : int32 = {number};")
        data.append(f"vertex {along} : int32;")
        functors.append(f"function {function}({local}: int32) -> int32 {{ return {local} * 2 + 1; }}")
        functors.append(
            f"""vertex functor {functor}({own}) {{ cond {array}[{own}] >= 0; apply {{
                let {local} = {function}({array}[{own}] + {param});
                for {loop} in 0..{local} {{ {along}[{own}] += 1; if ({loop} == 5) {{ break; }} }}
                {array}[{own}] = {local}; {scalar} += 1;
            }} }}
            edge functor visit_{number}({own}, {loop}, {local}) {{ apply {{ {along}[{loop}] += 10; }} }}"""
        )
        schedule.append(f"frontier {local} = where({functor}); {scalar} += size({local});")
        schedule.append(f"{local} = advance({local}, visit_{number}) @{own};")
        passes = min(number * 4 + 1, 6)
        expected |= {array: [number * 4 + 1] * 3, scalar: 6, along: [passes, passes + 10, passes + 10]}
    name = words[turn]
    text = f"program {name}; problem {{ {' '.join(data)} }} {' '.join(functors)} schedule {{ {' '.join(schedule)} }}"
    return load(text), expected


TURNS = [(chunk, turn) for chunk in range(CHUNKS) for turn in range(ROLES)]
if int(os.environ.get("GDSL_TEST_EXAMPLES", "1")) == 1:  # a fifth; GDSL_TEST_EXAMPLES=2 asks for all
    TURNS = [(chunk, turn) for chunk, turn in TURNS if (chunk + turn) % 5 == 0]


def assert_results(program: Program, expected: dict[str, object], backend: str) -> None:
    outcome = get(backend).build(program, 32).run(GRAPH, bind(program, GRAPH, {}), Limits())
    found = {name: array.tolist() for name, array in outcome.arrays.items()} | outcome.scalars
    assert found == expected


@pytest.mark.parametrize(("chunk", "turn"), TURNS)
@pytest.mark.sampled(30)
@pytest.mark.slow
def test_any_name_runs_and_compiles(chunk: int, turn: int) -> None:
    """By the reference, as C++, and as CUDA where there is NVRTC."""
    program, expected = program_of(words_of(chunk), turn)
    assert_results(program, expected, "reference")
    assert cpp_errors(cpp_text(program, 32)) == []
    if find_spec("cupy_backends") is not None:
        assert cuda_errors(cuda_text(program, 32)) == []


@pytest.mark.parametrize("chunk", range(0, CHUNKS, 3))
@pytest.mark.slow
@pytest.mark.rare(4)
def test_cpu(chunk: int) -> None:
    assert_results(*program_of(words_of(chunk), chunk % ROLES), "cpu")


@pytest.mark.slow
def test_words_of_our_own_are_no_macros() -> None:
    """None of them is undefined: those with a lower-case letter stand beside equal names of a program."""
    words = {word for part in own_words() for word in part if word != word.upper()}
    plain = sorted(word for word in words if not word.startswith("_") and "__" not in word)
    probes = "".join(f"#ifdef {word}\n#error found_{word}\n#endif\n" for word in ["FLOAT64_INF", *plain])
    program = load("program p; problem { vertex a : float64 = inf; } schedule { }")
    assert re.findall(r"found_(\w+)", "\n".join(cpp_errors(cpp_text(program, 32) + probes))) == []
    if find_spec("cupy_backends") is not None:
        found = re.findall(r"found_(\w+)", "\n".join(cuda_errors(cuda_text(program, 32) + probes)))
        assert set(found) == {"FLOAT64_INF"}


@pytest.mark.gpu
def test_cuda() -> None:
    assert_results(*program_of(words_of(0), 0), "cuda")
