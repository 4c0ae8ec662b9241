"""Only what nobody but the user can have written is read from the cache: owners and modes of the whole way."""

from __future__ import annotations

import os
import stat
import warnings

import pytest

from gdsl import cache

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no users here")
root_only = pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() != 0, reason="only root gives files away")
STRANGER = 54321


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """The cache three directories below one that is safe; an entry under ("a",) is in it."""
    place = tmp_path / "home" / "dot-cache" / "gdsl"
    monkeypatch.setenv("GDSL_CACHE_DIR", str(place))
    monkeypatch.setattr(cache, "_warned", False)
    cache.put("front", ("a",), b"data")
    assert cache.get("front", ("a",)) == b"data"
    return place


def refused(*words):
    """Nothing is read, nothing is written, and one warning says why and what to do."""
    assert cache.get("front", ("a",)) is None
    assert cache.get_file("front", ("a",)) is None
    before = cache.usage()
    with pytest.warns(RuntimeWarning) as caught:
        cache.put("front", ("b",), b"data")
        cache.put("front", ("c",), b"data")
    [warning] = caught
    for word in (*words, "GDSL_CACHE_DIR"):
        assert word in str(warning.message)
    assert cache.usage() == before
    assert cache.problem() is not None


def parts(place):
    return {"kind": place / "front", "cache": place, "parent": place.parent, "grandparent": place.parent.parent}


@pytest.mark.parametrize("part", ["kind", "cache", "parent", "grandparent"])
@pytest.mark.parametrize("mode", [0o770, 0o720, 0o707, 0o702, 0o777])
def test_no_directory_of_the_way_is_writable_by_others(place, part, mode):
    parts(place)[part].chmod(mode)
    if part == "kind":
        assert cache.get("front", ("a",)) is None
        with pytest.warns(RuntimeWarning, match="others can write to"):
            cache.put("front", ("b",), b"data")
    else:
        refused("others can write to", str(parts(place)[part]), "chmod go-w")
    parts(place)[part].chmod(0o755)
    assert cache.get("front", ("a",)) == b"data"


def test_sticky_directory_on_the_way_is_safe(place):
    place.parent.chmod(0o1777)
    assert cache.get("front", ("a",)) == b"data"


@pytest.mark.parametrize("mode", [0o1777, 0o1770])
def test_sticky_directory_is_no_cache(place, mode):
    place.chmod(mode)
    refused("others can write to")


@root_only
@pytest.mark.parametrize("part", ["kind", "cache", "parent", "grandparent"])
def test_no_directory_of_the_way_belongs_to_another_user(place, part):
    os.chown(parts(place)[part], STRANGER, -1)
    assert cache.get("front", ("a",)) is None
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        cache.put("front", ("b",), b"data")


def test_all_is_foreign_to_another_user(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
    assert cache.get("front", ("a",)) is None


def test_own_links_on_a_safe_way_are_followed(place, tmp_path, monkeypatch):
    link = tmp_path / "link"
    link.symlink_to(place.parent)
    monkeypatch.setenv("GDSL_CACHE_DIR", str(link / "gdsl"))
    assert cache.get("front", ("a",)) == b"data"


def test_what_a_link_leads_to_is_looked_at(place, tmp_path, monkeypatch):
    link = tmp_path / "link"
    link.symlink_to(place.parent)
    monkeypatch.setenv("GDSL_CACHE_DIR", str(link / "gdsl"))
    place.parent.chmod(0o777)
    refused("others can write to", str(place.parent))


def test_where_a_link_lies_is_looked_at(place, tmp_path, monkeypatch):
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    (open_to_all / "link").symlink_to(place)
    open_to_all.chmod(0o777)
    monkeypatch.setenv("GDSL_CACHE_DIR", str(open_to_all / "link"))
    refused("others can write to", str(open_to_all))


@root_only
def test_link_of_another_user_is_not_followed(place, tmp_path, monkeypatch):
    link = tmp_path / "link"
    link.symlink_to(place)
    os.lchown(link, STRANGER, -1)
    monkeypatch.setenv("GDSL_CACHE_DIR", str(link))
    refused("belongs to another user")


def test_links_in_a_circle_are_one_warning(tmp_path, monkeypatch):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "a"))
    refused("endless link")


@pytest.mark.parametrize("mask", [0o002, 0o000, 0o022, 0o077])
def test_own_directories_are_private_whatever_the_umask(tmp_path, monkeypatch, mask):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "x" / "y" / "cache"))
    before = os.umask(mask)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            cache.put("front", ("a",), b"data")
            path = cache.put_file("cpu", ("a",), b"library")
    finally:
        os.umask(before)
    assert cache.get("front", ("a",)) == b"data"
    for made in (path.parent, path.parent.parent, tmp_path / "x" / "y", tmp_path / "x"):
        assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
