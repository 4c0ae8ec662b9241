"""`gdslc fmt`: files, directories, standard input, and what is left alone."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.cli.conftest import HOPS

LOOSE = HOPS.replace("int32 = -1", "int32=-1").replace("    cond", "  cond")


def test_a_file(gdslc) -> None:
    Path("loose.gdsl").write_text(LOOSE)
    answer = gdslc("fmt", "loose.gdsl", "hops.gdsl")
    assert (answer.status, answer.out) == (0, "")
    assert "1 file formatted, 1 file already formatted" in answer.err
    assert Path("loose.gdsl").read_text() == HOPS == Path("hops.gdsl").read_text()


def test_check_and_diff_write_nothing(gdslc) -> None:
    Path("loose.gdsl").write_text(LOOSE)
    answer = gdslc("fmt", "--check", "loose.gdsl", "hops.gdsl")
    assert (answer.status, answer.out) == (1, "loose.gdsl\n")
    answer = gdslc("fmt", "--diff", "loose.gdsl", "hops.gdsl")
    assert answer.status == 1
    assert "-  cond distance[dst] == -1;\n+    cond distance[dst] == -1;\n" in answer.out
    assert Path("loose.gdsl").read_text() == LOOSE
    assert gdslc("fmt", "--check", "hops.gdsl").status == 0


def test_text_that_does_not_parse_is_left(gdslc) -> None:
    broken = LOOSE.replace("param ", "parm ")
    Path("broken.gdsl").write_text(broken)
    Path("loose.gdsl").write_text(LOOSE)
    answer = gdslc("fmt", "broken.gdsl", "loose.gdsl")
    answer.fails(
        1, "broken.gdsl:5:5: error[E0103]", "1 file formatted, 1 file not formatted, because of the mistakes above"
    )
    assert Path("broken.gdsl").read_text() == broken and Path("loose.gdsl").read_text() == HOPS


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_bytes_are_kept(gdslc, mark: bytes) -> None:
    file = Path("loose.gdsl")
    file.write_bytes(mark + LOOSE.replace("\n", "\r\n").encode())
    file.chmod(0o600)
    assert gdslc("fmt", "loose.gdsl").status == 0
    assert file.read_bytes() == mark + HOPS.replace("\n", "\r\n").encode()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_directory(gdslc) -> None:
    Path("programs").mkdir()
    Path("programs/loose.gdsl").write_text(LOOSE)
    Path("programs/common.gdsl").write_text("function half(x :float32)->float32{return x/2;}\n")
    assert gdslc("fmt", "programs").status == 0
    assert Path("programs/loose.gdsl").read_text() == HOPS
    assert Path("programs/common.gdsl").read_text() == "function half(x: float32) -> float32 { return x / 2; }\n"


def test_standard_input(process) -> None:
    answer = process("fmt", "-", input=LOOSE)
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, HOPS, "")
    answer = process("fmt", "-", input="program p; schedule {")
    assert (answer.returncode, answer.stdout) == (1, "")
    assert "E0107" in answer.stderr
    assert process("fmt", "--check", "-", input=LOOSE).returncode == 1


def test_samples_are_only_read(gdslc) -> None:
    gdslc("fmt", "bfs").fails(1, "E0911", "sample")
    assert gdslc("fmt", "--check", "bfs").status == 0
    gdslc("fmt", "nowhere.gdsl").fails(1, "E0113")
