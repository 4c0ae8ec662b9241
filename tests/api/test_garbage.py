"""Python's search for garbage rests while a program is compiled, and only then."""

from __future__ import annotations

import gc
import threading

import pytest

import gdsl
from gdsl.interpreter import uncollected

TEXT = """program p;
problem { vertex a : int32 = 7; }
vertex functor f(v) { apply { a[v] = 8; } }
schedule { compute(vertices, f); }
"""


@pytest.fixture(autouse=True)
def as_before():
    before = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if before else gc.disable)()


def test_it_goes_on_afterwards():
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_a_mistake():
    with pytest.raises(gdsl.GdslError):
        gdsl.compile(TEXT.replace("a[v]", "b[v]"))
    assert gc.isenabled()


def test_who_has_turned_it_off_keeps_it_off(tmp_path, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path))
    gc.disable()
    gdsl.compile(TEXT)
    assert not gc.isenabled()


@pytest.mark.timeout(60)
def test_it_goes_on_whatever_the_order_of_threads():
    inside, leave = threading.Event(), threading.Event()

    def other():
        with uncollected():
            inside.set()
            leave.wait()

    with uncollected():
        thread = threading.Thread(target=other)
        thread.start()
        inside.wait()
    leave.set()
    thread.join()
    assert gc.isenabled()
