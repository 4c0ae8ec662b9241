"""What `-o` and `graph convert` write to: links, devices, pipes and what cannot be written, all of them alike."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from gdsl.graph import Graph

RUN = ("run", "hops.gdsl", "path.mtx", "-p", "source=0", "--backend", "reference", "-o")
WAYS = {
    "run npz": (RUN, ".npz"),
    "run json": (RUN, ".json"),
    "run csv": (RUN, ".csv"),
    "generate": (("graph", "generate", "grid:3", "-o"), ".mtx"),
    "generate npz": (("graph", "generate", "grid:3", "-o"), ".npz"),
    "generate gz": (("graph", "generate", "grid:3", "-o"), ".csv.gz"),
    "convert": (("graph", "convert", "path.mtx"), ".txt"),
    "compile": (("compile", "hops.gdsl", "-o"), ".cu"),
    "compile ir": (("compile", "hops.gdsl", "--emit", "ir", "-o"), ".txt"),
}
every_way = pytest.mark.parametrize(("words", "suffix"), WAYS.values(), ids=list(WAYS))
needs_fifo = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


def expected(gdslc, words, suffix) -> bytes:
    assert gdslc(*words, f"plain{suffix}").status == 0
    return Path(f"plain{suffix}").read_bytes()


@every_way
def test_links_are_followed(gdslc, work, words, suffix) -> None:
    content = expected(gdslc, words, suffix)
    Path("deep").mkdir()
    for old in (None, b"old"):
        target, link, second = Path(f"deep/target{suffix}"), Path(f"link{suffix}"), Path(f"second{suffix}")
        for path in (target, link, second):
            path.unlink(missing_ok=True)
        if old is not None:
            target.write_bytes(old)
            target.chmod(0o640)
        link.symlink_to(f"deep/target{suffix}")
        second.symlink_to(link)
        assert gdslc(*words, str(second)).status == 0
        assert link.is_symlink()
        assert second.is_symlink()
        assert target.read_bytes() == content
        assert old is None or stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(os.listdir("deep")) == [f"target{suffix}"]


@every_way
def test_devices_stay(gdslc, work, words, suffix) -> None:
    Path(f"null{suffix}").symlink_to("/dev/null")
    assert gdslc(*words, f"null{suffix}").status == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert Path(f"null{suffix}").is_symlink()


@needs_fifo
@every_way
def test_pipes_get_the_whole(gdslc, work, words, suffix) -> None:
    content = expected(gdslc, words, suffix)
    os.mkfifo(f"pipe{suffix}")
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(Path(f"pipe{suffix}").read_bytes()))
    reader.start()
    assert gdslc(*words, f"pipe{suffix}").status == 0
    reader.join(60)
    assert stat.S_ISFIFO(os.stat(f"pipe{suffix}").st_mode)
    if suffix == ".npz":  # a pipe cannot be sought in, so its entries are laid out in another way
        Path("found.npz").write_bytes(found[0])
        if words[0] == "graph":
            assert Graph.read("found.npz").columns.tolist() == Graph.read(f"plain{suffix}").columns.tolist()
        return
    assert found == [content]


@needs_fifo
def test_a_reader_that_leaves_a_pipe(gdslc, work) -> None:
    os.mkfifo("pipe.mtx")

    def leave() -> None:
        os.close(os.open("pipe.mtx", os.O_RDONLY))

    reader = threading.Thread(target=leave)
    reader.start()
    answer = gdslc("graph", "generate", "grid:300", "-o", "pipe.mtx")
    reader.join(60)
    answer.fails(1, "pipe.mtx", "error[E")


@every_way
def test_what_cannot_be_written(gdslc, work, words, suffix) -> None:
    """Said before the work is done, and nothing is left anywhere."""
    Path(f"folder{suffix}").mkdir()
    Path("folder").mkdir()
    Path(f"to_folder{suffix}").symlink_to("folder")
    Path(f"loop{suffix}").symlink_to(f"loop{suffix}")
    Path(f"astray{suffix}").symlink_to(f"no/such/place{suffix}")
    before = {*os.listdir("."), "cache"}
    for name in ("folder", "to_folder", "loop", "astray", "no/such/place", "hops.gdsl/x", "/proc/gdsl", "x" * 300):
        gdslc(*words, f"{name}{suffix}").fails(1, "error[E", name[:200])
    for behind in ("/", "//", "/.", "/.."):
        gdslc(*words, f"name{suffix}{behind}").fails(1, "E0911", "name", "the name of a directory")
    assert {*os.listdir("."), "cache"} == before
    assert os.listdir("folder") == []


def test_what_is_read_is_not_written_over(gdslc, work) -> None:
    """The program, the graph and what params are read from, also by another name."""
    Path("program.txt").write_bytes(Path("hops.gdsl").read_bytes())
    Path("same.cpp").symlink_to("program.txt")
    Path("edges.csv").write_text("source,target\n0,1\n1,2\n")
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    gdslc("compile", "hops.gdsl", "-o", "hops.gdsl").fails(2, "-o hops.gdsl", "a program is read")
    gdslc("compile", "hops", "-o", "other.gdsl").fails(2, "-o other.gdsl", ".cu")
    for name in ("program.txt", "same.cpp", "./program.txt"):
        gdslc("compile", "program.txt", "-o", name).fails(1, "E0911", "it is what program.txt is read from")
    run = ("run", "hops.gdsl", "edges.csv", "-p", "source=0", "--backend", "reference", "-o")
    gdslc(*run, "edges.csv").fails(1, "E0911", "it is what edges.csv is read from")
    profile = ("profile", "program.txt", "edges.csv", "-p", "source=0", "--backend", "cpu", "--html")
    gdslc(*profile, "program.txt").fails(1, "E0911", "it is what program.txt is read from")
    assert {path: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before


@every_way
def test_a_read_only_directory(gdslc, work, words, suffix) -> None:
    if not hasattr(os, "geteuid") or os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    Path("fixed").mkdir()
    Path(f"fixed/old{suffix}").write_bytes(b"old")
    Path("fixed").chmod(0o555)
    try:
        for name in ("new", "old"):
            gdslc(*words, f"fixed/{name}{suffix}").fails(1, "E0911", "fixed")
        assert Path(f"fixed/old{suffix}").read_bytes() == b"old"
    finally:
        Path("fixed").chmod(0o755)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@every_way
def test_a_full_device(gdslc, work, words, suffix) -> None:
    Path(f"full{suffix}").symlink_to("/dev/full")
    gdslc(*words, f"full{suffix}").fails(1, "No space left")
