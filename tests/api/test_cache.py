"""The cache never fails a run, and never gives back what cannot be trusted."""

from __future__ import annotations

import os
import warnings

import pytest

from gdsl import cache


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", False)


def test_what_is_put_is_found_under_its_key_only():
    cache.put("front", ("a", "bc"), b"data")
    assert cache.get("front", ("a", "bc")) == b"data"
    assert cache.get("front", ("ab", "c")) is None
    assert cache.get("cpu", ("a", "bc")) is None
    assert cache.get("front", ("a", b"bc")) is None
    assert cache.usage()[0] == 1


def test_other_state_of_gdsl_finds_nothing(monkeypatch):
    cache.put("front", ("a",), b"data")
    monkeypatch.setattr(cache, "fingerprint", lambda: "another")
    assert cache.get("front", ("a",)) is None


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: b"x" + data[1:], lambda data: b"", lambda data: data + b"x"]
)
def test_damaged_entry_counts_as_missing(damage):
    cache.put("cpu", ("a",), b"data")
    [path] = cache.directory().glob("cpu/*")
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get("cpu", ("a",)) is None
    cache.put("cpu", ("a",), b"data")
    assert cache.get("cpu", ("a",)) == b"data"


def test_file_entries():
    path = cache.put_file("cpu", ("a",), b"library", ".so")
    assert path.name.endswith(".so")
    assert path.read_bytes().startswith(b"library")
    assert cache.get_file("cpu", ("a",), ".so") == path
    path.write_bytes(b"lib")
    assert cache.get_file("cpu", ("a",), ".so") is None


def test_cache_that_cannot_be_written_warns_once_and_works():
    cache.directory().write_text("a file where the directory should be")
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        cache.put("front", ("a",), b"data")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = cache.put_file("cpu", ("a",), b"library")
    assert path.read_bytes() == b"library"
    assert cache.get("front", ("a",)) is None
    assert cache.trouble() is not None


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no users here")
def test_directory_of_others_is_not_used(monkeypatch):
    cache.put("front", ("a",), b"data")
    cache.directory().chmod(0o777)
    assert cache.get("front", ("a",)) is None
    with pytest.warns(RuntimeWarning, match="is not used"):
        cache.put("front", ("b",), b"data")
    cache.directory().chmod(0o700)
    assert cache.get("front", ("a",)) == b"data"
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert cache.get("front", ("a",)) is None


def test_default_directory_follows_xdg(monkeypatch, tmp_path):
    monkeypatch.delenv("GDSL_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.directory() == tmp_path / "gdsl"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache.directory().parts[-2:] == (".cache", "gdsl")
