"""Compiles the kernels of a package: every form of a program that a run on one GPU may use, for each architecture.

These are the forms for all classes of graphs, those for teams of blocks (`map`), those on other ids, and the kernels
that do not depend on a program. Ids have the width that the program requires, else 32 bits.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from gdsl.backends.cuda import nvrtc, packaged, plan_of
from gdsl.backends.cuda.memory import graph_parts_text
from gdsl.backends.cuda.numbering import text_for
from gdsl.backends.cuda.pinned_copies import hand_over_text
from gdsl.backends.cuda.planning import check_wide_pairs
from gdsl.codegen.cuda.generate import generate
from gdsl.diagnostics import GdslError
from gdsl.ir.nodes import Program
from gdsl.plan import heuristics
from gdsl.plan.graph_class import REVISITED, WIDE, GraphClass, class_of
from gdsl.plan.renumbering import looking_up
from gdsl.plan.teams import refusal
from gdsl.progress import working
from gdsl.records import dataclass
from gdsl.types import Widths

DEFAULT_ARCHITECTURES = ("sm_80", "sm_90")
"""As for exported folders; later GPUs of a generation run the code of earlier ones."""
FOLDER = "kernels"
_PART_OF_KEY, _MOST_THREADS = 16, 16


@dataclass(frozen=True, slots=True)
class Form:
    """A text to compile, in words what it is for, and its program, which some do not depend on."""

    words: str
    text: str
    program: str = ""


@dataclass(frozen=True, slots=True)
class Kernels:
    """The part of the manifest about kernels, and the files by their paths in the package."""

    manifest: dict[str, Any]
    files: dict[str, bytes]


NONE = Kernels({"architectures": [], "kernels": {}}, {})
"""Of a package without kernels."""


def require_compiler() -> None:
    """Raise E0903 without NVRTC, with the way to build a package without it."""
    try:
        nvrtc.version()
    except GdslError as error:
        first = error.diagnostics[0]
        fix = f"{first.fix}; or leave the kernels out with --no-kernels: NVRTC then compiles where the package is used"
        raise GdslError.single(first.code, first.message, fix=fix) from None


def compiled(programs: Sequence[Program], architectures: Sequence[str]) -> Kernels:
    """The machine code of all forms of `programs`, instances of one program, the first of which is the default.

    Raises E0903, E0904 for an unknown architecture, and E0908 for one on which the pairs of the first are too wide;
    other instances are left out there.
    """
    work: dict[tuple[str, str], Form] = {}
    for program in programs:
        widths = Widths.both(program.tuning.ids or 32)
        usable = [each for each in architectures if _is_usable(program, widths, each, program is programs[0])]
        for form in _forms(program, widths) if usable else ():
            key = packaged.key_of(form.text)
            for architecture in usable:
                work.setdefault((key, architecture), form)
    with working(f"compiling {len(work)} kernels"):
        texts = [(form.text, architecture) for (_, architecture), form in work.items()]
        cubins = _all(texts, f"{programs[0].name}.cu")
    by_key: dict[str, dict[str, dict[str, str]]] = {}
    files: dict[str, bytes] = {}
    for ((key, architecture), form), cubin in zip(work.items(), cubins, strict=True):
        file = f"{FOLDER}/{key[:_PART_OF_KEY]}.{architecture}.cubin"
        files[file] = cubin
        entry = {"file": file, "form": form.words, "program": form.program, "sha256": hashlib.sha256(cubin).hexdigest()}
        by_key.setdefault(key, {})[architecture] = entry
    return Kernels({"architectures": list(architectures), "nvrtc": list(nvrtc.version()), "kernels": by_key}, files)


def _is_usable(program: Program, widths: Widths, architecture: str, is_required: bool) -> bool:
    """Whether the architecture can update the program's pairs; raises E0908 if that is required."""
    try:
        check_wide_pairs(plan_of(program), widths, architecture)
    except GdslError as error:
        if not is_required:
            return False
        first = error.diagnostics[0]
        fix = f"leave {architecture} out: --arch sm_90; or {first.fix}"
        raise GdslError.single(first.code, first.message, first.span, fix=fix) from None
    return True


def _all(work: Sequence[tuple[str, str]], name: str) -> list[bytes]:
    """The machine code of pairs of a text and an architecture, compiled in several threads."""
    with ThreadPoolExecutor(min(os.cpu_count() or 1, _MOST_THREADS)) as pool:
        try:
            return list(pool.map(lambda each: nvrtc.portable_cubin(each[0], each[1], name), work))
        except BaseException:  # Ctrl-C, or a text that is refused
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _forms(program: Program, widths: Widths) -> Iterator[Form]:
    plan, programs = plan_of(program), [program]
    if plan.layout is not None and plan.layout.apart:
        programs.append(looking_up(program))
    for each in programs:
        for graph in classes_of(each):
            text = generate(plan_of(each, graph=graph), widths).text
            yield Form(packaged.words_of(each, widths, graph), text, program.name)
            if refusal(plan) is None and not graph.host_lists:
                text = generate(plan_of(each, teams=True, graph=graph), widths).text
                yield Form(packaged.words_of(each, widths, graph, teams=True), text, program.name)
    yield Form("copies to the host", hand_over_text())
    yield Form(f"renumbering with {widths}", text_for(widths))
    yield Form(f"parts of graphs with {widths}", graph_parts_text(widths))


def classes_of(program: Program) -> list[GraphClass]:
    """Every class of graphs that runs distinguish for `program`."""
    facts = [fact for fact in heuristics.effects_of_graph(program) if fact not in ("revisited", "wide-passes")]
    chosen = itertools.chain.from_iterable(itertools.combinations(facts, size) for size in range(len(facts) + 1))
    classes = [heuristics.relevant(program, class_of(each)) for each in chosen]
    if "revisited" in heuristics.effects_of_graph(program):
        classes += [REVISITED, WIDE]
    classes += [heuristics.in_host(program, each) for each in classes]
    return list(dict.fromkeys(dataclasses.replace(each) for each in classes))
