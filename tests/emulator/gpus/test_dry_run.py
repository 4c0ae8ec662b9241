"""What a dry run says of the memory of several GPUs."""

from __future__ import annotations

import pytest
from support.fake_driver import PAGE
from support.graphs import random_graph
from support.merges import MERGED

import gdsl
from gdsl import GdslError
from gdsl.backends.cuda import plan_of
from gdsl.graph import rmat
from gdsl.plan.buffer_nodes import Role
from gdsl.plan.gpu_copies import copies_of

from .. import build
from ..running import program_of
from .calls import code_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")


def test_a_dry_run_for_gpus_in_the_name_of_the_backend():
    graph, program = random_graph(300, 1200, seed=5, directed=False), gdsl.compile("bfs")
    run = lambda **options: program.dry_run(graph, {"source": 3}, memory=1 << 30, **options)  # noqa: E731
    assert run(backend="cuda:0,1").gpus == run(backend="cuda", gpus=2).gpus != ()
    assert run(backend="cuda:1").gpus == ()
    code, text = code_of(lambda: run(backend=f"cuda:{','.join(61 * ['0'])}"))
    assert code == "E0921" and "a run has at most 60" in text


def test_a_dry_run_says_what_each_gpu_holds():
    graph = random_graph(300, 1200, seed=5, directed=False)
    program = gdsl.compile("bfs")
    found = program.dry_run(graph, {"source": 3}, backend="cuda", memory=1 << 30, gpus=2)
    assert [each.gpu for each in found.gpus] == [0, 1]
    copied = sum(need.nbytes for need in found.needs if need.is_constant or need.is_own)
    assert [each.needed for each in found.gpus] == [found.needed, copied]  # results and frontiers are on the first
    assert found.fits
    large = rmat(17, seed=1)
    found = program.dry_run(large, {"source": 3}, backend="cuda", memory=10 << 20, gpus=2)
    assert sum(each.needed for each in found.gpus) >= found.needed  # some arrays have two copies
    assert all(each.needed >= 4 * large.num_edges // 2 - PAGE for each in found.gpus)
    assert found.fits is False and found.as_document()["gpus"][1]["gpu"] == 1


def test_a_dry_run_for_another_machine_wants_a_number_that_a_run_can_have():
    graph, program = random_graph(30, 120, seed=5), gdsl.compile("bfs")
    for gpus, message in (("all", "whose number is unknown"), (61, "a run has at most 60"), ([-1], "GPU -1")):
        with pytest.raises(GdslError, match=message) as error:
            program.dry_run(graph, {"source": 3}, backend="cuda", memory=1 << 30, gpus=gpus)
        assert error.value.diagnostics[0].code == "E0921"


def test_a_dry_run_counts_the_copies_of_each_kernel():
    """Of what it changes at random, too, by the plan for several GPUs; two kernels of a GPU have two copies."""
    graph = random_graph(300, 1200, seed=5)
    program = gdsl.compile(MERGED["two arrays"])
    run = lambda gpus, memory=1 << 30: program.dry_run(  # noqa: E731
        graph, {"source": 3}, backend="cuda", memory=memory, gpus=gpus
    )
    plan = plan_of(program_of(MERGED["two arrays"]), several_gpus=True)
    (found,) = (need for need in run(2).needs if need.what == Role.MIRROR.value)
    assert found.nbytes == 8 * graph.num_vertices * copies_of(plan) == 24 * graph.num_vertices
    first, second = (each.needed for each in run(2).gpus)
    assert [(each.gpu, each.needed) for each in run([0, 0]).gpus] == [(0, first + second)]
    assert [(each.gpu, each.needed) for each in run([0, 1, 1]).gpus] == [(0, first), (1, 2 * second)]
    assert [each.needed for each in run(2, 1000).gpus] == [first, found.nbytes]  # and of nothing else


def test_a_dry_run_keeps_the_graph_on_the_gpus_as_a_run_does(cupy, graph):
    program = gdsl.compile("bfs")
    for call in (program.dry_run, program.run):
        code, text = code_of(lambda call=call: call(graph, {"source": 3}, gpus=2, memory="host"))
        assert code == "E0923" and "the option memory is for runs on one GPU" in text


def test_a_dry_run_needs_the_persistent_kernel():
    graph, program = random_graph(30, 120, seed=5), gdsl.compile("bfs", fuse=False)
    code, _ = code_of(lambda: program.dry_run(graph, {"source": 3}, backend="cuda", memory=1 << 30, gpus=2))
    assert code == "E0923"
