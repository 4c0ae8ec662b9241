"""Programs whose names mean something elsewhere: to C, C++, CUDA, their libraries, or our own generated text.

Each case is one program that has some hundred of such words in every role, under all operators. Its C++ must compile,
its CUDA too where NVRTC is installed, and now and then it is run and must give what the reference backend gives.
"""

from __future__ import annotations

import random
import re
import subprocess
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy

from fuzz.campaign import Finding
from gdsl.backends.cpu import source_text as cpp_text
from gdsl.backends.cuda import nvrtc
from gdsl.backends.cuda import source_text as cuda_text
from gdsl.backends.interface import Limits, Outcome
from gdsl.backends.registry import get
from gdsl.binding import bind, problem_data
from gdsl.codegen.names import KEYWORDS
from gdsl.diagnostics import GdslError
from gdsl.frontend.vocabulary import RESERVED
from gdsl.graph import Graph
from gdsl.ir.nodes import Advance, Operator, Program
from gdsl.ir.traversal import walk
from gdsl.native.compiler import find_compiler
from gdsl.operations import Balance, Domain
from gdsl.pipeline import load
from gdsl.resources import resource_directory

BLOCKS = 6
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_HEADERS = """
    cmath cstdlib cstdio cstring ctime climits cfloat cstdint cerrno csignal csetjmp cstdarg cassert complex.h fenv.h
    math.h tgmath.h unistd.h fcntl.h pthread.h sys/stat.h sys/types.h sys/socket.h sys/sysmacros.h sys/param.h alloca.h
    strings.h regex.h
    """
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789____"
_NEAR = (
    *("{}_apply", "{}_condition", "{}_claim", "{}_value", "{}_selects", "{}_meets", "{}_totals", "{}_apply_alone"),
    *(
        "advance_{}",
        "filter_{}",
        "compute_{}",
        "reduce_{}",
        "intersect_{}_totals",
        "direction_of_advance_{}",
        "{}_reduced",
        "{}_values",
        "own_{}",
    ),
    *("gdsl_{}_enactor", "gdsl_{}_start", "{}_end", "{}_", "{}_2", "_{}", "__{}", "{}__", "passes_{}", "direction_{}"),
)
"""What generated text makes, or nearly makes, of a name."""

BLOCK = """
param {param} : int32 = 2;
input edge {given} : int32;
vertex {level} : int32 = -1;
vertex {other} : int32 = {function}({param});
vertex {share} : float64 = 1;
vertex {back} : vertex = none;
edge {along} : int32;
local vertex {kept} : int64 = int64(id);
scalar {sum} : int64;
scalar {least} : int32 = {param};
===
function {function}({argument} : int32) -> int32 {{
    var {variable} = {argument};
    for {counter} in 0..{argument} {{ {variable} = {variable} + {counter}; }}
    return {variable};
}}
vertex functor {choose}({own}) {{
    cond {other}[{own}] < 100 && {kept}[{own}] >= 0;
    apply {{
        let {constant} = {function}({param});
        var {variable} : int32 = 0;
        for {counter} in 0..{constant} {{ {variable} = {variable} + 1; if ({variable} > {param}) {{ break; }} }}
        {other}[{own}] = {other}[{own}] + {variable};
        {sum} += int64({variable});
        accept {variable} > 0;
    }}
}}
edge functor {visit}({source}, {destination}, {edge}) {{
    cond {level}[{destination}] == -1;
    apply {{ {level}[{destination}] = iteration + 1; {back}[{destination}] any= {source}; }}
}}
edge functor {relax}({source}, {destination}, {edge}) {{
    apply {{
        let {constant} = {given}[{edge}] + place;
        accept changed({other}[{destination}] min= {constant});
        {least} min= {constant};
        {along}[{edge}] = {constant};
    }}
}}
edge functor {give}({source}, {destination}, {edge}) -> float64 {{
    cond {given}[{edge}] >= 0;
    value {share}[{source}] + float64({function}({given}[{edge}]));
}}
===
{level}[0] = 0;
{least} = {function}({least});
if ({sum} >= 0) {{
    frontier {set} = {{ 0 }};
    while ({set}) {{ {set} = advance({set}, {visit}) @{label}; }}
    frontier {picked} = where({choose});
    {picked} = filter({picked}, {choose});
    {picked} = advance({picked}, {relax});
    advance(vertices, {relax}, to=none, over=all_edges);
    compute({picked}, {choose});
    compute(edges, {relax});
    {share} = neighbor_reduce(vertices, {give}, sum, over=in_edges);
    {picked} = intersect(edges, count={sum}) @{walked};
    edge frontier {crossed} = advance({picked}, {visit}, to=edges) | edges;
    {crossed} = filter({crossed} - {{ 1 }}, {relax}) & {crossed};
    {picked} = advance({crossed}, {relax}) - {picked} & where({choose}) | {{ 0 }};
    compute({crossed} | filter(edges, {relax}), {relax}) @{met};
    {sum} += intersect({crossed});
    repeat ({param}) {{ {sum} += size({picked}); swap({level}, {other}); }}
}}
fill({kept}, {sum});
"""
"""The data, the functors and the schedule of one block; every name in braces is made from a word."""

_ROLES = tuple(dict.fromkeys(re.findall(r"(?<!\{)\{(\w+)\}", BLOCK)))
LOCALS = ("argument", "variable", "counter", "own", "constant", "source", "destination", "edge")
"""The roles whose names each block may use again."""
GLOBALS = tuple(role for role in _ROLES if role not in LOCALS)
GRAPH = Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 2], num_vertices=4)
VALUES = numpy.array([3, 1, 4, 1], numpy.int32)


@cache
def own_words() -> tuple[tuple[str, ...], ...]:
    """The words of templates and of generated text, as far as a program may declare them: all, and those around
    functors and the schedule, which are fewer and lie closest to the program's own names. Not those of the host code of
    exported programs, which stands in a namespace of its own."""
    rooms = [resource_directory("templates") / room for room in ("common", "cpu", "cuda")]
    texts = [path.read_text(encoding="utf-8") for room in rooms for path in _files(room, "*.*")]
    near = []
    for sample in _files(resource_directory("samples"), "*.gdsl"):
        program = load(str(sample))
        for text in (cpp_text(program, 32), cuda_text(program, 32)):
            texts.append(text)
            near.append(text.partition("// ---- functors ----")[2])
            near += re.findall(r"^struct data_slice \{.*?^\};", text, re.MULTILINE | re.DOTALL)
    return tuple(_sorted({word for text in part for word in _WORD.findall(text)}) for part in (texts, near))


@cache
def foreign_words() -> tuple[str, ...]:
    """Those of the C library, of POSIX, of the compiler, and of CUDA's headers where they are installed."""
    found = set(KEYWORDS) | _macros()
    spec = find_spec("nvidia")
    for root in (spec.submodule_search_locations or ()) if spec else ():
        for header in _files(Path(root), "*.h*"):
            found.update(_WORD.findall(header.read_text(encoding="utf-8", errors="replace")))
    return _sorted(found)


def _sorted(found: set[str]) -> tuple[str, ...]:
    return tuple(sorted(word for word in found - RESERVED if len(word) < 80))


def _files(folder: Path | str, pattern: str) -> list[Path]:
    return sorted(path for path in Path(folder).rglob(pattern) if path.is_file())


def _macros() -> set[str]:
    """The macros of common headers, and of the compiler itself where it is not held to the standard."""
    compiler = find_compiler()
    if compiler is None:
        return set()
    found = set()
    for standard in ("-std=gnu++17", "-std=c++17"):
        text = "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in _HEADERS.split())
        command = [*compiler.command, standard, "-dM", "-E", "-x", "c++", "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        found |= set(re.findall(r"#define (\w+)", done.stdout))
    return found


def program_text(generator: random.Random, blocks: int = BLOCKS) -> str:
    """A program of `blocks` blocks."""
    taken = set(RESERVED)
    name, *names = _names(generator, 1 + blocks * len(GLOBALS), taken)
    parts: tuple[list[str], ...] = ([], [], [])
    for block in range(blocks):
        own = names[block * len(GLOBALS) :][: len(GLOBALS)]
        fields = dict(zip((*GLOBALS, *LOCALS), own + _names(generator, len(LOCALS), set(taken)), strict=False))
        for part, text in zip(parts, BLOCK.split("==="), strict=True):
            part.append(text.format_map(fields))
    data, functors, schedule = ("".join(part) for part in parts)
    return f"program {name};\nproblem {{{data}}}\n{functors}\nschedule {{{schedule}}}\n"


def _names(generator: random.Random, count: int, taken: set[str]) -> list[str]:
    """As many words that are not `taken`, and then are: some of them made from others of those."""
    found: list[str] = []
    while len(found) < count:
        kind = generator.random()
        if kind < 0.4:
            name = generator.choice(own_words()[kind < 0.2])
        elif kind < 0.6:
            name = generator.choice(foreign_words())
        elif kind < 0.85 and found:
            name = generator.choice(_NEAR).format(generator.choice(found))
        else:
            name = "".join(generator.choices(_LETTERS, k=generator.choice((1, 1, 2, 3, 5, 12))))
        if name not in taken and not name[0].isdigit() and len(name) < 100:
            taken.add(name)
            found.append(name)
    return found


def case(generator: random.Random) -> str:
    """One program; see `fuzz.campaign`."""
    runs = generator.random() < 0.05  # optimizing takes long, so such a program is small
    text = program_text(generator, 1 if runs else BLOCKS)
    bits = generator.choice((32, 64))
    try:
        program = load(text, _tuning(load(text), generator))
        cpp, cuda = cpp_text(program, bits), cuda_text(program, bits)
    except GdslError as error:
        raise Finding(f"{error}\n{text}") from None
    done = []
    if find_compiler() is not None:
        _expect_none(cpp_errors(cpp), text)
        done.append("C++")
        if runs:
            _run(program, text)
            done.append("run")
    if find_spec("cupy_backends") is not None:
        _expect_none(cuda_errors(cuda), text)
        done.append("CUDA")
    return ", ".join(done) or "printed"


def _tuning(program: Program, generator: random.Random) -> tuple[str, ...]:
    """Words for every form that operators can take."""
    chosen = [f"schedule.fuse={generator.choice(('on', 'off'))}"]
    nodes = list(walk(program.schedule))
    pushing = {node.functor for node in nodes if isinstance(node, Advance) and node.to is Domain.EDGE}
    for node in nodes:
        if isinstance(node, Advance):
            directions = ["push"] if node.functor in pushing else ["push", "pull"]
            directions += ["auto"] if node.closing is not None else []
            chosen.append(f"{node.functor}.direction={generator.choice(directions)}")
        if isinstance(node, Operator) and node.visits is not None:
            chosen.append(f"{node.functor}.balance={generator.choice([each.value for each in Balance])}")
    pulling = {word.partition(".")[0] for word in chosen if word.endswith(".direction=pull")}
    chosen = [word for word in chosen if ".balance=" not in word or word.partition(".")[0] not in pulling]
    return tuple(dict.fromkeys(chosen))


def _expect_none(errors: list[str], text: str) -> None:
    if errors:
        raise Finding("\n".join([*errors[:5], text]))


def cpp_errors(text: str) -> list[str]:
    """What the compiler says against generated C++."""
    compiler = find_compiler()
    assert compiler is not None
    with tempfile.TemporaryDirectory(prefix="gdsl-names-") as folder:
        source = Path(folder, "names.cpp")
        source.write_text(text, encoding="utf-8")
        command = [*compiler.command, "-std=c++17", "-fopenmp", "-fsyntax-only", "-w", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if "error" in line]
    return lines or ([done.stderr[:300]] if done.returncode else [])


def cuda_errors(text: str, architecture: str = "sm_80") -> list[str]:
    """What NVRTC says against generated CUDA, as far as its front end goes."""
    compiler = nvrtc.bindings()
    program = compiler.createProgram(text, "names.cu", (), ())
    options = ("-std=c++17", "-default-device", f"-arch={architecture.replace('sm_', 'compute_')}")
    try:
        for further in (("-fdevice-syntax-only",), ("-G",)):  # older versions know only the second
            try:
                compiler.compileProgram(program, (*options, *further))
            except compiler.NVRTCError as error:
                log = str(compiler.getProgramLog(program))
                if "device-syntax-only" not in log:
                    return [line for line in log.splitlines() if "error" in line] or [str(error)]
            else:
                return []
    finally:
        compiler.destroyProgram(program)
    return []


def _run(program: Program, text: str) -> None:
    """On the cpu backend and on the reference, which must agree in what is unique."""
    given = {array.name: VALUES for array in program.arrays if array.is_input}
    bindings = bind(program, GRAPH, given)
    expected, found = (get(name).build(program, 32).run(GRAPH, bindings, Limits()) for name in ("reference", "cpu"))
    unique = [declared.name for declared in problem_data(program) if declared.unique and not declared.is_local]
    wrong = [name for name in unique if _values(expected, name) != _values(found, name)]
    _expect_none([f"`{name}` differs from the reference" for name in wrong], text)


def _values(outcome: Outcome, name: str) -> object:
    return outcome.arrays[name].tolist() if name in outcome.arrays else outcome.scalars[name]
