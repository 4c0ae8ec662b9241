"""CuPy arrays in and out."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl

pytestmark = pytest.mark.gpu

SCALED = '''"""Each vertex's value times a factor."""
program scaled;
problem {
    param factor : float32 = 2;
    input vertex x : float32 where x >= 0;
    vertex y : float32;
    scalar total : float64 = 0;
}
vertex functor scale(v) { apply { y[v] = factor * x[v]; total += y[v]; } }
schedule { compute(vertices, scale); }
'''


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy")


@pytest.fixture
def graph() -> gdsl.Graph:
    return gdsl.Graph.from_edges([0, 1], [1, 2], num_vertices=3)


def test_arrays_stay_on_the_device(cupy, graph):
    program = gdsl.compile(SCALED)
    for given in (cupy.array([1, 2, 3], dtype=cupy.float32), cupy.array([1.0, 2.0, 3.0]), np.array([1, 2, 3])):
        result = program(graph, x=given, backend="cuda")
        assert isinstance(result.y, cupy.ndarray)
        assert cupy.asnumpy(result.y).tolist() == [2, 4, 6]
        assert result.total == 12
        assert type(result.total) is float
        assert result.host_arrays()["y"].tolist() == [2, 4, 6]
        assert result.summary()[0].sum == 12


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_device_arrays_go_to_other_backends(cupy, graph, backend):
    result = gdsl.compile(SCALED)(graph, x=cupy.array([1.0, 2.0, 3.0]), backend=backend)
    assert isinstance(result.y, np.ndarray)
    assert result.y.tolist() == [2, 4, 6]


@pytest.mark.parametrize(
    ("given", "code"),
    [([1.0, -2.0, 3.0], "E0608"), ([1.0, float("nan"), 3.0], "E0608"), ([1.0, 2.0], "E0606"), ([1e300, 0, 0], "E0607")],
)
def test_device_arrays_are_checked(cupy, graph, given, code):
    program = gdsl.compile(SCALED)
    with pytest.raises(gdsl.GdslError) as caught:
        program(graph, x=cupy.array(given), backend="cuda")
    assert caught.value.code == code


def test_command_line_on_the_gpu(tmp_path, capfd, monkeypatch):
    from gdsl.cli.main import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "scaled.gdsl").write_text(SCALED)
    (tmp_path / "path.csv").write_text("0,1\n1,2\n")
    np.save("x.npy", np.array([1.0, 2.0, 3.0]))
    assert main(["run", "scaled.gdsl", "path.csv", "-p", "x=@x.npy", "-o", "y.npz"]) == 0
    captured = capfd.readouterr()
    assert captured.err.startswith("backend: cuda")
    assert "2.0 4.0 6.0" in captured.out
    with np.load("y.npz") as results:
        assert results["y"].tolist() == [2, 4, 6]
