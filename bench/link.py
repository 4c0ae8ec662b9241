"""What two GPUs of one host can do in each other's memory, by kernels of its own: ``python -m bench.link``.

Memory is that of gdsl's flat ranges, atomics have the scope of generated code, and each GPU has as many blocks as
generated kernels have: two of 512 threads for each multiprocessor. Both GPUs work at the same time. Random accesses
are of 4 bytes, with one or four under way in each thread, and 0, 10, 50 or 100 % of them far: in the memory of the
other GPU. The results of every kernel are checked. `gdsl.clusters.model.machine` has its constants from here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from bench.gpu_pair import Gpu, Pair, Queue
from bench.link_results import Flow, Rate, Report, Wait, constant_lines, document, flow_lines, rate_lines, wait_lines
from bench.machine import describe
from bench.several_gpus import microseconds_of_a_barrier, microseconds_of_a_run
from gdsl.diagnostics import GdslError

SIDES = (1, 4)
"""Accesses of a thread that are under way at the same time."""
FAR = (0, 13, 64, 128)
"""Of 128 accesses."""
FREE = 0xFFFFFFFF
_OPERATIONS = 1 << 25
_MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Kind:
    """A way to access elements. kernel: its name in link.cu; check: its number there; first: the value of elements
    before, or None for their content."""

    name: str
    kernel: str
    check: int
    first: int | None


KINDS = (
    Kind("gather", "gather", 0, None),
    Kind("store", "store", 1, 0),
    Kind("add", "add", 2, 0),
    Kind("add, value used", "fetch_add", 2, 0),
    Kind("min", "minimum", 3, FREE),
    Kind("min, value used", "fetch_min", 3, FREE),
    Kind("max, value used", "fetch_max", 4, 0),
    Kind("compare-and-swap", "claim", 5, FREE),
    Kind("look, then compare-and-swap", "look_claim", 5, FREE),
)


@dataclass(frozen=True, slots=True)
class Array:
    """`2 ** bits` elements on each GPU. skewed: most accesses go to few of them, as those of an R-MAT graph."""

    name: str
    bits: int
    skewed: bool = False


ARRAYS = (
    Array("2 GB", 28),
    Array("256 MB", 25),
    Array("256 MB, skewed", 25, True),
    Array("64 MB, skewed", 23, True),
)


def operations_of(array: Array, threads: int) -> int:
    """How many a GPU makes: a whole number of turns of all its threads, and no more than it has elements, so that most
    claims find a free one."""
    turn = threads * max(SIDES)
    return max(min(_OPERATIONS, 1 << array.bits) // turn, 1) * turn


def billions(count: int, milliseconds: Sequence[float]) -> float:
    """Per second, if each GPU has done `count` of something, the slowest in the longest of these times."""
    return count / (max(milliseconds) * 1e-3) / 1e9


def percent(far: int) -> int:
    """Of `far` in 128."""
    return round(far * 100 / 128)


def verdict(kind: Kind, operations: int, made: int, each: tuple[int, int], elements: tuple[int, int]) -> str:
    """Why a result is wrong, or nothing. operations: of both GPUs; made: the sum of what the kernels returned; each and
    elements: the sums of `check_operations` and `check_elements`."""
    wrong, counted = each
    one, two = elements
    checks = [(wrong, 0, "operations left no trace")]
    if kind.check == 0:
        checks.append((made, counted, "is the sum of what was read"))
    if kind.check == 2:
        checks.append((one, operations, "is the sum of all elements"))
    if kind.kernel == "fetch_add":
        checks.append((made, two, "is the sum of what was returned"))
    if kind.check in (3, 4):
        checks.append((counted, two, "of those changed have a value that was proposed"))
    if kind.check == 5:
        checks += [(one, 0, "elements have the claim of another"), (made, two, "claims succeeded")]
    return "; ".join(f"{found} {what}, not {right}" for found, right, what in checks if found != right)


def _rates(pair: Pair, array: Array, repeat: int) -> Iterator[Rate]:
    flat = pair.range(4 << array.bits)
    operations = operations_of(array, pair.threads)
    values, bits = np.uint64(flat.pointer), np.uint32(array.bits)
    for kind in KINDS:
        for side in SIDES:
            for far in FAR:
                where = np.uint64(operations), bits, np.uint32(far), np.uint32(array.skewed)

                def fill(gpu: Gpu, kind: Kind = kind) -> None:
                    own, is_content = np.uint64(pair.place_of(gpu)), np.uint32(kind.first is None)
                    gpu.launch("fill", values, own, bits, is_content, np.uint32(kind.first or 0))

                def access(gpu: Gpu, name: str = f"{kind.kernel}_{side}", where: Any = where) -> None:
                    gpu.launch(name, values, np.uint64(pair.place_of(gpu)), *where, gpu.pointers()[0])

                best, wrong = float("inf"), ""
                for turn in range(repeat + 1):  # the first one loads the kernels, and is checked
                    pair.all(fill)
                    times = pair.milliseconds(access)
                    if turn:
                        best = min(best, max(times))
                    else:
                        wrong = _wrong(pair, kind, values, where)
                yield Rate(kind.name, array.name, side, percent(far), billions(operations, [best]), wrong)
    flat.close()


def _wrong(pair: Pair, kind: Kind, values: Any, where: tuple[Any, ...]) -> str:
    made = pair.sums()
    found = []
    for name in ("check_operations", "check_elements"):

        def check(gpu: Gpu, name: str = name) -> None:
            own = np.uint64(pair.place_of(gpu))
            gpu.launch(name, values, own, *where, np.uint32(kind.check), *gpu.pointers())

        pair.all(check)
        found.append((pair.sums(0), pair.sums(1)))
    return verdict(kind, 2 * int(where[0]), made, *found)


def _flows(pair: Pair, repeat: int) -> Iterator[Flow]:
    """Copies and reads in order. The range of each GPU has what is copied from it, then what is copied to it."""
    most = 256 * _MEBIBYTE
    flat, bits = pair.range(2 * most), np.uint32((2 * most // 4).bit_length() - 1)
    first, second = pair.gpus

    def clear(gpu: Gpu) -> None:
        at = np.uint64(pair.place_of(gpu))
        gpu.launch("fill", np.uint64(flat.pointer), at, bits, np.uint32(1), np.uint32(0))

    def at(gpu: Gpu) -> int:
        return flat.pointer + pair.place_of(gpu) * 2 * most

    def other(gpu: Gpu) -> Gpu:
        return second if gpu is first else first

    def words(gpu: Gpu, pointer: int, nbytes: int) -> None:
        gpu.launch("read_words", np.uint64(pointer), np.uint64(nbytes // 8), gpu.pointers()[0])

    def packs(gpu: Gpu, to: int, source: int, nbytes: int) -> None:
        gpu.launch("copy_packs", np.uint64(to), np.uint64(source), np.uint64(nbytes // 16))

    def sums_at(place: Callable[[Gpu], int], nbytes: int) -> tuple[int, int]:
        pair.all(lambda gpu: words(gpu, place(gpu), nbytes))
        return first.total(), second.total()

    for megabytes in (2, 8, 256):
        size = megabytes * _MEBIBYTE
        ways: dict[str, Queue] = {
            "own memory, read by a kernel": lambda gpu, n=size: words(gpu, at(gpu), n),  # type: ignore[misc]
            "far memory, read by a kernel": lambda gpu, n=size: words(gpu, at(other(gpu)), n),  # type: ignore[misc]
            "copied here by a kernel": lambda gpu, n=size: packs(gpu, at(gpu) + most, at(other(gpu)), n),  # type: ignore[misc]
            "copied there by a kernel": lambda gpu, n=size: packs(gpu, at(other(gpu)) + most, at(gpu), n),  # type: ignore[misc]
            "copied here by copy engines": lambda gpu, n=size: gpu.copy(at(gpu) + most, at(other(gpu)), n),  # type: ignore[misc]
            "copied there by copy engines": lambda gpu, n=size: gpu.copy(at(other(gpu)) + most, at(gpu), n),  # type: ignore[misc]
        }
        for name, queue in ways.items():
            pair.all(clear)
            right = sums_at(at, size)
            for only in (pair.gpus, (first,)) if "copied here" in name and megabytes == 256 else (pair.gpus,):
                times = [max(pair.milliseconds(queue, only)) for _ in range(repeat + 1)][1:]
                wrong = ""
                if "read" in name:
                    left = [gpu.total() for gpu in pair.gpus]
                    wrong = "" if left == list(right if "own" in name else right[::-1]) else "another sum was read"
                elif len(only) == 2:
                    left = list(sums_at(lambda gpu: at(gpu) + most, size))
                    wrong = "" if left == list(right[::-1]) else "another sum was copied"
                alone = "" if len(only) == 2 else ", one GPU alone"
                yield Flow(name + alone, megabytes, billions(size, [min(times)]), wrong)
    flat.close()


def _waits(pair: Pair, repeat: int) -> Iterator[Wait]:
    """Accesses of one thread, each of which waits for the one before; then a barrier."""
    bits, steps = 25, 1 << 12
    flat, (first, _) = pair.range(4 << bits), pair.gpus
    for where, offset in (("own", 0), ("far", 4 << bits)):
        values = np.uint64(flat.pointer + offset)
        first.launch("make_cycle", values, np.uint32(bits))
        for number, kind in enumerate(("gather", "add, value used", "compare-and-swap")):

            def follow(gpu: Gpu, number: int = number, values: Any = values) -> None:
                words = values, np.uint32(bits), np.uint32(steps), np.uint32(number)
                gpu.launch("follow", *words, gpu.pointers()[0], alone=True)

            times = [pair.milliseconds(follow, (first,))[0] for _ in range(repeat + 1)][1:]
            yield Wait(f"{kind}, {where} memory", min(times) * 1e6 / steps)
    flat.close()
    numbers = [gpu.number for gpu in pair.gpus]
    yield Wait("a barrier of gdsl on one GPU", microseconds_of_a_barrier() * 1e3)
    yield Wait("a barrier of gdsl on both GPUs", microseconds_of_a_barrier(numbers) * 1e3)
    yield Wait("a run of gdsl beside its operators on one GPU", microseconds_of_a_run() * 1e3)
    yield Wait("a run of gdsl beside its operators on both GPUs", microseconds_of_a_run(numbers) * 1e3)


def _same(pair: Pair, repeat: int) -> Iterator[Wait]:
    """Accesses of one element of the first GPU by all warps."""
    flat, (first, second) = pair.range(_MEBIBYTE * 2), pair.gpus
    counter, zero = np.uint64(flat.pointer), np.uint32(0)
    for name, of in (("the GPU that has it", (first,)), ("the other GPU", (second,)), ("both GPUs", pair.gpus)):
        warps = sum(gpu.threads // 32 for gpu in of)
        for what, kernel, turns in (
            ("an add to one counter", "count_up", 256),
            ("a gather of one element", "gather_one", 512),
        ):

            def access(gpu: Gpu, kernel: str = kernel, turns: int = turns) -> None:
                gpu.launch(kernel, counter, np.uint64(turns), gpu.pointers()[0])

            best, wrong = float("inf"), ""
            for turn in range(repeat + 1):
                first.launch("fill", counter, np.uint64(0), np.uint32(1), zero, zero)
                first.stream.synchronize()
                times = pair.milliseconds(access, of)
                best = min(best, max(times)) if turn else best
                made, all_adds = sum(gpu.total() for gpu in of), warps * turns
                if kernel == "count_up" and made != all_adds * (all_adds - 1) // 2:
                    wrong = "is not the sum of what was returned"
            yield Wait(f"{what}, by the warps of {name}", best * 1e6 / (warps * turns), wrong)
    flat.close()


def measure(pair: Pair, repeat: int, show: Callable[[Iterator[str]], None]) -> Report:
    """Everything; each table is shown when it is complete."""
    waits = (*_waits(pair, repeat), *_same(pair, repeat))
    show(wait_lines(waits))
    flows = tuple(_flows(pair, repeat))
    show(flow_lines(flows))
    rates: tuple[Rate, ...] = ()
    for array in ARRAYS:
        of_array = tuple(_rates(pair, array, repeat))
        show(rate_lines(of_array))
        rates += of_array
    report = Report(rates, flows, waits)
    show(constant_lines(report))
    return report


def require_two() -> Any:
    """CuPy, if there are two GPUs."""
    try:
        import cupy

        count = int(cupy.cuda.runtime.getDeviceCount())
    except Exception as error:  # no CuPy, no driver, or none that works
        raise click.ClickException(f"bench.link needs two GPUs of one host, and finds none: {error}") from None
    if count < 2:
        raise click.ClickException(f"bench.link needs two GPUs of one host, and finds {count}")
    return cupy


@click.command()
@click.option(
    "--repeat", type=click.IntRange(1), default=3, show_default=True, help="Runs, of which the fastest counts."
)
@click.option("--json", "json_path", type=click.Path(path_type=Path, dir_okay=False), help="Write a JSON document.")
def main(repeat: int, json_path: Path | None) -> None:
    """Measure what the first two GPUs of this host do in each other's memory."""
    cupy = require_two()
    try:
        report = measure(Pair(cupy, (0, 1)), repeat, lambda table: click.echo("\n".join(table)))
    except GdslError as error:
        raise click.ClickException(str(error)) from None
    if json_path is not None:
        text = json.dumps(document(report, describe("cuda", 0)), indent=1)
        json_path.write_text(text + "\n", encoding="utf-8")
    if report.wrong:
        click.echo("\n".join(report.wrong))
        raise SystemExit(1)


if __name__ == "__main__":
    main()
