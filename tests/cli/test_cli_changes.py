"""`gdslc run --insert`, `--delete` and `--from-result`: the run on the changed graph, and an error for each mistake."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import gdsl
from gdsl.api.saved_results import digest_of_graph
from gdsl.graph.changes import updated_by_files

REFERENCE = ("--backend", "reference")
HEAD = "source,target,weight\n"
ROADS = "Ann,Bob,4.0\nBob,Eve,2\nEve,Fay,1\n"
MORE = "Ann,Eve,1\nFay,Ann,2.5\n"


@pytest.fixture(autouse=True)
def roads(gdslc):
    _write("roads.csv", HEAD + ROADS)
    _write("more.csv", HEAD + MORE)


def _write(name, text):
    Path(name).write_text(text)
    return name


def _distances(name):
    with np.load(name) as found:
        return {each: found[each].tolist() for each in found.files}


def _run(gdslc, graph, *words, status=0):
    answer = gdslc("run", "paths.gdsl", graph, *words, *REFERENCE)
    assert answer.status == status, answer.err
    return answer


def test_the_changed_graph_is_run(gdslc):
    _run(gdslc, "roads.csv", "-p", "source=Ann", "--insert", "more.csv", "-o", "new.npz")
    _write("all.csv", HEAD + ROADS + MORE)
    _run(gdslc, "all.csv", "-p", "source=Ann", "-o", "all.npz")
    assert _distances("new.npz") == _distances("all.npz") == {"distance": [0, 4, 1, 2]}
    _write("gone.csv", "source,target\nBob,Eve\n")
    words = ("--insert", "more.csv", "--delete", "gone.csv", "--json")
    found = json.loads(_run(gdslc, "roads.csv", "-p", "source=Bob", *words).out)
    assert found["graph"]["edges"] == 4 and found["results"]["distance"]["maximum"] == 0
    replaced = _write("replaced.csv", HEAD + "Bob,Eve,9\n")
    found = json.loads(
        _run(gdslc, "roads.csv", "-p", "source=Bob", "--insert", replaced, "--delete", replaced, "--json").out
    )
    assert found["graph"]["edges"] == 3 and found["results"]["distance"]["maximum"] == 10
    each = gdslc("run", "paths.gdsl", "roads.csv", "--each", "source=all", "--insert", "more.csv", "--json", *REFERENCE)
    assert json.loads(each.out)["runs"] == 4, each.err


GRAPHS = {
    "directed": ({"directed": True}, "0 3 1\n1 0 2\n1 0 5\n", "0 1\n1 1\n"),
    "undirected": ({"directed": False}, "3 0 1\n0 3 2\n2 2 5\n", "1 0\n1 1\n"),
}


@pytest.mark.parametrize("kind", GRAPHS)
def test_it_equals_the_graph_of_the_changed_list(kind):
    options, inserted, deleted = GRAPHS[kind]
    edges = "0 1 3\n1 1 4\n1 2 5\n1 2 6\n3 4 7\n"
    graph = gdsl.Graph.read(_write("before.txt", edges), num_vertices=6, **options)
    kept = "".join(f"{line}\n" for line in edges.splitlines() if line[:3] not in ("0 1", "1 1"))
    changed = updated_by_files(graph, _write("new.txt", inserted), _write("gone.txt", deleted), {})
    expected = gdsl.Graph.read(_write("after.txt", kept + inserted), num_vertices=6, **options)
    assert digest_of_graph(changed) == digest_of_graph(expected) != digest_of_graph(graph)


def test_ids_as_the_graph_has_them():
    one_based = {"one_based": True}
    graph = gdsl.Graph.read(_write("one.txt", "1 2\n2 3\n"), **one_based)
    changed = updated_by_files(graph, _write("new.txt", "3 1\n"), None, one_based)
    assert changed.edge_sources.tolist() == [0, 1, 2] and changed.columns.tolist() == [1, 2, 0]
    compact = gdsl.Graph.read(_write("big.txt", "70 80\n80 90\n"), compact=True)
    changed = updated_by_files(compact, _write("new.txt", "90 70\n"), _write("gone.txt", "70 80\n"), {})
    assert changed.edge_sources.tolist() == [1, 2] and changed.columns.tolist() == [2, 0]
    assert updated_by_files(graph, _write("none.csv", "source,target\n"), None, {}).num_edges == 2


@pytest.mark.parametrize("id_", [4, -1, 5_000_000_000])
def test_ids_that_the_graph_does_not_have(gdslc, id_):
    """Reading both files in another way would make another graph."""
    _write("few.txt", "0 1\n1 2\n2 3\n")
    words = ("-p", "source=0", _write("far.txt", f"0 {id_}\n"), *REFERENCE)
    for option in ("--insert", "--delete"):
        err = gdslc("run", "hops.gdsl", "few.txt", *words[:2], option, *words[2:]).err
        assert "far.txt:1: error[E0707]" in err and "the 4 vertices of the graph" in err
        assert "one_based" not in err and "compact" not in err
    words = ("--num-vertices", "5", "-p", "source=0", "--insert", "far.txt")
    assert gdslc("run", "hops.gdsl", "few.txt", *words, *REFERENCE).status == (id_ != 4)


MISTAKES = {
    "an unknown name": ("--insert", HEAD + "Ann,Zed,1\n", "E0717", "no vertex is called 'Zed'"),
    "a misspelled name": ("--insert", HEAD + "Ann,Bobb,1\n", "E0717", "did you mean 'Bob'?"),
    "no weights": ("--insert", "source,target\nAnn,Eve\n", "E0717", "have no `weight`"),
    "another column": ("--insert", "source,target,weight,lanes\nAnn,Eve,1,2\n", "E0717", "have `lanes`"),
    "the wrong way": ("--delete", HEAD + "Bob,Ann,1\n", "E0717", "the graph has 'Ann' -> 'Bob': swap the ends"),
    "no number": ("--insert", HEAD + "Ann,Eve,long\n", "E0705", "`long` is not a number"),
    "no such edge": ("--delete", "source,target\nEve,Bob\n", "E0717", "'Eve' -> 'Bob' cannot be deleted"),
    "deleted twice over": (
        "--delete",
        "source,target\nAnn,Bob\nAnn,Ann\n",
        "E0717",
        "'Ann' -> 'Ann' cannot be deleted",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_the_file(gdslc, mistake):
    option, text, code, words = MISTAKES[mistake]
    answer = _run(gdslc, "roads.csv", "-p", "source=Ann", option, _write("changes.csv", text), status=1)
    assert answer.err.count("error[") == 1 and f"error[{code}]" in answer.err and words in answer.err
    assert answer.err.splitlines()[-1].strip() and "changes.csv" in answer.err and answer.out == ""


def test_other_files_and_options(gdslc):
    def refused(status, *words):
        return _run(gdslc, "roads.csv", *words, status=status).err

    assert "E0701" in refused(1, "-p", "source=Ann", "--insert", "nowhere.csv")
    for name in ("path.mtx", "karate", "rmat:4"):
        assert "error[E0702]" in refused(1, "-p", "source=Ann", "--delete", name)
    assert "the name of the file is empty" in refused(2, "-p", "source=Ann", "--delete", "")
    workers = gdslc("run", "paths.gdsl", "roads.csv", "--workers", "2", "--insert", "more.csv")
    assert "--insert is not available with --workers" in workers.err
    assert "-p cannot be combined with --from-result" in refused(2, "-p", "source=Ann", "--from-result", "old.npz")
    assert (
        "error[E0717]"
        in gdslc("run", "paths.gdsl", "path.mtx", "-p", "source=0", "--insert", "more.csv", *REFERENCE).err
    )
    output = refused(1, "-p", "source=Ann", "--insert", "more.csv", "-o", "more.csv")
    assert "more.csv" in output and Path("more.csv").read_text() == HEAD + MORE


def test_going_on_from_a_saved_result(gdslc):
    _run(gdslc, "roads.csv", "-p", "source=Ann", "-o", "old.npz")
    _run(gdslc, "roads.csv", "--insert", "more.csv", "--from-result", "old.npz", "-o", "new.npz")
    assert _distances("new.npz") == {"distance": [0, 4, 1, 2]}
    again = _write("again.csv", HEAD + "Bob,Fay,0\nAnn,Bob,1\n")
    _write("all.csv", HEAD + ROADS + MORE)
    _run(gdslc, "all.csv", "--insert", again, "--from-result", "new.npz", "-o", "newest.npz")
    assert _distances("newest.npz") == {"distance": [0, 1, 1, 1]}


def test_results_that_cannot_be_gone_on_from(gdslc):
    def refused(*words, program="paths.gdsl", graph="roads.csv"):
        answer = gdslc("run", program, graph, *words, *REFERENCE)
        assert answer.status == 1 and answer.err.count("error[") == 1, answer.err
        return answer.err

    more = ("--insert", "more.csv", "--from-result")
    _run(gdslc, "roads.csv", "-p", "source=Ann", "-o", "old.npz")
    assert "E0430" in refused(*more, "old.npz", program="hops.gdsl") and "hops.gdsl:" in refused(
        *more, "old.npz", program="hops.gdsl"
    )
    _write("gone.csv", "source,target\nBob,Eve\n")
    assert "was deleted since" in refused("--delete", "gone.csv", "--from-result", "old.npz")
    _write("other.csv", HEAD + ROADS + "Fay,Bob,1\n")
    assert "on another graph" in refused(*more, "old.npz", graph="other.csv")
    Path("renamed.gdsl").write_text(Path("paths.gdsl").read_text().replace("= inf", "= inf "))
    assert "is not from this text" in refused(*more, "old.npz", program="renamed.gdsl")
    assert "cannot be read" in refused(*more, "nowhere.npz")
    assert "not a whole .npz file" in refused(*more, "more.csv")
    whole = Path("old.npz").read_bytes()
    for size, why in ((len(whole) // 4, "not a whole .npz file"), (-40, "changed since it was written")):
        Path("half.npz").write_bytes(whole[:size])
        assert why in refused(*more, "half.npz")
    with np.load("old.npz") as found:
        np.savez("changed.npz", distance=found["distance"] * 0)
    assert "does not say what run it is from" in refused(*more, "changed.npz")
    with zipfile.ZipFile("odd.npz", "w") as archive:
        archive.comment = b"{"
    assert "E0622" in refused(*more, "odd.npz")


def test_results_that_were_changed_with_their_comment_or_damaged(gdslc):
    _run(gdslc, "roads.csv", "-p", "source=Ann", "-o", "old.npz")
    data, old = Path("old.npz").read_bytes(), np.load("old.npz")["distance"]
    with zipfile.ZipFile("old.npz") as archive:
        comment = archive.comment

    def refused(name):
        answer = _run(gdslc, "roads.csv", "--insert", "more.csv", "--from-result", name, status=1)
        assert answer.err.count("error[") == 1 and "error[E0622]" in answer.err, answer.err
        return answer.err

    def rewritten(comment, **arrays):
        np.savez("changed.npz", **arrays)
        with zipfile.ZipFile("changed.npz", "a") as archive:
            archive.comment = comment
        return refused("changed.npz")

    since = "changed since it was written"
    for arrays in (
        {},
        {"distance": old * 0},
        {"distance": old[:3]},
        {"distance": old.astype("f8")},
        {"distance.0": old},
    ):
        assert since in rewritten(comment, **arrays)
    assert since in rewritten(comment, distance=np.zeros(4, "M8[s]"))
    for former, new in ((b'"source": 0', b'"source": 1'), (b'"types"', b'"typos"')):
        assert former in comment and since in rewritten(comment.replace(former, new), distance=old)
    assert since in rewritten(comment[:20] + b"[" * 60_000, distance=old)
    entry = data.index(b"PK\1\2")
    for place in (6, 8, 10):  # of the version to read it with, of flags and of the method of compression
        Path("damaged.npz").write_bytes(data[: entry + place] + b"\x63" + data[entry + place + 1 :])
        assert "not a whole .npz file" in refused("damaged.npz")


def test_sets_and_rounding_are_kept(gdslc):
    text = (
        Path("paths.gdsl")
        .read_text()
        .replace("param  source : vertex;", "param sites : vertex set; param nearest : float32 where nearest >= 0;")
    )
    text = text.replace("distance[source] = 0;", "compute(sites, v => { distance[v] = nearest; });").replace(
        "{ source }", "sites"
    )
    _write("sites.gdsl", text)
    first = ("-p", "sites=Ann,Fay", "-p", "nearest=0.1", "--round", "nearest")
    assert gdslc("run", "sites.gdsl", "roads.csv", *first, "-o", "old.npz", *REFERENCE).status == 0
    answer = gdslc(
        "run",
        "sites.gdsl",
        "roads.csv",
        "--insert",
        "more.csv",
        "--from-result",
        "old.npz",
        "-o",
        "new.npz",
        *REFERENCE,
    )
    assert answer.status == 0, answer.err
    assert (
        gdslc("run", "sites.gdsl", "roads.csv", *first, "--insert", "more.csv", "-o", "full.npz", *REFERENCE).status
        == 0
    )
    assert _distances("new.npz") == _distances("full.npz")
