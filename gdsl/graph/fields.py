"""Lines of a text list: split into values as RFC 4180 says, comments, and what comments say about the graph."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from gdsl.graph.number_text import is_number
from gdsl.graph.text import TextLines, printable, readable, short
from gdsl.graph.text_parts import OpenQuoteError
from gdsl.records import dataclass

SEPARATORS = "\t;,|"
"""Marks between values; without any of them blanks separate."""
_MARKS = ("#", "%", "/")
_BLANKS = " \t"
_NO_NAME = ("", " ", "\t", *"#%/")
"""Characters after the mark of a comment that begin no name."""
_BEFORE_COMMENTS = "#%/ \t"
_LONGEST_RECORD = 1 << 17
_TRAILING = re.compile(r"[ \t][#%].*", re.DOTALL)
_MOST_LINES = 1000
"""Lines that one quoted record may span."""
_WORD = re.compile(r"[^ \t]+")


class UnclosedError(ValueError):
    """A quote is not closed in the text."""


class QuoteError(ValueError):
    """Something follows a closing quote, where only a separator may."""


def comment_of(line: str) -> str | None:
    """The text of a comment, which is a line that starts with a mark, without its mark and the blanks around; None for
    any other line."""
    text = line.lstrip(_BLANKS)
    if text[:1] not in _MARKS:
        return None
    return text[1:].strip() if text[0] != "/" else text[2:].strip() if text[1:2] == "/" else None


def split(text: str, mark: str | None) -> list[str]:
    """The values of a line, separated by `mark`, or by blanks where it is None.

    Blanks around a value do not count unless they are quoted. A quote within a value that does not begin with one is an
    ordinary character. Raises UnclosedError or QuoteError.
    """
    if '"' not in text:
        return _WORD.findall(text) if mark is None else [word.strip(_BLANKS) for word in text.split(mark)]
    values: list[str] = []
    quoted, plain = _patterns(mark)
    at = 0
    while True:
        if mark is None:
            at = _after_blanks(text, at)
            if at == len(text):
                return values
        match = quoted.match(text, at)
        if match is not None:
            values.append(match[1].replace('""', '"'))
        else:
            if text[_after_blanks(text, at) :][:1] == '"':
                raise UnclosedError if _is_unclosed(text, _after_blanks(text, at)) else QuoteError
            match = plain.match(text, at)
            assert match is not None
            values.append(match[0].strip(_BLANKS))
        at = match.end()
        if mark is not None:
            if at == len(text):
                return values
            at += 1


def without_trailing_comment(text: str, mark: str | None) -> str:
    """The line without a comment after its values, if these are numbers, which contain no marks of comments."""
    if "#" not in text and "%" not in text:
        return text
    front = _TRAILING.sub("", text)
    return front if all(is_number(word.strip()) for word in front.split(mark)) else text


def records(lines: TextLines, mark: str | None, stream: Iterator[str]) -> Iterator[list[str]]:
    """The values of each line of `stream` that is neither blank nor a comment; a quoted value may continue in the next
    lines. Raises GdslError E0705, or E0710 for text that is not UTF-8, where different names might look equal;
    OpenQuoteError for a value that may continue after the part of the file that is read."""
    for line in stream:
        if line[0] in _BEFORE_COMMENTS:
            comment = comment_of(line)
            if comment is not None or not line.strip(_BLANKS):
                if comment is not None and lines.width:
                    _refuse_hidden_row(lines, line.strip(), mark, lines.width)
                if not comment:  # an empty one separates the sections of Trivial Graph Format
                    lines.note_gap()
                lines.skip()
                continue
        text = decoded(lines, line)
        if len(text) > _LONGEST_RECORD:
            raise lines.error("E0710", f"this is not a text file of edges: the line has {len(line):,} bytes")
        if '"' in text:
            values = _quoted_record(lines, stream, text, mark)
        else:
            values = split(without_trailing_comment(text, mark), mark)
        lines.width = len(values)
        yield values


def _quoted_record(lines: TextLines, stream: Iterator[str], text: str, mark: str | None) -> list[str]:
    """The values of a record that begins with the line `text` and goes on in `stream` until its quotes are closed."""
    first = lines.number
    for _ in range(_MOST_LINES):
        try:
            return split(without_trailing_comment(text, mark), mark)
        except QuoteError:
            message = f"after a closing quote comes something else: `{printable(text)}`"
            raise lines.error("E0705", message, 'write a quote within a value twice, as in "5"" pipe"') from None
        except UnclosedError:
            continuation = _up_to_quote(lines, stream, _LONGEST_RECORD - len(text))
            if continuation is None:
                break
            text += continuation
    if not lines.part.final:
        raise OpenQuoteError
    lines.number = first
    fix = "close it, or write a quote that belongs to the value twice within quotes"
    shown = printable(text.partition("\n")[0])
    raise lines.error("E0705", f"a quote is not closed: `{shown}`", fix)


def _up_to_quote(lines: TextLines, stream: Iterator[str], max_characters: int) -> str | None:
    """The lines that follow, up to one with a quote; None if `max_characters` characters hold none."""
    continuation = []
    for line in stream:
        continuation.append("\n" + decoded(lines, line))
        max_characters -= len(continuation[-1])
        if '"' in line or max_characters < 0:
            break
    return "".join(continuation) if continuation and max_characters >= 0 and '"' in continuation[-1] else None


def _refuse_hidden_row(lines: TextLines, line: str, mark: str | None, width: int) -> None:
    """Raise E0705 for a comment among rows that may be a row whose first name starts with the mark of comments."""
    if line[1:2] in _NO_NAME:
        return
    try:
        words = split(readable(line), mark)
    except ValueError:
        return
    bare = words[0].lstrip("#%/")
    # A number after the mark is an edge that was commented out, unless other names begin with the mark, too.
    numbered = is_number(bare) and not any(word.startswith(words[0][0]) for word in words[1:])
    if len(words) == width and bare and bare[0] not in _BLANKS and not numbered:
        message = f"this is a comment, or a row whose first name starts with `{words[0][0]}`: `{short(line)}`"
        quoted = f'"{printable(words[0])}"'
        raise lines.error("E0705", message, f"write {quoted} in double quotes, or a blank after the mark of a comment")


def decoded(lines: TextLines, line: str) -> str:
    """A line of `TextLines` as text. Raises GdslError E0710."""
    if line.isascii():
        return line
    try:
        return line.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        fix = "save the file as UTF-8, such as by iconv -f latin1 -t utf-8 FILE > NEW"
        raise lines.error("E0710", "the line is not UTF-8", fix) from None


@cache
def _patterns(mark: str | None) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A quoted value up to the separator after it, and any other value."""
    if mark is None:
        return re.compile(r'"([^"]*(?:""[^"]*)*)"(?=[ \t]|$)'), re.compile(r"[^ \t]+")
    blanks = " " if mark == "\t" else r"[ \t]"
    separator = re.escape(mark)
    return re.compile(rf'{blanks}*"([^"]*(?:""[^"]*)*)"{blanks}*(?={separator}|$)'), re.compile(rf"[^{separator}]*")


def _after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    return at


def _is_unclosed(text: str, at: int) -> bool:
    """Whether only doubled quotes follow the quote at `at`."""
    return re.compile(r'"[^"]*(?:""[^"]*)*"(?!")').match(text, at) is None


_OURS = "undirected"
_UNDIRECTED = re.compile(r"un-?directed(\s+(simple\s+|multi-?)?(graph|network)\b.*|\s*[:=]\s*(true|yes|1))?\.?", re.I)
_NOT_DIRECTED = re.compile(r"directed\s*[:=]\s*(false|no|0)", re.I)
_WEIGHTS = "unweighted|positive|posweighted|signed|multisigned|weighted|multiweighted|dynamic|multiposweighted"
_KONECT = re.compile(rf"(sym|asym|bip)(\s+({_WEIGHTS})\b.*)?", re.I)
_SIZES = re.compile(r"[0-9]{1,18}(\s+[0-9]{1,18}){0,2}")
_NODES = re.compile(r"\bnodes\s*[:=]\s*([0-9][0-9,]{0,20})", re.I)
_EDGES = re.compile(r"\b(?:edges|arcs)\s*[:=]\s*([0-9][0-9,]{0,20})", re.I)


@dataclass(frozen=True, slots=True)
class Statements:
    """The statements of comments; None or False where they make none.

    ours: the comment by which gdsl marks its own undirected lists. undirected: any other comment that says that edges
    are undirected. konect: `sym`, `asym` or `bip`. sizes: the numbers of KONECT's second comment. nodes, edges: how
    many there are.
    """

    ours: bool = False
    undirected: str | None = None
    konect: str | None = None
    sizes: tuple[int, ...] = ()
    nodes: int | None = None
    edges: int | None = None


def statements_of(comments: Sequence[str]) -> Statements:
    """The statements of all `comments`, which come without their marks."""
    ours = undirected = konect = nodes = edges = None
    sizes: tuple[int, ...] = ()
    for place, comment in enumerate(comments):
        if comment == _OURS:
            ours = True
        elif undirected is None and (_UNDIRECTED.fullmatch(comment) or _NOT_DIRECTED.fullmatch(comment)):
            undirected = comment
        match = _KONECT.fullmatch(comment) if place == 0 else None
        if match is not None:
            konect = match[1].lower()
        elif konect is not None and place == 1 and _SIZES.fullmatch(comment):
            sizes = tuple(map(int, comment.split()))
        nodes = _count(_NODES, comment) if nodes is None else nodes
        edges = _count(_EDGES, comment) if edges is None else edges
    return Statements(bool(ours), undirected, konect, sizes, nodes, edges)


def _count(pattern: re.Pattern[str], comment: str) -> int | None:
    match = pattern.search(comment)
    return None if match is None else int(match[1].replace(",", ""))
