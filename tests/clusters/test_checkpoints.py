"""Checkpoints: what is written is read again, and what does not fit is refused by name."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gdsl.backends.cpu.checkpoints import RunState
from gdsl.clusters.checkpoint_folder import RunKey
from gdsl.clusters.checkpoints import CheckpointOptions, Checkpoints, check_folder
from gdsl.clusters.failures import Member
from gdsl.diagnostics import GdslError
from tests.support.thread_group import ThreadCommunicator, run_group

SIZE = 3
KEY = RunKey("pagerank", "a1", "b2", SIZE)
MEMBERS = [Member(rank, f"host{rank}", 100 + rank, 2, "1", "x") for rank in range(SIZE)]


def _state(rank: int, passes: int) -> RunState:
    data = {
        "rank": np.arange(rank + passes, dtype=np.float32),
        "nothing": np.empty(0, np.int64),
        "converged": np.array(rank == 1),
    }
    sets = {0: np.array([rank, passes]), 2: np.empty(0, np.int32)}
    return RunState("a1", rank, np.array([0, 3, 5, 9]), 1, passes - 1, 20, passes, data, sets)


told: list[str] = []


def _run(options: CheckpointOptions, work: Callable[[Checkpoints, int], Any], key: RunKey = KEY) -> list[Any]:
    told.clear()

    def on_worker(communicator: ThreadCommunicator) -> Any:
        tell = told.append if communicator.rank == 0 else str
        with closing(Checkpoints(options, key, communicator, MEMBERS, tell)) as checkpoints:
            return work(checkpoints, communicator.rank)

    return run_group(SIZE, on_worker)


def _written(folder: Path, passes: int = 4, every: int = 2) -> None:
    def write(checkpoints: Checkpoints, rank: int) -> None:
        for number in range(passes + 1):
            if checkpoints.due(number):
                checkpoints.save(_state(rank, number))

    _run(CheckpointOptions(str(folder), every), write)


def _resumed(folder: Path, key: RunKey = KEY) -> list[RunState | None]:
    return _run(CheckpointOptions(str(folder), 2, resume=True), lambda each, rank: each.read(), key)


def test_a_run_continues_with_the_last_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "run"
    _written(folder, passes=5)
    for rank, found in enumerate(_resumed(folder)):
        assert found is not None
        own, wanted = found.arrays(), _state(rank, 4).arrays()
        assert list(own) == list(wanted)
        for name, values in wanted.items():
            assert own[name].dtype == values.dtype and np.array_equal(own[name], values)
    assert told == ["note: the run continues after pass 4"]
    assert sorted(path.name for path in folder.iterdir()) == ["checkpoint.json", "pass-4"]
    assert sorted(path.name for path in (folder / "pass-4").iterdir()) == [f"worker-{rank}.npz" for rank in range(SIZE)]


def test_a_run_that_is_resumed_goes_on_writing(tmp_path: Path) -> None:
    _written(tmp_path)

    def go_on(checkpoints: Checkpoints, rank: int) -> list[bool]:
        checkpoints.read()
        due = [checkpoints.due(passes) for passes in range(4, 9)]
        checkpoints.save(_state(rank, 6))
        return due

    assert _run(CheckpointOptions(str(tmp_path), 2, resume=True), go_on) == [[False, False, True, False, True]] * SIZE
    found = _resumed(tmp_path)[2]
    assert found is not None and found.iterations == 6


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (replace(KEY, program="bfs"), "of pagerank, and this is bfs"),
        (replace(KEY, program_key="a2"), "of pagerank with another text"),
        (replace(KEY, graph="b3"), "of another graph"),
        (replace(KEY, workers=2), "of 3 workers, and there are 2 now"),
        (replace(KEY, workers=1, graph="of one worker"), "of 3 workers, and there is 1 now"),
    ],
)
def test_checkpoints_of_other_runs_are_refused(tmp_path: Path, key: RunKey, words: str) -> None:
    _written(tmp_path)
    with pytest.raises(GdslError) as caught:
        _resumed(tmp_path, key)
    assert caught.value.code == "E0809" and words in str(caught.value)


def test_nothing_to_resume_and_nothing_to_overwrite(tmp_path: Path) -> None:
    assert _resumed(tmp_path) == [None] * SIZE
    assert told == [f"note: {tmp_path} has no checkpoint, so the run begins"]
    _written(tmp_path)
    with pytest.raises(GdslError, match=r"E0809.*already has a checkpoint of pagerank"):
        _written(tmp_path)


_MANIFEST = '{"format": 1, "passes": 4, "program": "pagerank", "program_key": "a1", "graph": "b2", "workers": 3}'


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", '{"format": 2, "passes": 3}', "\x00", "[" * 10_000),
        _MANIFEST.replace("4", "-4"),  # a run that began anew would overwrite the parts
        _MANIFEST.replace("4", "true"),
        _MANIFEST.replace("4", "1e400"),
        _MANIFEST.replace("4", "9" * 30),
        _MANIFEST.replace('"workers": 3', '"workers": -1'),
        _MANIFEST.replace('"program": "pagerank", ', ""),
        _MANIFEST.replace('"workers": 3', '"workers": "three"'),
    ],
)
def test_damaged_manifests(tmp_path: Path, text: str) -> None:
    (tmp_path / "checkpoint.json").write_text(text)
    with pytest.raises(GdslError, match=r"E0809.*is not a checkpoint of this version"):
        _resumed(tmp_path)


def test_missing_and_damaged_parts_name_the_worker(tmp_path: Path) -> None:
    _written(tmp_path)
    part = tmp_path / "pass-4" / "worker-1.npz"
    whole = part.read_bytes()
    part.write_bytes(whole[:100])
    with pytest.raises(GdslError, match=r"E0809.*worker 1 \(process 101 on host1\) cannot read its part"):
        _resumed(tmp_path)
    part.write_bytes((tmp_path / "pass-4" / "worker-0.npz").read_bytes())
    with pytest.raises(GdslError, match=r"E0809.*worker 1 .* finds the part of another checkpoint"):
        _resumed(tmp_path)
    part.unlink()
    with pytest.raises(GdslError, match=r"E0809.*worker 1 \(process 101 on host1\) finds no part"):
        _resumed(tmp_path)
    part.mkdir()
    with pytest.raises(GdslError, match=r"E0809.*worker 1 .* cannot read its part .*\(Is a directory\)"):
        _resumed(tmp_path)


def test_two_runs_at_once_in_one_folder(tmp_path: Path) -> None:
    def while_it_runs(checkpoints: Checkpoints, rank: int) -> None:
        if rank == 0:
            with pytest.raises(GdslError, match=r"E0809.*another run writes its checkpoints to"):
                _run(CheckpointOptions(str(tmp_path), 2), lambda each, rank: None)

    _run(CheckpointOptions(str(tmp_path), 2), while_it_runs)
    _written(tmp_path)  # the folder is free again


def test_parts_of_a_run_with_other_params(tmp_path: Path) -> None:
    """As two runs leave them that use one folder on a file system without locks."""
    for folder, key in ((tmp_path / "mine", KEY), (tmp_path / "other", replace(KEY, program_key="other params"))):
        _run(CheckpointOptions(str(folder), 2), lambda each, rank: each.save(_state(rank, 4)), key)
    os.replace(tmp_path / "other" / "pass-4" / "worker-1.npz", tmp_path / "mine" / "pass-4" / "worker-1.npz")
    with pytest.raises(GdslError, match=r"E0809.*worker 1 .* finds the part of another checkpoint"):
        _resumed(tmp_path / "mine")


def test_other_files_of_the_folder_stay(tmp_path: Path) -> None:
    (tmp_path / "pass-2").mkdir()
    (tmp_path / "pass-2" / "notes.txt").write_text("mine")
    _written(tmp_path)
    _run(CheckpointOptions(str(tmp_path), 2, resume=True), lambda each, rank: each.remove())
    assert [path.name for path in tmp_path.rglob("*")] == ["pass-2", "notes.txt"]


def test_a_full_disk_keeps_the_checkpoint_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _written(tmp_path, passes=2)
    replacing = os.replace

    def full(source: Any, target: Any) -> None:
        if str(target).endswith("worker-2.npz"):
            raise OSError(28, "No space left on device")
        replacing(source, target)

    monkeypatch.setattr(os, "replace", full)

    def write(checkpoints: Checkpoints, rank: int) -> None:
        checkpoints.read()
        checkpoints.save(_state(rank, 4))

    with pytest.raises(GdslError, match=r"E0911.*worker 2 .*No space left") as caught:
        _run(CheckpointOptions(str(tmp_path), 2, resume=True), write)
    assert "all hosts can write to" in str(caught.value)
    monkeypatch.undo()
    assert json.loads((tmp_path / "checkpoint.json").read_text())["passes"] == 2
    assert not list(tmp_path.rglob("*.tmp"))
    assert [found and found.iterations for found in _resumed(tmp_path)] == [2] * SIZE
    _run(CheckpointOptions(str(tmp_path), 2, resume=True), lambda each, rank: each.remove())
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GdslError, match=r"E0911.*worker \d .* cannot write a checkpoint"):
        _written(tmp_path / "file" / "run")


def test_what_is_found_before_the_graph_is_read(tmp_path: Path) -> None:
    def checked(folder: Path, resume: bool = False) -> None:
        options = CheckpointOptions(str(folder), 2, resume)
        run_group(SIZE, lambda communicator: check_folder(options, communicator, MEMBERS))

    checked(tmp_path / "new")
    assert list((tmp_path / "new").iterdir()) == []
    _written(tmp_path)
    with pytest.raises(GdslError, match=r"E0809.*already has a checkpoint of pagerank"):
        checked(tmp_path)
    checked(tmp_path, resume=True)
    with pytest.raises(GdslError, match=r"E0911.*Not a directory") as caught:
        checked(tmp_path / "checkpoint.json" / "run")
    assert "use a folder that all hosts can write to" in str(caught.value)


def test_a_run_that_ends_removes_its_checkpoint(tmp_path: Path) -> None:
    _written(tmp_path)
    _run(CheckpointOptions(str(tmp_path), 2, resume=True), lambda each, rank: each.remove())
    assert list(tmp_path.iterdir()) == []
    _written(tmp_path)
