"""`gdsl.samples`, samples by name, and what Python's tools find out about a program."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gdsl
from gdsl.api.signature import CALL_OPTIONS
from gdsl.resources import resource_directory

EVERYTHING = '''"""A program of everything that a call has."""
program everything;
problem {
    param source : vertex;
    param damping : float32 = 0.85;
    param tiny : float64 = 1e-300;
    param most : float32 = inf;
    param count : int64 = 5;
    param last : vertex = none;
    param loud : bool = true;
    param timeout : int32 = 7;
    input edge weight : float32 where weight >= 0;
    input vertex seed : bool;
    input scalar limit : uint32;
    vertex level : int32 = -1;
    scalar given : int32;
}
schedule { given = timeout; }
'''


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def path() -> gdsl.Graph:
    return gdsl.Graph.from_edges([0, 1, 2], [1, 2, 3], num_vertices=5, weights=[1, 2, 3], directed=False)


def test_there_is_an_attribute_for_each_sample_file():
    names = sorted(path.stem for path in resource_directory("samples").glob("*.gdsl"))
    assert dir(gdsl.samples) == names
    for name in names:
        program = getattr(gdsl.samples, name)
        assert program is getattr(gdsl.samples, name)
        assert program.name == program.__name__ == name
        assert program.doc.strip().splitlines()[0] in program.__doc__
    assert "samples" in dir(gdsl)


def test_samples_are_called(path):
    from gdsl.samples import sssp

    assert gdsl.samples.bfs(path, source=0, backend="reference").distance.tolist() == [0, 1, 2, 3, -1]
    assert sssp(path, source=0, backend="reference").distance[:4].tolist() == [0, 1, 3, 6]


def test_an_unknown_sample_says_what_there_is():
    with pytest.raises(AttributeError, match=r"there are .*, bfs, .*did you mean bfs"):
        _ = gdsl.samples.bsf
    assert not hasattr(gdsl.samples, "__path__")


def test_compile_takes_the_name_of_a_sample(path):
    assert gdsl.compile("bfs").name == "bfs"
    with pytest.raises(gdsl.GdslError, match="E0113"):
        gdsl.compile(Path("bfs"))
    Path("bfs.gdsl").write_text(EVERYTHING)
    assert gdsl.compile("bfs").name == "everything"
    with pytest.raises(gdsl.GdslError, match=r"samples.*: .*, bfs, "):
        gdsl.compile("bsf")


def test_signature_of_a_program():
    parameters = inspect.signature(gdsl.compile(EVERYTHING)).parameters
    assert list(parameters) == [
        "graph", "source", "damping", "tiny", "most", "count", "last", "loud", "timeout", "weight", "seed", "limit",
        *(option for option in CALL_OPTIONS if option not in ("timeout", "types")),
    ]  # fmt: skip
    assert {"backend", "max_iterations", "round", "memory", "gpus"} <= {*CALL_OPTIONS}
    assert parameters["graph"].kind is inspect.Parameter.POSITIONAL_ONLY
    assert {parameter.kind for name, parameter in parameters.items() if name != "graph"} == {
        inspect.Parameter.KEYWORD_ONLY
    }
    required = [name for name, parameter in parameters.items() if parameter.default is inspect.Parameter.empty]
    assert required == ["graph", "source", "limit"]
    defaults = {name: parameters[name].default for name in ("damping", "tiny", "most", "count", "loud", "timeout")}
    assert defaults == {"damping": 0.85, "tiny": 1e-300, "most": np.inf, "count": 5, "loud": True, "timeout": 7}
    assert repr(parameters["last"].default) == "none"
    assert repr(parameters["weight"].default) == "graph.attributes['weight']"
    assert repr(parameters["seed"].default) == "graph.vertex_attributes['seed']"
    kinds = {name: parameters[name].annotation for name in ("source", "damping", "loud", "count", "weight", "limit")}
    assert kinds == {
        "source": int | str, "damping": float, "loud": bool, "count": int, "weight": np.ndarray, "limit": int,
    }  # fmt: skip
    assert inspect.signature(gdsl.compile(EVERYTHING)).return_annotation is gdsl.Result


def test_a_call_with_all_defaults_is_a_call_without(path):
    program = gdsl.compile(EVERYTHING.replace("input vertex seed : bool;", ""))
    call = inspect.signature(program).bind(path, source=0, last=1, limit=3, backend="reference")
    call.apply_defaults()
    assert program(*call.args, **call.kwargs).given == 7
    with pytest.raises(TypeError):
        inspect.signature(program).bind(path)
    with pytest.raises(TypeError):
        inspect.signature(program).bind(path, source=0, limit=3, soruce=1)


def test_names_that_python_cannot_take_as_keywords():
    program = gdsl.compile("program p; problem { param lambda : int32; input vertex class : int32; } schedule { }")
    assert list(inspect.signature(program).parameters)[-1] == "values"
    assert "lambda: an int32, must be given" in program.__doc__


def test_help_has_the_call_and_what_it_takes_and_gives():
    text = pydoc.render_doc(gdsl.compile(EVERYTHING), renderer=pydoc.plaintext)
    for said in (
        "everything(graph, source=…, damping=0.85, tiny=1e-300",
        "A program of everything that a call has.",
        "source: a vertex, must be given",
        "weight: a float32 for each edge, with weight >= 0; the graph's attribute `weight` unless given",
        "level: an int32 for each vertex",
    ):
        assert said in text
    assert "one of several writers wins (line 14)" in pydoc.render_doc(gdsl.samples.bfs, renderer=pydoc.plaintext)


def test_the_class_keeps_its_own_signature_and_doc():
    assert "compile_ms" in inspect.signature(gdsl.Program).parameters
    assert gdsl.Program.__name__ == "Program"
    assert gdsl.Program.__doc__.startswith("A program that is ready to run")


def test_copies_have_the_signature_too():
    program = gdsl.compile(EVERYTHING)
    for other in (copy.copy(program), copy.deepcopy(program), pickle.loads(pickle.dumps(program))):
        assert str(inspect.signature(other)) == str(inspect.signature(program))
        assert other.__doc__ == program.__doc__


def test_import_of_samples_compiles_nothing():
    code = "import gdsl, sys; gdsl.samples; dir(gdsl.samples); print('lark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
