"""Edges, matrices and inputs that lie on the GPU already: CuPy's, and PyTorch's where it is installed."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.binding.inputs import input_array
from gdsl.graph.lazy_csr import LARGE
from gdsl.types import Widths

pytestmark = pytest.mark.gpu

SCALED = """program scaled;
problem { input vertex x : float32; input edge weight : float32; vertex y : float32; vertex z : float32; }
vertex functor scale(v) { apply { y[v] = 2 * x[v]; } }
edge functor take(src, dst, e) { apply { z[dst] += weight[e]; } }
schedule { compute(vertices, scale); advance(vertices, take); }
"""


@pytest.fixture(scope="module")
def cupy():
    return pytest.importorskip("cupy")


@pytest.fixture(scope="module")
def ends():
    """Large enough to be put in order on the GPU, with loops and parallel edges."""
    made = np.random.default_rng(1)
    count = LARGE + 5
    return made.integers(0, 300_000, count), made.integers(0, 300_000, count), made.integers(1, 9, count)


def same(one, other):
    assert (one.num_vertices, one.num_edges, one.directed) == (other.num_vertices, other.num_edges, other.directed)
    assert np.array_equal(one.offsets, other.offsets) and np.array_equal(one.columns, other.columns)
    assert one.attributes.keys() == other.attributes.keys()
    assert all(np.array_equal(one.attributes[name], other.attributes[name]) for name in one.attributes)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("run", [True, False])
def test_large_edge_arrays(cupy, ends, directed, weighted, run):
    given = [cupy.asarray(array) for array in ends]
    weights = (given[2], ends[2]) if weighted else (None, None)
    graph = gdsl.Graph.from_edges(given[0], given[1], weights=weights[0], directed=directed)
    wanted = gdsl.Graph.from_edges(ends[0], ends[1], weights=weights[1], directed=directed)
    assert graph._lazy_csr is not None and graph._lazy_csr.on_gpu
    given[0][:] = 0  # which is no longer the graph's
    if run:
        result = gdsl.samples.bfs(graph, source=0, backend="cuda")
        assert graph._lazy_csr is None
        assert np.array_equal(result.distance.get(), gdsl.samples.bfs(wanted, source=0, backend="cuda").distance.get())
    same(graph, wanted)


def test_large_arrays_changed_and_out_of_range(cupy, ends):
    sources, targets = (cupy.asarray(array) for array in ends[:2])
    wanted = gdsl.Graph.from_edges(*ends[:2]).changed(dedup="first", loops=False)
    same(gdsl.Graph.from_edges(sources, targets).changed(dedup="first", loops=False), wanted)
    targets[7] = -1
    with pytest.raises(gdsl.GdslError, match=r"E0707.*-1"):
        gdsl.Graph.from_edges(sources, targets)


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.parametrize("large", [True, False])
def test_matrices_of_cupy(cupy, ends, layout, large):
    sparse = pytest.importorskip("cupyx.scipy.sparse")
    count = len(ends[0]) if large else 1000
    rows, columns, values = (array[:count] for array in ends)
    from scipy.sparse import coo_array

    wanted = gdsl.Graph.from_scipy(coo_array((values.astype(np.float32), (rows, columns)), shape=(300_000, 300_000)))
    parts = cupy.asarray(values, dtype=cupy.float32), (cupy.asarray(rows), cupy.asarray(columns))
    matrix = sparse.coo_matrix(parts, shape=(300_000, 300_000)).asformat(layout)
    graph = gdsl.Graph.from_scipy(matrix)
    if layout == "coo":
        assert (graph._lazy_csr is not None and graph._lazy_csr.on_gpu) == large
        same(graph, wanted)
    found, expected = (gdsl.samples.bfs(each, source=0, backend="cuda").distance for each in (matrix, wanted))
    assert np.array_equal(found.get(), expected.get())


def test_small_arrays_and_names(cupy):
    graph = gdsl.Graph.from_edges(cupy.array([0, 1]), cupy.array([1, 2]), weights=cupy.array([1.5, 2.5]))
    same(graph, gdsl.Graph.from_edges([0, 1], [1, 2], weights=[1.5, 2.5]))
    table = gdsl.Graph.from_table({"source": cupy.array([0, 1]), "target": np.array([1, 2]), "weight": [1.5, 2.5]})
    same(graph, table)


@pytest.mark.filterwarnings("ignore:Sparse")
def test_torch(cupy, ends):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch knows no CUDA")
    program = gdsl.compile(SCALED)
    graph = gdsl.Graph.from_edges(*torch.tensor([[0, 1], [1, 2]]).cuda(), weights=torch.tensor([1.0, 2.0]).cuda())
    x = torch.arange(3, dtype=torch.float32, device="cuda")
    result = program(graph, x=x, backend="cuda")
    declared = next(array for array in program.ir.arrays if array.name == "x")
    taken = input_array(declared, x, graph, Widths.both(32), None, device=True)
    assert taken.data.ptr == x.data_ptr()
    back = torch.from_dlpack(result.y)
    assert back.is_cuda and back.tolist() == [0, 2, 4]
    assert back.data_ptr() == result.y.data.ptr
    assert program(graph, x=x, backend="cpu").y.tolist() == [0, 2, 4]
    for bad in (x.to(torch.bfloat16), x.clone().requires_grad_(), x.to(torch.complex64)):
        with pytest.raises(gdsl.GdslError, match=r"E0607"):
            program(graph, x=bad, backend="cuda")
    rows, columns, values = (torch.from_numpy(array).cuda() for array in ends)
    tensor = torch.sparse_coo_tensor(torch.stack([rows, columns]), values.float(), (300_000, 300_000))
    wanted = gdsl.Graph.from_edges(*ends[:2], 300_000, weights=ends[2].astype(np.float32))
    same(gdsl.Graph.from_torch(tensor), wanted)
    merged = tensor.coalesce().to_sparse_csr()
    same(gdsl.Graph.from_torch(merged), gdsl.Graph.from_torch(merged.cpu()))


def test_jax(cupy, monkeypatch):
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else it takes the memory of the GPU for itself
    jax = pytest.importorskip("jax")
    try:
        [device, *_] = jax.devices("gpu")
    except RuntimeError:
        pytest.skip("this JAX knows no GPU")
    program = gdsl.compile(SCALED)
    with jax.default_device(device):
        x, ids = jax.numpy.arange(3, dtype="float32"), jax.numpy.array([[0, 1], [1, 2]])
        graph = gdsl.Graph.from_edges(*ids, weights=jax.numpy.array([1.0, 2.0]))
        result = program(graph, x=x, backend="cuda")
        assert result.y.get().tolist() == [0, 2, 4]
        assert jax.dlpack.from_dlpack(result.y).tolist() == [0, 2, 4]
        assert program(graph, x=x, backend="cpu").y.tolist() == [0, 2, 4]
        for kind in ("bfloat16", "complex64"):
            with pytest.raises(gdsl.GdslError, match="E0607"):
                program(graph, x=x.astype(kind), backend="cuda")


def test_only_dlpack(cupy):
    class Tensor:
        """What speaks DLPack and nothing else."""

        def __init__(self, values):
            self.values = values

        def __dlpack__(self, **options):
            return self.values.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.values.__dlpack_device__()

    program = gdsl.compile(SCALED)
    graph = gdsl.Graph.from_edges(Tensor(cupy.array([0, 1])), [1, 2], weights=[1, 2])
    x = Tensor(cupy.arange(3, dtype=cupy.float32))
    assert program(graph, x=x, backend="cuda").y.get().tolist() == [0, 2, 4]
    assert program(graph, x=x, backend="reference").y.tolist() == [0, 2, 4]
