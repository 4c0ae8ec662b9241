"""What NetworkX asks of a backend beside answers: its own tests, a light import, what it says of itself."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest

from gdsl.integrations.networkx_backend import interface
from gdsl.integrations.networkx_backend.info import FUNCTIONS, backend_info
from gdsl.native import compiler

ROOT = Path(__file__).parents[2]
MODULES = [
    "link_analysis.tests.test_pagerank",
    "link_analysis.tests.test_hits",
    "centrality.tests.test_katz_centrality",
    "centrality.tests.test_eigenvector_centrality",
    "centrality.tests.test_betweenness_centrality",
    "centrality.tests.test_closeness_centrality",
    "centrality.tests.test_harmonic_centrality",
    "centrality.tests.test_degree_centrality",
    "traversal.tests.test_bfs",
    "shortest_paths.tests.test_unweighted",
    "shortest_paths.tests.test_generic",
    "shortest_paths.tests.test_weighted",
    "components.tests.test_connected",
    "components.tests.test_weakly_connected",
    "components.tests.test_strongly_connected",
    "bipartite.tests.test_basic",
    "flow.tests.test_maxflow",
    "tests.test_cluster",
    "tests.test_core",
    "tests.test_dag",
    "tests.test_distance_measures",
    "tests.test_mis",
]
MANY = "not test_use_bounds_on_off_consistency"
"""Five hundred random graphs of one function."""
QUICKLY = """
from gdsl.native import compiler
compiler.OPTIONS = {}
"""
"""As tests/conftest.py has C++ compiled, so that what other tests compiled is not compiled again."""


def python(environment: dict[str, str], *words: str, where: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(command, env=environment, cwd=where, capture_output=True, text=True, timeout=550, check=False)


@pytest.mark.long
@pytest.mark.slow
def test_networkx_runs_its_own_tests_on_the_backend(installed: dict[str, str], tmp_path: Path) -> None:
    """What the backend does not take is NetworkX's to answer; every function is asked for something that it takes."""
    log = tmp_path / "calls.log"
    (tmp_path / "quickly.py").write_text(QUICKLY.format(compiler.OPTIONS), encoding="utf-8")
    asked = {**installed, "NETWORKX_TEST_BACKEND": "gdsl", "NETWORKX_FALLBACK_TO_NX": "True"}
    options = [
        "-q",
        "-p",
        "quickly",
        "-p",
        "no:cacheprovider",
        "-k",
        MANY,
        f"--log-file={log}",
        "--log-file-level=DEBUG",
        "--tb=short",
    ]
    modules = [f"networkx.algorithms.{module}" for module in MODULES]
    answer = python(asked, "-m", "pytest", *options, "--pyargs", *modules, where=tmp_path)
    assert answer.returncode == 0, answer.stdout[-8000:] + answer.stderr[-2000:]
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|xfailed)", answer.stdout)}
    assert counts["passed"] > 500 and counts["xfailed"] == len(interface.BEYOND_A_BACKEND)
    if tuple(map(int, nx.__version__.split(".")[:2])) < (3, 5):
        return  # whose log names no calls
    calls = re.findall(r"Using backend 'gdsl' for call to '(\w+)'", log.read_text(encoding="utf-8"))
    assert set(calls) == set(FUNCTIONS)


def test_importing_networkx_imports_next_to_nothing_of_gdsl(installed: dict[str, str], tmp_path: Path) -> None:
    code = """
import sys
import networkx
from networkx.utils import backends
assert backends.backends["gdsl"].value == "gdsl.integrations.networkx_backend.interface"
assert "pagerank" in backends.backend_info["gdsl"]["functions"] and networkx.config.backends.gdsl.backend == "auto"
heavy = ("gdsl", "lark", "cupy", "scipy", "numpy", "jinja2")
print(sorted(name for name in sys.modules if name.split(".")[0] in heavy))
assert networkx.diameter(networkx.path_graph(4), backend="gdsl", gdsl_backend="reference") == 3
"""
    answer = python(installed, "-W", "error::RuntimeWarning", "-c", code, where=tmp_path)
    assert answer.returncode == 0, answer.stderr
    package = "gdsl.integrations.networkx_backend"
    light = ["gdsl", "gdsl.integrations", package, f"{package}.info", "gdsl.version"]
    assert answer.stdout.splitlines()[0] == str(light)


def test_the_functions_are_those_that_networkx_is_told_of() -> None:
    registered = nx.utils.backends._registered_algorithms
    assert set(FUNCTIONS) <= set(registered)
    assert {name for name in vars(interface) if name in registered} == set(FUNCTIONS)
    info = backend_info()
    assert info["backend_name"] == "gdsl" and set(info["default_config"]) == {"backend", "timeout", "least_size"}
    for name, about in info["functions"].items():
        assert isinstance(about["additional_docs"], str), name
        assert set(about["additional_parameters"]) == {"gdsl_backend : str", "timeout : float"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_are_called_as_networkx_calls_them(name: str) -> None:
    import inspect

    wanted = inspect.signature(nx.utils.backends._registered_algorithms[name].orig_func).parameters.values()
    found = inspect.signature(getattr(interface, name)).parameters.values()
    assert [(each.name, each.default) for each in found] == [
        (each.name, each.default) for each in wanted if each.kind is not each.VAR_KEYWORD
    ]


@pytest.mark.slow
def test_the_page_is_true(installed: dict[str, str], tmp_path: Path) -> None:
    """Every block of Python on the page runs, one after the other; what a comment says that it gives, it gives."""
    page = (ROOT / "docs" / "networkx.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    text = re.sub(r"^(.+?)  +# → (.+)$", r"assert str(\1) == r'''\2''', str(\1)", "\n".join(blocks), flags=re.MULTILINE)
    assert text.count("assert str(") >= 5
    answer = python(installed, "-c", text, where=tmp_path)
    assert answer.returncode == 0, answer.stderr
    for name in FUNCTIONS:
        assert f"`{name}`" in page
