"""Whether workers see the same graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gdsl.binding.shares import bind_share
from gdsl.clusters import fingerprints
from gdsl.clusters.failures import Member
from gdsl.clusters.fingerprints import bindings_fingerprint, check_file, file_fingerprint, share_fingerprint
from gdsl.clusters.members import check_members, introduction, threads_of
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.graph.shares import GraphShare
from gdsl.pipeline import load
from tests.support.thread_group import ThreadCommunicator, run_group

SIZE = 3
MEMBERS = [Member(rank, f"host{rank}", 100 + rank, 4, "1.0", "x") for rank in range(SIZE)]


def _check(paths: list[Path]) -> None:
    run_group(SIZE, lambda group: check_file(group, str(paths[group.rank]), MEMBERS))


def test_the_same_file(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    _check(paths)  # none of them has it: that is said by who reads it
    for path in paths:
        path.write_text("0 1\n1 2\n")
    _check(paths)


def test_other_content_and_missing_files_name_the_worker(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_text("0 1\n1 2\n")
    paths[2].write_text("0 1\n1 3\n")
    with pytest.raises(GdslError, match=r"E0808.*worker 2 \(process 102 on host2\) finds 8 bytes, hash"):
        _check(paths)
    paths[2].unlink()
    with pytest.raises(GdslError, match=r"E0808.*worker 2 \(process 102 on host2\) finds no file, worker 0"):
        _check(paths)


def test_large_files_are_compared_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprints, "_WHOLE", 1000)
    monkeypatch.setattr(fingerprints, "_PIECE", 100)
    path = tmp_path / "large"
    content = bytearray(range(256)) * 400
    path.write_bytes(content)
    first = file_fingerprint(str(path))
    assert first == file_fingerprint(str(path)) and first.startswith("102,400 bytes")
    for place in (0, -1):
        changed = bytearray(content)
        changed[place] ^= 1
        path.write_bytes(changed)
        assert file_fingerprint(str(path)) != first


def test_graphs_and_their_shares() -> None:
    def fingerprint(graph: Graph, size: int = SIZE) -> str:
        def work(group: ThreadCommunicator) -> str:
            return share_fingerprint(group, GraphShare.of(graph, group.rank, size))

        found = run_group(size, work)
        assert len(set(found)) == 1
        return found[0]

    ends = [0, 1, 2, 3], [1, 2, 3, 0]
    plain = Graph.from_edges(*ends)
    assert fingerprint(plain) == fingerprint(Graph.from_edges(*ends))
    others = [
        Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 1]),
        Graph.from_edges(*ends, weights=[1.0, 2, 3, 4]),
        Graph.from_edges(*ends, weights=[1.0, 2, 3, 5]),
        Graph.from_edges(*ends, weights=np.array([1, 2, 3, 4], np.float64).view(np.int64)),
        Graph.from_edges(*ends, directed=False),
    ]
    assert len({fingerprint(graph) for graph in (plain, *others)} | {fingerprint(plain, 2)}) == 7


def test_values_are_the_same_however_they_are_written() -> None:
    """Sets of strings have another order in each process, and come in another one from the driver's."""
    text = """program sites;
        problem { param sites : vertex set; param most : int32; input edge w : float32; vertex d : int32; }
        edge functor visit(src, dst, e) { cond w[e] > 0; apply { d[dst] max= most; } }
        schedule { advance(sites, visit, to=none); }"""
    program = load(text)
    graph = Graph.from_table({"source": ["a", "b", "c", "d"], "target": ["b", "c", "d", "e"]})

    def fingerprint(sites: Any, most: Any, w: Any) -> str:
        def work(group: ThreadCommunicator) -> str:
            share = GraphShare.of(graph, group.rank, SIZE)
            return bindings_fingerprint(
                group, bind_share(program, share, {"sites": sites, "most": most, "w": w}, group)
            )

        found = run_group(SIZE, work)
        assert len(set(found)) == 1
        return found[0]

    first = fingerprint(["a", "c", "e"], 3, [1, 2, 3, 4])
    for sites in (["e", "a", "c"], {"a", "c", "e"}, np.array([True, False, True, False, True])):
        assert fingerprint(sites, np.int64(3), np.array([1, 2, 3, 4], np.float64)) == first
    others = [(["a", "c"], 3, [1, 2, 3, 4]), (["a", "c", "e"], 4, [1, 2, 3, 4]), (["a", "c", "e"], 3, [1, 2, 3, 5])]
    assert first not in [fingerprint(*each) for each in others]


def test_workers_with_another_gdsl() -> None:
    check_members(MEMBERS)
    newer = Member(1, "host1", 101, 4, "1.1", "y")
    with pytest.raises(GdslError, match=r"E0808.*worker 1 \(process 101 on host1\) has gdsl 1\.1, and worker 0"):
        check_members([MEMBERS[0], newer])
    changed = Member(1, "host1", 101, 4, "1.0", "y")
    with pytest.raises(GdslError, match=r"E0808.*worker 1 .* has other code of gdsl 1\.0"):
        check_members([MEMBERS[0], changed])


def test_workers_of_a_host_share_its_processors() -> None:
    members = [Member(rank, host, rank, 8, "1", "x") for rank, host in enumerate(["a", "b", "a", "a"])]
    assert threads_of(members) == [2, 8, 2, 2]
    assert introduction(2).rank == 2 and len(introduction(0).code) == 16


def test_the_driver_has_the_gdsl_of_its_workers() -> None:
    newer = replace(MEMBERS[0], rank=-1, version="9.9")
    with pytest.raises(
        GdslError, match=r"E0808.*worker 0 .* has gdsl .*, and the process that starts the run has 9\.9"
    ):
        check_members(MEMBERS, newer)
