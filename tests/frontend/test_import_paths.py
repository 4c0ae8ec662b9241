"""Which files a program may import from, and what is said of those that are no programs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import gdsl
from gdsl.cli.main import main
from gdsl.diagnostics import GdslError

LIBRARY = "function f(x: int32) -> int32 { return x + 1; }"
SECRET = "correct horse battery staple"


def program(folder: Path, path: str) -> Path:
    """A program in `folder` that imports `f` from `path`."""
    file = folder / "importer.gdsl"
    file.write_text(f'program m; import f from "{path}"; problem {{ vertex a : int32 = f(1); }} schedule {{ }}')
    return file


def refusal(file: Path, **options: object) -> str:
    with pytest.raises(GdslError) as caught:
        gdsl.compile(file, **options)  # type: ignore[arg-type]
    assert {each.code for each in caught.value.diagnostics} == {"E0241"}
    assert SECRET.split()[0] not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """The folder of a program and another one, which has a library and words."""
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (other / "lib.gdsl").write_text(LIBRARY)
    (other / "words.txt").write_text(SECRET)
    return own, other


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (SECRET.encode(), "it is not a gdsl program"),
        (b"", "it is not a gdsl program"),
        (b"import correct\n" + SECRET.encode(), "nothing that it declares can be read"),
        (b"operator " + SECRET.encode(), "nothing that it declares can be read"),
        (b"# function\n", "it is not a gdsl program"),
        (b"\xff\xfecorrect", "not UTF-8"),
        (b"correct" * 200_000, "longer than 1,048,576 bytes"),
    ],
)
def test_files_that_are_no_programs(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "words").write_bytes(content)
    assert words in refusal(program(tmp_path, "words"))


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "it is not a regular file" in refusal(program(tmp_path, "pipe"))
    assert "it is a directory" in refusal(program(tmp_path, "."))
    assert "there is no such file" in refusal(program(tmp_path, "missing.gdsl"))
    assert "is outside" in refusal(program(tmp_path, "/dev/zero"))


@pytest.mark.parametrize("form", ["absolute", "parent", "link", "linked folder", "through a library"])
def test_files_elsewhere_need_the_import_path(folders: tuple[Path, Path], form: str) -> None:
    own, other = folders
    path = {"absolute": str(other / "lib.gdsl"), "parent": "../other/lib.gdsl"}.get(form, "near.gdsl")
    if form == "link":
        (own / path).symlink_to(other / "lib.gdsl")
    elif form == "linked folder":
        (own / "linked").symlink_to(other)
        path = "linked/lib.gdsl"
    elif form == "through a library":
        (own / path).write_text('import f from "../other/lib.gdsl";')
    file = program(own, path)
    message = refusal(file)
    assert "is outside of the folders" in message and "--import-path" in message
    assert gdsl.compile(file, import_path=other).name == "m"
    assert gdsl.compile(file, import_path=[str(own), other]).name == "m"
    assert "is outside" in refusal(file)  # the path counts for one call


def test_nothing_is_said_of_files_elsewhere(folders: tuple[Path, Path]) -> None:
    """Neither what they hold nor whether they are there."""
    own, _ = folders
    there, missing = refusal(program(own, "../other/words.txt")), refusal(program(own, "../other/wordz.txt"))
    assert there.replace("words", "wordz") == missing


def test_the_import_path_is_searched(folders: tuple[Path, Path], capfd: pytest.CaptureFixture[str]) -> None:
    own, other = folders
    file = program(own, "lib.gdsl")
    assert main(["check", str(file)]) == 1
    assert main(["check", str(file), "--import-path", str(own), "--import-path", str(other)]) == 0
    assert main(["compile", str(file), "--emit", "ir", "--import-path", str(other)]) == 0
    assert main(["check", str(file)]) == 1
    capfd.readouterr()
    assert main(["check", str(file), "--import-path", str(own / "missing")]) == 1
    assert "the import path is not a folder" in capfd.readouterr().err
    with pytest.raises(TypeError):
        gdsl.compile(file, import_path=3)  # type: ignore[arg-type]


def test_a_folder_within_and_back(folders: tuple[Path, Path]) -> None:
    own, _ = folders
    (own / "part").mkdir()
    (own / "part" / "lib.gdsl").write_text('import f from "../deep.gdsl";')
    (own / "deep.gdsl").write_text(LIBRARY)
    assert gdsl.compile(program(own, "part/lib.gdsl")).name == "m"
    assert gdsl.compile(program(own, str(own / "deep.gdsl"))).name == "m"


def test_mistakes_of_two_files_are_reported_together(tmp_path: Path) -> None:
    """Each with its own file; fixes are tried on the program's own text only."""
    (tmp_path / "lib.gdsl").write_text("edge functor visit(src, dst, e) { apply { hops[dst] = hops[src] + 1; } }\n")
    file = tmp_path / "two.gdsl"
    file.write_text(
        'program two; import visit from "lib.gdsl"; problem { vertex hops : int32; vertex last : vertex; }\n'
        "edge functor own(src, dst, e) { apply { last[dst] = src; } }\n"
        "schedule { advance(vertices, visit, to=none); advance(vertices, own, to=none); }\n"
    )
    with pytest.raises(GdslError) as caught:
        gdsl.compile(file)
    found = [(each.code, each.span.file.rsplit("/")[-1] if each.span else "") for each in caught.value.diagnostics]
    assert sorted(found) == [("E0301", ""), ("E0301", "lib.gdsl"), ("E0302", "lib.gdsl")]


@pytest.mark.parametrize(
    ("path", "fix"),
    [
        ("comon.gdsl", 'did you mean `"common.gdsl"`?'),
        ("bfs.gdsl", "write the sample there: `gdslc samples bfs > bfs.gdsl`"),
        ("common", 'write `"common.gdsl"`'),
    ],
)
def test_files_that_are_meant(tmp_path, path, fix):
    (tmp_path / "common.gdsl").write_text("function mix(x : int32) -> int32 { return x; }\n")
    assert fix in refusal(program(tmp_path, path))
