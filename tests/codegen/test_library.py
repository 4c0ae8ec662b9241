"""What the backends' runtime libraries share stands once, and each has it in its own words."""

from __future__ import annotations

import re
from pathlib import Path

from gdsl.codegen.cpu.generate import LIBRARY as CPU
from gdsl.codegen.cuda.runtime import LIBRARY as CUDA
from gdsl.codegen.library import COMMON, Library, Piece
from gdsl.codegen.templates import template_text

GOLDENS = Path(__file__).parents[1] / "golden" / "cuda"


def by_name(library: Library) -> dict[str, Piece]:
    return {name: piece for piece in library.pieces for name in piece.names}


def in_words_of_all(library: Library, piece: Piece) -> str:
    """The text, whatever the backend writes before a function, and without comments."""
    lines = [line for line in piece.text.split("\n") if not line.lstrip().startswith("//")]
    return "\n".join(lines).replace(f"{library.function} ", "inline ")


def test_what_is_said_alike_is_said_in_one_place() -> None:
    cpu, cuda = by_name(CPU), by_name(CUDA)
    common = "\n".join(template_text("common", "runtime", f"{file}.hpp") for file in COMMON)
    for name in cpu.keys() & cuda.keys():
        if in_words_of_all(CPU, cpu[name]) == in_words_of_all(CUDA, cuda[name]):
            assert in_words_of_all(CPU, cpu[name]) in common, f"the piece {name} stands in both libraries"


def test_both_have_all_that_is_common_each_in_its_own_words() -> None:
    for library, other in ((CPU, "__device__"), (CUDA, "\ninline ")):
        for file in COMMON:
            for line in template_text("common", "runtime", f"{file}.hpp").split("\n"):
                if line.startswith("// piece: "):
                    head = line.removeprefix("// piece: ")
                    for name in [head] if " for " in head else head.split():
                        assert other not in "\n" + by_name(library)[name].text


def test_what_a_backend_adds_to_a_common_piece_stands_behind_it() -> None:
    minimum = by_name(CUDA)["minimum"].text
    assert by_name(CUDA)["minimum"] is by_name(CUDA)["maximum"]
    assert minimum.index("T minimum(T a, T b)") < minimum.index("float32 minimum(float32 a, float32 b)")
    assert "float32 minimum" not in by_name(CPU)["minimum"].text


def test_a_program_gets_what_it_uses_and_what_that_needs() -> None:
    linked = [piece.names[0] for piece in CPU.link("reduced = plain_changed_add(&x, y);", {})]
    assert linked.index("sum") < linked.index("plain_add") < linked.index("plain_changed_add")
    assert "plain_min" not in linked and "minimum" not in linked
    generated = [piece.text for piece in CUDA.link("slice s;", {"slice": "struct slice { int32 minimum; };"})]
    assert generated[-1].startswith("struct slice")
    assert not any("T minimum(" in text for text in generated), "the name of a member is no use of a function"


def test_a_name_stands_for_one_piece() -> None:
    """Where two files have a piece of one name, it would be that of either, whatever a program means."""
    for library in (CPU, CUDA):
        names = [name for piece in library.pieces for name in piece.names]
        assert len(names) == len(set(names)), library.backend


def test_overloads_go_where_both_names_are_needed() -> None:
    for library in (CPU, CUDA):
        without = [piece.names[0] for piece in library.link("x = minimum(a, b);", {})]
        assert "minimum" in without and "minimum for pair_of" not in without
        alone = [piece.names[0] for piece in library.link("pair_of<int32, bool> a;", {})]
        assert "pair_of" in alone and "minimum for pair_of" not in alone
        both = [piece.names[0] for piece in library.link("pair_of<int32, bool> x = minimum(a, b);", {})]
        assert both.index("minimum") < both.index("minimum for pair_of")
        assert both.index("lower_wins") < both.index("minimum for pair_of")


def test_comments_speak_of_what_the_program_has() -> None:
    """A comment that names another function is of no use in a program without that function."""
    pieces = by_name(CUDA)
    for golden in sorted(GOLDENS.glob("*.cu")):
        heads = re.findall(r"^// piece: (.+)$", golden.read_text(), re.MULTILINE)
        there = {name for head in heads for name in ([head] if " for " in head else head.split())}
        for name in sorted(there & pieces.keys()):
            comments = "\n".join(re.findall(r"//.*", pieces[name].text))
            missing = set(re.findall(r"`(\w+)`", comments)) & pieces.keys() - there
            assert not missing, f"{golden.name}: the comments of {name}"
