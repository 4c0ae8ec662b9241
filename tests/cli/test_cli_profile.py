"""`gdslc profile`: files, tables, comparisons, and clear refusals."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path

import pytest

RUN = ("profile", "hops.gdsl", "path.mtx", "-p", "source=0", "--backend", "reference")


def test_a_table_without_files(gdslc):
    answer = gdslc(*RUN)
    assert answer.status == 0, answer.err
    assert answer.out.startswith("hops on path.mtx (5 vertices, 6 edges): ")
    assert "visit" in answer.out and "between operators" in answer.out


def test_page_and_data_are_written(gdslc):
    answer = gdslc(*RUN, "--html", "hops.html", "--json", "hops.json", "--repeat", "3")
    assert answer.status == 0 and "the median of 3 runs" in answer.out, answer.err
    document = json.loads(Path("hops.json").read_text())
    assert document["kind"] == "gdsl profile" and document["params"] == {"source": "0"}
    assert document["graph"]["name"] == "path.mtx" and document["program"]["file"] == "hops.gdsl"
    assert document["time_ms"]["load"] > 0 and len(document["time_ms"]["runs"]) == 3
    assert [each["name"] for each in document["results"]] == ["distance"]
    assert document["memory"]["needed"] > 0
    assert Path("hops.html").read_text().rstrip().endswith("</html>")


@pytest.mark.parametrize("page", ["both", "./both", "link"])
def test_one_file_holds_one_of_both(gdslc, page):
    Path("link").symlink_to("both")
    gdslc(*RUN, "--json", "both", "--html", page).fails(2, "--html and --json name one file")
    assert not Path("both").exists()


def test_data_on_standard_output_stands_there_alone(gdslc):
    answer = gdslc(*RUN, "--json", "-")
    assert answer.status == 0 and json.loads(answer.out)["iterations"] == 4


@pytest.mark.parametrize("kept", ["a.json", "a.html"])
def test_a_run_beside_an_older_one(gdslc, kept):
    assert gdslc(*RUN, "--json", "a.json", "--html", "a.html").status == 0
    answer = gdslc(*RUN[:4], "source=3", *RUN[5:], "--compare", kept, "--html", "both.html", "--json", "both.json")
    assert answer.status == 0, answer.err
    assert "param source: 0 → 3" in answer.out and "the run" in answer.out
    found = json.loads(Path("both.json").read_text())
    assert found["a"]["params"] == {"source": "0"} and found["b"]["params"] == {"source": "3"}
    assert Path("both.html").exists()


def test_two_files_in_each_form(gdslc):
    for name in ("a.json", "b.json"):
        assert gdslc(*RUN, "--json", name).status == 0
    forms = (["--compare", "a.json", "b.json"], ["--compare", "a.json", "--compare", "b.json"])
    answers = [gdslc("profile", *form) for form in forms]
    assert [answer.status for answer in answers] == [0, 0] and answers[0].out == answers[1].out


def test_programs_that_have_nothing_in_common(gdslc):
    assert gdslc(*RUN, "--json", "a.json").status == 0
    answer = gdslc("profile", "paths.gdsl", "weighted.mtx", *RUN[3:], "--compare", "a.json", "--html", "both.html")
    answer.fails(1, "E0617", "hops", "paths")
    assert not Path("both.html").exists()


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["profile"], 2, "Missing argument 'PROGRAM'"),
        (["profile", "hops.gdsl"], 2, "Missing argument 'GRAPH'"),
        (["profile", "--compare", "a.json"], 2, "something to compare with"),
        (["profile", "--compare", "a.json", "--compare", "b.json", "hops.gdsl"], 2, "leave out PROGRAM and GRAPH"),
        (["profile", *["--compare", "a.json"] * 3], 2, "compares two"),
        (["profile", "--compare", "a.json", "b.json", "-p", "source=1"], 2, "-p is for a run"),
        (["profile", "--compare", "a.json", "b.json", "--repeat", "3"], 2, "--repeat is for a run"),
        (["profile", "--compare", "a.json", "b.json", "--undirected"], 2, "--undirected is for a run"),
        ([*RUN, "--html", "-"], 2, "./- is a file called -"),
        (["profile", "--compare", "hops.gdsl", "path.mtx"], 1, "E0616"),
        (["profile", "--compare", "missing.json", "missing.json"], 1, "E0616"),
        ([*RUN, "--open"], 2, "--html FILE"),
        ([*RUN, "--repeat", "0"], 2, "0 is not in the range from 1 to 1000"),
        ([*RUN, "--repeat", "１２"], 2, "'--repeat': '１２': expected a whole number"),
        ([*RUN, "--repeat", "1.5"], 2, "expected a whole number"),
        ([*RUN, "--html", "no/such/place.html"], 1, "E0911"),
        ([*RUN, "--json", "no/such/place.json"], 1, "E0911"),
        ([*RUN, "--html", ""], 1, "E0911"),
        ([*RUN, "--html", "."], 1, "E0911"),
        ([*RUN[:3], "--backend", "reference"], 1, "source"),
        ([*RUN[:3], "source=0"], 2, "-p source=0"),
        ([*RUN[:3], "--source", "0"], 2, "-p source=0"),
        (["profile", "nothing.gdsl", "path.mtx"], 1, "nothing.gdsl"),
        (["profile", "endless.gdsl", "path.mtx", "--backend", "reference", "--timeout", "0.5"], 1, "E0802"),
        (["profile", "endless.gdsl", "path.mtx", "--backend", "reference", "--max-iterations", "3"], 1, "E0803"),
    ],
)
def test_what_cannot_be_done_is_said(gdslc, words, status, said):
    gdslc(*words).fails(status, said)


def test_nothing_is_written_where_a_run_fails(gdslc):
    Path("old.html").write_text("as it was")
    gdslc("profile", "endless.gdsl", "path.mtx", "--backend", "reference", "--timeout", "0.3", "--html", "old.html")
    assert Path("old.html").read_text() == "as it was"
    assert [path.name for path in Path().glob(".gdsl-*")] == []


def test_a_page_is_opened_in_a_browser(gdslc, monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    assert gdslc(*RUN, "--html", "a b.html", "--open").err == ""
    assert opened == [Path("a b.html").resolve().as_uri()]


@pytest.mark.parametrize("raises", [False, True])
def test_a_browser_that_is_not_there_is_said(gdslc, monkeypatch, raises):
    def none(address: str) -> bool:
        if raises:
            raise webbrowser.Error("could not locate runnable browser")
        return False

    monkeypatch.setattr(webbrowser, "open", none)
    answer = gdslc(*RUN, "--html", "hops.html", "--open")
    assert answer.status == 0 and "no browser was found to open hops.html with" in answer.err
    assert Path("hops.html").exists()
