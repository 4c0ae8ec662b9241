"""`gdslc cache`: what there is, and how it goes."""

from __future__ import annotations

import json
import os
import re
import time

import pytest

from gdsl import cache


@pytest.fixture
def own(work, monkeypatch):
    place = work / "cache"
    monkeypatch.setenv("GDSL_CACHE_DIR", str(place))
    return place


def age(place, days):
    for path in place.glob("front/*"):
        moment = time.time() - days * 86400 - 10
        os.utime(path, (moment, moment))


def test_info_of_an_empty_cache(own, gdslc):
    answer = gdslc("cache", "info")
    assert (answer.status, answer.err) == (0, "")
    assert str(own) in answer.out
    assert "entries:       none" in answer.out
    assert not own.exists(), "to look makes nothing"


def test_info(own, gdslc):
    assert gdslc("check", "hops.gdsl").status == 0
    age(own, 40)
    answer = gdslc("cache", "info")
    assert "front:" in answer.out
    assert re.search(r"front: +1, ", answer.out)
    assert "40 days ago" in answer.out
    found = json.loads(gdslc("cache", "info", "--json").out)
    assert found["directory"] == str(own)
    assert found["limit"] == 10**9
    assert found["kinds"]["front"]["entries"] == 1
    assert found["kinds"]["front"]["bytes"] == cache.list_entries()[0].size or found["entries"] > 1
    assert found["kinds"]["front"]["oldest_s"] >= 40 * 86400


def test_clear_by_age(own, gdslc):
    gdslc("check", "hops.gdsl")
    age(own, 40)
    gdslc("check", "paths.gdsl")
    before = cache.usage()[0]
    answer = gdslc("cache", "clear", "--older-than", "30d")
    assert answer.out.startswith("removed 1 entry, ")
    assert cache.usage()[0] == before - 1
    assert gdslc("cache", "clear").out.startswith(f"removed {before - 1:,} ")
    assert gdslc("cache", "clear").out == "removed 0 entries, 0 bytes\n"
    assert gdslc("check", "hops.gdsl").status == 0, "what is needed again is made again"


@pytest.mark.parametrize("word", ["", "30", "d", "-1d", "1.5d", "30 days", "1y", "٣d"])
def test_ages_that_are_none(own, gdslc, word):
    gdslc("check", "hops.gdsl")
    gdslc("cache", "clear", "--older-than", word).fails(2, "is not an age")
    assert cache.usage()[0] > 0


def test_a_cache_of_others_is_not_emptied(own, gdslc):
    gdslc("check", "hops.gdsl")
    own.chmod(0o777)
    gdslc("cache", "clear").fails(1, "E0913", "others can write")
    assert "others can write" in gdslc("cache", "info").out
    own.chmod(0o700)
    assert cache.usage()[0] > 0


def test_a_cache_that_cannot_be_named(work, gdslc, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", "~no-such-user/cache")
    gdslc("cache", "clear").fails(1, "E0913", "GDSL_CACHE_DIR")
    gdslc("cache", "info").fails(1, "GDSL_CACHE_DIR")
