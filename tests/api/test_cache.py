"""Entries of the cache: found under their key only, and counted as missing where anything about them is not right."""

from __future__ import annotations

import os
import shutil
import socket
import warnings

import pytest

from gdsl import cache


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", False)


def entry(kind="front"):
    [path] = cache.directory().glob(f"{kind}/*")
    return path


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
    path = entry("cpu")
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get("cpu", ("a",)) is None
    cache.put("cpu", ("a",), b"data")
    assert cache.get("cpu", ("a",)) == b"data"


def test_entry_under_the_name_of_another_key_counts_as_missing():
    cache.put("front", ("a",), b"data of a")
    first = entry()
    cache.put("front", ("b",), b"data of b")
    [second] = set(cache.directory().glob("front/*")) - {first}
    shutil.copyfile(first, second)
    assert cache.get("front", ("b",)) is None
    assert cache.get("front", ("a",)) == b"data of a"


def test_entry_of_another_kind_counts_as_missing():
    cache.put("front", ("a",), b"data")
    path = entry()
    (cache.directory() / "cpu").mkdir(mode=0o700)
    cache.put("cpu", ("a",), b"other")
    other = entry("cpu")
    shutil.copyfile(path, other)
    assert cache.get("cpu", ("a",)) is None


def a_socket(path):
    here = os.getcwd()
    os.chdir(path.parent)  # the name of a socket may not be long
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    finally:
        os.chdir(here)


def a_directory(path):
    path.mkdir()


@pytest.mark.timeout(60)
@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no such files here")
@pytest.mark.parametrize("other", [a_socket, a_directory])
def test_what_is_no_plain_file_counts_as_missing(other):
    cache.put("front", ("a",), b"data")
    path = entry()
    path.unlink()
    other(path)
    assert cache.get("front", ("a",)) is None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cache.put("front", ("a",), b"data")
    assert cache.get("front", ("a",)) == (None if other is a_directory else b"data")


def test_file_entries():
    path = cache.put_file("cpu", ("a",), b"library")
    assert path.name.endswith(".so")
    assert path.read_bytes().startswith(b"library")
    assert cache.get_file("cpu", ("a",)) == path
    assert cache.contains(path)
    path.write_bytes(b"lib")
    assert cache.get_file("cpu", ("a",)) is None


def test_file_that_is_not_accepted_is_not_kept():
    seen = []
    found = cache.put_file("cpu", ("a",), b"library", accept=lambda path: bool(seen.append(path.read_bytes())))
    assert found is None
    assert len(seen) == 2
    assert all(content.startswith(b"library") for content in seen)
    assert cache.usage() == (0, 0)
    assert cache.get_file("cpu", ("a",)) is None


def test_file_that_is_accepted_elsewhere_only_is_kept_all_the_same():
    """As on a file system mounted noexec: the entry is good, and its copy can be loaded."""
    found = cache.put_file("cpu", ("a",), b"library", accept=lambda path: not path.is_relative_to(cache.directory()))
    assert not cache.contains(found)
    assert found.read_bytes() == b"library"
    assert cache.get_file("cpu", ("a",)) is not None


def test_clear_removes_entries_and_follows_no_link(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("mine")
    cache.put("front", ("a",), b"data")
    (cache.directory() / "link").symlink_to(elsewhere)
    assert cache.clear() == 1
    assert cache.usage() == (0, 0)
    assert (elsewhere / "precious").read_text() == "mine"


def test_default_directory_follows_xdg(monkeypatch, tmp_path):
    monkeypatch.delenv("GDSL_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.directory() == tmp_path / "gdsl"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache.directory().parts[-2:] == (".cache", "gdsl")


@pytest.mark.parametrize("other", ["a pipe", "a link", "of others"])
def test_an_entry_that_is_no_private_file_counts_as_missing(other, tmp_path, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    cache.put("front", ("a",), b"data")
    assert cache.get("front", ("a",)) == b"data"
    (entry,) = [path for path in (tmp_path / "cache" / "front").iterdir() if path.is_file()]
    if other == "of others":
        entry.chmod(0o660)
    else:
        content = entry.read_bytes()
        entry.unlink()
        if other == "a pipe":
            os.mkfifo(entry)
        else:
            (tmp_path / "elsewhere").write_bytes(content)
            entry.symlink_to(tmp_path / "elsewhere")
    assert cache.get("front", ("a",)) is None
