"""The part of every key that identifies gdsl's own code: the record of a wheel, else the files of a checkout."""

from __future__ import annotations

import os
import shutil

import pytest

from gdsl import cache, resources
from gdsl.cache import code_fingerprint
from gdsl.diagnostics import GdslError
from gdsl.version import __version__


@pytest.fixture(autouse=True)
def package(tmp_path, monkeypatch):
    """A cache, and another installation with a few files."""
    for name in ("gdsl/a.py", "gdsl/inside/b.py", "gdsl/__pycache__/a.py", "grammar/g.lark", "templates/t/x.j2"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"content of {name}")
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(resources, "PACKAGE", tmp_path / "gdsl")
    monkeypatch.setattr(code_fingerprint, "_STARTED", 2**63)  # these files are older than this process
    yield tmp_path / "gdsl"
    monkeypatch.undo()
    forget()


def forget():
    cache.fingerprint.cache_clear()
    resources.resource_directory.cache_clear()


def fingerprint():
    """That of a process which starts now."""
    forget()
    return cache.fingerprint()


CHANGES = {
    "a folder with the name of one that counts for nothing": lambda place: (
        (place / "inside" / "cli").mkdir(),
        (place / "inside" / "cli" / "a.py").write_text(""),
    ),
    "another content": lambda place: (place / "a.py").write_text("other"),
    "another content as long": lambda place: (place / "a.py").write_text("CONTENT OF gdsl/a.py"),
    "another module": lambda place: (place / "inside" / "c.py").write_text(""),
    "a module less": lambda place: (place / "inside" / "b.py").unlink(),
    "another name": lambda place: (place / "a.py").rename(place / "z.py"),
    "another grammar": lambda place: (place.parent / "grammar" / "g.lark").write_text("other"),
    "another template": lambda place: (place.parent / "templates" / "t" / "x.j2").write_text("other"),
    "another template more": lambda place: (place.parent / "templates" / "y.cuh").write_text("other"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_in_a_checkout_changes_it(package, change):
    first = fingerprint()
    cache.put("front", ("a",), b"data")
    assert fingerprint() == first
    change(package)
    assert cache.fingerprint() == first, "it never changes within a process"
    assert cache.get("front", ("a",)) == b"data"
    assert fingerprint() != first
    assert cache.get("front", ("a",)) is None


def test_a_change_that_keeps_size_and_time_changes_it(package):
    """As by tools that set the times of the files they write."""
    first, path = fingerprint(), package / "a.py"
    before = path.stat()
    path.write_text(path.read_text().upper())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert fingerprint() != first


def test_other_files_do_not_change_it(package):
    """What Python compiles, and links and pipes as editors leave them."""
    first, here = fingerprint(), package / "inside"
    (package / "__pycache__" / "a.py").write_text("other")
    (here / "__pycache__").mkdir()
    (here / "notes.txt").write_text("")
    (here / ".#b.py").symlink_to("someone@somewhere.1234:5678")
    (here / "loop.py").symlink_to("loop.py")
    (here / "again").symlink_to("..")
    (here / "folder.py").mkdir()
    (package / "cli").mkdir()
    (package / "cli" / "run.py").write_text("no entry depends on it")
    os.mkfifo(here / "pipe.py")
    assert fingerprint() == first


@pytest.fixture
def wheel(package):
    """The same as pip installs it."""
    (package / "_data").mkdir()
    for name in ("grammar", "templates"):
        shutil.move(package.parent / name, package / "_data" / name)
    record = package.parent / f"gdsl-{__version__}.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text("gdsl/a.py,sha256=abc,1")
    return record


def test_the_record_identifies_a_wheel(package, wheel):
    first = fingerprint()
    (package / "a.py").touch()
    assert fingerprint() == first
    wheel.write_text("gdsl/a.py,sha256=abd,1")
    assert fingerprint() != first


def test_a_wheel_without_a_record_is_identified_by_its_files(package, wheel):
    wheel.unlink()
    first = fingerprint()
    assert fingerprint() == first
    (package / "a.py").write_text("other")
    assert fingerprint() != first


def test_an_archive_is_refused(package, monkeypatch):
    (package.parent / "gdsl.zip").write_bytes(b"PK")
    monkeypatch.setattr(resources, "PACKAGE", package.parent / "gdsl.zip" / "gdsl")
    with pytest.raises(GdslError, match=r"E0907.*archive"):
        fingerprint()


def test_a_missing_part_is_refused(package):
    shutil.rmtree(package.parent / "grammar")
    with pytest.raises(GdslError, match=r"E0907.*grammar") as caught:
        fingerprint()
    assert "install gdsl again" in str(caught.value)


def test_a_process_that_may_run_older_code_shares_nothing(package, monkeypatch):
    """A file changed after the process began: the code in memory is not that of the files."""
    monkeypatch.setattr(code_fingerprint, "_STARTED", 0)
    assert fingerprint() != fingerprint()


def test_a_folder_that_cannot_be_listed_is_one_message(package, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(GdslError) as caught:
        fingerprint()
    assert caught.value.code == "E0907"
