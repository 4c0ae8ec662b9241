"""The docstring of a package names its modules, and only those that there are."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "gdsl"
MAPS = ("backends", "backends/cuda", "clusters", "codegen", "graph", "ir", "passes")


@pytest.mark.parametrize("package", MAPS)
def test_maps_of_packages(package: str) -> None:
    folder = ROOT / package
    doc = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    named = set(re.findall(r"`([a-z_]+)`", doc))
    there = {path.stem if path.suffix else path.name for path in folder.iterdir() if path.suffix in ("", ".py")}
    words = {"auto", "map", "submit", "generate"}
    assert named and named - words <= there
