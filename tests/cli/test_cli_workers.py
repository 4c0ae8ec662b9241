"""The options of `gdslc run` for workers: what cannot be combined is refused by name, before anything starts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gdsl
from gdsl.clusters.checkpoints import CheckpointOptions, checkpoint_options
from gdsl.clusters.failures import Member
from gdsl.diagnostics import GdslError


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--workers 0", "--workers: there must be at least 1"),
        ("--workers x", "'x'"),
        ("--workers 2 --mpi", "--workers is for Ray; with --mpi the workers are the ranks: mpiexec -n N"),
        ("--cluster auto --mpi", "--cluster is for Ray"),
        ("--checkpoint d", "--checkpoint is for runs with --workers, --cluster or --mpi"),
        ("--every 3", "--every is for runs with --workers, --cluster or --mpi"),
        ("--resume", "--resume is for runs with --workers, --cluster or --mpi"),
        ("--workers 2 --every 3", "--every needs --checkpoint DIR"),
        ("--workers 2 --resume", "--resume needs --checkpoint DIR"),
        ("--workers 2 --checkpoint d", "--checkpoint needs --every N"),
        ("--workers 2 --checkpoint d --every 0", "--every: N must be at least 1"),
        ("--every 0", "--every: N must be at least 1"),
        ("--parts d", "--parts is for runs with --workers, --cluster or --mpi"),
        ("--trace d.json", "--trace is for runs with --workers, --cluster, --mpi or --gpus"),
        ("--workers 2 --parts=", "--parts: the name of the folder is empty"),
        ("--workers 2 --parts d -o x.npz", "-o is not available with --parts, which collects no results"),
        ("--workers 2 --parts d --names", "--names is not available with --parts"),
        ("--workers 2 --checkpoint= --every 1", "--checkpoint: the name of the folder is empty"),
        ("--workers 2 --each source=all", "--each is not available with --workers, --cluster or --mpi"),
        ("--workers 2 --dry-run", "--dry-run is not available"),
        ("--workers 2 --plot x.png", "--plot is not available"),
        ("--workers 2 --gpus 2", "--workers, --cluster or --mpi: with --backend cuda each worker uses one GPU"),
        ("--workers 2 --memory 2GB", "--memory is not available"),
        ("--workers 2 --tune-file x.tune", "--tune-file is not available"),
        ("--workers 2 --backend reference", "--backend reference is not available"),
    ],
)
def test_refused_options(gdslc: Any, words: str, said: str) -> None:
    answer = gdslc("run", "bfs", "karate", "-p", "source=0", *words.split())
    assert answer.status == 2 and said in " ".join(answer.err.split()), answer.err


def test_what_workers_with_gpus_cannot_do(gdslc: Any) -> None:
    answer = gdslc("run", "louvain", "karate", "--workers", "2", "--backend", "cuda")
    assert answer.status == 1 and "E0811]: louvain makes a graph here" in answer.err and "louvain.gdsl:" in answer.err
    words = ["--workers", "2", "--backend", "cuda", "--checkpoint", "d", "--every", "1"]
    answer = gdslc("run", "bfs", "karate", "-p", "source=0", *words)
    assert answer.status == 1 and "E0811" in answer.err and "no checkpoints" in answer.err and not Path("d").exists()


def test_mistakes_are_found_before_workers_start(gdslc: Any) -> None:
    assert "E0113" in gdslc("run", "nosuch", "karate", "--workers", "2").err
    assert "E0602" in gdslc("run", "bfs", "karate", "-p", "sorce=0", "--workers", "2").err
    for option in ("-o", "--trace"):
        answer = gdslc("run", "bfs", "karate", "-p", "source=0", option, "/no/where/x.npz", "--workers", "2")
        assert "E0911" in answer.err and "started" not in answer.err


@pytest.mark.parametrize("mpi", [False, True])
def test_files_are_looked_for_before_workers_start(gdslc: Any, monkeypatch: pytest.MonkeyPatch, mpi: bool) -> None:
    """Those of arrays by the process of the command, the graph where its host is one of the workers."""
    from gdsl.cli import workers

    def connected(*_: Any) -> Any:
        raise GdslError.single("E0810", "workers start")

    monkeypatch.setattr(workers, "connected", connected)
    on = ("--mpi",) if mpi else ("--workers", "2")
    run = ("run", "sssp", "-p", "source=0")
    answer = gdslc(*run, "roads.mtx", *on)
    assert answer.status == 1 and "E0701" in answer.err
    assert "did you mean karate" in gdslc(*run, "karatee", *on).err
    assert "unknown format `nosuch`" in gdslc(*run, "karate", "--format", "nosuch", *on).err
    assert "E0611" in gdslc(*run, "karate", "-p", "weight=@nosuch.npy", *on).err
    assert "E0611" in gdslc(*run, "karate", "-p", "weight=@nosuch.npy", "--cluster", "auto").err
    for words in (("karate", *on), ("rmat:4", *on), ("elsewhere.mtx", "--cluster", "auto")):
        assert "E0810]: workers start" in gdslc(*run, *words).err


def test_options_of_a_call() -> None:
    bfs, karate = gdsl.samples.bfs, gdsl.Graph.read("karate")
    with pytest.raises(TypeError, match=r"workers is what gdsl\.cluster returns, not 3"):
        bfs(karate, source=0, workers=3)
    with pytest.raises(TypeError, match="checkpoint is for runs with workers="):
        bfs(karate, source=0, checkpoint="d")
    with pytest.raises(TypeError, match="resume is for runs with workers="):
        bfs.run(karate, {"source": 0}, resume=True)
    for option in ({"memory": "2GB"}, {"gpus": 2}):
        with pytest.raises(TypeError, match="for runs of one process"):
            bfs(karate, source=0, workers=_Runs(), **option)


class _Runs:
    def run(self, program: gdsl.Program, graph: object, values: Any, **options: Any) -> tuple[Any, ...]:
        return program.name, graph, dict(values), options


def test_a_call_is_given_to_the_workers() -> None:
    answer: Any = gdsl.samples.bfs("roads.mtx", source=3, workers=_Runs(), timeout=5, every=2)
    assert answer == ("bfs", "roads.mtx", {"source": 3}, {"timeout": 5, "every": 2})


def test_arguments_of_a_cluster() -> None:
    with pytest.raises(TypeError, match=r"workers must be a whole number, not 2\.5"):
        gdsl.cluster(2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="workers must be at least 1"):
        gdsl.cluster(0)
    with pytest.raises(TypeError, match="address must be a str"):
        gdsl.cluster(address=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="gpus must be True or False, not 2"):
        gdsl.cluster(2, gpus=2)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="with mpi=True the workers are the ranks"):
        gdsl.cluster(3, mpi=True)


def test_options_of_checkpoints(tmp_path: Path) -> None:
    assert checkpoint_options(None, None, False) is None
    assert checkpoint_options(tmp_path, 3, True) == CheckpointOptions(str(tmp_path), 3, True)
    for directory, every, resume, words in (
        (None, 3, False, "every needs checkpoint="),
        (None, None, True, "resume needs checkpoint="),
        (tmp_path, 0, False, "at least 1"),
    ):
        with pytest.raises(ValueError, match=words):
            checkpoint_options(directory, every, resume)
    for directory, every in ((3, 3), (tmp_path, None), (tmp_path, 2.5)):
        with pytest.raises(TypeError):
            checkpoint_options(directory, every, False)


def test_lines_of_progress(capsys: pytest.CaptureFixture[str]) -> None:
    from gdsl.cli import workers

    lines = workers.Lines()
    lines._last -= workers._RARELY
    members = [Member(rank, f"host{rank}", 10 + rank, 2, "1", "x") for rank in range(2)]
    for event in ("started", "loading", "loaded 3 of 5 vertices and 2 of 4 edges", "compiling", "pass 1", "pass 2"):
        for member in members:
            lines(member, event)
    lines(members[0], "note: ids count from 1")
    assert capsys.readouterr().err.splitlines() == [
        "worker 0 on host0, process 10: started",
        "worker 1 on host1, process 11: started",
        "worker 0 on host0, process 10: loaded 3 of 5 vertices and 2 of 4 edges",
        "worker 1 on host1, process 11: loaded 3 of 5 vertices and 2 of 4 edges",
        "worker 0 on host0, process 10: pass 1",
        "note: ids count from 1",
    ]


def test_the_parts_of_a_graph(gdslc: Any) -> None:
    rows = gdslc("graph", "info", "karate", "--workers", "2").out.splitlines()
    assert rows[0].split() == ["worker", "vertices", "edges", "bytes", "cut", "edges", "mirrors"]
    assert rows[3] == "28% of the edges are cut; the largest part has 1.00 times the mean number of edges"
    document = json.loads(gdslc("graph", "info", "karate", "--workers", "2", "--json").out)
    assert [part["edges"] for part in document["parts"]] == [78, 78] and document["workers"] == 2
    for number in ("0", "65537", "-1", "x"):
        assert gdslc("graph", "info", "karate", "--workers", number).status == 2
