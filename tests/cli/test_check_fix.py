"""`gdslc check --fix`, `--json` and `--sarif`: what is applied, written, printed, and left alone."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import HOPS

MISSPELLED = HOPS.replace("param ", "parm ")
RACY = HOPS.replace("int32 = -1;", "int32 = -1; vertex parent : vertex = none;").replace(
    "iteration + 1; }", "iteration + 1; parent[dst] = src; }"
)


def test_a_certain_fix_is_written_and_shown(gdslc) -> None:
    Path("bad.gdsl").write_text(MISSPELLED)
    answer = gdslc("check", "--fix", "bad.gdsl")
    assert answer.status == 0, answer.err
    assert Path("bad.gdsl").read_text() == HOPS
    assert "-    parm  source   : vertex;\n+    param  source   : vertex;\n" in answer.out
    assert "bad.gdsl: ok" in answer.out
    assert "bad.gdsl: 1 fix applied" in answer.err


def test_a_decision_is_left_to_the_user(gdslc) -> None:
    Path("racy.gdsl").write_text(RACY)
    answer = gdslc("check", "--fix", "racy.gdsl")
    answer.fails(1, "error[E03", "any=", "gdslc check --fix=all asks")
    assert Path("racy.gdsl").read_text() == RACY
    gdslc("check", "--fix=all", "racy.gdsl").fails(2, "--yes")
    assert gdslc("check", "--fix=all", "--yes", "racy.gdsl").status == 0
    assert "parent[dst] any= src;" in Path("racy.gdsl").read_text()


def test_the_diff_alone(gdslc) -> None:
    Path("bad.gdsl").write_text(MISSPELLED)
    answer = gdslc("check", "--fix", "--diff", "bad.gdsl")
    assert answer.status == 0
    assert "1 fix would be applied" in answer.err and "+    param " in answer.out
    assert Path("bad.gdsl").read_text() == MISSPELLED


def test_what_remains_fails(gdslc) -> None:
    Path("two.gdsl").write_text(MISSPELLED.replace("iteration + 1", "iteratin + 1"))
    gdslc("check", "--fix", "two.gdsl").fails(1, "iteratin")
    assert "param " in Path("two.gdsl").read_text() and "iteratin" in Path("two.gdsl").read_text()


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_bytes_are_kept(gdslc, mark: bytes) -> None:
    file = Path("bad.gdsl")
    text = MISSPELLED.replace("Hop distance", "Hop dist\u00e4nce").replace("apply {", "\tapply {").rstrip("\n")
    text = text.replace("while (f) { f", "while (f) { f = f + { source }; f")
    file.write_bytes(mark + text.replace("\n", "\r\n").encode())
    file.chmod(0o640)
    assert gdslc("check", "--fix", "bad.gdsl").status == 0
    expected = text.replace("parm ", "param ").replace("f + {", "f | {").replace("\n", "\r\n").encode()
    assert file.read_bytes() == mark + expected
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [path.name for path in Path().glob(".gdsl-*")] == []


def test_links_are_followed(gdslc) -> None:
    Path("real.gdsl").write_text(MISSPELLED)
    Path("link.gdsl").symlink_to("real.gdsl")
    assert gdslc("check", "--fix", "link.gdsl").status == 0
    assert Path("link.gdsl").is_symlink() and Path("real.gdsl").read_text() == HOPS


def test_a_file_without_permission_is_left(gdslc, monkeypatch) -> None:
    Path("bad.gdsl").write_text(MISSPELLED)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    gdslc("check", "--fix", "bad.gdsl").fails(1, "E0911", "read-only")
    assert Path("bad.gdsl").read_text() == MISSPELLED


def test_a_file_that_changed_meanwhile_is_left(gdslc, monkeypatch) -> None:
    import gdsl.fixes as fixes

    Path("bad.gdsl").write_text(MISSPELLED)
    analyze = fixes.analyze

    def slow(source):
        Path("bad.gdsl").write_text(f"{MISSPELLED}# mine\n")
        return analyze(source)

    monkeypatch.setattr(fixes, "analyze", slow)
    gdslc("check", "--fix", "bad.gdsl").fails(1, "E0911", "changed")
    assert Path("bad.gdsl").read_text() == f"{MISSPELLED}# mine\n"


def test_imported_files_are_not_written(gdslc) -> None:
    common = "function half(x: float32) -> float32 { retrn x / 2; }\n"
    Path("common.gdsl").write_text(common)
    Path("main.gdsl").write_text(HOPS.replace("problem {", 'import half from "common.gdsl";\nproblem {'))
    gdslc("check", "--fix=all", "--yes", "main.gdsl").fails(1, "common.gdsl")
    assert Path("common.gdsl").read_text() == common


def test_a_file_to_import_from_is_fixed(gdslc) -> None:
    text = "function half(x: float32) -> float32 { return x / 2 }\n"
    Path("common.gdsl").write_text(text)
    answer = gdslc("check", "--fix", "common.gdsl")
    assert answer.status == 0, answer.err
    assert Path("common.gdsl").read_text() == text.replace("2 }", "2;}")


def test_what_is_imported_is_fixed_first(gdslc) -> None:
    Path("common.gdsl").write_text("function half(x: float32) -> float32 { return x / 2 }\n")
    text = HOPS.replace("problem {", 'import half from "common.gdsl";\nproblem {')
    Path("a.gdsl").write_text(text.replace("== -1;", "== -1 && half(float32(iteration)) < 9;"))
    answer = gdslc("check", "--fix", "a.gdsl", "common.gdsl")
    assert answer.status == 0, answer.err
    assert answer.err == "common.gdsl: 1 fix applied\n"


def test_samples_are_not_written(gdslc) -> None:
    gdslc("check", "--fix", "bfs").fails(1, "E0911", "sample", "gdslc samples bfs")


def test_a_directory(gdslc) -> None:
    Path("programs/deep").mkdir(parents=True)
    Path("programs/.hidden").mkdir()
    Path("programs/.hidden/bad.gdsl").write_text("nothing")
    Path("programs/bad.gdsl").write_text(MISSPELLED)
    Path("programs/deep/common.gdsl").write_text("function half(x: float32) -> float32 { return x / 2; }\n")
    gdslc("check", "programs").fails(1, "programs/bad.gdsl:5:5")
    answer = gdslc("check", "--fix", "programs")
    assert answer.status == 0, answer.err
    assert "common.gdsl: ok, a file to import from" in answer.out
    Path("empty").mkdir()
    gdslc("check", "empty").fails(1, "E0113", "no file in it ends in .gdsl")


@pytest.mark.slow
def test_standard_input(process) -> None:
    answer = process("check", "--fix", "-", input=MISSPELLED)
    assert (answer.returncode, answer.stdout) == (0, HOPS)
    answer = process("check", "--fix", "-", input=RACY)
    assert (answer.returncode, answer.stdout) == (1, RACY)
    assert "error[E03" in answer.stderr
    assert process("check", "--fix", "--json", "-", input=RACY).returncode == 2


def test_usage(gdslc) -> None:
    gdslc("check", "--yes", "hops.gdsl").fails(2, "--fix=all")
    gdslc("check", "--diff", "hops.gdsl").fails(2, "--fix --diff")
    gdslc("check", "--fix=some", "hops.gdsl").fails(2, "certain")
    gdslc("check", "--json", "--schedules", "2", "hops.gdsl", "karate").fails(2, "--json")


@pytest.mark.parametrize(
    ("answers", "expected"),
    [("y\n", "parent[dst] any= src;"), ("n\nn\nn\n", "parent[dst] = src;"), ("q\n", "parent[dst] = src;")],
)
@pytest.mark.sampled(3)
@pytest.mark.rare(1)
def test_questions(work: Path, answers: str, expected: str) -> None:
    Path("racy.gdsl").write_text(RACY)
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "gdsl", "check", "--fix=all", "racy.gdsl"]
    process = subprocess.Popen(command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    os.close(terminal)
    os.write(controller, answers.encode())
    out, _ = process.communicate(timeout=60)
    os.close(controller)
    assert expected in Path("racy.gdsl").read_text()
    assert b"Apply this fix? [y]es, [n]o, [a]ll, [q]uit" in out
    assert process.returncode == ("= src" in expected and "any" not in expected)


def test_json(gdslc) -> None:
    Path("bad.gdsl").write_text(MISSPELLED)
    answer = gdslc("check", "--json", "bad.gdsl", "hops.gdsl", "missing.gdsl")
    assert (answer.status, answer.err) == (1, "")
    document = json.loads(answer.out)
    assert document["schema"] == 1 and (document["errors"], document["fixed"]) == (2, 0)
    first, second, third = document["files"]
    assert [each["path"] for each in document["files"]] == ["bad.gdsl", "hops.gdsl", "missing.gdsl"]
    assert second["diagnostics"] == []
    assert third["diagnostics"][0]["code"] == "E0113" and third["diagnostics"][0]["location"] is None
    [diagnostic] = first["diagnostics"]
    [fix] = diagnostic["fixes"]
    where = {"file": "bad.gdsl", "line": 5, "column": 5, "end_line": 5, "end_column": 9}
    assert diagnostic["location"] == where and diagnostic["severity"] == "error"
    assert fix == {"words": "did you mean `param`?", "certain": True, "edits": [{"location": where, "text": "param"}]}
    document = json.loads(gdslc("check", "--json", "--fix", "bad.gdsl").out)
    assert document["fixed"] == 1 and document["files"][0]["fixed"][0]["code"] == "E0103"


def test_warnings_are_listed(gdslc) -> None:
    Path("idle.gdsl").write_text(HOPS.replace("int32 = -1;", "int32 = -1;\n    local vertex idle : int32;"))
    answer = gdslc("check", "--json", "idle.gdsl")
    document = json.loads(answer.out)
    assert answer.status == 0 and document["warnings"] == 1 and document["errors"] == 0
    assert document["files"][0]["diagnostics"][0]["severity"] == "warning"
    assert gdslc("check", "--json", "--strict", "idle.gdsl").status == 1


def test_sarif(gdslc) -> None:
    Path("bad program.gdsl").write_text(MISSPELLED)
    Path("racy.gdsl").write_text(RACY)
    answer = gdslc("check", "--sarif", "bad program.gdsl", "racy.gdsl")
    assert (answer.status, answer.err) == (1, "")
    log = json.loads(answer.out)
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
    [run] = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    first = run["results"][0]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "bad%20program.gdsl"
    assert place["region"] == {"startLine": 5, "startColumn": 5, "endLine": 5, "endColumn": 9}
    [change] = first["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"] == {"text": "param"}
