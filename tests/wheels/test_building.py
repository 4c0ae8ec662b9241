"""`gdslc export --wheel`: the file, what is in it, and what is refused before anything is written."""

from __future__ import annotations

import ast
import base64
import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.backends.cuda import nvrtc, packaged, source_text
from gdsl.cli.main import main
from gdsl.diagnostics import GdslError
from gdsl.wheels import answers
from gdsl.wheels.answers import answer_of
from gdsl.wheels.kernels import classes_of
from gdsl.wheels.texts import check_name, check_version, stub
from tests.support.packages import HOPS, no_machine_code, wheel
from tests.support.programs import LIBRARY, SAMPLES

NAME = "graph_search-0.1.0-py3-none-any.whl"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with one program."""
    (tmp_path / "hops.gdsl").write_text(HOPS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_record_of_a_wheel_is_that_of_its_files(work: Path) -> None:
    assert main(["export", "hops.gdsl", "--wheel", "graph_search", "--no-kernels"]) == 0
    with zipfile.ZipFile(work / NAME) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
        assert all(info.external_attr >> 16 == 0o100644 for info in archive.infolist())
    rows = [line.split(",") for line in contents["graph_search-0.1.0.dist-info/RECORD"].decode().splitlines()]
    assert [row[0] for row in rows] == list(contents)
    for name, digest, size in rows[:-1]:
        found = base64.urlsafe_b64encode(hashlib.sha256(contents[name]).digest()).rstrip(b"=").decode()
        assert (digest, size) == (f"sha256={found}", str(len(contents[name])))
    for name, data in contents.items():
        assert str(work).encode() not in data
        if name.endswith((".py", ".pyi")):
            ast.parse(data)
    metadata = contents["graph_search-0.1.0.dist-info/METADATA"].decode()
    assert "Requires-Dist: gdsl>=" in metadata
    assert "Summary: Hop distance from `source`." in metadata
    entry_points = contents["graph_search-0.1.0.dist-info/entry_points.txt"].decode()
    assert entry_points == "[gdsl.programs]\ngraph_search = graph_search\n"
    stub = contents["graph_search/__init__.pyi"].decode()
    assert "distance: NDArray[numpy.int32]" in stub
    assert "source: int | str," in stub


def test_the_graph_of_the_test_is_the_one_that_comes_with_gdsl(work: Path) -> None:
    """Not a file that is called like it, where the package is built or where its test runs."""
    Path("karate").write_text("0 1\n")
    found = answer_of(gdsl.compile("hops"), {})
    graph, _, results = answers.read(found)
    assert graph.num_vertices == len(results["distance"]) == 34
    assert main(["export", "hops.gdsl", "--wheel", "graph_search", "--no-kernels", "-p", "source=33"]) == 0


@pytest.mark.slow
def test_two_builds_are_equal(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_machine_code(monkeypatch)
    first = wheel(work / "first", gdsl.compile(work / "hops.gdsl"), architectures=("sm_80", "sm_90"))
    (work / "elsewhere").mkdir()
    (work / "hops.gdsl").rename(work / "elsewhere" / "hops.gdsl")
    monkeypatch.chdir(work / "elsewhere")
    second = wheel(work / "second", gdsl.compile("hops"), architectures=("sm_80", "sm_90"))
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.slow
def test_every_form_of_a_program_is_compiled_for_every_architecture(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_machine_code(monkeypatch)
    program = gdsl.compile("bfs")
    built = wheel(work / NAME, program, architectures=("sm_80", "sm_90"))
    with zipfile.ZipFile(built) as archive:
        manifest = json.loads(archive.read("graph_search/gdsl_programs.json"))
        files = set(archive.namelist())
    classes = classes_of(program.ir)
    assert len(classes) > 1
    for graph in classes:
        entry = manifest["kernels"][packaged.key_of(source_text(program.ir, 32, graph))]
        assert sorted(entry) == ["sm_80", "sm_90"]
        assert {f"graph_search/{each['file']}" for each in entry.values()} <= files
    forms = {each["form"] for entry in manifest["kernels"].values() for each in entry.values()}
    assert {"bfs with 32-bit ids", "bfs with 32-bit ids, for many values", "copies to the host"} <= forms


@pytest.mark.slow
def test_every_instance_is_compiled_where_its_pairs_fit(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs with a part of 64 bits are too wide for sm_80."""
    no_machine_code(monkeypatch)
    text = """program least;
    type kind : integer = int32;
    problem { input edge weight : kind; vertex best : (kind, vertex) = (inf, none); }
    edge functor look(s, d, e) { apply { best[d] min= (weight[e], s); } }
    schedule { advance(vertices, look, to=none); }
    """
    options = {"architectures": ("sm_80", "sm_90"), "all_types": True}
    built = wheel(work / NAME, gdsl.compile(text), **options)
    manifest = json.loads(zipfile.ZipFile(built).read("graph_search/gdsl_programs.json"))
    forms = {each["form"]: set(entry) for entry in manifest["kernels"].values() for each in entry.values()}
    for kind, architectures in (("int32", {"sm_80", "sm_90"}), ("uint32", {"sm_80", "sm_90"}), ("int64", {"sm_90"})):
        assert forms[f"least with kind={kind}, 32-bit ids"] == architectures
    with pytest.raises(GdslError, match="E0908") as caught:
        wheel(work / "other", gdsl.compile(text, types={"kind": "int64"}), architectures=("sm_80",))
    assert "--arch sm_90" in str(caught.value)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--wheel", "Graph-Search"], 1, ("E0915", "write graph_search")),
        (["--wheel", ""], 1, ("E0915", "is not the name of a package")),
        (["--wheel", "../x"], 1, ("E0915",)),
        (["--wheel", "a__b"], 1, ("E0915", "write a_b")),
        (["--wheel", "x" * 101], 1, ("E0915",)),
        (["--wheel", "größe"], 1, ("E0915",)),
        (["--wheel", "lambda"], 1, ("E0915", "keyword", "lambda_programs")),
        (["--wheel", "json"], 1, ("E0915", "would hide a module of Python")),
        (["--wheel", "gdsl"], 1, ("E0915", "would hide gdsl itself")),
        (["--wheel", "numpy"], 1, ("E0915", "would hide a package that gdsl uses")),
        (["--wheel", "markupsafe"], 1, ("E0915", "would hide a package that gdsl uses")),  # which Jinja requires
        (["--wheel", "markdown_it"], 1, ("E0915", "would hide a package that gdsl uses")),  # of markdown-it-py
        (["--wheel", "test"], 1, ("E0915", "would hide a module of Python")),
        (["--wheel", "gdsl_data_x"], 1, ("E0915", "write, for example, my_graph_programs")),
        (["--wheel", "a", "--version", ""], 1, ("E0915", "'' is not the version")),
        (["--wheel", "a", "--version", "1.x"], 1, ("E0915", "'1.x' is not the version")),
        (["--wheel", "a", "--version", "1/2"], 1, ("E0915",)),
        (["--wheel", "a", "--arch", "hopper"], 1, ("E0904", "hopper")),
        (["--wheel", "a", "--arch", "sm_90", "--no-kernels"], 2, ("exclude each other",)),
        (["--wheel", "a", "--all-types", "-t", "x=int32"], 2, ("exclude each other",)),
        (["-o", "out", "--all-types"], 2, ("--all-types is for a package",)),
        (["--wheel", "a", "--backend", "cpu"], 2, ("--backend is for a folder",)),
        (["--wheel", "a", "--no-kernels", "-o", "none"], 1, ("E0911", "there is no directory none")),
        (["--wheel", "a", "--no-kernels", "-o", "hops.gdsl"], 1, ("E0911", "fix: name another one")),
        (["--wheel", "a", "--no-kernels", "-p", "source=99"], 1, ("E0915", "-p NAME=VALUE", "E0604")),
        (["--wheel", "a", "--no-kernels", "-p", "sorce=1"], 1, ("sorce",)),
        (["-o", "out", "--arch", "sm_90"], 2, ("--arch is for a package",)),
        (["-o", "out", "-p", "source=1"], 2, ("-p is for a package",)),
        (["-o", "out", "--no-kernels"], 2, ("--no-kernels is for a package",)),
        (["-o", "out", "--version", "1.0"], 2, ("--version is for a package",)),
        (["-o", "out", "--version", ""], 2, ("--version is for a package",)),
    ],
)
def test_what_is_refused(
    work: Path, capsys: pytest.CaptureFixture[str], words: list[str], status: int, said: tuple[str, ...]
) -> None:
    assert main(["export", "hops.gdsl", *words]) == status
    error = capsys.readouterr().err
    assert [part for part in said if part not in error] == []
    assert "Traceback" not in error
    assert sorted(path.name for path in work.iterdir()) == ["hops.gdsl"]


def test_without_nvrtc_there_is_one_way_out(
    work: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> Any:
        raise GdslError.single("E0903", "NVRTC cannot be loaded", fix="install it")

    monkeypatch.setattr(nvrtc, "bindings", none)
    assert main(["export", "hops.gdsl", "--wheel", "graph_search"]) == 1
    assert "--no-kernels" in capsys.readouterr().err
    assert main(["export", "hops.gdsl", "--wheel", "graph_search", "--no-kernels"]) == 0
    assert "no kernels" in capsys.readouterr().err


def test_a_wheel_is_whole_or_as_it_was(
    work: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["export", "hops.gdsl", "--wheel", "graph_search", "--no-kernels"]
    (work / NAME).write_bytes(b"mine")
    assert main(words) == 1
    assert "the file exists" in capsys.readouterr().err

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        assert main([*words, "--force"]) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert (work / NAME).read_bytes() == b"mine"
    assert main([*words, "--force"]) == 0
    assert zipfile.is_zipfile(work / NAME)
    assert sorted(path.name for path in work.iterdir()) == [NAME, "hops.gdsl"]


def test_a_program_without_end_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_SECONDS", 0.05)
    text = "program p; problem { param n : int32; scalar s : int64; } schedule { while (s >= 0) { s = 1; } }"
    with pytest.raises(GdslError, match=r"(?s)E0915.*E0802.*-p NAME=VALUE"):
        answer_of(gdsl.compile(text), {})


def test_results_hide_no_types() -> None:
    text = """program p; problem { vertex numpy : int32; scalar int : int64; scalar t : int64; vertex u : float32; }
    schedule { fill(numpy, 1); int = 1; t = 2; fill(u, 1); }"""
    found = stub(gdsl.compile(text))
    assert "t: int\n" in found and "u: NDArray[numpy.float32]\n" in found
    assert "\n    numpy:" not in found and "\n    int:" not in found


def test_a_program_that_python_cannot_call(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / "odd.gdsl").write_text(HOPS.replace("program hops", "program lambda"), encoding="utf-8")
    assert main(["export", "odd.gdsl", "--wheel", "odd", "--no-kernels"]) == 1
    assert "could not be called from Python" in capsys.readouterr().err


@pytest.mark.parametrize("version", ["0", "0.1.0", "2026.11", "1.0rc1", "1.0.post2", "1.0.dev3"])
def test_versions(version: str) -> None:
    check_version(version)
    check_name("a1_b2")


@pytest.mark.sampled(12)
@pytest.mark.parametrize("path", [*SAMPLES, *LIBRARY], ids=lambda path: path.stem)
def test_arguments_are_found_for_every_sample(path: Path) -> None:
    answer = answer_of(gdsl.compile(path), {})
    assert answer["results"]


def test_arguments_of_every_kind(place: Path) -> None:
    from gdsl.wheels import differences_from_answer
    from tests.support.packages import installed

    text = """program kinds;
    problem {
        param sites : vertex set where size(sites) > 0;  param low : float64 where low >= 0 && low < 0.3;
        param count : uint64;  param flag : bool;
        input edge weight : float32 where weight > 0;  input vertex label : vertex;  input vertex two[2] : int32;
        input scalar base : int32;
        vertex best : (int32, vertex) = (0, none);  scalar total : int64;  vertex sums : float32;
    }
    schedule {
        compute(sites, v => { best[v] = (two[v][1], label[v]); });
        sums = neighbor_reduce(vertices, (u, v, e) => weight[e], sum);
        total = base + int64(count);
    }
    """
    program = gdsl.compile(text)
    installed(place, program)
    assert differences_from_answer("graph_search", "kinds", "reference") == []
    given = answer_of(program, {"label": np.zeros(34, np.int64)})["values"]["label"]
    assert given == {"dtype": "int64", "values": [0] * 34}


@pytest.mark.slow
def test_an_installed_wheel_passes_its_test(work: Path) -> None:
    """By pip, into a folder of its own, in a process that has gdsl and nothing of this one."""
    wheel(work / NAME, gdsl.compile("bfs"))
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run([*pip, "--target", "installed", NAME], check=True, cwd=work, timeout=120)
    program = (
        f"import sys; sys.path[:0] = [{str(work / 'installed')!r}, {str(Path(gdsl.__file__).parents[1])!r}]\n"
        "import graph_search, pytest\n"
        "sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', '--pyargs', 'graph_search']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=work, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
