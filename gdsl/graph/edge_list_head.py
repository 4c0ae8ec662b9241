"""The beginning of an edge list: its comments, what separates values, whether the first line names the columns."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace

from gdsl.diagnostics import GdslError
from gdsl.graph import column_names, fields
from gdsl.graph.list_checks import refuse_blanks, refuse_brackets, refuse_line_ends, refuse_marks, refuse_single_quotes
from gdsl.graph.messages import edited
from gdsl.graph.number_text import is_number, is_whole
from gdsl.graph.text import TextLines, readable, short
from gdsl.records import dataclass

SAMPLE = 64
"""Rows from which the separator is found, and whether there is a header."""
_UCINET = r"\s*dl\s+n(r|c)?\s*="
_OTHERS = tuple(
    (re.compile(pattern, re.IGNORECASE), kind_name, kind)
    for pattern, kind_name, kind in (
        (r"\s*\*(vertices|network)\b", "a Pajek file", "pajek"),
        (r"\s*(graph|creator\s.*)\s*(\[|$)", "a GML file", "gml"),
        (r"\s*(strict\s+)?(di)?graph\b.*\{", "a DOT file", "dot"),
        (r"\s*<gexf|\s*<\?xml.*<gexf", "a GEXF file", "gexf"),
        (r"\s*<(\?xml|graphml)", "an XML file", "graphml"),
        (r"\s*[{\[]\s*(\"|$)", "a JSON file", "json"),
        (_UCINET, "a DL file of UCINET", None),
    )
)
"""How files of other kinds begin, their names in messages, and the format that reads them."""
_WIDE = 16
"""More columns of numbers only, and as many rows, are a matrix."""
_SIZES = re.compile(r"\s*(number of |num_?)?((nodes|vertices|edges|arcs)\s*[:=]|[nmve]\s*=)\s*[0-9]", re.IGNORECASE)
"""A line that gives the size of the graph and is not a comment."""
_MOST_NAMES = 100
"""Of columns, in a fix."""
_DICT = re.compile(r"\{.*\}\s*")


@dataclass(frozen=True, slots=True)
class Head:
    """How an edge list begins.

    mark: what separates values, None for blanks. first: the values of the first row of values; None without any.
    first_line: the number of its line. columns: those that a header names. in_row: whether this is the first row, not a
    comment. certain: whether it is a header beyond doubt, so that the ends under it may be names. dicts: whether rows
    end with a dictionary of Python, as NetworkX writes them. plain: whether all that was seen is numbers. sample: the
    first rows. gap: an empty line among them, 0 without any. doubtful: the header's names of the two ends, where they
    may be something else.
    """

    statements: fields.Statements
    mark: str | None
    first: tuple[str, ...] | None
    first_line: int
    columns: column_names.Named | None = None
    in_row: bool = False
    certain: bool = False
    dicts: bool = False
    plain: bool = False
    sample: tuple[tuple[str, ...], ...] = ()
    gap: int = 0
    doubtful: tuple[str, ...] = ()


def head_of(path: str, requested: column_names.Columns) -> Head:
    """How the list at `path` begins. Raises GdslError E0705, E0711 or E0716."""
    with TextLines(path) as lines:
        comments: list[tuple[int, str, str]] = []
        raw: list[tuple[int, str]] = []
        gap = 0
        for line in lines:
            comment = fields.comment_of(line)
            if comment is not None and not raw:
                comments.append((lines.number, readable(comment), line))
            if comment is not None or not line.strip(" \t"):
                lines.note_gap()
                lines.skip()
                continue
            if lines.gap:
                gap = gap or lines.gap
            raw.append((lines.number, line))
            if len(raw) == 1:
                first = lines.line
                lines.watch_gaps()
            if len(raw) > SAMPLE:
                break
        if not raw:
            raise lines.error("E0716", "the file holds no edges, nothing but blanks and comments")
        lines.number, lines.line = raw[0][0], first
        texts = [line if line.isascii() else readable(line) for _, line in raw]
        _refuse_another_format(lines, texts[0])
        statements = fields.statements_of([text for _, text, _ in comments])
        if _DICT.fullmatch(texts[0][texts[0].find("{") :]) and len(texts[0].split("{")[0].split()) >= 1:
            return Head(statements, None, (texts[0],), raw[0][0], dicts=True)
        refuse_brackets(lines, texts)
        refuse_line_ends(lines, texts)
        refuse_single_quotes(lines, texts)
        mark = _separator(texts)
        table = _table(texts, mark)
        if mark is None:
            refuse_marks(lines, texts)
            refuse_blanks(lines, texts)
        _refuse_another_separator(lines, texts, mark, table)
        quoted = all(text.startswith('"') for text in texts)
        result = _head(lines, statements, comments, mark, table, [number for number, _ in raw], requested, quoted)
        return replace(result, gap=gap)


def header_fix(path: str, head: Head, width: int) -> str:
    """The fix that gives the file at `path` a first line of `width` column names."""
    instruction = "name the columns in a first line, with `source` and `target` for the ends"
    if width > _MOST_NAMES:
        return instruction
    names = _example_names(head.sample, max(width, 2))
    line = (head.mark or " ").join(names).replace("\t", r"\t")
    return f"{instruction}: {edited(path, shlex.quote('1i ' + line))}"


def _example_names(sample: Sequence[Sequence[str]], width: int) -> list[str]:
    """Names for the columns of rows such as those of `sample`."""
    first = [row[0] for row in sample if row]
    counts = (
        width > 3 and len(first) > 1 and first in ([str(start + at) for at in range(len(first))] for start in (0, 1))
    )
    source, target = (1, 2) if counts else column_names.likely_ends(sample, width)
    names = ["id"] if counts else []
    for place in range(len(names), width):
        numbers = all(len(row) > place and is_number(row[place]) for row in sample)
        names.append("kind" if not numbers and "kind" not in names else f"value{place + 1}")
        if place in (source, target):
            names[-1] = "source" if place == source else "target"
        elif numbers and "weight" not in names and target == source + 1:
            names[-1] = "weight"
    return names


def _refuse_another_format(lines: TextLines, text: str) -> None:
    """Raise E0710 or E0712 where the first line begins as a file of another kind does, E0705 for Excel's `sep=;`."""
    if re.fullmatch(r'"?sep=."?', text):
        fix = f"remove it: {edited(lines.path, f'{lines.number}d')}"
        raise lines.error("E0705", f"`{text}` names the separator, and is not an edge", fix)
    if _SIZES.match(text):
        fix = "make it a comment: " + edited(lines.path, f"'{lines.number}s/^/# /'")
        raise lines.error("E0705", f"`{short(text)}` says how large the graph is, and is not an edge", fix)
    for pattern, kind_name, kind in _OTHERS:
        if pattern.match(text):
            if pattern.pattern == _UCINET:
                fix = "leave the edges, whose ids count from 1: " + edited(lines.path, "'1,/^data:/Id'")
                raise lines.error("E0712", f"this is {kind_name}, not a list of edges", fix)
            raise lines.error(
                "E0712", f"this is {kind_name}, not a list of edges", f"--format {kind} (format='{kind}')"
            )


def _separator(texts: Sequence[str]) -> str | None:
    """The separator of the values: the mark that splits all rows into equally many."""
    candidates = [mark for mark in fields.SEPARATORS if mark in texts[0]]
    if candidates == ["\t"] and _are_blanks(texts):
        return None
    fitting = [mark for mark in candidates if _are_even(_table(texts, mark))]
    if fitting:
        return next((mark for mark in fitting if says_ends_of(texts[0], mark)), fitting[0])
    if candidates == ["\t"] and len({len(row) for row in _table(texts, None)}) == 1:
        return None  # tabs in the first line, blanks in those that follow
    return next((mark for mark in ",;\t|" if mark in candidates), None)


def says_ends_of(text: str, mark: str) -> bool:
    """Whether the first line, split at `mark`, names the ends."""
    try:
        words = fields.split(text, mark)
        return column_names.is_header(words) and column_names.says_ends(words)
    except (ValueError, column_names.ColumnsError):
        return False


def _table(texts: Sequence[str], mark: str | None) -> list[list[str]]:
    """The values of the lines up to one with unbalanced quotes."""
    table = []
    for text in texts:
        try:
            table.append(fields.split(fields.without_trailing_comment(text, mark), mark))
        except (fields.UnclosedError, fields.QuoteError):
            break
    return table


def _are_even(table: Sequence[Sequence[str]]) -> bool:
    """Whether all rows have equally many values, the first perhaps one less; empty ones at the end of a row do not
    count."""
    widths = {len(row) for row in table[1:]} or {len(table[0])} if table else set()
    widest = max(widths, default=0)
    full = all(len(row) == widest or (len(row) == widest - 1) for row in table[1:])
    trailing = len(widths) == 1 or all(not row[-1] for row in table[1:] if len(row) == widest)
    return widest >= 2 and len(table[0]) >= 2 and full and trailing and widest - 1 <= len(table[0]) <= widest + 1


def _are_blanks(texts: Sequence[str]) -> bool:
    """Whether the lines are numbers between tabs and spaces in any mixture."""
    return all(is_number(word) for text in texts for word in fields.without_trailing_comment(text, None).split())


def _refuse_another_separator(lines: TextLines, texts: Sequence[str], mark: str | None, table: list[list[str]]) -> None:
    """Raise E0705 where the first line has one separator, and those that follow another one."""
    if len(texts) < 2 or not table or not column_names.is_header(table[0]) or (mark is not None and mark in texts[1]):
        return
    other = next(
        (each for each in fields.SEPARATORS if each in texts[1] and len(split_or_none(texts[1], each)) >= 2), None
    )
    if mark is None and (other is None or (other == "\t" and len(split_or_none(texts[1], None)) == len(table[0]))):
        return
    result = split_or_none(texts[1], other)
    if len(result) not in (len(table[0]), len(table[0]) + 1):
        return
    kind_name = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars", None: "blanks"}
    sign, new = (r"\t" if each == "\t" else each or " " for each in (mark, other))
    command = edited(lines.path, shlex.quote(f"1s/{sign}/{new}/g"))
    fix = f"put {kind_name[other]} into the first line, too: {command}"
    raise lines.error(
        "E0705", f"this line has {kind_name[mark]} between its values, and the next one {kind_name[other]}", fix
    )


def split_or_none(text: str, mark: str | None) -> list[str]:
    """The values of a line; an empty list for unbalanced quotes."""
    try:
        return fields.split(text, mark)
    except ValueError:
        return []


def _head(
    lines: TextLines,
    statements: fields.Statements,
    comments: list[tuple[int, str, str]],
    mark: str | None,
    table: list[list[str]],
    numbers: list[int],
    requested: column_names.Columns,
    quoted: bool,
) -> Head:
    if not table:  # the quotes of the first line are unbalanced, which its reader reports
        return Head(statements, mark, ("0", "0"), numbers[0])
    words, rows = table[0], table[1:]
    base = Head(statements, mark, tuple(words), numbers[0], sample=tuple(map(tuple, table)))
    has_requests = not requested.unspecified
    from_comment = _comment_header(lines, comments, words, mark, requested)
    _refuse_matrix(lines, mark, table, from_comment is not None)
    sure = column_names.is_header(words) and (_says_ends(words) or _is_certain(words, rows))
    preferred = from_comment is not None and not sure
    if not preferred and column_names.is_header(words) and _is_column_line(words, rows, has_requests):
        head = _with_header_row(base, lines, words, rows, requested, quoted)
        return replace(head, first_line=numbers[1]) if rows else head
    if from_comment is not None:
        certain = from_comment.known or mark is not None
        plain = _is_plain(table, len(from_comment.header), from_comment.ends)
        return replace(base, columns=from_comment, certain=certain, plain=plain)
    if has_requests:
        fix = header_fix(lines.path, base, len(words))
        raise lines.error("E0705", "the first line names no columns, and the options name some", fix)
    return replace(base, plain=_is_plain(table, len(words), (0, 1)))


def _with_header_row(
    base: Head, lines: TextLines, words: list[str], rows: list[list[str]], requested: column_names.Columns, quoted: bool
) -> Head:
    """The head of a list whose first row, `words`, names the columns of the `rows` after it."""
    trailing = len(words) - 1 if len(words) > 2 and not words[-1] and rows and len(rows[0]) < len(words) else None
    words = words[:trailing]
    # R writes names of rows in front of them, and of the columns only those that it has names for.
    row_names = quoted and base.mark in (None, "\t") and bool(rows)
    row_names = row_names and all(len(row) == len(words) + 1 and row[-1] for row in rows)
    columns = _named(lines, ["", *words] if row_names else words, requested)
    lines.line = readable(lines.line)
    certain = not requested.unspecified or _is_certain(words, [row[1:] if row_names else row for row in rows])
    ends = columns.header[columns.ends[0]], columns.header[columns.ends[1]]
    doubtful = () if certain or not columns.known or column_names.is_sure(ends) else ends
    if columns.known:
        pairs = [(row[columns.ends[0]], row[columns.ends[1]]) for row in rows if len(row) > max(columns.ends)]
        certain = certain or not column_names.may_be_edge(ends, pairs)
    return replace(
        base,
        first=tuple(rows[0]) if rows else None,
        columns=columns,
        in_row=True,
        certain=certain,
        plain=_is_plain(rows, len(columns.header), columns.ends),
        doubtful=doubtful,
    )


def _refuse_matrix(lines: TextLines, mark: str | None, table: list[list[str]], named: bool) -> None:
    """Raise E0705 for an adjacency matrix: a row and a column for each vertex, with or without its name in front."""
    words, rows = table[0], table[1:]
    labeled = len(rows) >= 2 and not words[0] and all(words[1:])
    if labeled and all(row[:1] == [word] for row, word in zip(rows, words[1:], strict=False)):
        fix = "pandas.read_csv(FILE, index_col=0), then Graph.from_networkx(networkx.from_pandas_adjacency(…))"
        raise lines.error("E0705", "this is an adjacency matrix, not a list of edges", fix)
    square = len(words) >= 3 and all(len(row) == len(words) and all(map(is_number, row)) for row in table)
    if len(words) == 3:  # as many values as an edge with a weight has
        square = square and not named and _is_symmetric_of_bits(table)
    if square and (len(table) == len(words) or (len(words) > _WIDE and len(table) > _WIDE)):
        between = "" if mark is None else f", delimiter={mark!r}"
        fix = f"Graph.from_scipy(scipy.sparse.csr_array(numpy.loadtxt(FILE{between}))) reads a matrix"
        if len(words) == 3:
            fix += f"; if these are edges, put `# {(mark or ' ').join(('source', 'target', 'weight'))}` above them"
        raise lines.error("E0705", "this seems to be an adjacency matrix, not a list of edges", fix)


def _is_symmetric_of_bits(table: list[list[str]]) -> bool:
    bits = all(word in ("0", "1") for row in table for word in row)
    return bits and table == [list(column) for column in zip(*table, strict=True)]


def _is_column_line(words: list[str], rows: list[list[str]], has_requests: bool) -> bool:
    """Whether words name the columns: they begin with letters, or name the ends, or differ in kind from the rows
    below."""
    if all(column_names.is_column_name(word) for word in words):
        return True
    return has_requests or _says_ends(words) or _is_certain(words, rows) or (not all(words) and bool(rows))


def _says_ends(words: list[str]) -> bool:
    try:
        return column_names.says_ends(words)
    except column_names.ColumnsError:
        return True


def _is_certain(words: list[str], rows: list[list[str]]) -> bool:
    """Whether a column has a word in the first line and only numbers below."""
    return bool(rows) and any(
        word and all(len(row) > place and is_number(row[place]) for row in rows) for place, word in enumerate(words)
    )


def _is_plain(rows: list[list[str]], width: int, ends: tuple[int, int]) -> bool:
    return (
        bool(rows)
        and width >= 2
        and all(
            len(row) == width and all(map(is_number, row)) and all(is_whole(row[end]) for end in ends) for row in rows
        )
    )


def _comment_header(
    lines: TextLines,
    comments: list[tuple[int, str, str]],
    words: list[str],
    mark: str | None,
    requested: column_names.Columns,
) -> column_names.Named | None:
    """The columns that the last comment before the first row names, as `#node1 node2 score`."""
    if not comments:
        return None
    text = comments[-1][1]
    names = split_or_none(text, mark)
    if len(names) != len(words) or not column_names.is_header(names) or not all(names):
        return None
    try:
        result = column_names.named(names, requested)
    except GdslError:  # the comment lacks a requested column
        return None
    except column_names.ColumnsError as error:
        if len(words) <= 3 or column_names.is_header(words):
            return None
        lines.number = comments[-1][0]
        raise lines.error("E0705", error.message, error.fix) from None
    return result if result.known or (mark is not None and result.ends == (0, 1)) else None


def _named(lines: TextLines, words: list[str], requested: column_names.Columns) -> column_names.Named:
    try:
        return column_names.named(words, requested)
    except column_names.ColumnsError as error:
        raise lines.error("E0705", error.message, error.fix) from None
    except GdslError as error:
        raise GdslError([replace(problem, place=lines.place) for problem in error.diagnostics]) from None
