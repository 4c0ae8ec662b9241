"""Paths, names and doc comments that could break out of the comments and `#line` directives of generated text."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import gdsl
from gdsl.api.compiling import compile_file
from gdsl.backends.cuda import nvrtc

TEXT = """program odd;
problem { param source : vertex; vertex distance : int32 = -1; }
edge functor visit(src, dst, e) { cond distance[dst] == -1; apply { distance[dst] = iteration + 1; } }
schedule { distance[source] = 0; frontier f = { source }; while (f) { f = advance(f, visit); } }
"""
PARTS = [
    " ", "   ", "a b", "back\\slash", "ends\\", "ends\\ ", 'quote"d', "it's", '"""', "*", "**", "*x", "x*", "{#}", "{#",
    "#}", "{{", "}}", "{%", "%s", "%d%n", "new\nline", "\nfirst", "cr\rlf\r\n", "tab\tbed", "??", "what??!", "???-",
    "u\u2028v", "\u202ereverse", "\x1b[31mred", "bell\x07", "\udcff\udcfe", "ünï", "日本語", "🙂", "\\u0022", "\\x22",
    "\\", "#line 1", "//", "$HOME", "`id`", "; rm", "a;b", "-o", "in_lists", "need_bitmap",
]  # fmt: skip
DOCS = [
    "Ends in a backslash\\", "Ends in more\\\\\\", "and blanks \\ \\  ", "\\ \\", "\\", "trigraph ??/", "????/",
    "ends ??/ ", "*/ int x; /*", "*/", "/*", "/*/", "{#}", "{{ 7 * 7 }}", "{% raw %}", "\\\n#error out", "x\\\n\\\ny",
    "#line resume", "\x0c", "%s %n", "tab\t\\",
]  # fmt: skip


@pytest.fixture(autouse=True)
def in_its_own_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))


LANGUAGES = ("cuda", "cpp")


def stripped(text: str) -> str:
    """What the compiler sees, but for the numbers of lines."""
    return re.sub(r"//[^\n]*", "", re.sub(r'#line \d+ "(?:[^"\\\n]|\\.)*"', "", text))


def needs_nvrtc() -> None:
    try:
        nvrtc.bindings()
    except gdsl.GdslError:
        pytest.skip("NVRTC is not installed")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.sampled(16)
def test_paths_do_not_change_the_code(part: str) -> None:
    plain = gdsl.compile(TEXT)
    expected = {language: stripped(plain.source(language)) for language in LANGUAGES}
    bare = part.replace("/", "") or "x"
    for name in (f"{bare}.gdsl", bare, f"in {bare}/*/p.gdsl", f"in {bare}//*/{bare}"):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        Path(name).write_text(TEXT)
        program = compile_file(name)
        assert {language: stripped(program.source(language)) for language in LANGUAGES} == expected


@pytest.mark.parametrize("doc", DOCS)
@pytest.mark.sampled(18)
def test_docs_do_not_change_the_code(doc: str) -> None:
    plain = gdsl.compile(TEXT)
    for where in ('"""{}\n"""\n', '"""First.\n{}\nLast."""\n', '"""\n{}\n\n"""\n'):
        program = gdsl.compile(where.replace("{}", doc) + TEXT)
        for language in LANGUAGES:
            text, expected = program.source(language), stripped(plain.source(language))
            assert re.sub(r"\n+", "\n", stripped(text)).strip() == re.sub(r"\n+", "\n", expected).strip()
            comments = [line for line in text.split("\n") if line.startswith("//")]
            assert not [line for line in comments if re.search(r"\\\s*$|\?\?/\s*$", line)]


@pytest.mark.parametrize("part", ["ends\\", '"', "a/*b", "{#", "what??/", "new\nline", "\udcff", "%n"])
@pytest.mark.sampled(8)
def test_odd_paths_compile_and_run(part: str, capfd) -> None:
    """One file holds what every other test holds one at a time."""
    name = f"{part}/p{part.replace('/', '')}.gdsl"
    os.makedirs(os.path.dirname(name), exist_ok=True)
    doc = '"""' + "\n".join(DOCS) + '\n"""\n'
    Path(name).write_text(doc + TEXT)
    program = compile_file(name)
    graph = gdsl.Graph.from_edges([0, 1], [1, 2])
    for backend in ("cpu", "reference"):
        assert program(graph, source=0, backend=backend).distance.tolist() == [0, 1, 2]
    needs_nvrtc()
    assert nvrtc.compile_to_cubin(program.source("cuda"), "sm_75")


def test_a_directory_with_a_quote(tmp_path, monkeypatch) -> None:
    needs_nvrtc()
    (tmp_path / 'q"uote').mkdir()
    monkeypatch.chdir(tmp_path / 'q"uote')
    Path("p.gdsl").write_text(TEXT)
    assert nvrtc.compile_to_cubin(compile_file("p.gdsl").source("cuda"), "sm_75", "p.cu")


def test_a_name_of_300_letters() -> None:
    name = "n" * 300
    program = gdsl.compile(
        TEXT.replace("program odd", f"program {name}").replace("visit", name).replace("distance", f"d{name}")
    )
    assert program.name == name
    graph = gdsl.Graph.from_edges([0, 1], [1, 2])
    for backend in ("cpu", "reference"):
        assert program(graph, source=0, backend=backend)[f"d{name}"].tolist() == [0, 1, 2]
    needs_nvrtc()
    assert nvrtc.compile_to_cubin(program.source("cuda"), "sm_75", f"{name}.cu")


@pytest.mark.parametrize("part", PARTS)
def test_errors_name_odd_paths_in_one_line(part: str, capfd) -> None:
    from gdsl.cli.main import main

    name = part.replace("/", "") + ".gdsl"
    Path(name).write_text(TEXT.replace("advance", "advnce"))
    assert main(["check", "--", name]) == 1
    error = capfd.readouterr().err
    first = error.splitlines()[0]
    assert "error[E" in first
    assert ".gdsl:4:" in first
    assert first.isprintable()
    Path(name).write_text(TEXT)
    assert main(["check", "--", name]) == 0
    assert "ok" in capfd.readouterr().out


def test_the_command_line_takes_paths_for_paths(capfd) -> None:
    from gdsl.cli.main import main

    for name in ("a{b}/bfs.gdsl", "x;y.gdsl", "line\nend.gdsl", "program p; schedule { }"):
        assert main(["check", name]) == 1
        assert "error[E0113]" in capfd.readouterr().err
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        Path(name).write_text(TEXT)
        for verb in (["check", name], ["compile", name], ["compile", "--emit", "ast", name]):
            assert main(verb) == 0, capfd.readouterr().err
        capfd.readouterr()


def test_python_says_what_it_took_a_str_for(tmp_path) -> None:
    for name in ("a{b}/bfs.gdsl", "x;y.gdsl"):
        with pytest.raises(gdsl.GdslError, match="was taken for a program's text"):
            gdsl.compile(name)
        with pytest.raises(gdsl.GdslError, match="cannot read the program"):
            gdsl.compile(Path(name))
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        Path(name).write_text(TEXT)
        assert gdsl.compile(name).name == gdsl.compile(Path(name)).name == "odd"
    with pytest.raises(gdsl.GdslError, match="was taken for a path"):
        gdsl.compile("bfs.gdsl")
    with pytest.raises(gdsl.GdslError, match=r"irectory"):
        gdsl.compile("a{b}")
    Path("line\nend.gdsl").write_text(TEXT)
    assert gdsl.compile(Path("line\nend.gdsl")).name == "odd"
    for text in ("program p;\nnonsense\n", "program p; problem { vertex a : int3; }"):
        with pytest.raises(gdsl.GdslError) as caught:
            gdsl.compile(text)
        assert "taken" not in str(caught.value)
    for wrong in (b"bfs.gdsl", 3, None, ["bfs.gdsl"], tmp_path.stat):
        with pytest.raises(TypeError, match="a program is given as"):
            gdsl.compile(wrong)
    for wrong in ("x" * 5000, "nul\0", str(tmp_path), Path("y" * 5000), Path("nul\0")):
        with pytest.raises(gdsl.GdslError) as caught:
            gdsl.compile(wrong)
        assert caught.value.code == "E0113"
        assert len(str(caught.value)) < 600
