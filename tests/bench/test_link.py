"""`python -m bench.link` without GPUs: its kernels, compiled as C++ and run thread by thread; what it checks and
prints, and how it ends without two GPUs."""

from __future__ import annotations

import ctypes
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from bench import link
from bench import link_results as results
from bench.gpu_pair import SOURCE
from bench.link import ARRAYS, FREE, KINDS, SIDES, Array
from bench.link_results import Flow, Rate, Report, Wait
from gdsl.clusters.model.machine import H200, NVLINK
from gdsl.native.compiler import find_compiler

_PRELUDE = """
#include <stdint.h>
struct index { unsigned x; };
static index blockIdx{0}, threadIdx{0}, blockDim{4}, gridDim{2};
#define __device__ static inline
#define __forceinline__
#define __global__
#define __launch_bounds__(...)
template <class T> T atomicAdd_system(T* x, T y) { T old = *x; *x += y; return old; }
template <class T> T atomicMin_system(T* x, T y) { T old = *x; *x = y < old ? y : old; return old; }
template <class T> T atomicMax_system(T* x, T y) { T old = *x; *x = old < y ? y : old; return old; }
template <class T> T atomicCAS_system(T* x, T expected, T y) { T old = *x; *x = old == expected ? y : old; return old; }
extern "C" void set_thread(unsigned block, unsigned thread) { blockIdx.x = block; threadIdx.x = thread; }
"""
THREADS, BITS, OPERATIONS = 8, 9, 512


class Kernels:
    """The kernels of link.cu on two times four threads, one after the other."""

    def __init__(self, folder: Path) -> None:
        text = SOURCE.read_text().replace("__device__ static", "static inline")
        (folder / "link.cpp").write_text(_PRELUDE + text.replace("__device__ __forceinline__", "inline"))
        compiler = find_compiler()
        if compiler is None:
            pytest.skip("no C++ compiler on this machine")
        options = ("-std=c++17", "-O1", "-shared", "-fPIC", "-w", "-o", "link.so", "link.cpp")
        subprocess.run([*compiler.command, *options], cwd=folder, check=True)
        self.library = ctypes.CDLL(str(folder / "link.so"))
        self.values = np.zeros(2 << BITS, np.uint32)
        self.sums = np.zeros((2, THREADS), np.uint64)

    def call(self, name: str, *arguments: object) -> None:
        words = [ctypes.c_void_p(each.ctypes.data) if isinstance(each, np.ndarray) else each for each in arguments]
        for thread in range(THREADS):
            self.library.set_thread(thread // 4, thread % 4)
            getattr(self.library, name)(*words)

    def on_both(self, name: str, *arguments: object) -> tuple[int, int]:
        """The sums of what both GPUs stored."""
        found = np.zeros(2, np.uint64)
        for gpu in range(2):
            self.call(name, self.values, ctypes.c_uint64(gpu), *arguments)
            found += self.sums.sum(axis=1, dtype=np.uint64)
        return int(found[0]), int(found[1])


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(tmp_path_factory.mktemp("link"))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kernel)
def test_kernels_and_their_checks(kernels: Kernels, kind: link.Kind) -> None:
    for side in SIDES:
        for far, skewed in ((0, 0), (13, 0), (64, 1), (128, 0)):
            where = ctypes.c_uint64(OPERATIONS), BITS, far, skewed
            for gpu in range(2):
                kernels.call(
                    "fill", kernels.values, ctypes.c_uint64(gpu), BITS, int(kind.first is None), kind.first or 0
                )
            before = kernels.values.copy()
            made, _ = kernels.on_both(f"{kind.kernel}_{side}", *where, kernels.sums[0])

            def verdict(made: int = made, where: tuple[object, ...] = where) -> str:
                checks = ("check_operations", "check_elements")
                sums = [kernels.on_both(name, *where, kind.check, kernels.sums[0], kernels.sums[1]) for name in checks]
                return link.verdict(kind, 2 * OPERATIONS, made, *sums)

            assert verdict() == ""
            touched = np.flatnonzero(kernels.values != before)
            if kind.kernel != "gather":
                assert len(touched) > 200
                kernels.values[touched[7]] = before[touched[7]]  # one lost
                assert verdict() != ""
            if kind.kernel in ("gather", "fetch_add", "claim", "look_claim"):
                kernels.values[touched[7:8]] = 1
                assert verdict(made + 1) != ""


def test_far_operations_are_the_share_that_was_asked_for(kernels: Kernels) -> None:
    for far in link.FAR:
        kernels.values[:] = 0
        kernels.call(
            "add_1", kernels.values, ctypes.c_uint64(0), ctypes.c_uint64(1 << 14), BITS, far, 0, kernels.sums[0]
        )
        share = int(kernels.values[1 << BITS :].sum()) / (1 << 14)
        assert share == pytest.approx(far / 128, abs=0.02)


def test_reading_copying_and_following(kernels: Kernels) -> None:
    values = np.arange(4096, dtype=np.uint64)
    copied = np.zeros_like(values)
    kernels.call("copy_packs", copied, values, ctypes.c_uint64(len(values) // 2))
    kernels.call("read_words", copied, ctypes.c_uint64(len(values)), kernels.sums[0])
    assert int(kernels.sums[0].sum()) == int(values.sum()) == int(copied.sum())
    kernels.call("make_cycle", kernels.values, BITS)
    ends = []
    for kind in range(3):
        kernels.library.follow(*(ctypes.c_void_p(kernels.values.ctypes.data), BITS, (1 << BITS) - 1, kind,
                                 ctypes.c_void_p(kernels.sums.ctypes.data)))  # fmt: skip
        ends.append(int(kernels.sums[0, 0]))
    kernels.values[0] = 0
    kernels.call("count_up", kernels.values, ctypes.c_uint64(7), kernels.sums[0])
    assert int(kernels.sums[0].sum()) == 14 * 13 // 2  # by one of each block's four threads
    kernels.call("gather_one", kernels.values, ctypes.c_uint64(3), kernels.sums[0])
    assert kernels.sums[0].tolist() == [42] * THREADS
    kernels.call("make_cycle", kernels.values, BITS)
    assert len(set(ends)) == 1 and kernels.values[ends[0]] == 0  # one step more, and it is back at the first element


def test_numbers() -> None:
    most = 2 * link.operations_of(link.ARRAYS[0], 132 * 1024)
    assert most <= 1 << 26 and all((op + 1) * 2654435761 % (1 << 32) not in (0, FREE) for op in (0, most))
    assert pow(2654435761, -1, 1 << 32) * FREE % (1 << 32) - 1 > most  # whose proposal would be FREE
    assert link.operations_of(Array("small", 4), 100) == 400
    assert link.operations_of(Array("large", 20), 100) == (1 << 20) // 400 * 400
    assert link.billions(3_000_000_000, [500.0, 1000.0]) == pytest.approx(3.0)
    assert [link.percent(each) for each in link.FAR] == [0, 10, 50, 100]


def test_tables_and_json() -> None:
    wrong = Rate("add", "2 GB", 4, 50, 1.5, "7 is not 8")
    rates = (Rate("add", "2 GB", 1, 0, 16.21), wrong, Rate("gather", "2 GB", 1, 0, 42))
    report = Report(rates, (Flow("copied here", 256, 364.4),), (Wait("a barrier", 5380.0),))
    text = "\n".join((*results.rate_lines(rates), *results.flow_lines(report.flows), *results.wait_lines(report.waits)))
    assert "| 2 GB: G/s of each GPU | 0 % far | 50 % far | 0 % far, 4 a thread | 50 % far, 4 a thread |" in text
    assert "| add | 16.2 |  |  | 1.5 WRONG |" in text and "| gather | 42 |  |  |  |" in text
    assert "| copied here | 256 | 364.4 |" in text and "| a barrier | 5380 |" in text
    assert report.wrong == [f"WRONG: {wrong}"]


def test_constants_of_the_model_and_json() -> None:
    """The numbers that two H200s gave, from docs/lab/journal.md: those of the model are these."""
    far = {"gather": (6.61, 6.1), "store": (6.95, 6.82), "add": (6.52, 5.86), "add, value used": (4.41, 4.12)}
    far["compare-and-swap"] = (3.78, 3.5)
    own = {"gather": (39.1, 102), "store": (16.1, 37.8), "add, value used": (16.2, 51.1)}
    rates = [
        Rate(kind, name, 1, 100, each)
        for kind, both in far.items()
        for name, each in zip(("2 GB", "64 MB, skewed"), both, strict=True)
    ]
    rates += [
        Rate(kind, name, 1, 0, each)
        for kind, both in own.items()
        for name, each in zip(("2 GB", "256 MB, skewed"), both, strict=True)
    ]
    assert {each.array for each in rates} <= {each.name for each in ARRAYS} and set(far) <= {
        each.name for each in KINDS
    }
    flows = {
        "copied here by a kernel": 333.8,
        "copied here by copy engines": 371.1,
        "copied there by copy engines": 388.6,
    }
    waits = {"gather, far memory": 834.0, "add, value used, far memory": 853.0, "compare-and-swap, far memory": 859.0}
    waits |= {
        "an add to one counter, by the warps of the GPU that has it": 0.7365,
        "a barrier of gdsl on one GPU": 2185,
    }
    waits |= {"an add to one counter, by the warps of the other GPU": 2.716, "a barrier of gdsl on both GPUs": 2740}
    waits["a run of gdsl beside its operators on one GPU"] = 15000
    waits["a run of gdsl beside its operators on both GPUs"] = 100000
    measured = (
        [Flow(name, 256, each) for name, each in flows.items()],
        [Wait(name, each) for name, each in waits.items()],
    )
    report = Report(tuple(rates), tuple(measured[0]), tuple(measured[1]))
    read = json.loads(json.dumps(results.document(report, {"gpu": "x"})))
    assert read["machine"] == {"gpu": "x"} and [Rate(**each) for each in read["rates"]] == rates
    for name, value in read["constants"].items():
        of_gpu = name.startswith("own_")
        assert getattr(H200 if of_gpu else NVLINK, name.removeprefix("own_")) == pytest.approx(value, rel=0.02), name
    assert len(read["constants"]) == 20 and "| link | 3.34e+11 |" in list(results.constant_lines(report))


def test_one_error_without_two_gpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def message(*words: str) -> str:
        result = CliRunner().invoke(link.main, words)
        assert result.exit_code in (1, 2) and not list(tmp_path.iterdir())
        return result.output

    class Runtime:
        count = 1

        def getDeviceCount(self) -> int:  # noqa: N802
            return self.count

    fake = type("cupy", (), {"cuda": type("cuda", (), {"runtime": Runtime()})})
    monkeypatch.setitem(__import__("sys").modules, "cupy", fake)
    assert message("--json", str(tmp_path / "a")) == "Error: bench.link needs two GPUs of one host, and finds 1\n"
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    assert "needs two GPUs of one host, and finds none: " in message() and len(message().splitlines()) == 1
    assert "--repeat" in message("--repeat", "0") and "No such option" in message("--gpus", "2")
