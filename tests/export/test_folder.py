"""The folder that `gdslc export` writes: whole or not there, and with names that nothing else has."""

from __future__ import annotations

import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.export import export
from gdsl.export.exporting import files_of

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")


def test_a_folder_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = gdsl.compile("bfs")

    def write(directory: Path, force: bool = False) -> None:
        export(program.ir, program.text, "cpu", directory, force=force)

    write(tmp_path / "new")
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty")
    names = sorted(each.name for each in (tmp_path / "new").iterdir())
    assert names == sorted(each.name for each in (tmp_path / "empty").iterdir())
    for directory, words in (
        (tmp_path / "new", "is not empty"),
        (tmp_path / "new" / "bfs.h", "there is a file of that name"),
        (tmp_path / "none" / "deeper", "there is no directory"),
    ):
        with pytest.raises(GdslError, match=words) as error:
            write(directory)
        assert error.value.code == "E0911"
    (tmp_path / "new" / "bfs.h").write_text("mine")
    (tmp_path / "new" / "notes").write_text("mine")
    write(tmp_path / "new", force=True)
    assert "bfs_run" in (tmp_path / "new" / "bfs.h").read_text()
    assert (tmp_path / "new" / "notes").read_text() == "mine"

    def broken(self: Path, *_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", broken)
    with pytest.raises(GdslError, match="No space left"):
        write(tmp_path / "third")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["empty", "new"]


@pytest.mark.parametrize("name", ["main", "math", "Limits", "test", "gdsl_graph", "x" * 300])
def test_names_of_files_are_no_others(name: str) -> None:
    """Neither headers of the system, nor other files of the folder, nor what CMake calls targets of its own."""
    program = gdsl.compile(f"program {name}; problem {{ vertex a : int32 = 1; }} schedule {{ fill(a, 2); }}")
    files = files_of(program.ir, program.text, "cpu")
    stem = f"{name}_program" if len(name) < 100 else name[:100]
    assert list(files)[:2] == [f"{stem}.h", f"{stem}.cpp"]
    assert f'#include "{stem}.h"' in files["main.cpp"]
    assert f"add_executable({stem} main.cpp)" in files["CMakeLists.txt"]


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_names_of_any_kind(tmp_path: Path, backend: str) -> None:
    """What a program may call its data and itself stands in the files without harm."""
    text = textwrap.dedent(
        """
        program main;
        problem {
            param  int       : int32 = 1;
            param  NULL      : float64 = 0.5;
            vertex int32_t   : int32 = 3;
            vertex gdsl_vertex : vertex = 0;
            vertex last      : vertex = 0;
            vertex double    : int32 = 3;
            vertex errno     : float32;
            scalar iterations : int64 = 4;
            vertex iterations_ : bool;
        }
        schedule {
            fill(double, int); fill(errno, float32(NULL)); fill(int32_t, 1); fill(gdsl_vertex, 0); fill(last, 0);
        }
        """
    )
    program = gdsl.compile(text)
    names = export(program.ir, program.text, backend, tmp_path / "made")
    assert len(set(names)) == len(names)
    assert "main_program.h" in names
    caller = '#include "main_program.h"\nint main(void) { main_params p = {1, 0.5}; return p.int_ - 1; }\n'
    (tmp_path / "made" / "caller.c").write_text(caller)
    check = ["gcc", "-std=c99", "-Wall", "-Werror", "-fsyntax-only", "caller.c"]
    subprocess.run(check, cwd=tmp_path / "made", check=True, timeout=60)
    if backend == "cpu":
        check = ["g++", "-std=c++17", "-fsyntax-only", "main_program.cpp", "main_program_checks.cpp"]
        subprocess.run(check, cwd=tmp_path / "made", check=True, timeout=60)


@pytest.mark.parametrize(
    ("class_name", "options"), [("number", '"-t kind=int64", "-t kind=float64"'), ("integer", '"-t kind=int64", ""')]
)
def test_the_command_names_the_type_that_holds_more(class_name: str, options: str) -> None:
    program = gdsl.compile(
        f"program p; problem {{ type kind : {class_name} = int32; input edge weight : kind; vertex sums : kind; }}"
        "schedule { sums = neighbor_reduce(vertices, (u, v, e) => weight[e], max); }"
    )
    assert f'"int32", read, {options})' in files_of(program.ir, program.text, "cpu")["main.cpp"]
