"""Runs of more operators than a trace keeps."""

import pytest

import gdsl
from gdsl.backends.cpu import run
from gdsl.backends.reference import interpreter, operators
from gdsl.codegen.cpu import generate

COUNTING = """program counting;
problem { param passes : int32; vertex turns : int32; scalar last : int32; }
schedule {
    while (last < passes) { compute(vertices, v => { turns[v] += 1; }) @turn; last += 1; }
}
"""


@pytest.fixture(autouse=True)
def short_traces(monkeypatch, tmp_path):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path))  # that of other tests has programs whose traces are longer
    for module in (run, generate, interpreter, operators):
        monkeypatch.setattr(module, "TRACE_CAPACITY", 100)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("passes", [0, 1, 99, 100, 101, 5000])
def test_a_trace_has_the_first_operators_and_a_run_all(passes, backend):
    result = gdsl.compile(COUNTING)(gdsl.Graph.from_edges([0], [1]), passes=passes, backend=backend)
    assert result.turns.tolist() == [passes, passes]
    assert (result.last, result.iterations) == (passes, passes)
    assert [record.iteration for record in result.trace] == list(range(min(passes, 100)))


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_a_run_that_is_stopped_later_knows_where_it_was(backend):
    endless = COUNTING.replace("last < passes", "last <= passes").replace("last += 1;", "last = 0;")
    with pytest.raises(gdsl.GdslError, match=r"in pass ([0-9,]+) of the `while` loop") as error:
        gdsl.compile(endless)(gdsl.Graph.from_edges([0], [1]), passes=1, backend=backend, timeout=2)
    passes = int(str(error.value).partition("in pass ")[2].partition(" of")[0].replace(",", ""))
    assert passes > 101
