"""What is compiled for a GPU is found in the cache without loading the compiler, and belongs to one compiler."""

from __future__ import annotations

import os

import pytest

from gdsl.backends.cuda import nvrtc
from gdsl.diagnostics import GdslError


@pytest.fixture
def library(tmp_path, monkeypatch):
    """The library of a wheel, which cannot be loaded."""
    path = tmp_path / "libnvrtc.so.13"
    path.write_bytes(b"one")
    monkeypatch.setattr(nvrtc, "_wheel_library", lambda: path)
    monkeypatch.setattr(nvrtc, "bindings", lambda: pytest.fail("NVRTC is loaded"))
    return path


@pytest.fixture(autouse=True)
def _asked_anew():
    nvrtc.is_there.cache_clear()
    yield
    nvrtc.is_there.cache_clear()


def identity():
    return nvrtc.identity.__wrapped__()


def test_a_wheel_is_known_by_its_file(library):
    nvrtc.require()
    assert identity() == identity()


@pytest.mark.parametrize("change", ["content", "time", "name"])
def test_another_library_is_another_compiler(library, change, monkeypatch):
    before = identity()
    if change == "content":
        status = library.stat()
        library.write_bytes(b"another")
        os.utime(library, ns=(status.st_atime_ns, status.st_mtime_ns))
    elif change == "time":
        os.utime(library, ns=(1, 1))
    else:
        renamed = library.rename(library.with_name("libnvrtc.so.14"))
        monkeypatch.setattr(nvrtc, "_wheel_library", lambda: renamed)
    assert identity() != before


def test_what_is_no_wheel_is_known_by_its_version(monkeypatch):
    monkeypatch.setattr(nvrtc, "_wheel_library", lambda: None)
    monkeypatch.setattr(nvrtc, "version", lambda: (12, 9))
    nvrtc.require()
    assert identity() == (12, 9)


def test_none_at_all_is_said(monkeypatch):
    def none():
        raise GdslError.single("E0903", "NVRTC cannot be loaded")

    monkeypatch.setattr(nvrtc, "_wheel_library", lambda: None)
    monkeypatch.setattr(nvrtc, "bindings", none)
    with pytest.raises(GdslError, match="E0903"):
        nvrtc.require()
    assert not nvrtc.is_there()
    assert identity() == ("no NVRTC",), "what packages bring along runs without it"
