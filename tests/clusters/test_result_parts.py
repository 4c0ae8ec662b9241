"""Results that workers write in parts: what is read again is what one process has."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.api.result import Result
from gdsl.api.summary import summarize
from gdsl.backends.interface import Outcome, parts_of
from gdsl.clusters.failures import Member
from gdsl.clusters.jobs import GraphWords, Job, Part, check_folders, perform
from gdsl.clusters.result_folder import PartFiles, PartsOptions, parts_options
from gdsl.clusters.result_parts import _write_array
from gdsl.diagnostics import GdslError
from gdsl.graph.shares import GraphShare
from tests.support.thread_group import ThreadCommunicator, run_group

TEXT = """
program all_kinds;
problem {
    param count : int32 where count > 0;
    vertex level : int32 = int32(id);
    vertex best : (float32, vertex) = (inf, none);
    vertex several[count] : int32;
    edge length : float32 = 0;
    edge toll : int64;
    scalar largest : int32;
    scalar least : float64 = inf;
}
vertex functor store(v) { apply { for i in 0..count { several[v][i] = level[v] + i; } } }
edge functor measure(src, dst, e) {
    apply { length[e] = float32(level[src] + level[dst]); best[src] min= (float32(level[dst]), dst); }
}
schedule { compute(vertices, store); advance(vertices, measure, to=none); largest = max(level); }
"""
MEMBERS = tuple(Member(rank, f"host{rank}", 100 + rank, 2, "1", "x") for rank in range(3))
GRAPHS = {
    "karate": gdsl.Graph.read("karate"),
    "empty": gdsl.Graph.from_edges([], [], num_vertices=0),
    "fewer vertices than workers": gdsl.Graph.from_edges([0, 1, 1], [1, 1, 1]),
}


@dataclass
class _Introduced:
    """The communicator of a thread, whose workers have introduced themselves."""

    communicator: ThreadCommunicator
    members = MEMBERS

    def __getattr__(self, name: str) -> Any:
        return getattr(self.communicator, name)


@pytest.fixture(scope="module")
def program() -> gdsl.Program:
    return gdsl.compile(TEXT)


def _job(program: gdsl.Program, options: PartsOptions, count: int = 2) -> Job:
    limits = gdsl.api.arguments.limits(None, None)
    graph = GraphWords("graph")
    return Job(
        program.text, program.knobs, (), graph, {"count": count}, frozenset(), limits, None, False, parts=options
    )


def _performed(program: gdsl.Program, graph: gdsl.Graph, options: PartsOptions) -> list[Part]:
    job = _job(program, options)

    def on_worker(communicator: ThreadCommunicator) -> Part:
        share = GraphShare.of(graph, communicator.rank, 3)
        words = replace(job.graph, share=share)
        return perform(_Introduced(communicator), str, replace(job, graph=words))  # type: ignore[arg-type]

    return run_group(3, on_worker)


def _options(path: Path) -> PartsOptions:
    found = parts_options(path)
    assert found is not None
    return found


def check_results(program: gdsl.Program, graph: gdsl.Graph, name: str, tmp_path: Path) -> None:
    """What workers write in the folder `name` are the results of one process, and nothing else is left."""
    options = _options(tmp_path / name)
    parts = _performed(program, graph, options)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    manifest = json.loads((tmp_path / name / "result.json").read_text())
    assert manifest["scalars"]["least"] == "inf" and len(manifest["parts"]) == 3
    written = {str(path.relative_to(tmp_path / name)) for path in (tmp_path / name).rglob("*.*")}
    assert written == {"result.json", *(file for part in manifest["parts"] for file in part["files"])}
    expected = program(graph, count=2, backend="reference")
    first = parts[0]
    assert first.outcome is not None and first.written is not None and not first.outcome.arrays
    files = PartFiles(options.directory, manifest, [part.written.summaries for part in parts if part.written])
    result = Result(program._results, replace(first.outcome, arrays=files), "cpu", params={"count": 2})
    for key, values in expected.host_arrays().items():
        found = parts_of(result.arrays)[key]
        assert found.dtype == values.dtype and found.shape == values.shape and np.array_equal(found, values), key
    assert result.scalars == expected.scalars
    assert result.summary() == expected.summary()


@pytest.mark.slow
@pytest.mark.parametrize("graph", GRAPHS.values(), ids=list(GRAPHS))
def test_parts_are_the_results_of_one_process(program: gdsl.Program, graph: gdsl.Graph, tmp_path: Path) -> None:
    check_results(program, graph, "out", tmp_path)


def test_what_is_there_already_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def checked(path: Path) -> None:
        run_group(3, lambda each: check_folders(_Introduced(each), str, None, _options(path)))  # type: ignore[arg-type]

    path = tmp_path / "out"
    checked(path)
    path.mkdir()
    checked(path)
    (path / "file").write_text("")
    for taken in (path, path / "file"):
        with pytest.raises(GdslError, match=r"E0911.*worker \d .*it is there already, and is not an empty folder"):
            checked(taken)
    with pytest.raises(GdslError, match=r"E0911.*there is no directory"):
        checked(tmp_path / "no" / "out")
    with pytest.raises(GdslError, match=r"E0911.*name too long"):  # with what is added to it while it is written
        checked(tmp_path / ("x" * 250))
    (path / "file").unlink()
    monkeypatch.setattr(Path, "is_mount", lambda path: True)
    with pytest.raises(GdslError, match=r"E0911.*name a folder in it"):
        checked(path)
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (5,), (2, 3)])
def test_arrays_are_written_as_by_numpy(tmp_path: Path, shape: tuple[int, ...]) -> None:
    for dtype in (np.int32, np.float64, np.bool_):
        values = np.ones(shape, dtype)
        with open(tmp_path / "a.npy", "wb") as file:
            _write_array(file, values)
        np.save(tmp_path / "b.npy", values)
        assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


def test_options() -> None:
    with pytest.raises(TypeError, match="parts is a folder, a str or a path-like object, not 3"):
        parts_options(3)
    for wrong in ("", b"x"):
        with pytest.raises((TypeError, ValueError), match="parts is"):
            parts_options(wrong)
    assert (
        parts_options(None) is None and not _options(Path("out/")).in_tables and _options(Path("a.parquet")).in_tables
    )


@pytest.mark.slow
def test_a_disk_that_fills_leaves_nothing(
    program: gdsl.Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gdsl.clusters import result_parts

    writing = result_parts._write_array

    def full(file: Any, values: Any) -> None:
        writing(file, values)
        if "length-1" in file.name:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(result_parts, "_write_array", full)
    with pytest.raises(GdslError, match=r"E0911.*worker 1 .*cannot write .*No space left on device"):
        _performed(program, GRAPHS["karate"], _options(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_hosts_that_share_no_disk(program: gdsl.Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gdsl.clusters import result_parts

    monkeypatch.setattr(result_parts.Path, "is_file", lambda path: "-2.npy" not in path.name)
    with pytest.raises(GdslError, match=r"E0911.*worker 0 .*does not find what worker 2 .*has written"):
        _performed(program, GRAPHS["karate"], _options(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_not_here(tmp_path: Path) -> None:
    about = {"over": "vertices", "type": "int32", "values": None, "grade": "exact"}
    files = PartFiles(str(tmp_path), {"results": {"level": about}, "parts": [{"vertices": 2}]}, [{}])
    with pytest.raises(GdslError, match=r"E0701.*cannot read `level` from .*No such file"):
        files["level"]
    assert [*files] == ["level"] and len(files) == 1 and "level" in files and "none" not in files


def _written(folder: Path, *parts: bytes) -> Result:
    """A result whose only array has been written by two workers, two values each, as these bytes."""
    program = gdsl.compile("program p; problem { vertex level : int32; } schedule { fill(level, 1); }")
    about = {"over": "vertices", "type": "int32", "values": None, "grade": "exact"}
    manifest = {"results": {"level": about}, "parts": [{"vertices": 2}, {"vertices": 2}]}
    for rank, content in enumerate(parts):
        (folder / f"level-{rank}.npy").write_bytes(content)
    summary = {"level": summarize(program.ir.arrays[0], np.ones(2, np.int32))}
    files: Any = PartFiles(str(folder), manifest, [summary, summary])
    return Result(program._results, Outcome(files, {}, 1, 0.0), "cpu")


def _bytes_of(values: list[Any], dtype: str = "int32") -> bytes:
    file = io.BytesIO()
    np.save(file, np.array(values, dtype))
    return file.getvalue()


def test_parts_are_read_only_when_they_are_asked_for(tmp_path: Path) -> None:
    result = _written(tmp_path)
    assert "level" in repr(result) and [*result] == ["level"] and "level" in dir(result) and "level" in result
    assert "4" in str(result._repr_html_()) and result.summary()[0].size == 4
    with pytest.raises(GdslError, match=r"E0701.*No such file"):
        _ = result.level


def test_a_part_that_has_been_changed_is_an_error(tmp_path: Path) -> None:
    right = _bytes_of([1, 2])
    assert _written(tmp_path, right, _bytes_of([3, 4])).level.tolist() == [1, 2, 3, 4]
    for wrong in (b"", b"junk", right[:-1], _bytes_of([1]), _bytes_of([1, 2], "float64"), _bytes_of([[1, 2]] * 2)):
        with pytest.raises(GdslError, match=r"E0701.*the part of worker 1 has been changed"):
            _ = _written(tmp_path, right, wrong).level
