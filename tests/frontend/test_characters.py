"""Characters and numbers that a program may not have get a clear message at the right place."""

from __future__ import annotations

import pytest
from mistake_programs import with_parts

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.pipeline import load
from gdsl.source import Source

DIGITS = {"１": 1, "٣": 3, "߁": 1, "९": 9}
IN_CODE = ["\xa0", "\u200b", "\u200d", "\ufeff", "\x01", "\x7f", "а", "é", "µ", "²", "😀", "“"]
ANYWHERE = ["\u202e", "\u2066", "\u200e", "\u2028", "\u2029", "\x85", "\v", "\ud800", "\udfff", "\0", "\r"]
NUMBERS = {
    "1e400": "write `inf` for infinity",
    "9" * 5000 + ".0": "write `inf` for infinity",
    "0x": "write hexadecimal digits after `0x`, such as `0xff`",
    "0xg": "write hexadecimal digits after `0x`, such as `0xff`",
    "1_000": "write `1000`",
    "1.": "write `1.0`, with digits on both sides",
    ".5": "write `0.5`, with digits on both sides",
    "1e": "write the exponent, such as `1e3`",
    "0777": "write 777",
    "0b1": "write the number in decimal, or in hexadecimal such as `0xff`",
    "1.5f": "write `1.5`",
}


def refused(text: str) -> GdslError:
    with pytest.raises(GdslError) as caught:
        load(Source("p.gdsl", text))
    assert len(caught.value.diagnostics) == 1, str(caught.value)
    return caught.value


def assert_at(error: GdslError, text: str, place: int) -> None:
    span = error.diagnostics[0].span
    assert span is not None
    before = text[:place].split("\n")
    assert (span.line, span.column) == (len(before), len(before[-1]) + 1)


@pytest.mark.parametrize("character", DIGITS)
def test_digits_of_other_scripts(character: str) -> None:
    text = with_parts(apply=f"level[v] =\n    {character};")
    error = refused(text)
    assert error.code == "E0102"
    assert error.diagnostics[0].fix == f"write {DIGITS[character]}"
    assert_at(error, text, text.index(character))


@pytest.mark.parametrize("character", IN_CODE, ids=ascii)
def test_characters_that_only_comments_may_have(character: str) -> None:
    text = with_parts(apply=f"level[v]\n  ={character} 1;")
    error = refused(text)
    assert error.code == "E0102"
    assert f"U+{ord(character):04X}" in str(error)
    assert_at(error, text, text.index(character))
    assert load(with_parts(apply=f"level[v] = 1;  # {character}\n"))


@pytest.mark.parametrize("character", ANYWHERE, ids=ascii)
@pytest.mark.parametrize("form", ["level[v] = {} 1;", "level[v] = 1;  # a {} b\n"])
def test_characters_that_no_program_may_have(character: str, form: str) -> None:
    text = with_parts(apply=form.format(character))
    error = refused(text)
    assert error.code in ("E0102", "E0104")
    assert_at(error, text, text.index(character))


def test_line_ends() -> None:
    text = with_parts(apply="level[v] = 1;\n\f\n  wrong[v] = 1;")
    for ends in ("\n", "\r\n"):
        span = refused(text.replace("\n", ends)).diagnostics[0].span
        assert span is not None
        assert text.split("\n")[span.line - 1][span.column - 1 :].startswith("wrong")
    assert refused(text.replace("\n", "\r")).code == "E0102"


def test_a_mark_of_byte_order_stands_at_the_start_alone() -> None:
    text = with_parts(apply="level[v] = 1;")
    assert gdsl.compile("\ufeff" + text).name == "p"
    with pytest.raises(GdslError):
        gdsl.compile("\ufeff\ufeff" + text)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:12])
def test_numbers_that_are_none(number: str) -> None:
    text = with_parts(data="vertex real : float64;", apply=f"real[v] = {number};")
    error = refused(text)
    assert (error.code, error.diagnostics[0].fix) == ("E0109", NUMBERS[number])
    assert refused(with_parts(data=f"param x : float64 = {number};")).code == "E0109"


def test_numbers_that_are_long_or_small() -> None:
    assert refused(with_parts(apply=f"level[v] = {'9' * 5000};")).code == "E0109"
    assert refused(with_parts(apply=f"level[v] = 0x{'f' * 5000};")).code == "E0109"
    assert load(with_parts(data="vertex real : float64;", apply=f"real[v] = 1e-400 + 0.{'1' * 5000};"))
    name = "x" * 10_000
    assert load(with_parts(apply=f"let {name} = 1; level[v] = {name};"))


@pytest.mark.parametrize(
    ("right", "letter"),
    [("program", "о"), ("problem", "о"), ("schedule", "е"), ("vertex", "е"), ("apply", "а"), ("cond", "о")],
)
def test_letters_that_look_like_those_of_a_keyword(right: str, letter: str) -> None:
    latin = {"о": "o", "е": "e", "а": "a"}[letter]
    text = with_parts(cond="level[v] > 1", apply="level[v] = 1;")
    place = text.index(right) + right.index(latin)
    text = text[:place] + letter + text[place + 1 :]
    with pytest.raises(GdslError) as caught:
        load(Source("p.gdsl", text))
    assert caught.value.code == "E0102" and f"U+{ord(letter):04X} CYRILLIC" in str(caught.value)
    assert_at(caught.value, text, place)
