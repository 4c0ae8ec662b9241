"""Arrays that speak DLPack, in and out: JAX's, and those that speak nothing else."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import gdsl
from gdsl import Graph

jax = pytest.importorskip("jax")

SCALED = """program scaled;
problem {
    input vertex x : float32;
    input vertex n : int64;
    input vertex next : vertex;
    vertex y : float32;
    vertex to : vertex = none;
}
vertex functor scale(v) { apply { y[v] = x[v] * float32(n[v]); to[v] = next[v]; } }
schedule { compute(vertices, scale); }
"""
GOOD = {"x": [1.0, 2.0, 3.0], "n": [1, 2, 3], "next": [1, 2, -1]}
GRAPH = Graph.from_edges([0, 1], [1, 2])


class Tensor:
    """What speaks DLPack and nothing else."""

    def __init__(self, values, device=(1, 0)):
        self.values, self.device = np.asarray(values), device

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


class Old(Tensor):
    """The same of the protocol's first version."""

    def __dlpack__(self, stream=None):
        return self.values.__dlpack__()


class Differentiated:
    """A tensor as PyTorch's with gradients: to be taken by nobody."""

    requires_grad = True

    @property
    def __cuda_array_interface__(self):
        raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad")

    def __array__(self, *_, **__):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad")


class Brain:
    """A tensor of a type that NumPy has not."""

    dtype = "torch.bfloat16"

    def __array__(self, *_, **__):
        raise TypeError("Got unsupported ScalarType BFloat16")


@pytest.fixture(scope="module")
def program():
    return gdsl.compile(SCALED)


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize("make", [jax.numpy.asarray, Tensor, Old], ids=["jax", "dlpack", "old dlpack"])
def test_inputs_and_results(program, make, backend):
    given = {name: make(np.asarray(values, "f4" if name == "x" else "i4")) for name, values in GOOD.items()}
    result = program(GRAPH, **given, backend=backend)
    assert result.y.tolist() == [1.0, 4.0, 9.0] and result.to.tolist() == [1, 2, -1]
    back = jax.dlpack.from_dlpack(result.y)
    assert back.tolist() == [1.0, 4.0, 9.0]
    assert np.shares_memory(np.from_dlpack(result.y), result.y)


@pytest.mark.parametrize("make", [jax.numpy.asarray, Tensor], ids=["jax", "dlpack"])
def test_edges(make):
    graph = Graph.from_edges(make([0, 1]), make([1, 2]), weights=make(np.array([1.5, 2.5], "f4")))
    assert graph.edges[1].tolist() == [1, 2] and graph.attributes["weight"].tolist() == [1.5, 2.5]
    edge_index = jax.numpy.array([[0, 1], [1, 2]])
    assert Graph.from_edges(*edge_index).num_edges == 2
    table = Graph.from_table({"source": make([0, 1]), "target": make([1, 2])})
    assert table.edges[0].tolist() == [0, 1]


def test_inputs_of_the_right_type_are_not_copied():
    from gdsl.binding.inputs import input_array
    from gdsl.types import Widths

    program = gdsl.compile(SCALED)
    declared = {array.name: array for array in program.ir.arrays}
    for name, dtype in (("x", "f4"), ("n", "i8")):
        values = np.arange(3).astype(dtype)
        for given in (values, Tensor(values)):
            taken = input_array(declared[name], given, GRAPH, Widths.both(32), None, device=False)
            assert np.shares_memory(taken, values)
    mine = np.array([1, 2, -1], dtype=np.int32)
    ids = input_array(declared["next"], mine, GRAPH, Widths.both(32), None, device=False)
    assert not np.shares_memory(ids, mine)
    from_jax = jax.device_put(np.arange(3, dtype="f4"), jax.devices("cpu")[0])
    taken = input_array(declared["x"], from_jax, GRAPH, Widths.both(32), None, device=False)
    assert taken.ctypes.data == from_jax.unsafe_buffer_pointer()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("bfloat16", "bfloat16"),
        ("complex64", "complex64"),
        (Tensor(np.arange(3, dtype=complex)), "complex128"),
        (Tensor(np.arange(3.0), (8, 0)), "is in the memory of a device of Metal; copy it to the host first"),
        (Tensor(np.arange(3.0), (99, 0)), "a device other than the host's"),
        (Tensor(np.eye(3)), "shape"),
        (Differentiated(), "needs gradients; give tensor.detach()"),
        (Brain(), "has the type bfloat16"),
    ],
    ids=["bfloat16", "complex", "complex by dlpack", "metal", "unknown", "shape", "gradients", "torch"],
)
def test_what_cannot_be_taken(program, given, said):
    if isinstance(given, str):  # made here: where JAX has a GPU it takes most of its memory with the first array
        given = jax.numpy.arange(3, dtype=given)
    with pytest.raises(gdsl.GdslError, match=r"E060[67]") as caught:
        program(GRAPH, **{**GOOD, "x": given}, backend="reference")
    assert said in str(caught.value)
    with pytest.raises(gdsl.GdslError, match=r"E07"):
        Graph.from_edges(np.arange(3), given)


def test_memory_of_a_gpu_without_one(program, monkeypatch):
    try:
        import cupy

        if cupy.cuda.runtime.getDeviceCount():
            pytest.skip("there is a GPU")
    except Exception:  # of the driver's several classes
        pass
    given = Tensor(np.arange(3.0), (2, 0))
    for missing in (False, True):
        if missing:
            monkeypatch.setitem(sys.modules, "cupy", None)
        with pytest.raises(gdsl.GdslError, match=r"E0607.*is in the memory of a GPU") as caught:
            program(GRAPH, **{**GOOD, "x": given}, backend="reference")
        assert "tensor.cpu() copies it to the host" in str(caught.value)
        assert not missing or "pip install 'gdsl[cuda13]'" in str(caught.value)
        with pytest.raises(gdsl.GdslError, match=r"E0711.*is in the memory of a GPU"):
            Graph.from_edges(given, [1, 2, 0])
