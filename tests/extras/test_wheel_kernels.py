"""The machine code of packages: from NVRTC, the same wherever it is compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("cupy_backends", reason="CuPy, which brings the way to NVRTC, is not installed: gdsl[cuda13]")

import gdsl
from gdsl.backends.cuda import nvrtc, packaged, source_text
from gdsl.backends.cuda.pinned_copies import hand_over_text
from gdsl.diagnostics import GdslError
from tests.support.packages import installed

SMALL = "program one; problem { vertex a : int32; } schedule { compute(vertices, v => { a[v] = 1; }); }"


def test_the_current_directory_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = set()
    for name in ("one", "another"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        found.add(nvrtc.portable_cubin(source_text(gdsl.compile(SMALL).ir, 32), "sm_80", "one.cu"))
        found.add(nvrtc.portable_cubin(hand_over_text(), "sm_80", "one.cu"))
    assert len(found) == 2
    assert not any(str(tmp_path).encode() in each for each in found)


def test_a_package_has_the_machine_code_of_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    installed(tmp_path, gdsl.compile(SMALL), "one_program", architectures=("sm_80",))
    text = source_text(gdsl.compile("one_program:one").ir, 32)
    assert (packaged.find(text, "sm_86") or b"").startswith(b"\x7fELF")
    assert packaged.find(text, "sm_90") is None
    with pytest.raises(GdslError, match="E0904"):
        installed(tmp_path, gdsl.compile(SMALL), "another_program", architectures=("sm_99",))
