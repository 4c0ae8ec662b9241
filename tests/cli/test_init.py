"""`gdslc init`: what it makes runs as it stands, and nothing that is there is touched."""

from __future__ import annotations

import contextlib
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A folder as it is made."""
    place = tmp_path_factory.mktemp("projects")
    words = [sys.executable, "-m", "gdsl", "init", "far-away"]
    answer = subprocess.run(words, cwd=place, capture_output=True, text=True, timeout=60, check=True)
    assert answer.stderr == ""
    assert answer.stdout.splitlines()[0] == "created far-away with far_away.gdsl, test_far_away.py, README.md; next:"
    return place / "far-away"


@pytest.mark.slow
def test_the_test_of_a_project_runs(project, shared_cache):
    environment = {**os.environ, "GDSL_CACHE_DIR": shared_cache, "PYTEST_ADDOPTS": ""}
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    answer = subprocess.run(
        words, cwd=project, capture_output=True, text=True, timeout=300, env=environment, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "9 passed" in answer.stdout


def test_it_finds_a_mistake_in_the_program(project, tmp_path):
    text = (project / "far_away.gdsl").read_text()
    assert "iteration + 1" in text
    (tmp_path / "far_away.gdsl").write_text(text.replace("iteration + 1", "iteration + 2"))
    shutil.copy(project / "test_far_away.py", tmp_path)
    made = runpy.run_path(str(tmp_path / "test_far_away.py"))
    for name, graph in made["GRAPHS"].items():
        with contextlib.nullcontext() if name == "a single vertex" else pytest.raises(AssertionError):
            made["test_distances"](graph, "reference")


def test_the_commands_of_its_page_run(project, gdslc, monkeypatch):
    monkeypatch.chdir(project)
    [block] = re.findall(r"```sh\n(.*?)```", (project / "README.md").read_text(), re.DOTALL)
    commands = [line.split("#")[0].split() for line in block.splitlines()]
    assert [words[1] for words in commands] == ["check", "run", "run", "compile", "-m"]
    for words in commands[:-1]:
        backend = ("--backend", "reference") if words[1] == "run" else ()
        answer = gdslc(*words[1:], *backend)
        assert (answer.status, answer.err) == (0, ""), words
    assert "$" not in "".join(path.read_text() for path in project.glob("*.*"))


def test_an_empty_folder_is_filled(gdslc, work, monkeypatch):
    (work / "mine").mkdir()
    assert gdslc("init", "mine").status == 0
    assert sorted(path.name for path in Path("mine").iterdir()) == ["README.md", "mine.gdsl", "test_mine.py"]
    (work / "here").mkdir()
    monkeypatch.chdir(work / "here")
    answer = gdslc("init", ".")
    assert answer.status == 0
    assert "cd " not in answer.out
    assert (work / "here" / "here.gdsl").is_file()
    assert gdslc("init", "../there/").status == 0
    assert (work / "there" / "there.gdsl").is_file()


def test_a_folder_that_is_not_empty_is_left_alone(gdslc, work):
    before = sorted(os.listdir(work))
    gdslc("init", ".").fails(1, "E0911", "not empty")
    gdslc("init", "path.mtx").fails(1, "E0911", "a file of that name")
    (work / "hidden").mkdir()
    (work / "hidden" / ".git").mkdir()
    gdslc("init", "hidden").fails(1, "not empty")
    assert os.listdir("hidden") == [".git"]
    (work / "link").symlink_to(work / "nowhere")
    gdslc("init", "link").fails(1, "E0911")
    assert sorted(os.listdir(work)) == sorted([*before, "hidden", "link"])


@pytest.mark.parametrize("name", ["", " ", "3d", "a+b", "ärger", "x" * 61, "new\nline", "-"])
def test_names_that_no_program_has(gdslc, work, name):
    before = os.listdir(work)
    gdslc("init", "--", name).fails(2)
    assert os.listdir(work) == before


def test_places_that_there_are_not(gdslc, work, monkeypatch):
    gdslc("init", "no/such/place").fails(1, "E0911", "no directory")
    (work / "file").write_text("")
    gdslc("init", "file/inside").fails(1, "E0911")


def test_nothing_half_made_is_left(gdslc, work, monkeypatch):
    before = os.listdir(work)
    write = Path.write_text

    def full(path, text, **options):
        if path.name == "README.md":
            raise OSError(28, "No space left on device")
        return write(path, text, **options)

    monkeypatch.setattr(Path, "write_text", full)
    (work / "empty").mkdir()
    for name in ("new", "empty"):
        gdslc("init", name).fails(1, "E0911", "No space left")
    assert os.listdir("empty") == []
    assert sorted(os.listdir(work)) == sorted([*before, "empty"])
