"""The site: what is generated for it, and that its navigation has every page. `.ci/run` makes it with Sphinx."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import gdsl
from docs import frontier_picture, make_gallery, make_grammar, make_site
from tests.oracles import BY_NAME
from tests.support.programs import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DOCS = ROOT / "docs"


def test_the_navigation_has_every_page_once() -> None:
    navigation = (DOCS / "site" / "navigation.md").read_text(encoding="utf-8")
    pages = [page.relative_to(ROOT).with_suffix("").as_posix() for at in make_site.PAGES for page in ROOT.glob(at)]
    wanted = [*(page for page in pages if page != "README"), "docs/gallery/index"]
    assert sorted(re.findall(r"^(\w\S*)$", navigation, re.MULTILINE)) == sorted(wanted)


def test_a_citation_names_this_version() -> None:
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert "cff-version: 1.2.0" in lines and f"version: {gdsl.__version__}" in lines


def test_the_grammar_page_is_current(request: pytest.FixtureRequest) -> None:
    made = make_grammar.grammar_page()
    if request.config.getoption("--update-golden"):
        (DOCS / "grammar.md").write_text(made, encoding="utf-8", newline="\n")
    assert (DOCS / "grammar.md").read_text(encoding="utf-8") == made, "run `python docs/make_grammar.py`"


def test_the_grammar_page_has_every_rule() -> None:
    grammar = (ROOT / "grammar" / "gdsl.lark").read_text(encoding="utf-8")
    rules = set(re.findall(r"^\??([a-z_]+):", grammar, re.MULTILINE))
    page = (DOCS / "grammar.md").read_text(encoding="utf-8")
    assert rules == set(re.findall(r"^([a-z_]+):", page, re.MULTILINE))
    used = set(re.findall(r"\b[A-Z_]{2,}\b", re.sub(r'"[^"]*"|^[A-Z_]+:.*$', "", page, flags=re.MULTILINE)))
    assert used <= set(re.findall(r"^([A-Z_]+):", page, re.MULTILINE)), "every token is a word, or has its line"


def test_the_page_of_a_sample_shows_it_all() -> None:
    page = make_gallery.sample_page("bfs")
    result = gdsl.samples.bfs(gdsl.Graph.read("karate"), source=0, backend="reference")
    bars = re.findall(r"<title>(\w+), iteration (\d+): frontier of (\d+), (\d+) edges</title>", page)
    assert bars == [(r.label, str(r.iteration), str(r.frontier_size), str(r.edges)) for r in result.trace]
    for words in (
        "while (f) { f = advance(f, visit); }",
        "advance_visit: f = advance(f, visit)",
        'extern "C" __global__',
        "def check_bfs",
        "tests/oracles/samples.py",
        "| one H200 | bfs-rmat22 |",
    ):
        assert words in page
    assert "__device__ __forceinline__ void push_warps" not in page, "the runtime is left out"


def test_every_sample_has_a_page_and_an_oracle() -> None:
    assert set(make_gallery.NAMES) == {path.stem for path in (ROOT / "samples").glob("*.gdsl")} <= set(BY_NAME)
    index = make_gallery.index_page()
    for name in make_gallery.NAMES:
        assert f"[{name}]({name}.md)" in index


def test_a_picture_of_names_and_sizes_of_any_kind() -> None:
    records = [SimpleNamespace(label='a<"&', iteration=0, frontier_size=size, edges=0) for size in (0, 10**9)]
    picture = frontier_picture.frontier_svg(records)
    assert "a&lt;&quot;&amp;, iteration 0: frontier of 1000000000, 0 edges" in picture and 'a<"' not in picture
    assert picture.count("<rect") == 3
    assert "<svg" in frontier_picture.frontier_svg([])
    many = frontier_picture.frontier_svg(records * frontier_picture.MOST)
    assert many.count("<rect") == frontier_picture.MOST + 1 and "the first 160 of 320" in many


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ('<script src="https://cdn.example/x.js"></script>', True),
        ("<link rel=stylesheet href=//fonts.example/a.css>", True),
        ('<img alt="" src="http://example.org/p.png">', True),
        ('<style>@import url("https://fonts.example/css")</style>', True),
        ('<a href="https://networkx.org">NetworkX</a><link rel="canonical" href="https://example.org/">', False),
        ('<script src="_static/x.js"></script><svg xmlns="http://www.w3.org/2000/svg"></svg>', False),
    ],
)
def test_what_is_loaded_from_the_network_is_found(text: str, loads: bool, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(text)
    assert make_site.loaded_from_the_network(tmp_path) == (["page.html"] if loads else [])


def test_the_extra_docs_has_what_the_site_imports() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["docs"]]
    given = {re.split(r"[^\w-]", name)[0] for name in wanted}
    files = [*(ROOT / "docs").glob("*.py"), *(ROOT / "tests" / "oracles").rglob("*.py")]
    found = {
        (each.module if isinstance(each, ast.ImportFrom) else each.names[0].name).partition(".")[0]
        for path in files
        for each in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(each, ast.Import) or (isinstance(each, ast.ImportFrom) and not each.level)
    }
    assert "networkx" in found
    assert found - sys.stdlib_module_names - {"bench", "docs", "gdsl", "tests"} <= given


def test_a_folder_that_is_no_site_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert make_site.main(tmp_path) == 1
    assert "is no site" in capsys.readouterr().err and (tmp_path / "mine.txt").exists()
