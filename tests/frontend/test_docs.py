"""The pages made from the code are current, and the programs of the language reference compile."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from docs import make_nodes
from docs.make_nodes import PLAN_MODULES
from gdsl.diagnostics import GdslError, find_code
from gdsl.frontend.vocabulary import (
    CONTEXTUAL_KEYWORDS,
    FUNCTIONS,
    GRAPH_FUNCTIONS,
    KEYWORDS,
    RESERVED,
    SCHEDULE_FUNCTIONS,
    TYPES,
    VALUES,
)
from gdsl.ir import nodes
from gdsl.ir.printer import print_program
from gdsl.knob_help import explained, summary
from gdsl.knobs import KNOBS, Knob, written
from gdsl.pipeline import load
from gdsl.resources import resource_text

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = (DOCS / "language.md").read_text(encoding="utf-8")
PAGES = "".join(page.read_text(encoding="utf-8") for page in sorted(DOCS.glob("*.md")))
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGES, re.DOTALL)
FROM_PACKAGES = re.compile(r"^import .* from \"\w+:", re.MULTILINE)
"""Such programs need an installed package; tests/test_pages.py has it."""
PROGRAMS = [
    text
    for kind, text in BLOCKS
    if kind == "gdsl" and re.search(r"^program ", text, re.MULTILINE) and not FROM_PACKAGES.search(text)
]


def test_the_page_of_error_codes_is_current(request: pytest.FixtureRequest) -> None:
    made = runpy.run_path(str(DOCS / "make_errors.py"))["errors_page"]()
    if request.config.getoption("--update-golden", default=False):
        (DOCS / "errors.md").write_text(made, encoding="utf-8")
    assert (DOCS / "errors.md").read_text(encoding="utf-8") == made, "run `python docs/make_errors.py`"


@pytest.mark.parametrize("name", make_nodes.PAGES)
def test_the_pages_of_nodes_are_current(name: str, request: pytest.FixtureRequest) -> None:
    page = make_nodes.PAGES[name]()
    if request.config.getoption("--update-golden", default=False):
        (DOCS / name).write_text(page, encoding="utf-8")
    assert (DOCS / name).read_text(encoding="utf-8") == page, "run `python docs/make_nodes.py`"
    assert len(page.splitlines()) <= 84, "these nodes no longer fit on one page"


def test_the_pages_of_nodes_are_complete() -> None:
    for module, page in ((nodes, make_nodes.ir_page()), *((each, make_nodes.plan_page()) for each in PLAN_MODULES)):
        for kind in make_nodes.kinds_of(module):
            assert kind.__name__.startswith("_") or re.search(rf"\b{kind.__name__}\b", page) or kind is nodes.Node, kind


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs_of_the_reference_compile(text: str) -> None:
    load(text)


@pytest.mark.parametrize("text", [text for kind, text in BLOCKS if kind == "refused"])
def test_programs_that_the_reference_calls_wrong_are_refused(text: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(text)
    wanted = re.search(r"# (E\d{4})", text)
    assert wanted is not None and caught.value.code == wanted.group(1)


def test_the_words_of_the_language_are_those_that_nobody_may_declare() -> None:
    listed = REFERENCE.split("## Words of the language")[1].split("\n- ", 1)[1]
    words = [word for part in listed.split("\n- ") for word in part.split(":", 1)[1].split()]
    assert sorted(words) == sorted(RESERVED)


def documented() -> list[str]:
    """The rows of the table in `docs/language.md`."""
    rows = ["| knob | values | without it | decides |", "| --- | --- | --- | --- |"]
    for knob in KNOBS:
        operators = f" (of {', '.join(f'`{operator}`' for operator in knob.operators)})" if knob.operators else ""
        rows.append(f"| `{written(knob)}`{operators} | {_values(knob)} | {knob.without} | {knob.text} |")
    return rows


def documented_values() -> list[str]:
    """What the values of each knob do, as far as they need an explanation: the lines of `docs/language.md`."""
    lines = []
    for knob in (knob for knob in KNOBS if knob.each):
        lines += [f"- `{knob.name} = {word}`: {text}" for word, text in knob.each.items()]
    return lines


def _values(knob: Knob) -> str:
    parts = [f"`{' '.join(knob.values)}`"]
    if knob.arguments:
        parts.append(f"`auto({', '.join(f'{argument.name}=…' for argument in knob.arguments)})`")
    return ", ".join(parts)


def test_the_table_of_knobs_is_that_of_the_checker(request: pytest.FixtureRequest) -> None:
    page = DOCS / "language.md"
    if request.config.getoption("--update-golden", default=False):
        text = re.sub(r"\| knob \|.*?\n\n", lambda _: "\n".join(documented()) + "\n\n", REFERENCE, flags=re.DOTALL)
        page.write_text(text, encoding="utf-8")
    assert "\n".join(documented_values()) in page.read_text(encoding="utf-8")
    assert "\n".join(documented()) in page.read_text(encoding="utf-8")


def test_the_command_line_page_names_every_knob(request: pytest.FixtureRequest) -> None:
    page, words = DOCS / "cli.md", summary("`")
    if request.config.getoption("--update-golden", default=False):
        text = re.sub(
            r"Of a functor or @label: [^.]*(?:\.\w[^.]*)*\.", lambda _: words, page.read_text(encoding="utf-8")
        )
        page.write_text(text, encoding="utf-8")
    assert words in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("knob", [knob for knob in KNOBS if knob.operators and knob.values], ids=lambda knob: knob.name)
def test_the_code_of_a_knob_without_effect_says_where_it_has_one(knob: Knob) -> None:
    code = find_code("E0413")
    assert code is not None
    where = " and ".join(f"`{operator}`" for operator in knob.operators)
    assert f"`{knob.name}` is for {where}" in code.explanation


_OF_OPERATORS = {"advance": ("bfs", "visit"), "neighbor_reduce": ("pagerank", "received")}
"""For each operator that has knobs a sample with it, and the functor."""
_OF_THE_PROGRAM = {"order": ("sssp", "relax")}
"""For knobs of the program that not every one has."""


@pytest.mark.parametrize("knob", [knob for knob in KNOBS if knob.values], ids=lambda knob: knob.name)
def test_the_example_of_a_knob_is_a_tuning_word(knob: Knob) -> None:
    """As `gdslc explain` prints it, in a program and on the command line, for each operator that it is of."""
    assert knob.text and knob.without and knob.example in knob.values
    for operator in knob.operators or ("advance",):
        sample, functor = _OF_THE_PROGRAM.get(knob.name, _OF_OPERATORS[operator])
        program = resource_text("samples", f"{sample}.gdsl")
        text = explained(knob, functor)
        [word], [entry] = re.findall(r"--tune (\S+)$", text, re.MULTILINE), re.findall(r"tune \{ .* \}", text)
        assert print_program(load(program, [word])) == print_program(load(program + entry))
        assert print_program(load(program, [word])) != print_program(load(program))


def test_the_reference_names_every_word_of_the_language() -> None:
    words = KEYWORDS | FUNCTIONS | GRAPH_FUNCTIONS | SCHEDULE_FUNCTIONS | TYPES.keys() | VALUES
    missing = sorted(word for word in words if not re.search(rf"\b{word}\b", REFERENCE))
    assert missing == []


def test_the_reference_shows_the_grammar_of_the_parser() -> None:
    """Every keyword of the grammar is one that names may not have."""
    grammar = re.sub(r"//[^\n]*", "", resource_text("grammar", "gdsl.lark"))
    words = set(re.findall(r'"([a-z]+)"', grammar)) - {"min", "max", "any"}
    assert words <= KEYWORDS | CONTEXTUAL_KEYWORDS | TYPES.keys()
