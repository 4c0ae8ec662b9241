"""`gdslc export`: which files it writes, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.mark.parametrize(("backend", "own"), [("cuda", "hops.cu"), ("cpu", "hops.cpp")])
def test_the_files(gdslc, work: Path, backend: str, own: str) -> None:
    directory = work / "made"
    found = gdslc("export", "hops.gdsl", "-o", str(directory), "--backend", backend)
    assert (found.status, found.out) == (0, "")
    names = {"hops.h", own, "hops_checks.hpp", "hops_checks.cpp", "main.cpp", "CMakeLists.txt"}
    assert {each.name for each in directory.iterdir() if not each.name.startswith("gdsl_")} == names
    assert f"wrote {len(list(directory.iterdir()))} files into {directory}" in found.err
    assert str(work) not in "".join(each.read_text() for each in directory.iterdir())


def test_knobs_are_those_of_the_command(gdslc, work: Path) -> None:
    for words, text in ((("--fuse", "off"), "ask("), (("--tune", "schedule.ids=64"), "")):
        directory = work / words[1]
        assert gdslc("export", "hops.gdsl", "-o", str(directory), *words).status == 0
        assert text in (directory / "hops.cu").read_text()
    assert "GDSL_GRAPH_IDS 6464" in (work / "schedule.ids=64" / "hops.h").read_text()


def test_what_is_refused(gdslc, work: Path) -> None:
    (work / "full").mkdir()
    (work / "full" / "mine").write_text("mine")
    for words, status, said in (
        (("hops.gdsl", "-o", str(work / "full")), 1, "E0911"),
        (("hops.gdsl", "-o", str(work / "none" / "made")), 1, "E0911"),
        (("hops.gdsl", "-o", "hops.gdsl"), 1, "E0911"),
        (("hops.gdsl", "-o", ""), 1, "the name of the directory to write is empty"),
        (("hops.gdsl",), 2, "-o"),
        (("hops.gdsl", "-o", "x", "--backend", "reference"), 2, "reference"),
        ((str(work / "none.gdsl"), "-o", str(work / "new")), 1, "none.gdsl"),
        (("hops.gdsl", "-o", str(work / "new"), "--tune", "none.direction=push"), 1, "none"),
    ):
        found = gdslc("export", *words)
        assert (found.status, said in found.err) == (status, True)
        assert "Traceback" not in found.err
    assert not (work / "new").exists()
    assert not (work / "hops.h").exists()
    assert [each.name for each in (work / "full").iterdir()] == ["mine"]
    assert gdslc("export", "hops.gdsl", "-o", str(work / "full"), "--force").status == 0
    assert (work / "full" / "mine").read_text() == "mine"


def test_the_help(gdslc) -> None:
    found = gdslc("export", "--help")
    assert found.status == 0
    for word in ("-o, --output DIR", "--backend", "--force", "--tune", "--fuse", "NAME.cu"):
        assert word in found.out
