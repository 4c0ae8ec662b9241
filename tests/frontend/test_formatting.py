"""`gdsl.formatting`: the tokens and the comments stay, the IR stays, and a formatted text stays as it is."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from fuzz.programs.families import shaped_text
from fuzz.programs.free import free_program
from hypothesis import given, settings
from hypothesis import strategies as st

from gdsl.diagnostics import GdslError
from gdsl.formatting import format_text
from gdsl.formatting.layout import WIDTH
from gdsl.formatting.pieces import Role, pieces_of
from gdsl.ir.printer import print_program
from gdsl.pipeline import load_source
from gdsl.source import Source
from tests.support.programs import LIBRARY, PROGRAMS, SAMPLES

PATHS = sorted({*SAMPLES, *PROGRAMS, *LIBRARY})
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in PATHS}
by_path = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def formatted(text: str, name: str = "p.gdsl") -> str:
    """The formatted text, which is checked for what holds of any program."""
    new = format_text(Source(name, text))
    assert format_text(Source(name, new)) == new
    old_pieces, new_pieces = (pieces_of(each.replace("\r\n", "\n"), "program") for each in (text, new))
    assert [(piece.kind, piece.text) for piece in old_pieces] == [(piece.kind, piece.text) for piece in new_pieces]
    assert not re.search(r"[ \t]+$", re.sub(r'""".*?"""', "", new, flags=re.DOTALL), re.MULTILINE)
    return new


def ir(text: str, name: str = "p.gdsl") -> str:
    """The IR or the messages, without numbers of lines."""
    try:
        found = print_program(load_source(Source(name, text)))
    except GdslError as error:
        found = "\n".join(f"{each.code} {each.message}" for each in error.diagnostics)
    return re.sub(r"\blines? \d+(?: and \d+)?", "line", found)


@by_path
@pytest.mark.sampled(5)
def test_programs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    new = formatted(text, str(path))
    assert ir(new, str(path)) == ir(text, str(path))


@pytest.mark.parametrize("path", [*SAMPLES, *LIBRARY], ids=lambda path: path.stem)
def test_samples_are_formatted(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert format_text(Source(str(path), text)) == text


@pytest.mark.rare(48)
@pytest.mark.parametrize(
    "seed", [*range(1, 5), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 300))]
)
def test_programs_of_the_fuzzer(seed: int) -> None:
    for write in (free_program, shaped_text):
        text = write(random.Random(seed))
        assert ir(formatted(text)) == ir(text)


GAPS = st.sampled_from([" ", " ", " ", "  ", "\n", "\n\n\n", "\t", " # note\n", "\n        "])


@settings(max_examples=40, deadline=None)
@given(data=st.data())
@pytest.mark.slow
def test_any_spaces(data: st.DataObject) -> None:
    """The same tokens with other spaces and further comments between them."""
    name = data.draw(st.sampled_from(sorted(TEXTS)))
    text, before = "", None
    for piece in pieces_of(TEXTS[name], "program"):
        gap = data.draw(GAPS) if before is not None else ""
        if before is not None and before.role is Role.COMMENT:
            gap = "\n"
        text, before = text + gap + piece.text, piece
    formatted(text)


@pytest.mark.sampled(20)
@by_path
def test_one_line(path: Path) -> None:
    """A program without line ends gets those that its width demands."""
    pieces = [piece for piece in pieces_of(TEXTS[path.stem], "program") if piece.role is not Role.COMMENT]
    new = formatted(" ".join(piece.text for piece in pieces))
    code = re.sub(r'""".*?"""', "", new, flags=re.DOTALL)
    assert max(map(len, code.split("\n"))) <= WIDTH


STYLE = [
    ("program p;schedule{x=1+2*-3;}", "program p;\nschedule { x = 1 + 2 * -3; }\n"),
    ("program p;\nschedule\n{\n\n\n  x  =  !y ;\n\n}", "program p;\nschedule {\n    x = !y;\n}\n"),
    (
        "program p;\nschedule {\n f=advance( f ,visit , over = in_edges )@next;\n}",
        "program p;\nschedule {\n    f = advance(f, visit, over=in_edges) @next;\n}\n",
    ),
    (
        "program p;\nschedule { if(a){b=1;}else{b=a?1:2;} }",
        "program p;\nschedule { if (a) { b = 1; } else { b = a ? 1 : 2; } }\n",
    ),
    (
        "program p;\nschedule {\nif (a) {\nb=1;}\nelse { b=2; }\n}",
        "program p;\nschedule {\n    if (a) {\n        b = 1;\n    } else { b = 2; }\n}\n",
    ),
    (
        "program p;\nvertex functor f(v) { apply {\nx[v]=1; } }\nschedule { }",
        "program p;\nvertex functor f(v) { apply {\n    x[v] = 1;\n} }\nschedule { }\n",
    ),
    (
        "program p;\nschedule {\n    x = 1;  # one\n    long = 2; # two\n}",
        "program p;\nschedule {\n    x = 1;      # one\n    long = 2;   # two\n}\n",
    ),
    (
        "program p;\nproblem {\n  param   a :int32;\n  vertex  b :int32=1;\n}\nschedule { }",
        "program p;\nproblem {\n    param  a : int32;\n    vertex b : int32 = 1;\n}\nschedule { }\n",
    ),
    ("program p;\nschedule {\n    f = { source };g={};\n}", "program p;\nschedule {\n    f = { source }; g = {};\n}\n"),
    (
        "program p;\nfunction h(a :int32,b: int32)->int32{return a;}schedule { }",
        "program p;\nfunction h(a: int32, b: int32) -> int32 { return a; }\nschedule { }\n",
    ),
]


@pytest.mark.parametrize(("text", "expected"), STYLE)
def test_style(text: str, expected: str) -> None:
    assert formatted(text) == expected


def test_line_ends_are_kept() -> None:
    text = "program p;\r\nschedule {\r\nx=1; # one\r\n}\r\n"
    assert formatted(text) == "program p;\r\nschedule {\r\n    x = 1;  # one\r\n}\r\n"


def test_a_file_to_import_from() -> None:
    text = "function half(x :float32)->float32{return x/2;}"
    assert format_text(Source("p", text)) == "function half(x: float32) -> float32 { return x / 2; }\n"


@pytest.mark.parametrize("text", ["", "program p; schedule {", "program p; // no", "\0", "program p;\r x"])
def test_texts_that_cannot_be_read(text: str) -> None:
    with pytest.raises(GdslError) as caught:
        format_text(Source("p.gdsl", text))
    assert all(each.code.startswith("E01") for each in caught.value.diagnostics)
