"""One program for all tests of odd values, compiled once."""

from __future__ import annotations

import pytest
from support import odd

import gdsl


@pytest.fixture(scope="module")
def one_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GDSL_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def program(one_cache) -> gdsl.Program:
    return gdsl.compile(odd.TEXT)
