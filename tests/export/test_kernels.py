"""`program.kernels`: what a launch asks for, as data, without a GPU."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gdsl
from gdsl.diagnostics import GdslError

ROOT = Path(__file__).parents[2]


def sample(name: str, *tune: str) -> gdsl.Program:
    return gdsl.compile(ROOT / "samples" / f"{name}.gdsl", tune=tune)


def test_the_page_shows_what_runs_on_gpus() -> None:
    """The block that needs a GPU is the file that the tests there run."""
    page = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"it takes a GPU, on which tests/gpu runs it -->\n```python\n(.*?)```", page, re.DOTALL)
    assert code == (ROOT / "tests" / "gpu" / "bfs_by_hand.py").read_text(encoding="utf-8")


def test_machine_code() -> None:
    pytest.importorskip("cupy_backends")
    (kernel,) = sample("bfs").kernels(arch="sm_75")
    assert kernel.cubin[:4] == b"\x7fELF"


def test_one_kernel_or_one_a_step() -> None:
    program = sample("bfs")
    (fused,) = program.kernels(arch="sm_90")
    assert (fused.name, fused.architecture, fused.threads) == ("gdsl_bfs_enactor", "sm_90", 512)
    assert fused.source == program.source("cuda")
    assert [argument.name for argument in fused.arguments] == ["problem"]
    steps = sample("bfs", "schedule.fuse=off").kernels(arch="90")
    assert len(steps) > 3
    assert steps["gdsl_bfs_start"] is steps[0]
    assert {len(kernel.arguments) for kernel in steps} == {2}
    with pytest.raises(KeyError, match="gdsl_bfs_start"):
        steps["enactor"]


def test_every_pointer_of_the_struct_is_a_buffer_or_a_value() -> None:
    for name, ids in (("sssp", 32), ("louvain", 64), ("betweenness", 32)):
        (kernel,) = sample(name).kernels(arch="sm_90", ids=ids)
        dtype = kernel.arguments[0].dtype
        told = {(buffer.group, buffer.field) for buffer in kernel.buffers}
        told |= {(group, field) for group, field, _ in kernel.values}
        fields = {(group, field) for group in dtype.names or () for field in dtype[group].names or ()}
        unused = {("graph", field) for field in dtype["graph"].names or ()}
        unused |= {("run", field) for field in dtype["run"].names or () if field.startswith(("bitmaps", "made_"))}
        assert told <= fields
        assert fields - told <= unused
        for buffer in kernel.buffers:
            shape = dtype[buffer.group][buffer.field].shape
            assert shape == ((buffer.copies,) if buffer.copies else ())


def test_sizes_are_those_that_a_run_allocates() -> None:
    graph, program = gdsl.Graph.read("karate"), sample("bfs")
    (kernel,) = program.kernels(arch="sm_90")
    sizes = {f"{buffer.group}.{buffer.field}": buffer for buffer in kernel.buffers}
    counts = graph.num_vertices, graph.num_edges
    assert sizes["problem.distance"].nbytes(*counts) == 4 * graph.num_vertices
    told = program.dry_run(graph, {"source": 0}, backend="cuda", memory=1 << 34).needs
    for need in told:
        if need.name in sizes and need.nbytes:
            assert need.nbytes == sizes[need.name].nbytes(*counts) * max(sizes[need.name].copies, 1)
    assert {sizes["run.control"].before, sizes["run.queues"].before} == {"must be zeroed", "may hold anything"}


def test_what_there_is_not() -> None:
    program = sample("bfs")
    with pytest.raises(GdslError, match="is not a GPU architecture"):
        program.kernels(arch="large")
    with pytest.raises(TypeError, match="arch is a str such as 'sm_90', not 90"):
        program.kernels(arch=90)
    with pytest.raises(ValueError, match="ids must be 32 or 64"):
        program.kernels(arch="sm_90", ids=16)
    wide = gdsl.compile(
        "program wide; problem { vertex a : (float64, vertex) = (inf, none); }"
        "edge functor f(src, dst, e) { apply { a[dst] min= (0.5, src); } } schedule { advance(vertices, f); }"
    )
    with pytest.raises(GdslError, match="128 bits"):
        list(wide.kernels(arch="sm_80"))
    assert len(wide.kernels(arch="sm_90")) == 1


def test_the_repr_has_the_whole_contract() -> None:
    text = repr(sample("pagerank").kernels(arch="sm_90"))
    for words in (
        "cooperative",
        "blocks: multiprocessors",
        "problem.rank: ",
        "run.control",
        "must be zeroed",
        "param, ",
    ):
        assert words in text
