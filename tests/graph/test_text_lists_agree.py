"""The readers of text lists agree, and what is written is what is read again."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, edge_list_files, write

IDS = st.sampled_from(["0", "1", "2", "3", "7", "007", "12", "+1", "-0"])
ODD = st.sampled_from(
    ["", "x", "1.5", "-1", "99999999999", "1" * 20, "nan", '"1"', "1 2", "1\xa0", "\u0663", "#1", "1e1"]
)
WHOLE = st.sampled_from(
    ["0", "5", "-3", "9007199254740993", "9223372036854775807", "18446744073709551615", "0" * 20 + "1"]
)
REAL = st.sampled_from(["0.5", "-1e3", "1.", ".25", "inf", "9007199254740992.0", "1e400"])
FORMS = [(header, mark) for header in (False, True) for mark in ("\t", ",", ";", " ")]
QUICK = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def outcome(path, **options):
    """The graph in a form to compare, or the code of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            graph = Graph.read(path, **options)
        except GdslError as error:
            return error.code  # of several mistakes any may be the first that is found
    values = {name: (found.dtype.str, found.tolist()) for name, found in graph.attributes.items()}
    ends = [end.tolist() for end in graph.edges]
    return graph.num_vertices, graph.directed, ends, repr(values), None if graph.names is None else list(graph.names)


@pytest.mark.parametrize(("header", "mark"), FORMS)
@given(data=st.data())
@QUICK
@pytest.mark.sampled(3)
def test_the_quick_reader_and_the_exact_one_never_disagree(tmp_path, monkeypatch, header, mark, data):
    values = data.draw(st.sampled_from([WHOLE, REAL, st.one_of(WHOLE, REAL)]))
    width = data.draw(st.integers(2, 3))
    odd = data.draw(st.integers(0, 4)) == 0
    rows = data.draw(st.lists(st.tuples(IDS, IDS, *[values] * (width - 2)), min_size=1, max_size=6))
    lines = [mark.join(row) for row in rows]
    if odd:
        row = list(rows[-1])
        row[data.draw(st.integers(0, width - 1))] = data.draw(ODD)
        lines.insert(data.draw(st.integers(1, len(lines))), mark.join(row))
        lines.insert(data.draw(st.integers(1, len(lines))), data.draw(st.sampled_from(["", " ", "# c", "%", "// c"])))
    if header:
        lines.insert(0, mark.join(["source", "target", "w"][:width]))
    path = tmp_path / "a.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    head_of = edge_list_files.head_of
    with monkeypatch.context() as exact:
        plain = []
        exact.setattr(edge_list_files, "head_of", lambda *given: plain.append(head_of(*given)) or plain[-1])
        quick = outcome(path)
        exact.setattr(edge_list_files, "head_of", lambda *given: replace(plain[0], plain=False))
        if plain and plain[0].plain:
            assert outcome(path) == quick, lines


NAMES = st.one_of(
    st.text("ab #%\"',;|/\t\\\u00e9\u65e5", min_size=0, max_size=4),
    st.sampled_from(
        ["1", "01", "1.5", "1e5", "nan", "7-Eleven", "A ", "A", "", "\n", "\xa0", "source", "x\x00", "{}", "-1"]
    ),
)
NUMBERS = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=6, max_size=6),
    st.lists(st.integers(0, 2**64 - 1), min_size=6, max_size=6).map(lambda values: np.array(values, np.uint64)),
    st.lists(st.floats(allow_nan=True), min_size=6, max_size=6),
)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt"])
@given(data=st.data())
@QUICK
def test_what_is_written_is_read_again_or_refused(tmp_path, suffix, data):
    import networkx

    names = data.draw(st.lists(NAMES, min_size=2, max_size=5, unique=True))
    edges = data.draw(st.lists(st.tuples(st.sampled_from(names), st.sampled_from(names)), min_size=1, max_size=6))
    directed = data.draw(st.booleans())
    made = (networkx.MultiDiGraph if directed else networkx.MultiGraph)()
    made.add_edges_from(edges)
    graph = Graph.from_networkx(made)
    if suffix == "txt" or data.draw(st.booleans()):
        ids = graph.edges if directed else [end[graph.edges[0] <= graph.edges[1]] for end in graph.edges]
        values = np.array(data.draw(NUMBERS))[: len(ids[0])]
        name = (
            "weight"
            if suffix == "txt"
            else data.draw(st.sampled_from(["weight", "cost", "Weight", "1st", "source", "a b"]))
        )
        named = graph.names if suffix != "txt" else None
        graph = Graph.from_edges(*ids, graph.num_vertices, directed=directed, attributes={name: values})
        if named is not None and data.draw(st.booleans()):
            graph._keep(replace(graph._csr, names=named))
    path = tmp_path / f"a.{suffix}"
    try:
        write(graph, path)
    except GdslError as error:
        assert error.code == "E0715"
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = Graph.read(path, compact=graph.names is not None and all(str(name).isdigit() for name in graph.names))

    def edges_of(of):
        called = list(range(of.num_vertices)) if of.names is None else list(map(str, of.names))
        columns = [found.tolist() for found in of.attributes.values()]
        ends = [[called[end] for end in ends.tolist()] for ends in of.edges]
        return sorted(map(repr, zip(*ends, *columns, strict=True)))

    assert (again.directed, edges_of(again)) == (directed, edges_of(graph)), path.read_bytes()
    assert list(again.attributes) == list(graph.attributes)
    if graph.names is None and suffix == "txt":
        assert again.num_vertices == graph.num_vertices
