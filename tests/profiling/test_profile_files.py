"""Profiles in files: they come back as they were, and what is none is refused; two of them side by side."""

from __future__ import annotations

import json

import pytest

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.profiling import Profile
from gdsl.profiling.document import digest_of

TWO = """program two;
problem { vertex x : int32 = 0; }
vertex functor one(v) { apply { x[v] = 1; } }
vertex functor other(v) { apply { x[v] = x[v] + 2; } }
schedule { compute(vertices, one); compute(vertices, other); compute(vertices, one); }
"""


@pytest.fixture(scope="module")
def graph() -> gdsl.Graph:
    return gdsl.Graph.generate("grid:5")


@pytest.fixture(scope="module")
def profile(graph) -> Profile:
    return gdsl.profile(TWO, graph, backend="reference", graph_name="grid:5")


@pytest.fixture(scope="module")
def hops(graph) -> Profile:
    return gdsl.profile("bfs", graph, source=0, backend="reference", graph_name="grid:5")


@pytest.mark.parametrize("kind", ["json", "html"])
def test_a_file_has_the_profile(profile, tmp_path, kind):
    path = tmp_path / f"p.{kind}"
    getattr(profile, f"to_{kind}")(path)
    assert Profile.read(path).as_document() == profile.as_document()


REFUSED = {
    "nothing": b"",
    "bytes": b"\xff\xfe\x00",
    "text": b"hello",
    "cut off": b'{"kind": "gdsl profile", "format": 1',
    "a list": b"[]",
    "a number": b"3",
    "another document": b'{"gdsl": "0.1.0", "backend": "cpu"}',
    "NaN": b'{"kind": NaN}',
    "deep": b"[" * 200_000,
    "a page": b"<!DOCTYPE html><html></html>",
    "a page with other data": b'<html><script type="application/json" id="gdsl-profile">[1]</script>',
    "digits": b'{"kind": ' + b"1" * 10_000 + b"}",
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_what_is_no_profile_is_refused(tmp_path, data):
    (tmp_path / "p.json").write_bytes(data)
    with pytest.raises(GdslError) as found:
        Profile.read(tmp_path / "p.json")
    assert found.value.code == "E0616" and "p.json" in str(found.value)


@pytest.mark.parametrize("name", ["missing.json", ".", "no\0name"])
def test_what_cannot_be_read_is_refused(tmp_path, name):
    with pytest.raises(GdslError) as found:
        Profile.read(str(tmp_path / name))
    assert found.value.code == "E0616"


def test_another_version_says_which(profile, tmp_path):
    document = {**profile.as_document(), "format": 99, "gdsl": "9.9"}
    (tmp_path / "p.json").write_text(json.dumps(document))
    with pytest.raises(GdslError, match=r"it was written by gdsl 9\.9"):
        Profile.read(tmp_path / "p.json")


CHANGES = {
    "no operators": lambda d: d.pop("operators"),
    "a text for a time": lambda d: d["time_ms"].update(run="1"),
    "a flag for a number": lambda d: d["graph"].update(vertices=True),
    "less than nothing": lambda d: d["operators"][0].update(runs=-1),
    "another column": lambda d: d["trace"]["edges"].append(1),
    "something more": lambda d: d["trace"].update(more=3),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_documents_that_have_been_changed_are_refused(profile, tmp_path, change):
    document = profile.as_document()
    change(document)
    (tmp_path / "p.json").write_text(json.dumps(document))
    with pytest.raises(GdslError, match=r"E0616.*has been changed since it was written"):
        Profile.read(tmp_path / "p.json")


def test_another_layout_of_the_same_document_is_the_same(profile, tmp_path):
    (tmp_path / "p.json").write_text(json.dumps(profile.as_document(), indent=1, sort_keys=True))
    assert Profile.read(tmp_path / "p.json").as_document() == profile.as_document()


# Two


def test_what_is_the_same_differs_in_nothing(profile, graph):
    again = gdsl.profile(TWO, graph, backend="reference", graph_name="grid:5")
    found = profile.compare(again).as_document()
    assert found["differences"] == [] and found["text"] == []
    assert [each["operator"] for each in found["operators"]] == ["one", "other", "one"]
    for each in found["operators"]:
        assert each["ms"] == pytest.approx(each["b"]["time_ms"] - each["a"]["time_ms"], abs=1e-6)


def test_programs_that_share_an_operator_are_compared(profile, graph):
    changed = TWO.replace("compute(vertices, other);", "compute(vertices, other) @third;").replace(" = 1;", " = 4;")
    found = profile.compare(gdsl.profile(changed, graph, backend="reference", graph_name="grid")).as_document()
    assert {each["what"] for each in found["differences"]} >= {"graph", "text of the program"}
    sides = {each["operator"]: (each["a"] is not None, each["b"] is not None) for each in found["operators"]}
    assert sides == {"one": (True, True), "third": (False, True), "other": (True, False)}
    marks = [mark for mark, _ in found["text"]]
    assert marks.count("+") == marks.count("-") == 2
    text = profile.compare(gdsl.profile(changed, graph, backend="reference")).text()
    assert "not there" in text and "text of the program: 5 lines" in text


def test_other_knobs_and_params_are_named(hops, graph):
    program = gdsl.compile("bfs", tune=["visit.direction=push"])
    other = gdsl.profile(program, graph, source=3, backend="reference", graph_name="grid:5")
    found = {each["what"]: (each["a"], each["b"]) for each in hops.compare(other).as_document()["differences"]}
    assert found["knobs"] == ("none", "visit.direction=push") and found["param source"] == ("0", "3")


def test_programs_without_a_common_operator_are_refused(profile, hops):
    with pytest.raises(GdslError) as found:
        profile.compare(hops)
    assert found.value.code == "E0617" and "two" in str(found.value) and "bfs" in str(found.value)


def test_what_a_file_says_does_no_more_to_a_terminal_than_text(profile, tmp_path):
    document = json.loads(profile.json().replace('"one"', '"one\\u001b[31m"'))
    document["program"]["name"] = document["backend"] = document["graph"]["name"] = "x\x1b]0;y\x07"
    document["params"] = {"\x1b[2J": "\x1b[2J"}
    (tmp_path / "p.json").write_text(json.dumps({**document, "digest": digest_of(document)}))
    read = Profile.read(tmp_path / "p.json")
    for text in (read.text(), profile.compare(read).text(), read.compare(profile).text()):
        assert text.replace("\n", "").isprintable(), text


def test_long_texts_are_compared_in_no_time(profile):
    a, b = profile.as_document(), profile.as_document()
    a["program"]["text"], b["program"]["text"] = ("\n".join([str(k), "x"] * 30_000) for k in (1, 2))
    assert len(Profile(a).compare(Profile(b)).as_document()["text"]) == 120_000


def test_a_page_of_two_is_not_a_profile(profile, tmp_path):
    profile.compare(profile).to_html(tmp_path / "two.html")
    with pytest.raises(GdslError, match="a page that compares two profiles"):
        Profile.read(tmp_path / "two.html")
    profile.compare(profile).to_json(tmp_path / "two.json")
    with pytest.raises(GdslError, match="was not written by gdslc profile"):
        Profile.read(tmp_path / "two.json")
