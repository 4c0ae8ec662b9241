"""gdsl as a backend of NetworkX, whether or not the installation that tests run on has its entry points yet."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
GROUPS = ("networkx.backends", "networkx.backend_info")


def declared() -> dict[str, str]:
    """By group the entry point that pyproject.toml declares."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {group: project["entry-points"][group]["gdsl"] for group in GROUPS}


@pytest.fixture(scope="session", autouse=True)
def backend() -> Iterator[None]:
    """The backend, known to NetworkX in this process as an installation makes it known."""
    import networkx as nx
    from networkx.utils import backends, configs

    if "gdsl" not in backends.backends:
        points = {group: EntryPoint("gdsl", value, group) for group, value in declared().items()}
        backends.backends["gdsl"] = points["networkx.backends"]
        info = points["networkx.backend_info"].load()()
        backends.backend_info["gdsl"] = info
        kept = {name: config for name, config in nx.config.backends.items() if name != "gdsl"}
        nx.config.backends = configs.Config(gdsl=configs.Config(**info["default_config"]), **kept)
        dispatchable = backends._dispatchable  # which from NetworkX 3.5 on does not look for backends where none is
        dispatchable.__call__ = getattr(dispatchable, "_call_if_any_backends_installed", dispatchable.__call__)
    yield


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """The environment of a process that has this checkout installed, with its entry points."""
    home = tmp_path / "gdsl-0.1.0.dist-info"
    home.mkdir()
    (home / "METADATA").write_text("Metadata-Version: 2.1\nName: gdsl\nVersion: 0.1.0\n", encoding="utf-8")
    lines = "".join(f"[{group}]\ngdsl = {value}\n" for group, value in declared().items())
    (home / "entry_points.txt").write_text(lines, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NETWORKX_", "PYTEST"))}
    path = os.pathsep.join([str(tmp_path), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**kept, "PYTHONPATH": path}
