"""The hash over gdsl's own files, as this process has loaded them: read once, then noted for as long as the files look
the same from outside; what is kept is of no other state."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from gdsl import cache, own_files
from gdsl.cache import state
from gdsl.diagnostics import GdslError

LONG_AGO = 1_600_000_000


@pytest.fixture(autouse=True)
def package(tmp_path, monkeypatch):
    """A cache of its own, and another installation of some files."""
    place = tmp_path / "gdsl"
    for name in ("gdsl/a.py", "gdsl/inside/b.py", "gdsl/__pycache__/a.py", "grammar/g.lark", "templates/t/x.j2"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"content of {name}")
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(own_files, "package", lambda: str(place))
    monkeypatch.setattr(own_files, "AT_LOADING", None)
    cache.fingerprint.cache_clear()
    begin()
    yield place
    cache.fingerprint.cache_clear()


def begin():
    """As if a process began here."""
    own_files.AT_LOADING = own_files._at_loading()
    cache.fingerprint.cache_clear()


def fingerprint():
    """What a process finds that begins now."""
    begin()
    return cache.fingerprint()


def settle(monkeypatch):
    monkeypatch.setattr(state, "settled", lambda files: True)


def forbid_reading(monkeypatch):
    def content(files):
        raise AssertionError("the files are read again")

    monkeypatch.setattr(state, "content", content)


def notes():
    return list(cache.directory().glob("state-*"))


@pytest.fixture
def noted(monkeypatch):
    """The hash, noted in a cache that is in use."""
    settle(monkeypatch)
    cache.put("front", ("a",), b"data")
    first = fingerprint()
    assert len(notes()) == 1
    time.sleep(0.02)  # the clock of the file system goes in steps
    return first


def test_the_note_is_used(noted, monkeypatch):
    forbid_reading(monkeypatch)
    assert fingerprint() == noted


def test_the_note_is_no_entry(noted):
    assert cache.usage()[0] == 1
    assert cache.clear() == 1


CHANGES = {
    "another content": lambda place: (place / "a.py").write_text("other"),
    "another content as long": lambda place: (place / "a.py").write_text("CONTENT OF gdsl/a.py"),
    "another module": lambda place: (place / "inside" / "c.py").write_text(""),
    "a module less": lambda place: (place / "inside" / "b.py").unlink(),
    "another name": lambda place: (place / "a.py").rename(place / "z.py"),
    "another grammar": lambda place: (place.parent / "grammar" / "g.lark").write_text("other"),
    "another template": lambda place: (place.parent / "templates" / "t" / "x.j2").write_text("other"),
    "another template more": lambda place: (place.parent / "templates" / "y.cuh").write_text("other"),
}


def test_rooms_that_have_no_part_in_it_are_left_out(noted, package, monkeypatch):
    """By the contracts of `lint-imports`: what compiles stands below them, or is forbidden to know them."""
    for room in own_files._APART:
        (package.parent / room).mkdir(parents=True)
        (package.parent / room / "more.py").write_text("")
    assert state.content(own_files.look()) == noted
    with open(Path(__file__).parents[2] / "pyproject.toml", encoding="utf-8") as file:
        text = file.read()
    [layers] = re.findall(r'type = "layers"\nlayers = \[(.*?)\]', text, re.DOTALL)
    order = re.findall(r"gdsl\.(\w+)", layers)
    [sources] = re.findall(r'source_modules = \[([^\]]*)\]\nforbidden_modules = \["gdsl.graph"\]', text)
    compiling = re.findall(r"gdsl\.(\w+)", sources)
    assert {"frontend", "ir", "plan", "codegen"} <= set(compiling)
    for room in (each for each in own_files._ROOMS_APART if each not in ("graph", "backends/reference")):
        assert order.index(room) < min(map(order.index, compiling)), "whoever stands higher is not imported"
    assert order.index("backends") < min(map(order.index, compiling))
    [keeping] = re.findall(r'source_modules = \[([^\]]*)\]\nforbidden_modules = \["gdsl.backends.reference"\]', text)
    assert re.findall(r"gdsl\.backends\.(\w+)", keeping) == ["cpu", "cuda"]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_any_change_of_a_file_is_another_state(noted, package, change):
    change(package)
    changed = fingerprint()
    assert changed != noted
    assert fingerprint() == changed


def test_a_change_that_keeps_size_and_time_is_seen(noted, package):
    """As by tools that set the times of what they write."""
    path = package / "a.py"
    before = path.stat()
    path.write_text(path.read_text().upper())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert fingerprint() != noted


def test_the_same_files_elsewhere_are_the_same_state(noted, package, tmp_path, monkeypatch):
    for name in ("gdsl", "grammar", "templates"):
        shutil.copytree(tmp_path / name, tmp_path / "copy" / name)
    monkeypatch.setattr(own_files, "package", lambda: str(tmp_path / "copy" / "gdsl"))
    assert fingerprint() == noted
    assert len(notes()) == 2


def test_what_python_compiles_is_no_part(noted, package, monkeypatch):
    (package / "__pycache__" / "a.py").write_text("other")
    forbid_reading(monkeypatch)
    assert fingerprint() == noted


def test_files_that_may_still_change_unseen_are_not_noted(package):
    cache.put("front", ("a",), b"data")
    fingerprint()
    assert notes() == []
    for path in package.parent.rglob("*"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    fingerprint()  # the time of the change itself is still new
    assert notes() == []


@pytest.mark.parametrize(
    "damage", [lambda data: b"", lambda data: data[:-1], lambda data: b"x" + data[1:], lambda data: data[100:]]
)
def test_damaged_note_counts_as_missing(noted, damage):
    [note] = notes()
    note.write_bytes(damage(note.read_bytes()))
    assert fingerprint() == noted


@pytest.mark.parametrize("data", [b"", b"ab cd", b"a\0b", b"a\0b\0c", b"\xff\0\xff\0\0"])
def test_note_of_another_form_counts_as_missing(noted, data):
    """As another version of gdsl may have left it."""
    [note] = notes()
    cache._note(note.name, data)
    assert fingerprint() == noted


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no users here")
@pytest.mark.parametrize("part", ["cache", "note"])
def test_note_that_others_can_write_to_is_not_used(noted, part, monkeypatch):
    [note] = notes()
    (note if part == "note" else note.parent).chmod(0o777)
    read = []
    content = state.content
    monkeypatch.setattr(state, "content", lambda files: read.append(1) or content(files))
    assert fingerprint() == noted
    assert read


@pytest.mark.parametrize("trouble", ["missing", "a file", "odd name"])
def test_no_cache_is_no_trouble_and_none_is_made(trouble, monkeypatch):
    settle(monkeypatch)
    if trouble == "a file":
        cache.directory().write_text("")
    if trouble == "odd name":
        monkeypatch.setattr(os, "environ", {**os.environ, "GDSL_CACHE_DIR": "/a\0b"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(fingerprint()) == 64
    if trouble == "missing":
        assert not cache.directory().exists()


def test_what_is_no_file_is_left_out(package, noted):
    """Links that lead nowhere or to themselves, as editors leave them, directories and pipes of such names."""
    here = package / "inside"
    (here / ".#b.py").symlink_to("someone@somewhere.1234:5678")
    (here / "round.py").symlink_to("round.py")
    (here / "folder.py").mkdir()
    os.mkfifo(here / "pipe.py")
    (package.parent / "grammar" / "nowhere").symlink_to("nowhere else")
    assert fingerprint() == noted


def test_links_are_followed_once(package, noted):
    """To what is looked through anyway they are not, and in the package to no directory that is none."""
    here = package / "inside"
    (here / "again").symlink_to("..")
    (here / "itself").symlink_to(".")
    (here / "all").symlink_to("/")
    assert fingerprint() == noted
    elsewhere = package.parent / "elsewhere"
    elsewhere.mkdir()
    for name in ("__init__.py", "c.py"):
        (elsewhere / name).write_text(name)
    (elsewhere / "back").symlink_to(".")
    (here / "part").symlink_to(elsewhere)
    with_part = fingerprint()
    assert with_part != noted
    (elsewhere / "c.py").write_text("another one")
    assert fingerprint() not in (noted, with_part)


@pytest.mark.parametrize("place", ["gdsl/secret", "templates/secret"])
def test_a_directory_that_cannot_be_read_is_no_part(package, noted, monkeypatch, place):
    (package.parent / place).mkdir()
    scandir = os.scandir

    def refusing(path):
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert fingerprint() == noted


def test_an_archive_is_told(package, monkeypatch):
    (package.parent / "gdsl.zip").write_bytes(b"PK")
    monkeypatch.setattr(own_files, "package", lambda: str(package.parent / "gdsl.zip" / "gdsl"))
    with pytest.raises(GdslError, match=r"E0907.*archive"):
        fingerprint()


# ------------------------------------------------------------ files that change under a process


def test_what_is_read_is_of_the_state_that_was_loaded(noted, package, monkeypatch):
    (package / "a.py").write_text("other")
    forbid_reading(monkeypatch)
    cache.fingerprint.cache_clear()
    assert cache.fingerprint() == noted
    assert cache.get("front", ("a",)) == b"data"
    assert cache.get("front", ("b",)) is None


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_nothing_is_written_once_a_file_has_changed(noted, package, change):
    """It may be by a module that was imported, or a template that was read, after that."""
    change(package)
    cache.put("front", ("b",), b"data")
    assert cache.get("front", ("b",)) is None
    assert cache.usage()[0] == 1
    library = cache.put_file("cpu", ("c",), b"library")
    assert library.read_bytes() == b"library"
    assert not cache.holds(library)
    assert cache.usage()[0] == 1
    begin()
    cache.put("front", ("b",), b"data")
    assert cache.get("front", ("b",)) == b"data"


def test_a_change_that_is_taken_back_is_one(noted, package):
    content = (package / "a.py").read_text()
    (package / "a.py").write_text("other")
    (package / "a.py").write_text(content)
    cache.put("front", ("b",), b"data")
    assert cache.usage()[0] == 1
    assert fingerprint() == noted


def test_what_python_compiles_meanwhile_is_no_change(noted, package):
    (package / "inside" / "__pycache__").mkdir()
    (package / "inside" / "__pycache__" / "b.pyc").write_text("")
    cache.put("front", ("b",), b"data")
    assert cache.get("front", ("b",)) == b"data"


def test_nothing_is_found_or_kept_where_nobody_knows_what_was_loaded(noted, package):
    """The hash was not noted, and the files are others by now."""
    [note] = notes()
    note.unlink()
    (package / "a.py").write_text("other")
    cache.fingerprint.cache_clear()
    assert cache.fingerprint() is None
    assert cache.get("front", ("a",)) is None
    cache.put("front", ("b",), b"data")
    library = cache.put_file("cpu", ("c",), b"library")
    assert not cache.holds(library)
    assert cache.get_file("cpu", ("c",)) is None
    assert cache.usage()[0] == 1
    assert notes() == []


def test_nor_where_a_part_was_missing_when_it_was_loaded(noted, package):
    grammar = package.parent / "grammar"
    grammar.rename(package.parent / "away")
    begin()
    with pytest.raises(GdslError, match=r"E0907.*grammar.*No such file") as caught:
        cache.get("front", ("a",))
    assert "install gdsl again" in str(caught.value)
    (package.parent / "away").rename(grammar)
    assert cache.get("front", ("a",)) is None
    cache.put("front", ("b",), b"data")
    assert cache.usage()[0] == 1
    begin()
    assert cache.get("front", ("a",)) == b"data"


ROOT = Path(__file__).parents[2]
PROGRAM = "program p; problem {{ vertex v : int32 = {}; }} schedule {{ v[0] = 1; }}"
FIRST, SECOND = PROGRAM.format(1), PROGRAM.format(2)
CHANGING = f"""
import pathlib, gdsl
assert gdsl.compile({FIRST!r}).doc == ""
assert "gdsl.pipeline" not in __import__("sys").modules
path = pathlib.Path(gdsl.__file__).with_name("pipeline.py")
text = path.read_text()
path.write_text(text + '''
from dataclasses import replace
_as_it_was = load
def load(*given, **named):
    return replace(_as_it_was(*given, **named), doc="of a version that was never meant to stay")
''')
print(gdsl.compile({SECOND!r}).doc)
path.write_text(text)
"""


def answer(tree, code):
    environment = {**os.environ, "PYTHONPATH": str(tree), "GDSL_CACHE_DIR": str(tree / "cache")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, cwd=tree, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def installation(tmp_path):
    """Another gdsl, whose files may be changed, with the first program in its cache."""
    for name in ("gdsl", "grammar", "templates"):
        shutil.copytree(ROOT / name, tmp_path / "tree" / name, ignore=shutil.ignore_patterns("__pycache__"))
    answer(tmp_path / "tree", f"import gdsl; gdsl.compile({FIRST!r})")
    return tmp_path / "tree"


@pytest.mark.slow
def test_a_module_that_was_edited_before_it_was_imported_leaves_nothing_behind(installation):
    assert "never meant to stay" in answer(installation, CHANGING)
    assert answer(installation, f"import gdsl; print(gdsl.compile({SECOND!r}).doc)") == "\n"


@pytest.mark.slow
def test_bytecode_of_an_older_source_leaves_nothing_behind(installation):
    """Python takes it where the source was written twice within a second, and is as long as before."""
    source = installation / "gdsl" / "operations.py"
    right, second = source.read_text(), 1_700_000_000 * 10**9
    wrong = right.replace('    ADD = "+"', '    ADD = "?"').replace('    SUBTRACT = "-"', '    SUBTRACT = "+"')
    wrong = wrong.replace('    ADD = "?"', '    ADD = "-"')
    program = "program p; problem { vertex v : int32 = 5; } schedule { compute(vertices, x => { v[x] = v[x] - 3; }); }"
    code = f"import gdsl; graph = gdsl.Graph.from_edges([], [], num_vertices=2); run = gdsl.compile({program!r})"
    code += "; print(*run(graph, backend='reference').v)"
    source.write_text(wrong)
    os.utime(source, ns=(second, second))
    answer(installation, "import gdsl.operations")
    [bytecode] = (source.parent / "__pycache__").glob("operations.*.pyc")
    os.utime(bytecode, ns=(second, second + 1_000))
    source.write_text(right)
    os.utime(source, ns=(second, second + 2_000))
    assert answer(installation, code) == "8 8\n"  # which is Python's, and nobody's but this process's
    bytecode.unlink()
    assert answer(installation, code) == "2 2\n"


def test_the_files_are_looked_at_before_they_are_loaded():
    code = "import gdsl.api.compiling, sys; print([name for name in sys.modules if name.startswith('gdsl.')][0])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "gdsl.own_files\n"
