"""The script of a page: put together from its pieces, run in as much of a browser as it asks for."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import gdsl
from gdsl.profiling import page
from gdsl.resources import resource_path

BROWSER = Path(__file__).with_name("browser.js")


@pytest.fixture(scope="module")
def profiles() -> list[gdsl.Profile]:
    graph = gdsl.Graph.generate("rmat:7")
    return [gdsl.profile("bfs", graph, source=source, backend="reference") for source in (1, 2)]


def drawn(text: str, file: Path) -> str:
    file.write_text(text, encoding="utf-8")
    made = subprocess.run(["node", BROWSER, file], capture_output=True, text=True, timeout=60, check=False)
    assert made.returncode == 0, made.stderr
    return made.stdout


def test_every_piece_is_in_the_page() -> None:
    pieces = {file.stem for file in resource_path("templates", "profile").glob("*.js")}
    assert pieces == set(page._PIECES)


@pytest.mark.skipif(shutil.which("node") is None, reason="no node, which runs the script")
def test_the_script_draws_what_the_profile_says(profiles: list[gdsl.Profile], tmp_path: Path) -> None:
    lines = drawn(profiles[0].html(), tmp_path / "one.html")
    headings = ["Time by pass", "Operators", "Frontier and edges", "Program", "Results", "Memory", "The run"]
    assert re.findall(r'<h2>\n *"(.*)"', lines) == headings
    bars = re.findall(r'<rect class="bar op.*:: ', lines)
    assert len(bars) == len(profiles[0].as_document()["trace"]["site"])
    assert "visit — pass 1, iteration 0" in lines
    lines = drawn(profiles[0].compare(profiles[1]).html(), tmp_path / "two.html")
    assert re.findall(r'<h2>\n *"(.*)"', lines)[:2] == ["What differs", "Operators"]
    assert '"param source"' in lines
