"""What each of several GPUs does when, in the form whose kernels write a lane of the trace each: the same results, as
many records as the trace has, and members that add up to those of the operator."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from oracles import BY_NAME, CASES, Case
from profiling.test_page_script import drawn

import gdsl
from gdsl.backends.cuda import plan_of
from gdsl.backends.cuda.trace import lanes_of
from gdsl.backends.gpu_lanes import GpuLanes
from gdsl.backends.gpus import with_lanes
from gdsl.cli.main import main
from gdsl.codegen.structs import struct_dtype
from gdsl.plan import structs
from gdsl.plan.buffer_nodes import Role
from gdsl.types import Widths

from .. import build
from ..emulated_device import EmulatedDevice
from ..modes import FUSED
from ..running import build as build_program
from ..running import device_for, differences, program_of
from ..test_programs import graphs, names_for, reference
from .calls import numpy_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")


def check(case: Case, graph: str, device: EmulatedDevice) -> GpuLanes:
    """The lanes of a run, whose results are those of the reference."""
    built = build_program(case.name, several_gpus=True, lanes=True)
    bindings, expected = reference(case, graph, 32)
    found = built.run(graphs()[graph], bindings, device)
    assert differences(built.program, expected, found) == []
    lanes = found.lanes
    assert lanes.labels == tuple(record.label for record in found.trace)
    shape = device.gpus, len(found.trace)
    assert lanes.compute_ms.shape == lanes.waiting_ms.shape == lanes.members.shape == shape
    assert (lanes.compute_ms >= 0).all() and (lanes.waiting_ms >= 0).all()
    vertices = graphs()[graph].num_vertices
    for record, members in zip(found.trace, lanes.members.T.tolist(), strict=True):
        assert sum(members) in (record.frontier_size, vertices) or members == [-1] * device.gpus
    return lanes


@pytest.mark.parametrize("gpus", [2, 3])
@pytest.mark.parametrize("name", ["bfs", "pagerank", "k_core", "sssp", "connected_components"])
@pytest.mark.sampled(4)
def test_lanes(name: str, gpus: int) -> None:
    lanes = check(BY_NAME[name], "several_blocks", device_for(gpus, blocks=2 * gpus, gpus=gpus))
    assert (lanes.members >= 0).all()  # of these samples all are known
    assert (lanes.members.sum(axis=1) > 0).all()
    assert (lanes.waiting_ms.sum(axis=1) > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(30)
def test_lanes_of_any_program(case: Case) -> None:
    for seed, name in enumerate(names_for(case, FUSED, 2)[:4]):
        check(case, name, device_for(seed, blocks=4 + 2 * (seed % 2), gpus=2 + seed % 2))


def test_a_run_without_lanes_has_the_text_of_before() -> None:
    """Not a word of lanes: what is measured costs nothing where nobody asks for it."""
    with_them, without = (build_program("bfs", several_gpus=True, lanes=lanes) for lanes in (True, False))
    assert "lane_record" in with_them.generated.text and "write_lane" in with_them.generated.text
    assert not re.search(r"lane_record|write_lane|members_taken|take_turns", without.generated.text)
    plans = [plan_of(program_of("bfs"), several_gpus=True, lanes=lanes) for lanes in (True, False)]
    roles = [{buffer.role for buffer in plan.buffers} for plan in plans]
    assert roles[0] - roles[1] == {Role.LANES}


def lane(*records: tuple[int, int, int, int]) -> np.ndarray:
    return np.array([*records], struct_dtype(structs.LANE_RECORD, Widths.both(32))).view(np.uint8)


def test_cycles_of_each_gpu_are_those_of_its_own_clock() -> None:
    """A million of them took one and two milliseconds here."""
    built = build_program("bfs", several_gpus=True, lanes=True)
    bindings, _ = reference(BY_NAME["bfs"], "one_edge_directed", 32)
    trace = built.run(graphs()["one_edge_directed"], bindings, device_for(0, blocks=2, gpus=2)).trace[:1]
    size = trace[0].frontier_size
    first = lane((1, 1_000_000, 1_000_000, 0), (size, 300, 200, 100))
    second = lane((1, 1_000_000, 2_000_000, 0), (0, 300, 200, 100))
    lanes = lanes_of(built.plan, trace, [first, second], [1, 1], vertices=2)
    assert lanes.gpus == ("GPU 1, kernel 0", "GPU 1, kernel 1")
    assert lanes.compute_ms.tolist() == [[pytest.approx(4e-4)], [pytest.approx(8e-4)]]
    assert lanes.waiting_ms.tolist() == [[pytest.approx(1e-4)], [pytest.approx(2e-4)]]
    assert lanes.members.tolist() == [[size], [0]]
    more = lane((1, 1_000_000, 1_000_000, 0), (size + 7, 300, 200, 100))
    assert lanes_of(built.plan, trace, [more, second], [0, 1], vertices=2).members.tolist() == [[-1], [-1]]
    events = json.loads(lanes.text())["traceEvents"]
    ends = [each["ts"] + each["dur"] for each in events if each.get("cat") == "wait"]
    assert ends[0] == pytest.approx(ends[1])  # they leave the barrier together


def test_a_profile_has_a_lane_for_each_gpu(cupy, graph, tmp_path: Path) -> None:
    program = gdsl.compile("bfs")
    profile = gdsl.profile(program, graph, source=3, gpus=[1, 0], repeat=2)
    document = profile.as_document()
    lanes, trace = document["lanes"], document["trace"]
    assert [lane["name"] for lane in lanes] == ["GPU 1", "GPU 0"]
    for each in lanes:
        assert {len(column) for column in each["columns"].values()} == {len(trace["site"])}
        assert each["compute_ms"] == pytest.approx(sum(each["columns"]["compute_ms"]), abs=1e-5)
    ways = zip(trace["direction"], trace["frontier"], strict=True)
    pulled = [graph.num_vertices if way == "pull" else size for way, size in ways]
    members = [sum(row) for row in zip(*(each["columns"]["members"] for each in lanes), strict=True)]
    assert members == pulled
    assert re.search(r"^GPU 1: .* at work, .* at barriers, [\d,]+ members$", profile.text(), re.MULTILINE)
    profile.to_json(tmp_path / "run.json")
    assert gdsl.profiling.Profile.read(tmp_path / "run.json").as_document() == document
    profile.to_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {each["args"]["name"] for each in events if each["name"] == "thread_name"} == {"GPU 1", "GPU 0"}
    assert {each["tid"] for each in events if each["ph"] == "X"} == {0, 1}
    plain = program(graph, source=3, gpus=[1, 0])  # on the same devices, without lanes
    assert plain.lanes is None
    assert np.array_equal(numpy_of(plain.distance), program(graph, source=3, backend="reference").distance)
    named = gdsl.profile(program, graph, source=3, backend="cuda:0,1").as_document()["lanes"]
    assert [each["name"] for each in named] == ["GPU 0", "GPU 1"]


def test_other_profiles_have_none(graph, tmp_path: Path) -> None:
    profile = gdsl.profile("bfs", graph, source=3, backend="reference")
    assert profile.as_document()["lanes"] is None
    with pytest.raises(ValueError, match="only a run on several GPUs has lanes"):
        profile.to_trace(tmp_path / "trace.json")
    assert with_lanes("cuda:0,1") == with_lanes(with_lanes("cuda:0,1")) == "cuda:0,1+lanes"
    assert [with_lanes(key) for key in ("cuda", "cpu", "cuda:1", "auto")] == ["cuda", "cpu", "cuda:1", "auto"]


@pytest.mark.parametrize(
    "change",
    [
        lambda lanes: lanes[0].pop("name"),
        lambda lanes: lanes[1]["columns"]["members"].pop(),
        lambda lanes: lanes[0]["columns"].update(waiting_ms=["1"] * len(lanes[0]["columns"]["waiting_ms"])),
        lambda lanes: lanes[0].update(members=-1),
        lambda lanes: lanes.append(3),
    ],
)
def test_documents_with_other_lanes_are_refused(cupy, graph, tmp_path: Path, change) -> None:
    document = gdsl.profile("bfs", graph, source=3, gpus=2).as_document()
    change(document["lanes"])
    (tmp_path / "bad.json").write_text(json.dumps(document))
    with pytest.raises(gdsl.GdslError, match="E0616"):
        gdsl.profiling.Profile.read(tmp_path / "bad.json")


@pytest.mark.skipif(shutil.which("node") is None, reason="no node, which runs the script")
def test_the_page_draws_them(cupy, graph, tmp_path: Path) -> None:
    profile = gdsl.profile("bfs", graph, source=3, gpus=2)
    lines = drawn(profile.html(), tmp_path / "page.html")
    assert re.findall(r'<h2>\n *"(.*)"', lines)[:3] == ["Time by pass", "Operators", "GPUs"]
    records = profile.as_document()["records"]
    for gpu in ("GPU 0", "GPU 1"):
        assert len(re.findall(rf":: .{gpu}: visit — pass", lines)) == 2 * records


def test_the_command_line(cupy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd) -> None:
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str]:
        status = main(["run", "bfs", "karate", "-p", "source=0", *words])
        return status, " ".join(capfd.readouterr().err.split())

    status, said = run("--gpus", "2", "--trace", "run.json")
    assert status == 0, said
    assert re.search(r"GPU 0: computed [\d.]+ ms, waited [\d.]+ ms at barriers; \d+ members", said)
    events = json.loads(Path("run.json").read_text())["traceEvents"]
    assert {each["cat"] for each in events if each["ph"] == "X"} == {"compute", "wait"}
    for words, error in (
        (["--trace", "x.json"], "--trace is for runs with --workers, --cluster, --mpi or --gpus"),
        (["--gpus", "1", "--trace", "x.json"], "of two GPUs or more"),
        (["--gpus", "0,", "--trace", "x.json"], "needs two GPUs or more"),
        (["--gpus", "2", "--trace", "x.json", "--dry-run"], "--trace is not available with --dry-run"),
    ):
        status, said = run(*words)
        assert status == 2 and error in said, said
    assert not Path("x.json").exists()
