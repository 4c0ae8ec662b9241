"""Kernels of packages on a machine without NVRTC; the emulator takes the place of the GPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl import packages
from gdsl.backends import registry
from gdsl.backends.cuda import nvrtc, packaged
from gdsl.diagnostics import GdslError
from gdsl.wheels import differences_from_answer, usable_backends
from tests.support.packages import installed

from .build import compiler
from .fake_cupy import FakeCupy

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

SMALL = ("schedule.block=32",)
COUNT = 12


def _missing(*_: object) -> Any:
    raise GdslError.single("E0903", "NVRTC cannot be loaded", fix="install it")


@pytest.fixture
def without_nvrtc(cupy: FakeCupy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[tuple[str, ...]], Path]:
    """Install a package with kernels for these architectures; then there is no NVRTC any more."""
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(packages, "_opened", {})
    monkeypatch.setattr(packaged, "_reported", set())
    place = tmp_path / "installed"
    monkeypatch.syspath_prepend(str(place))

    def build(architectures: tuple[str, ...]) -> Path:
        program = gdsl.compile("bfs", tune=list(SMALL))
        folder = installed(place, program, "packed_search", architectures=architectures, tune=SMALL)
        for name in ("version", "require", "compile_to_cubin"):
            monkeypatch.setattr(nvrtc, name, _missing)
        monkeypatch.setattr(nvrtc, "is_there", lambda: False)
        monkeypatch.setattr(nvrtc, "identity", lambda: ("no NVRTC",))
        return folder

    return build


@pytest.mark.slow
def test_they_run(without_nvrtc: Callable[[tuple[str, ...]], Path], graph: gdsl.Graph) -> None:
    without_nvrtc(("sm_90",))
    assert not registry.get("cuda").availability().ok
    program = gdsl.compile("packed_search:bfs")
    assert registry.get("cuda").availability().ok
    for _ in range(2):  # the second time from the cache
        found = gdsl.compile("packed_search:bfs")(graph, source=3, backend="cuda")
        assert found.distance.get().tolist() == [abs(vertex - 3) for vertex in range(COUNT)]
    together = program.map(graph, source=[0, 5], backend="cuda")
    assert np.asarray(together.distance).tolist() == [
        [abs(vertex - source) for vertex in range(COUNT)] for source in (0, 5)
    ]
    assert "cuda" in usable_backends("packed_search")
    assert differences_from_answer("packed_search", "bfs", "cuda") == []


@pytest.mark.slow
def test_another_program_needs_nvrtc(without_nvrtc: Callable[[tuple[str, ...]], Path], graph: gdsl.Graph) -> None:
    """`auto` goes on to the next backend, and what is asked for says which kernels there are."""
    without_nvrtc(("sm_80", "sm_90"))
    program = gdsl.compile("packed_search:bfs")
    other = gdsl.compile("packed_search:bfs", tune=["schedule.block=64"])
    with pytest.raises(GdslError, match=r"(?s)E0903.*machine code for sm_80, sm_90, of this program with other knobs"):
        other(graph, source=0, backend="cuda")
    assert other(graph, source=0).backend == "cpu"
    with pytest.raises(
        GdslError, match=r"(?s)E0903.*packed_search has machine code for sm_80, sm_90, of its own program"
    ):
        gdsl.samples.bfs(graph, source=0, backend="cuda")
    wide = gdsl.compile("packed_search:bfs", tune=["schedule.ids=64"])
    with pytest.raises(GdslError, match="this run needs bfs with 64-bit ids"):
        wide(graph, source=0, backend="cuda")
    assert program(graph, source=0).backend == "cuda"


@pytest.mark.slow
def test_a_gpu_of_another_generation(without_nvrtc: Callable[[tuple[str, ...]], Path], graph: gdsl.Graph) -> None:
    without_nvrtc(("sm_80",))
    program = gdsl.compile("packed_search:bfs")
    assert program(graph, source=0).backend == "cpu"
    with pytest.raises(GdslError, match="cuda backend cannot run here"):
        program(graph, source=0, backend="cuda")


def test_machine_code_that_was_changed_is_not_loaded(
    without_nvrtc: Callable[[tuple[str, ...]], Path], graph: gdsl.Graph
) -> None:
    folder = without_nvrtc(("sm_90",))
    for path in (folder / "kernels").iterdir():
        path.write_bytes(path.read_bytes() + b"\n")
    with (
        pytest.warns(RuntimeWarning, match=r"machine code of the package packed_search is not used: .*changed"),
        pytest.raises(GdslError, match="E0903"),
    ):
        gdsl.compile("packed_search:bfs")(graph, source=0, backend="cuda")


def test_which_machine_code_a_gpu_runs() -> None:
    for gpu, there, chosen in (
        ("sm_90", ("sm_80", "sm_90"), ["sm_90"]),
        ("sm_89", ("sm_80", "sm_86", "sm_90"), ["sm_86", "sm_80"]),
        ("sm_80", ("sm_86",), []),
        ("sm_100", ("sm_90", "sm_100"), ["sm_100"]),
        ("sm_103", ("sm_100", "sm_10"), ["sm_100"]),
        ("sm_120", ("sm_12",), []),
        ("sm_90", ("sm_90a",), []),
        ("sm_90a", ("sm_90a",), ["sm_90a"]),
    ):
        assert packaged._loadable(gpu, dict.fromkeys(there)) == chosen


def test_a_text_that_only_names_other_lines_is_the_same() -> None:
    one = '// bfs: generated by gdsl 0.1.0\n#line 4 "bfs.gdsl"\nint a; // b\n'
    other = '// bfs: generated by gdsl 0.2.0\n#line 5 "a/b.gdsl"\nint a; // b\n'
    assert packaged.key_of(one) == packaged.key_of(other) != packaged.key_of(one.replace("int", "char"))
