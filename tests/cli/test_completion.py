"""What the shells are told to complete a word to."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import click
import pytest

import gdsl
from gdsl.cli import completing, completion
from gdsl.cli.main import gdslc as gdslc_command
from gdsl.cli.program_words import knobs, wanted
from gdsl.program_files import samples


@pytest.fixture
def complete(work, monkeypatch, capfd):
    """The words that the last one of a line may become, as Zsh is told them, with type and meaning."""

    def ask(*words, shell="zsh"):
        monkeypatch.setenv("COMP_WORDS", " ".join(["gdslc", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        capfd.readouterr()
        assert completion.answer(f"{shell}_complete", gdslc_command) == 0
        out, err = capfd.readouterr()
        assert err == ""
        lines = out.split("\n")
        if shell != "zsh":
            return lines
        return {value.replace("\\:", ":"): (kind, told) for kind, value, told in zip(*[iter(lines)] * 3, strict=False)}

    return ask


def test_verbs(complete):
    assert set(complete("c")) == {"compile", "check", "cache", "completion"}
    assert complete("ru")["run"] == ("plain", "Run a program on a graph.")
    assert set(complete("graph", "")) == {"generate", "info", "convert"}
    assert set(complete("cache", "c")) == {"clear"}
    assert set(complete("run", "--max")) == {"--max-iterations"}


def test_programs(complete, work):
    (work / "sub").mkdir()
    (work / ".hidden.gdsl").write_text("")
    (work / "sub" / "inner.gdsl").write_text("")
    (work / "sub" / "graph.mtx").write_text("")
    found = complete("run", "")
    assert {"bfs", "sssp", "hops.gdsl", "sub/"} <= set(found)
    assert not {"path.mtx", ".hidden.gdsl"} & set(found)
    assert found["sub/"][0] == "open"
    assert set(complete("run", "sub/")) == {"sub/inner.gdsl"}
    assert set(complete("run", f"{work}/hop")) == {f"{work}/hops.gdsl"}
    assert set(complete("check", "bfs", "ho")) == {"hops.gdsl"}
    assert set(complete("samples", "bf")) == {"bfs"}


def test_graphs(complete, work):
    (work / "roads.gr.xz").write_text("")
    assert {"karate", "lesmis", "rmat:16", "path.mtx", "roads.gr.xz"} <= set(complete("run", "bfs", ""))
    assert "hops.gdsl" not in complete("run", "bfs", "")
    assert set(complete("graph", "info", "ka")) == {"karate"}
    assert set(complete("graph", "generate", "g")) == {"grid:300"}


def test_params(complete):
    assert complete("run", "hops.gdsl", "karate", "-p", "") == {"source=": ("open", "vertex")}
    assert set(complete("run", "bfs", "karate", "-p", "so")) == {"source="}
    assert set(complete("run", "sssp", "karate", "-p", "source=0", "-p", "")) == {"weight="}
    assert set(complete("run", "sssp", "karate", "-p", "weight=@pa")) == {"weight=@path.mtx", "weight=@paths.gdsl"}
    assert set(complete("tune", "sssp", "karate", "-p", "w")) == {"weight="}
    assert not complete("run", "no_such_program", "karate", "-p", "")
    assert not complete("run", "-p", "")
    assert set(complete("run", "sssp", "karate", "--each", "")) == {"source="}
    assert set(complete("run", "sssp", "karate", "--each", "source=")) == {"source=all"}
    assert set(complete("run", "pagerank", "karate", "--each", "da")) == {"damping="}
    assert not complete("run", "reachability", "karate", "--each", "")


def test_knobs(complete):
    assert {"visit.direction=", "schedule.block=", "bounds="} <= set(complete("run", "bfs", "karate", "--tune", ""))
    assert set(complete("run", "bfs", "karate", "--tune", "visit.direction=pu")) == {
        "visit.direction=push",
        "visit.direction=pull",
    }
    assert "schedule.ids=" in complete("compile", "--tune", "schedule.i")
    assert not complete("run", "bfs", "karate", "--tune", "no.knob=")


def test_codes(complete):
    assert set(complete("explain", "E0901")) == {"E0901"}
    assert set(complete("explain", "w0")) >= {"W01", "W02"}
    assert {"bfs", "schedule.block", "direction"} <= set(complete("explain", ""))
    assert set(complete("explain", "order", "bf")) == {"bfs"}


def every_command(group, path=()):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from every_command(command, (*path, name))
        else:
            yield (*path, name), command


COMPLETED = {
    "program_file": completing.programs,
    "program_files": completing.programs,
    "graph_file": completing.graphs,
    "assignments": completing.params,
    "tune": completing.knobs,
}


def test_every_command_completes_what_all_have():
    for path, command in every_command(gdslc_command):
        for param in command.params:
            wanted_here = COMPLETED.get(param.name)
            assert wanted_here is None or param._custom_shell_complete is wanted_here, (path, param.name)


def test_every_sample_has_the_words_that_the_compiler_knows():
    for name, path in samples().items():
        program = getattr(gdsl.samples, name)
        assert {each.name for each in wanted(program.text.text)} == {*program.params, *program.inputs}, path


def test_words_of_texts_that_are_not_whole():
    text = '"""problem { param no : int32; }""" program p; problem { # param neither : int32;\n param yes : vertex'
    assert [(each.name, each.kind) for each in wanted(text)] == [("yes", "vertex")]
    assert not list(wanted(""))
    assert "spread.direction" in knobs("edge functor spread(")
    assert "first.balance" in knobs("f = advance(f, g) @first;")


@pytest.mark.parametrize("words", [("nonsense", ""), ("run", "'"), ("explain", "\\"), ("graph", "nonsense", "")])
def test_lines_that_mean_nothing_leave_the_terminal_alone(work, monkeypatch, capfd, words):
    monkeypatch.setenv("COMP_WORDS", " ".join(["gdslc", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    completion.answer("bash_complete", gdslc_command)
    out, err = capfd.readouterr()
    assert err == ""
    assert "Error" not in out
    assert completion.answer("tcsh_complete", gdslc_command) == 1
    assert capfd.readouterr() == ("", "")


def test_fish_is_told_each_word_with_what_it_is(complete, monkeypatch):
    monkeypatch.setattr(
        os, "environ", {**os.environ, "COMP_WORDS": "gdslc run hops.gdsl karate -p s", "COMP_CWORD": "s"}
    )
    monkeypatch.setenv("COMP_CWORD", "s")
    assert completion._completer("fish", gdslc_command).complete() == "plain,source=\tvertex"


ODD = {
    "odd$(id).gdsl": r"odd\$\(id\).gdsl",
    "odd'\".gdsl": r"odd\'\".gdsl",
    "odd*.gdsl": r"odd\*.gdsl",
    "odd,x,": "odd,x,/",
    "odd;id;.gdsl": r"odd\;id\;.gdsl",
    "odd\\.gdsl": r"odd\\.gdsl",
    "odd`id`.gdsl": r"odd\`id\`.gdsl",
    "oddé.gdsl": "oddé.gdsl",
}
"""Names of files, the one with commas of a folder, and what they are in a line of Bash; in their order."""
DRIVER = """
shopt -s nullglob
eval "$(gdslc completion bash)"
compopt() { echo "$1 $2"; }
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_gdslc_completion gdslc
printf '%s\\n' "${COMPREPLY[@]}"
"""


ZSH_DRIVER = """
zmodload zsh/zpty
zpty terminal zsh -f -i
zpty -w terminal 'autoload -Uz compinit; compinit -u -D; PS1=""; eval "$(gdslc completion zsh)"; stty -echo
show() { print -r -- "<$BUFFER>"; BUFFER="" }; zle -N show; bindkey "^X" show; print -r -- REA""DY'
zpty -r terminal shown '*READY*'
for line in "$@"; do
    zpty -w -n terminal "$line"$'\\t\\x18'
    zpty -r terminal shown '*<*>*'
    print -r -- "${${shown##*<}%%>*}"
done
"""
"""Types each line into a Zsh of its own, then the tabulator, and prints what stands there."""
FISH_DRIVER = """
gdslc completion fish | source
for line in $argv
    complete -C $line
end
"""


@pytest.fixture
def asked(work):
    """What a shell's driver prints for lines, in a folder of odd names."""
    (work / "my own.gdsl").write_text("")
    (work / "a folder").mkdir()
    (work / "odd,x,").mkdir()
    for name in {*ODD} - {"odd,x,"} | {"plain,odd1.gdsl"}:
        (work / name).write_text("")
    shim = work / "bin" / "gdslc"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gdsl "$@"\n')
    shim.chmod(0o755)
    environment = {**os.environ, "PATH": f"{shim.parent}{os.pathsep}{os.environ['PATH']}", "TERM": "dumb"}

    def ask(*command):
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
        assert answer.stderr == ""
        return answer.stdout.split("\n")[:-1]

    return ask


@pytest.mark.skipif(shutil.which("bash") is None, reason="no Bash")
@pytest.mark.parametrize(
    ("pieces", "replies"),
    [
        (["run", "hop"], ["hops.gdsl"]),
        (["run", "bfs", "karate", "-p", "so"], ["-o nospace", "source="]),
        (["run", "bfs", "karate", "--tune", "visit.direction", "=", "pul"], ["pull"]),
        (["run", "bfs", "uniform", ":"], ["1000:5000"]),
        (["run", "sssp", "karate", "-p", "weight", "=@", "weig"], ["weighted.mtx"]),
        (["run", "my"], ["my\\ own.gdsl"]),
        (["run", "my\\ own.gd"], ["my\\ own.gdsl"]),
        (["run", "a\\ f"], ["-o nospace", "a\\ folder/"]),
        (["run", "odd"], ["-o nospace", *ODD.values()]),
    ],
)
@pytest.mark.sampled(3)
@pytest.mark.rare(2)
def test_bash(asked, pieces, replies):
    """By the script that it is given, with words broken as Bash breaks them. What a file is called is never more than a
    name in the line that it is put into, nor a pattern."""
    assert asked("bash", "-c", DRIVER, "bash", "gdslc", *pieces) == replies


LINES = {
    "gdslc run hop": "gdslc run hops.gdsl ",
    "gdslc run bfs karate -p so": "gdslc run bfs karate -p source=",
    "gdslc run bfs karate --tune visit.direction=pul": "gdslc run bfs karate --tune visit.direction=pull ",
    "gdslc run bfs uniform:": "gdslc run bfs uniform:1000:5000 ",
    "gdslc run sssp karate -p weight=@weig": "gdslc run sssp karate -p weight=@weighted.mtx ",
    "gdslc run my": r"gdslc run my\ own.gdsl ",
    "gdslc run 'my own": "gdslc run 'my own.gdsl' ",
    r"gdslc run a\ f": r"gdslc run a\ folder/",
    r"gdslc run odd\$": r"gdslc run odd\$\(id\).gdsl ",
}
"""What is typed, and what stands there behind a tabulator."""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("zsh") is None, reason="no Zsh")
def test_zsh(asked):
    assert asked("zsh", "-f", "-c", ZSH_DRIVER, "zsh", *LINES) == [*LINES.values()]


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish")
def test_fish(asked):
    """Which shows words as they are, and quotes them itself where it puts them into the line."""
    found = asked("fish", "-c", FISH_DRIVER, *LINES)
    assert found == [
        "hops.gdsl",
        "source=\tvertex",
        "visit.direction=pull",
        "uniform:1000:5000\ta generated graph",
        "weight=@weighted.mtx",
        *("my own.gdsl", "my own.gdsl"),
        "a folder/",
        "odd$(id).gdsl",
    ]
    assert sorted(asked("fish", "-c", FISH_DRIVER, "gdslc run odd")) == sorted(
        name + "/" * (name == "odd,x,") for name in ODD
    )
