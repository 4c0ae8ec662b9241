"""Programs of installed packages: by the command, in Python, in imports; and what is said where one is missing."""

from __future__ import annotations

import importlib
import inspect
import json
import zipfile
from pathlib import Path

import pytest

import gdsl
from gdsl import packages
from gdsl.api.tune_files import tune_path
from gdsl.cli.main import main
from gdsl.diagnostics import GdslError
from gdsl.imports import is_allowed
from gdsl.source import Source
from gdsl.wheels import differences_from_answer, usable_backends
from tests.support.packages import HOPS, installed, wheel

COMMON = 'import away from "more/bits.gdsl";\nfunction next(x: int32) -> int32 { return away(x) + 1; }\n'
BITS = "function away(x: int32) -> int32 { return x; }\n"
IMPORTING = HOPS.replace("program hops;", 'program hops;\nimport next from "common.gdsl"; # from "none.gdsl"').replace(
    "= iteration + 1", "= next(iteration)"
)
USER = """program user;
import visit from "{path}";
problem {{ param source : vertex; vertex distance : int32 = -1; }}
schedule {{ distance[source] = 0; frontier f = {{ source }}; while (f) {{ f = advance(f, visit); }} }}
"""


def karate() -> gdsl.Graph:
    return gdsl.Graph.read("karate")


def expected() -> list[int]:
    return gdsl.samples.bfs(karate(), source=3, backend="reference").distance.tolist()


def test_a_program_by_the_name_of_its_package(place: Path) -> None:
    installed(place, gdsl.compile(HOPS))
    module = importlib.import_module("graph_search")
    for program in (gdsl.compile("graph_search:hops"), module.hops):
        assert program(karate(), source=3, backend="reference").distance.tolist() == expected()
    assert list(inspect.signature(module.hops).parameters)[:2] == ["graph", "source"]
    assert "Hop distance from `source`." in module.hops.__doc__
    assert "hops" in dir(module)
    assert module.__version__ == "0.1.0"
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        _ = module.other
    assert packages.path_of("graph_search:other") is None
    assert packages.path_of("graph_search") is None


def test_a_program_imports_from_a_package(place: Path, tmp_path: Path) -> None:
    """And the package has what its own program imports, wherever that was."""
    source = tmp_path / "source"
    (source / "more").mkdir(parents=True)
    for name, text in (("hops", IMPORTING), ("common", COMMON), ("more/bits", BITS)):
        (source / f"{name}.gdsl").write_text(text, encoding="utf-8")
    installed(place, gdsl.compile(source / "hops.gdsl"))
    for path in source.rglob("*.gdsl"):
        path.unlink()
    for program in (gdsl.compile("graph_search:hops"), gdsl.compile(USER.format(path="graph_search:hops"))):
        assert program(karate(), source=3, backend="reference").distance.tolist() == expected()
    text = (place / "graph_search" / "programs" / "hops.gdsl").read_text(encoding="utf-8")
    assert 'from "imported/common.gdsl"; # from "none.gdsl"' in text
    assert 'from "bits.gdsl"' in (place / "graph_search/programs/imported/common.gdsl").read_text(encoding="utf-8")
    installed(place, gdsl.compile(USER.format(path="graph_search:hops")), "users_of_it")
    assert 'from "imported/hops.gdsl"' in (place / "users_of_it/programs/user.gdsl").read_text(encoding="utf-8")
    assert gdsl.compile("users_of_it:user")(karate(), source=3, backend="reference").distance.tolist() == expected()


def test_files_of_the_same_name_are_both_packed(place: Path, tmp_path: Path) -> None:
    for folder, value in (("a", 1), ("b", 2)):
        (tmp_path / folder).mkdir()
        text = f"function of_{folder}() -> int32 {{ return {value}; }}"
        (tmp_path / folder / "one.gdsl").write_text(text, encoding="utf-8")
    text = (
        'program p; import of_a from "a/one.gdsl"; import of_b from "b/one.gdsl";'
        "problem { scalar s : int32; } schedule { s = of_a() * 10 + of_b(); }"
    )
    (tmp_path / "p.gdsl").write_text(text, encoding="utf-8")
    folder = installed(place, gdsl.compile(tmp_path / "p.gdsl"))
    assert sorted(path.name for path in (folder / "programs" / "imported").iterdir()) == ["one.gdsl", "one_2.gdsl"]
    assert gdsl.compile("graph_search:p")(karate(), backend="reference").s == 12


def test_the_knobs_and_types_of_the_package_hold(place: Path) -> None:
    program = gdsl.compile("sssp", tune=["schedule.fuse=off"], types={"weight_type": "int64"})
    installed(place, program, tune=("schedule.fuse=off",), types={"weight_type": "int64"})
    found = gdsl.compile("graph_search:sssp")
    assert not found.ir.tuning.fuse
    assert [each.type.name for each in found.ir.types] == ["int64"]
    assert gdsl.compile("graph_search:sssp", fuse=True).ir.tuning.fuse
    installed(place, found, "another_search")
    again = gdsl.compile("another_search:sssp").ir
    assert (again.tuning, again.types) == (found.ir.tuning, found.ir.types)
    assert differences_from_answer("graph_search", "sssp", "reference") == []


def test_the_test_of_a_package_finds_a_wrong_answer(place: Path) -> None:
    folder = installed(place, gdsl.compile("bfs"))
    assert "reference" in usable_backends("graph_search")
    assert differences_from_answer("graph_search", "bfs", "reference") == []
    answer = folder / "answers" / "bfs.json"
    content = json.loads(answer.read_text(encoding="utf-8"))
    content["results"]["distance"]["values"][5] = 7
    content["results"]["parent"]["values"][5] = 7  # which is not unique, so it is not compared
    answer.write_text(json.dumps(content), encoding="utf-8")
    assert differences_from_answer("graph_search", "bfs", "reference") == ["distance[5] is 1, not 7"]


def test_what_is_said_of_a_missing_program(place: Path) -> None:
    installed(place, gdsl.compile(HOPS))
    for word, said in (
        ("graph_search:hop", ("the package graph_search has no program hop", str(place), "mean graph_search:hops?")),
        ("json:hops", ("the package json has no gdsl programs", "no gdsl_programs.json")),
        ("no_such_package:hops", ("there is no package no_such_package", str(place), "install its wheel for")),
        ("colorsys:hops", ("there is no package colorsys",)),
    ):
        for program, code in ((word, "E0113"), (USER.format(path=word), "E0241")):
            with pytest.raises(GdslError) as caught:
                gdsl.compile(program)
            assert caught.value.code == code
            assert [part for part in said if part not in str(caught.value)] == []


def test_a_file_of_that_name_has_precedence(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(place, gdsl.compile(HOPS))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graph_search:hops").write_text(HOPS.replace("program hops", "program mine"), encoding="utf-8")
    assert gdsl.compile("graph_search:hops").name == "mine"


def test_only_packages_may_be_imported_from(place: Path, tmp_path: Path) -> None:
    """A folder with a manifest that Python does not import from is none; nor is another folder of a package."""
    folder = installed(place, gdsl.compile(HOPS))
    other = installed(tmp_path / "elsewhere", gdsl.compile(HOPS), "other_search")
    program = Source("<text>", "")
    assert is_allowed(program, str(folder / "programs" / "hops.gdsl"))
    assert not is_allowed(program, str(folder / "answers" / "hops.json"))
    assert not is_allowed(program, str(other / "programs" / "hops.gdsl"))


def manifest_with(**changed: object) -> str:
    whole = {"format": 1, "architectures": [], "kernels": {}, "programs": {"hops": {"tune": [], "types": {}}}}
    return json.dumps(whole | changed)


DAMAGED = (
    *("", "[]", '{"format": 1}', '{"format": 99}', "{", "[" * 100_000, "\udcff"),
    *(manifest_with(programs=each) for each in ([], {"hops": None}, {"hops": []}, {"hops": {"tune": "a"}})),
    *(manifest_with(programs={"hops": {"tune": [1], "types": {}}}), manifest_with(architectures="sm_80")),
    manifest_with(programs={"hops": {"tune": [], "types": {"weight_type": 1}}}),
    *(manifest_with(kernels={"key": each}) for each in (5, {"sm_80": 5}, {"sm_80": {"file": "a", "sha256": 1}})),
)


def test_a_damaged_manifest_is_none(place: Path) -> None:
    folder = installed(place, gdsl.compile(HOPS))
    for content in DAMAGED:
        (folder / packages.MANIFEST).write_bytes(content.encode("utf-8", "surrogateescape"))
        with pytest.raises(GdslError, match="the package graph_search has no gdsl programs") as caught:
            gdsl.compile("graph_search:hops")
        assert "is damaged" in str(caught.value)
    with pytest.raises(AttributeError, match=r"has no gdsl programs; .* is damaged.*; install the wheel"):
        _ = importlib.import_module("graph_search").hops
    (folder / packages.MANIFEST).write_text(manifest_with(), encoding="utf-8")
    assert gdsl.compile("graph_search:hops").name == "hops"


def test_a_package_in_an_archive(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = wheel(place / "a.whl", gdsl.compile(HOPS), "archived")
    monkeypatch.syspath_prepend(str(path))
    with pytest.raises(GdslError, match=r"(?s)the package archived has no gdsl programs.*inside an archive.*pip"):
        gdsl.compile("archived:hops")


def test_what_is_said_of_a_program_whose_file_is_gone(place: Path) -> None:
    folder = installed(place, gdsl.compile(HOPS))
    (folder / "programs" / "hops.gdsl").unlink()
    with pytest.raises(GdslError, match="has no program hops") as caught:
        gdsl.compile("graph_search:hops")
    assert "it has none" in str(caught.value)


def test_names_of_the_module_hide_no_program(place: Path) -> None:
    for name in ("_typing", "_wheels", "program_of"):
        installed(place, gdsl.compile(HOPS.replace("program hops", f"program {name}")), f"with{name}")
        assert getattr(importlib.import_module(f"with{name}"), name).name == name


def test_packages_are_listed_with_the_samples(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(wheel(place.parent / "a.whl", gdsl.compile(HOPS))) as archive:
        archive.extractall(place)
    assert main(["samples"]) == 0
    assert "Installed packages:\n  graph_search:hops  Hop distance from `source`.\n" in capsys.readouterr().out
    assert main(["samples", "graph_search:hops"]) == 0
    assert capsys.readouterr().out == HOPS
    assert main(["samples", "graph_search:hop"]) == 1
    assert "did you mean graph_search:hops?" in capsys.readouterr().err
    (place / "graph_search" / "programs" / "hops.gdsl").write_bytes(b"\xff")
    assert main(["samples", "graph_search:hops"]) == 1
    assert "is not UTF-8 text" in capsys.readouterr().err
    assert main(["samples"]) == 0


def test_a_tune_file_is_not_written_into_a_package(place: Path) -> None:
    installed(place, gdsl.compile(HOPS))
    assert tune_path(gdsl.compile("graph_search:hops").text) == "hops.tune"


def test_a_package_that_is_installed_meanwhile_is_found(place: Path) -> None:
    assert packages.path_of("graph_search:hops") is None
    installed(place, gdsl.compile(HOPS))
    assert packages.path_of("graph_search:hops") == str(place / "graph_search" / "programs" / "hops.gdsl")
