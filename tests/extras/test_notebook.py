"""gdsl in notebooks: a real one in a kernel, the magics, and what objects show of themselves."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

IPython = pytest.importorskip("IPython")
nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

from IPython.core.completer import provisionalcompleter  # noqa: E402

import gdsl  # noqa: E402
from gdsl import html  # noqa: E402
from gdsl.graph.display import degree_counts  # noqa: E402
from gdsl.integrations.notebook.magics import source_of  # noqa: E402
from gdsl.resources import resource_text  # noqa: E402

BODY = resource_text("samples", "bfs.gdsl").partition("program bfs;\n\n")[2]
BROKEN = BODY.replace("parent[dst] any= src", "parent[dst] = src")


@pytest.fixture(scope="module")
def shell():
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "gdsl")
    yield shell
    shell.run_line_magic("unload_ext", "gdsl")
    InteractiveShell.clear_instance()


@pytest.fixture
def run(shell, capsys):
    def run_cell(text):
        capsys.readouterr()
        found = shell.run_cell(text)
        out, err = capsys.readouterr()
        return found.success, out, err

    return run_cell


# ---------------------------------------------------------------- a whole notebook


def test_a_notebook_in_a_kernel():
    cells = [
        "%load_ext gdsl\nimport gdsl",
        "%%gdsl hops --tune visit.direction=push\n" + BODY,
        "graph = gdsl.Graph.read('karate'); graph",
        "result = hops(graph, source=0, backend='reference'); result",
        "hops",
        "assert list(result.distance[:3]) == [0, 1, 1]\nprint(hops.name, hops.ir.tuning is not None)",
        "%%gdsl wrong\n" + BROKEN,
        "'wrong' in globals()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    notebook.cells[6].metadata["tags"] = ["raises-exception"]
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [cell.outputs for cell in notebook.cells]
    assert outputs[1][0]["text"] == "hops(graph, source) gives distance, parent\n"
    for place, words in ((2, ["34", "<svg"]), (3, ["parent", "not unique"]), (4, ["walk out-edges", "visit"])):
        [shown] = outputs[place]
        assert all(word in shown["data"]["text/html"] for word in words)
        assert shown["data"]["text/plain"].startswith("<")
    assert outputs[5][0]["text"] == "hops True\n"
    [error] = outputs[6]
    assert error["output_type"] == "error", "a notebook that is run as a whole stops here"
    assert "E0301" in error["traceback"][0]
    assert "Traceback" not in "".join(error["traceback"])
    assert outputs[7][0]["data"]["text/plain"] == "False"


# ---------------------------------------------------------------- the magics


def test_a_cell_becomes_a_program(run, shell):
    assert run("%%gdsl hops\n" + BODY) == (True, "hops(graph, source) gives distance, parent\n", "")
    assert isinstance(shell.user_ns["hops"], gdsl.Program)
    assert run("%%gdsl\nprogram mine;\n" + BODY)[0]
    assert shell.user_ns["mine"].name == "mine"
    assert run("%%gdsl other\nprogram mine;\n" + BODY)[0]
    assert shell.user_ns["other"].name == "mine"
    assert run('%%gdsl told\n"""What it is."""\n' + BODY)[0]
    assert (shell.user_ns["told"].name, shell.user_ns["told"].doc) == ("told", "What it is.")


def test_options_of_a_cell(run, shell):
    assert run("%%gdsl hops --tune visit.direction=pull --fuse off\n" + BODY)[0]
    assert not shell.user_ns["hops"].ir.tuning.fuse
    success, out, err = run("%%gdsl hops --tune visit.direction=sideways\n" + BODY)
    assert not success
    assert "sideways" in out + err


@pytest.mark.parametrize(
    "head", ["", "program wrong;\n", '"""Doc."""\n', "# a comment\n\n", '"""Doc."""\nprogram w;\n']
)
def test_mistakes_have_the_line_of_the_cell(run, shell, head):
    cell = "%%gdsl wrong\n" + head + BROKEN
    success, out, err = run(cell)
    assert not success
    line = next(number for number, text in enumerate(cell.split("\n"), 1) if "parent[dst] = src" in text)
    told = out + err
    assert f"<cell wrong>:{line}:" in told
    assert "E0301" in told
    assert "fix:" in told
    assert "Traceback" not in told
    assert ".py" not in told
    assert "wrong" not in shell.user_ns


def test_the_program_before_stays_where_the_next_is_wrong(run, shell):
    run("%%gdsl hops\n" + BODY)
    before = shell.user_ns["hops"]
    run("%%gdsl hops\n" + BROKEN)
    assert shell.user_ns["hops"] is before


def test_warnings_are_told(run):
    success, _, err = run(
        "%%gdsl w\nproblem { scalar x : int32; }\nschedule { repeat (3) { x = 1; } while (x < 1) { } }"
    )
    assert success
    assert "warning[W0" in err


@pytest.mark.parametrize(
    "line", ["3d", "a-b", "class", "ä", "x --no-option", "x --tune", "x --fuse maybe", "x y", "x 'y"]
)
def test_words_that_are_wrong(run, line):
    success, out, err = run(f"%%gdsl {line}\n{BODY}")
    told = out + err
    assert "Traceback" not in told
    assert "rror" in told
    assert not success or "UsageError" in told


def test_a_cell_without_a_name(run):
    _, out, err = run("%%gdsl\n" + BODY)
    assert "%%gdsl NAME" in out + err


def test_help(run):
    run("%%gdsl hops\n" + BODY)
    assert "%%gdsl NAME" in run("%gdsl")[1]
    assert "not unique" in run("%gdsl hops")[1]
    assert "Hop distance" in run("%gdsl bfs")[1]
    assert "E0301: " in run("%gdsl E0301")[1]
    assert "no program" in "".join(run("%gdsl nonsense")[1:])
    told = "".join(run("%gdsl 'bfs")[1:])
    assert "cannot be read: No closing quotation" in told and "Traceback" not in told


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%%gdsl hops --tune visit.", "visit.direction="),
        ("%%gdsl hops --tune visit.direction=pu", "visit.direction=pull"),
        ("%%gdsl hops --fuse ", "on"),
        ("%gdsl bf", "bfs"),
        ("%gdsl E03", "E0301"),
        ("%%gdsl hops --", "--tune-file"),
        ("%%gdsl hops --tune sched", "schedule.block="),
    ],
)
def test_tab_in_a_cell(shell, line, expected):
    """As a notebook asks: with the whole cell. No name of Python is among the answers."""
    with provisionalcompleter():
        found = [each.text for each in shell.Completer.completions(line + "\n" + BODY, len(line))]
    assert expected in found and not {"abs", "and", "print", "--abs"} & set(found)


def test_columns_of_a_cell_stay():
    for head in ("", '"""Doc."""\n', "# c\n", "program p;\n"):
        text = source_of("p", head + BODY).text
        assert text.split("\n")[-len(BODY.split("\n")) :] == BODY.split("\n")
        assert len(text.split("\n")) == len((head + BODY).split("\n")) + 1
        assert gdsl.compile(text).name == "p"


# ---------------------------------------------------------------- pages of objects


class _Checker(HTMLParser):
    """Balanced elements of a few kinds, without anything that runs or is fetched."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.kinds = [], [], set()

    def handle_starttag(self, tag, attributes):
        self.kinds.add(tag)
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attributes)
        self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.kinds.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def checked(page):
    assert page is not None
    checker = _Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    assert not checker.kinds & {"script", "style", "link", "iframe", "object", "img", "b2"}
    return "".join(checker.text)


HOSTILE = "</pre></details><script>alert(1)</script><b2 onload=x>&lt;\x1b[31m"


def test_a_program_shows_text_plan_and_code():
    page = gdsl.samples.bfs._repr_html_()
    text = checked(page)
    assert page.count("<pre") == len(re.findall(r'<pre style="[^"]*font-family:[^"]*monospace;', page)) > 0
    assert "distance[dst] = iteration + 1;" in text
    assert "walk out-edges" in text
    assert "__device__" in text
    assert "#line" not in text
    assert len(gdsl.samples.louvain._repr_html_()) < 200_000


def test_what_a_text_says_is_text():
    program = gdsl.compile(f'"""{HOSTILE}"""\nprogram p; # {HOSTILE}\n{BODY}')
    text = checked(program._repr_html_())
    assert "alert(1)" in text


def test_a_graph_shows_sizes_kind_attributes_and_degrees():
    text = checked(gdsl.Graph.read("karate")._repr_html_())
    for word in ("34", "156", "undirected", "int64, 1 to 7", "17 with 2 to 3 out-edges"):
        assert word in text, word
    edges = gdsl.Graph.from_edges([0, 1], [1, 2], attributes={HOSTILE: [1, 2]}, vertex_attributes={"x": [1.5, 2, 3]})
    text = checked(edges._repr_html_())
    assert "directed" in text
    assert "alert(1)" in text
    assert "1.5 to 3.0" in text
    checked(gdsl.Graph.from_edges([], [], num_vertices=0)._repr_html_())
    assert "5 with 0 out-edges" in checked(gdsl.Graph.from_edges([], [], num_vertices=5)._repr_html_())


def test_names_of_vertices_are_text():
    networkx = pytest.importorskip("networkx")
    graph = gdsl.Graph.from_networkx(networkx.Graph([(HOSTILE, "b")]))
    assert "alert(1)" in checked(graph._repr_html_())


def test_degrees_are_counted_by_powers_of_two():
    degrees = np.array([0, 0, 1, 2, 3, 4, 7, 8, 1000, 1024])
    offsets = np.concatenate([[0], np.cumsum(degrees)])
    assert degree_counts(offsets) == [2, 1, 2, 2, 1, 0, 0, 0, 0, 0, 1, 1]
    assert degree_counts(np.zeros(1, dtype=np.int64)) == []
    for vertices in (1 << 18, (1 << 18) + 1, 3 * (1 << 18) + 5):
        assert degree_counts(np.arange(vertices + 1)) == [0, vertices]
    assert degree_counts(np.arange(17 * (1 << 18) + 1)) == [0, 16 * (1 << 18)], "a part of a very large one"


def test_a_result_shows_figures_and_grades_in_words():
    result = gdsl.samples.bfs(gdsl.Graph.read("karate"), source=0, backend="reference")
    text = checked(result._repr_html_())
    for word in (
        "distance",
        "int32",
        "the same on every run",
        "not unique: another run may give other values",
        "1 none",
    ):
        assert word in text, word
    assert re.search(r"4 iterations on reference in [0-9.]+ ms", text)
    ranks = checked(gdsl.samples.pagerank(gdsl.Graph.read("karate"), backend="reference")._repr_html_())
    assert "converged" in ranks or "rounding" in ranks
    count = checked(gdsl.samples.triangle_count(gdsl.Graph.read("karate"), backend="reference")._repr_html_())
    assert "= 45" in count


def test_a_batch_shows_its_arrays_and_a_profile_its_table():
    karate = gdsl.Graph.read("karate")
    text = checked(gdsl.samples.bfs.map(karate, source=range(5), backend="reference")._repr_html_())
    for word in ("5 runs on reference", "5 × 34", "the same on every run", "not unique", "one by one"):
        assert word in text, word
    best = "program p; problem { vertex best : (int32, vertex) = (inf, none); param k : int32; } schedule { }"
    assert "best.1" in checked(gdsl.compile(best).map(karate, k=[1], backend="reference")._repr_html_())
    text = checked(gdsl.profile("bfs", karate, source=0, backend="reference")._repr_html_())
    for word in ("where the time of bfs went", "visit", "to_html(path) writes"):
        assert word in text, word


def test_large_results_are_not_looked_through(monkeypatch):
    from gdsl.api import display

    result = gdsl.samples.bfs(gdsl.Graph.read("karate"), source=0, backend="reference")
    monkeypatch.setattr(display, "_MOST_VALUES", 10)
    monkeypatch.setattr(type(result), "summary", lambda self: pytest.fail("it is looked through"))
    text = checked(result._repr_html_())
    assert "34" in text
    assert "the same on every run" in text


def test_a_page_that_cannot_be_made_is_none():
    assert html.page(lambda shown: shown.nothing)(3) is None


# ---------------------------------------------------------------- progress


def test_a_bar_in_a_notebook(monkeypatch, capsys):
    """tqdm's; without widgets it is of text."""
    pytest.importorskip("tqdm")
    from gdsl import progress

    monkeypatch.setattr(progress, "in_notebook", lambda: True)
    monkeypatch.setattr(progress, "DELAY", -1.0)
    with progress.Counting("mapping", 4) as bar:
        bar.add(3)
        time.sleep(0.15)  # tqdm draws ten times a second
        bar.add(1)
    assert "mapping: 100%" in capsys.readouterr().err
    with progress.Counting("mapping", 4, shown=False) as bar:
        bar.add(4)
    assert capsys.readouterr().err == ""


# ---------------------------------------------------------------- the page


def test_the_page(shell, tmp_path, monkeypatch, capsys):
    """Its blocks in their order: cells as a notebook runs them, and commands."""
    matplotlib = pytest.importorskip("matplotlib")
    from gdsl.cli.main import main

    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[2] / "docs" / "notebook.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert [language for language, _ in blocks] == ["text"] * 4 + ["python", "sh"]
    for language, block in blocks[1:]:
        for line in block.splitlines() if language == "sh" else ():
            assert main(line.split("#")[0].split()[1:]) == 0
        if language != "sh":
            shell.run_cell(block).raise_error()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bfs.png", "karate.svg"]
    assert shell.user_ns["hops"].name == "hops"
