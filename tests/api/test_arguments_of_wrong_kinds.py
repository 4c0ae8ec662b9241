"""Arguments of wrong kinds, wherever Python takes one: a TypeError that says what is meant, never an error of another
library or an attribute that is missing."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl

TEXT = "program p; schedule { }"
SET = """program s;
problem { param sites : vertex set; vertex h : int32; }
schedule { compute(sites, v => { h[v] = 1; }); }"""
GRAPH = gdsl.Graph.from_edges([0, 1], [1, 0])


class Unclear:
    """Like a column of a table: neither true nor false."""

    def __bool__(self):
        raise ValueError("ambiguous")


def kind(value):
    """The name of a test; addresses of objects differ between the processes that run tests."""
    return type(value).__name__


WRONG = [5, 1.5, None, "x", [0, 1], ("a", "b"), np.arange(3), np.arange(3) > 1, Unclear(), object(), gdsl, {1, 2}]


@pytest.mark.parametrize("value", [each for each in WRONG if each is not None], ids=kind)
def test_mappings(value):
    with pytest.raises(TypeError, match="types is a mapping such as"):
        gdsl.compile(TEXT, types=value)
    with pytest.raises(TypeError, match="values for params and inputs are a mapping of names"):
        gdsl.profile(gdsl.samples.bfs, GRAPH, value, backend="reference")


@pytest.mark.parametrize("value", [5, 1.5, None, b"x", [0], Unclear(), object()], ids=kind)
def test_import_paths(value):
    with pytest.raises(TypeError, match="import_path is a folder or several"):
        gdsl.compile(TEXT, import_path=value)


@pytest.mark.parametrize("value", [each for each in WRONG if each is not None], ids=kind)
def test_updates_since_what_is_no_graph(value):
    with pytest.raises(TypeError, match=r"since must be a gdsl\.Graph, not "):
        GRAPH.changed_vertices(since=value)


@pytest.mark.parametrize("value", [each for each in WRONG if not isinstance(each, str)], ids=kind)
def test_generators(value):
    for options in ({}, {"scale": 3}):
        with pytest.raises(TypeError, match="a generator is named by a str, not "):
            gdsl.Graph.generate(value, **options)


def test_names_of_a_graph_without_names():
    with pytest.raises(KeyError, match="'Ann': the graph has no names"):
        GRAPH.vertex("Ann")


def test_numbers_of_thousands_of_digits():
    huge = 10**5000
    with pytest.raises(gdsl.GdslError, match=r"E0603(.|\n)*write \[an integer of about 5001 digits\]"):
        gdsl.compile(SET)(GRAPH, sites=huge, backend="reference")
    with pytest.raises(gdsl.GdslError, match="E0621"):
        gdsl.samples.sssp(GRAPH, source=0, types={"weight_type": huge}, backend="reference")


def test_type_parameters_of_a_program_without_any():
    with pytest.raises(gdsl.GdslError, match=r"E0621(.|\n)*leave it out: there are none"):
        gdsl.compile(TEXT, types={"weight_type": "int64"})
