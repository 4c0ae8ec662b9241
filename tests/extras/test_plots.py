"""Pictures: what is on the axes is what the graph and the result have."""

from __future__ import annotations

import builtins
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")

import gdsl  # noqa: E402
from gdsl.cli.main import main  # noqa: E402
from gdsl.pictures import drawing  # noqa: E402
from gdsl.pictures.plots import panels  # noqa: E402

matplotlib.use("Agg")

PAIRS = """program pairs;
problem {
    edge   half : float32;
    vertex best : (int32, vertex) = (7, none);
    vertex odd  : bool;
    vertex late : int32 = inf;
    vertex some[2] : int64;
    scalar s : int32;
}
edge functor f(src, dst, e) { apply { half[e] = float32(int32(src)) / 2.0; } }
vertex functor g(v) {
    apply {
        odd[v] = int32(v) % 2 == 1;
        some[v][1] = int64(int32(v));
        if (int32(v) < 3) { late[v] = int32(v); }
        s += 1;
    }
}
schedule { compute(edges, f); compute(vertices, g); }
"""


@pytest.fixture
def axes():
    from matplotlib.figure import Figure

    return Figure().add_subplot


@pytest.fixture(scope="module")
def karate():
    return gdsl.Graph.read("karate")


@pytest.fixture(scope="module")
def hops(karate):
    return gdsl.samples.bfs(karate, source=0, backend="reference")


@pytest.fixture(scope="module")
def large():
    return gdsl.Graph.generate("rmat:9")


def points(ax):
    """The scattered points with their values: (place, value) of all collections that have values."""
    return [found for found in ax.collections if type(found).__name__ == "PathCollection"]


def values_of(ax):
    arrays = [found.get_array() for found in points(ax) if found.get_array() is not None]
    return np.concatenate([np.asarray(array) for array in arrays]) if arrays else np.array([])


# ---------------------------------------------------------------- graphs


def test_a_small_graph_is_drawn(axes, karate):
    ax = axes()
    assert karate.plot(ax) is ax
    assert sorted(values_of(ax)) == sorted(karate.out_degrees)
    [lines] = [found for found in ax.collections if type(found).__name__ == "LineCollection"]
    assert len(lines.get_segments()) == 78, "each edge once"
    assert [text.get_text() for text in ax.texts] == [str(vertex) for vertex in range(34)]
    ends = np.concatenate(list(lines.get_segments()))
    places = points(ax)[-1].get_offsets()
    assert {tuple(end) for end in ends.round(9)} <= {tuple(place) for place in np.asarray(places).round(9)}


def test_edges_with_a_direction_are_arrows(axes):
    ax = axes()
    gdsl.Graph.from_edges([0, 1, 2, 2], [1, 0, 0, 2], num_vertices=5).plot(ax)
    [arrows] = [found for found in ax.collections if type(found).__name__ == "Quiver"]
    assert arrows.N == 4
    assert sorted(values_of(ax)) == [0, 0, 1, 1, 2]


def test_names_stand_at_vertices(axes):
    networkx = pytest.importorskip("networkx")
    ax = axes()
    gdsl.Graph.from_networkx(networkx.Graph([("Ann", "B$o$b"), ("Ann", "x" * 30)])).plot(ax)
    assert [text.get_text() for text in ax.texts] == ["Ann", r"B\$o\$b", "x" * 12]


def test_of_a_large_graph_the_degrees(axes, large):
    ax = axes()
    large.plot(ax)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    [shown] = points(ax)
    drawn = {int(degree): int(count) for degree, count in shown.get_offsets()}
    degrees, counts = np.unique(large.out_degrees[large.out_degrees > 0], return_counts=True)
    assert drawn == dict(zip(degrees.tolist(), counts.tolist(), strict=True))
    alone = int((large.out_degrees == 0).sum())
    assert f"{alone:,} vertices have none" in ax.get_legend().get_texts()[0].get_text()
    ax = axes()
    gdsl.Graph.from_edges([0, 0, 1], [1, 2, 2]).plot(ax, kind="distribution")
    assert [len(found.get_offsets()) for found in points(ax)] == [2, 2], "of directed graphs both degrees"


def test_graphs_of_nothing(axes):
    for count in (0, 1, 3):
        gdsl.Graph.from_edges([], [], num_vertices=count).plot(axes())
        panels([gdsl.Graph.from_edges([], [], num_vertices=count).plot]).canvas.draw()


@pytest.mark.parametrize("vertices", [0, 300])
def test_degrees_of_no_edges(axes, tmp_path, vertices):
    ax = gdsl.Graph.from_edges([], [], num_vertices=vertices).plot(axes(), kind="distribution")
    ax.figure.savefig(tmp_path / "degrees.svg")
    assert (tmp_path / "degrees.svg").stat().st_size


def test_kinds_that_there_are_not(karate, large, axes):
    with pytest.raises(ValueError, match="'drawing' or 'distribution', not 'spring'"):
        karate.plot(kind="spring")
    with pytest.raises(ValueError, match=r"512 vertices .* is not drawn"):
        large.plot(kind="drawing")


def test_a_drawing_is_always_the_same(karate):
    first, second = (drawing.positions(34, *karate.edges) for _ in range(2))
    assert np.array_equal(first, second)
    assert np.abs(first).max() <= 1.0 + 1e-9


@pytest.mark.parametrize("missing", [("networkx",), ("networkx", "igraph")])
def test_without_libraries_for_springs(monkeypatch, missing):
    imported = builtins.__import__

    def without(name, *arguments):
        if name.partition(".")[0] in missing:
            raise ImportError(name)
        return imported(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without)
    found = drawing.positions(6, np.array([0, 1, 2, 4]), np.array([1, 2, 3, 4]))
    assert found.shape == (6, 2)
    assert len({tuple(place) for place in found.round(6).tolist()}) == 6, "no two in one place"
    assert found[4][1] == found[5][1] == -1.25, "what has no edge stands below"


# ---------------------------------------------------------------- results


def test_a_result_is_the_color_of_a_small_graph(axes, hops):
    ax = axes()
    assert hops.plot(ax=ax) is ax
    assert sorted(values_of(ax)) == sorted(hops.distance)
    assert ax.get_title() == "distance"


def test_what_has_no_value_is_gray(axes, hops):
    ax = axes()
    hops.plot("parent", ax)
    assert sorted(values_of(ax)) == sorted(hops.parent[hops.parent >= 0])
    assert ax.get_title() == "parent (1 none)"
    gray = [found for found in points(ax) if found.get_array() is None]
    assert [len(found.get_offsets()) for found in gray] == [1]


def test_results_of_all_kinds(axes):
    graph = gdsl.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 3])
    result = gdsl.compile(PAIRS)(graph, backend="reference")
    ax = axes()
    result.plot("half", ax)
    [arrows] = [found for found in ax.collections if type(found).__name__ == "Quiver"]
    assert sorted(arrows.get_array()) == [0.0, 0.5, 1.0, 1.5]
    for name, expected in {"odd": [0, 0, 1, 1], "late": [0, 1, 2], "some.1": [0, 1, 2, 3], "best.0": [7] * 4}.items():
        ax = axes()
        result.plot(name, ax)
        assert sorted(values_of(ax)) == expected, name
    ax = axes()
    result.plot("late", ax, kind="distribution")
    assert [bar.get_height() for bar in ax.patches] == [1, 1, 1]
    assert ax.get_xlabel() == "1 not finite"
    with pytest.raises(ValueError, match=r"'s' is a scalar; what can be drawn is half, best\.0, best\.1, odd, late"):
        result.plot("s")
    with pytest.raises(ValueError, match="'some' is not a result"):
        result.plot("some")
    with pytest.raises(TypeError, match="not 3"):
        result.plot(3)


def test_of_a_large_graph_the_distribution(axes, large):
    result = gdsl.samples.bfs(large, source=1, backend="reference")
    ax = axes()
    result.plot(ax=ax)
    found, counts = np.unique(result.distance, return_counts=True)
    drawn = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in ax.patches}
    assert {place: count for place, count in drawn.items() if count} == dict(
        zip(found.tolist(), counts.tolist(), strict=True)
    )
    ranks = gdsl.samples.pagerank(large, backend="reference")
    ax = axes()
    ranks.plot("rank", ax)
    [stairs] = ax.patches
    assert stairs.get_data().values.sum() == 512


@pytest.mark.parametrize(
    "values",
    [
        np.array([1.0, np.nextafter(1.0, 2.0)]),
        np.array([5.0]),
        np.array([1e-300, 1e300]),
        np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1]),
        np.array([], dtype=np.float32),
        np.array([True, False, True]),
    ],
    ids=["near", "one", "far", "large", "all", "none", "bool"],
)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_distributions_of_odd_values(axes, values):
    from gdsl.pictures.charts import draw_values

    ax = axes()
    draw_values(ax, values, "", "title")
    ax.figure.canvas.draw()
    bars = [patch.get_height() for patch in ax.patches if hasattr(patch, "get_height")]
    drawn = sum(bars) if bars else sum(patch.get_data().values.sum() for patch in ax.patches)
    assert drawn == len(values)


def test_the_frontier(axes, hops):
    ax = axes()
    hops.plot_trace(ax)
    sizes = [record.frontier_size for record in hops.trace]
    edges = [record.edges for record in hops.trace]
    assert [list(line.get_ydata()) for line in ax.lines] == [sizes, edges]
    assert list(ax.lines[0].get_xdata()) == [1, 2, 3, 4]
    other = axes()
    hops.plot("frontier", other)
    assert [list(line.get_ydata()) for line in other.lines] == [sizes, edges]


def test_a_result_that_lost_its_graph(axes, hops):
    copied = pickle.loads(pickle.dumps(hops))
    ax = axes()
    copied.plot(ax=ax)
    assert sum(bar.get_height() for bar in ax.patches) == 34
    with pytest.raises(ValueError, match="without its graph"):
        copied.plot(kind="drawing")


def test_new_axes_are_those_of_pyplot(hops):
    from matplotlib import pyplot

    ax = hops.plot()
    assert pyplot.gcf() is ax.figure
    pyplot.close(ax.figure)


# ---------------------------------------------------------------- the command line


@pytest.mark.parametrize(("name", "begin"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("A.PDF", b"%PDF")])
def test_files(tmp_path, monkeypatch, capfd, name, begin):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert main(["graph", "info", "karate", "--plot", name]) == 0
        content = (tmp_path / name).read_bytes()
        assert content.startswith(begin)
        if not (tmp_path / "before").exists():
            (tmp_path / name).rename(tmp_path / "before")
    assert content == (tmp_path / "before").read_bytes(), "the same picture gives the same bytes"
    assert "vertices:    34" in capfd.readouterr().out


def test_a_picture_of_a_run(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    words = ["run", "bfs", "karate", "-p", "source=0", "--backend", "reference", "--plot", "a.svg"]
    assert main(words) == 0
    text = (tmp_path / "a.svg").read_text()
    assert text.count('<g id="axes_') >= 3, "two results and the frontier"
    assert main([*words, "--json"]) == 0
    assert json.loads(capfd.readouterr().out.partition("\n{")[2].join(["{", ""]))["program"] == "bfs"


def test_nothing_is_drawn_of_what_does_not_run(capfd):
    assert main(["run", "bfs", "karate", "-p", "source=0", "--dry-run", "--plot", "a.png"]) == 2
    assert "--dry-run runs nothing" in capfd.readouterr().err


def test_pictures_that_cannot_be_written(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    for name, status, words in (
        ("a.gif", 2, ".png, .svg, .pdf"),
        ("a", 2, ".png"),
        ("no/a.png", 1, "E0911"),
        ("", 1, "E0911"),
    ):
        assert main(["graph", "info", "karate", "--plot", name]) == status
        out, err = capfd.readouterr()
        assert words in err
        assert out == "", "it is said before the work is done"
    assert list(tmp_path.iterdir()) == []


def test_without_a_display(tmp_path):
    """No window is asked for, whatever the environment says."""
    environment = {**os.environ, "DISPLAY": ":77", "MPLBACKEND": "TkAgg"}
    words = [sys.executable, "-m", "gdsl", "graph", "info", "karate", "--plot", "a.png"]
    answer = subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert (answer.returncode, answer.stderr) == (0, "")
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_without_matplotlib(monkeypatch, capfd, karate, hops, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.chdir(tmp_path)
    for draw in (karate.plot, hops.plot, hops.plot_trace):
        with pytest.raises(gdsl.GdslError, match=r"E0907.*(\n.*)*pip install 'gdsl\[plot\]'"):
            draw()
    assert main(["graph", "info", "karate", "--plot", "a.png"]) == 1
    assert "gdsl[plot]" in capfd.readouterr().err


def test_nothing_of_it_is_imported_before():
    script = (
        "import sys, gdsl; gdsl.samples.bfs(gdsl.Graph.read('karate'), source=0, backend='reference');"
        "print([name for name in sys.modules if name.partition('.')[0] in ('matplotlib', 'IPython', 'tqdm')"
        " or name.startswith(('gdsl.pictures', 'gdsl.html', 'gdsl.integrations.notebook'))])"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert answer.stdout == "[]\n"
