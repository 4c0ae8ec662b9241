"""The columns of lists and tables: which are the ends, which are left out, and what the others are called."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Sequence

from gdsl.diagnostics import GdslError, shell_word, shown
from gdsl.graph.messages import bad_array
from gdsl.graph.number_text import is_number, is_whole
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a table are the ends and the weight; None: found by its name."""

    source: str | None = None
    target: str | None = None
    weight: str | None = None

    @property
    def unspecified(self) -> bool:
        """Whether the caller names no column."""
        return self.source is None and self.target is None and self.weight is None

    def ends_among(self, names: list[str]) -> tuple[str, str] | None:
        """The ends, where the caller names them. Raises E0711 where `names` lacks one."""
        if self.source is None and self.target is None:
            return None
        for name in (self.source, self.target):
            if name is not None:
                require_column(name, names)
        if self.source is None or self.target is None or self.source == self.target:
            fix = "source='…', target='…' name them (--source-column, --target-column)"
            raise bad_array("both ends need a column of their own", fix)
        return self.source, self.target


def require_column(name: str, names: list[str]) -> None:
    """Raise E0711, with the most similar name, where `name` is not among `names`."""
    if name in names:
        return
    few = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    similar = [each for each in names if each.lower() == name.lower()] or difflib.get_close_matches(name, names, n=1)
    fix = f"did you mean {similar[0]!r}? Its columns are {few}" if similar else f"its columns are {few or 'none'}"
    raise bad_array(f"the table has no column {shown(name)}", fix)


def require_weight_apart(weight: str, ends: tuple[str, str]) -> None:
    """Raise E0711 where the column of the weights is also one of the ends."""
    if weight in ends:
        fix = "source='…', target='…' and weight='…' name three (--source-column, --target-column, --weight-column)"
        raise bad_array(f"the column {shown(weight)} is one of the ends, and the weight needs its own", fix)


def columns_of(source: object, target: object, weight: object) -> Columns:
    """The columns that a caller names. Raises TypeError for anything but a str."""
    for value, argument in ((source, "source"), (target, "target"), (weight, "weight")):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"the column for the {argument} is named by a str, not {shown(value)}")
    return Columns(source, target, weight)  # type: ignore[arg-type]


def refuse_columns(kind: str, columns: Columns, path: str) -> None:
    """Raise E0712 where the caller names columns of a file that has none."""
    if not columns.unspecified:
        message = f"{kind} has no columns: source_column, target_column and weight_column are for edge lists and tables"
        raise GdslError.single("E0712", message, fix="leave them out", place=path)


ENDS = (("source", "destination"), ("source", "target"), ("src", "dst"), ("from", "to"))
"""Names of the two ends in headers and tables. gdsl writes the first pair, next to attributes of any name."""

UNDIRECTED_ENDS = ("end", "other_end")
"""Names of the two ends of undirected edges."""

_ALSO_ENDS = (
    ("source_id", "target_id"), ("from_id", "to_id"), ("src_id", "dst_id"), ("source_node", "target_node"),
    ("from_node", "to_node"), ("from_node_id", "to_node_id"), ("start_node", "end_node"), ("start_id", "end_id"),
    ("start", "end"), ("origin", "destination"), ("origin", "dest"), ("node1", "node2"), ("node_a", "node_b"),
    ("protein1", "protein2"), ("gene1", "gene2"), ("interactor_a", "interactor_b"), ("vertex1", "vertex2"),
    ("subject", "object"), ("parent", "child"), ("u", "v"),
)  # fmt: skip
"""Names of the two ends in files of other programs; blanks, `_`, `-`, `.`, `:` and marks in front do not count."""
_LOOSE = re.compile(r"^[#~%@]+|[\s_.:\-]|\(.*\)$")
_ROW_IDS = re.compile(
    r"(edge|link|arc|row|line|record|relation|rel|interaction|.*interaction|object)?(id|idx|index|no|nr|num|key)|fid|gid|eid|edge|rowname|rownames"
)
_UNNAMED = re.compile(r"(Unnamed: [0-9]+)?")
"""What pandas calls the column of an index, before and after it was read once."""
_MARKS = "#~% "
_VERTEX_LISTS = ("name", "label", "title")
_PAIRED = re.compile(r"(?<![a-z])(a|1|i|source|from|start|src|origin)(?![a-z0-9])", re.I)
_PARTNERS = {
    "a": ("b",), "1": ("2",), "i": ("j",), "source": ("target", "destination", "dest"), "from": ("to",),
    "start": ("end",), "src": ("dst",), "origin": ("destination", "dest"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Named:
    """Named columns. `ends`: the places of the ends. `known`: whether their names, or the caller, say that they are
    ends. `names`: what attributes are called, the ends `source` and `destination`; None for columns without a name."""

    header: tuple[str, ...]
    ends: tuple[int, int]
    known: bool
    names: tuple[str | None, ...]

    @property
    def unnamed(self) -> int:
        """How many columns have no name, such as the index of a pandas frame."""
        return sum(_UNNAMED.fullmatch(word) is not None for word in self.header)

    @property
    def values(self) -> list[int]:
        """The places of the columns that are attributes."""
        return [place for place, name in enumerate(self.names) if place not in self.ends and name is not None]


class ColumnsError(ValueError):
    """The names of the columns do not show which are the ends; with a message and a fix."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.message, self.fix = message, fix


def is_column_name(word: str) -> bool:
    """Whether gdsl writes `word` as the name of a column: it begins with a letter or `_`."""
    return (word[:1].isalpha() or word.startswith("_")) and may_be_name(word)


def may_be_name(word: str) -> bool:
    """Whether the first line of a list may hold `word` as the name of a column."""
    return bool(word) and word.isprintable() and not is_number(word)


def is_header(words: Sequence[str]) -> bool:
    """Whether all words may be names, except for columns without one. Anything else is an edge."""
    named = [word for word in words if word]
    return len(words) >= 2 and len(named) >= 1 and all(map(may_be_name, named))


def says_ends(words: Sequence[str]) -> bool:
    """Whether there is a pair among the words that names the ends."""
    return _find_ends(list(words)) is not None


def begins_list(words: Sequence[str]) -> bool:
    """Whether words in the middle of a list are the names of another list's columns."""
    if not is_header(words) or not all(map(is_column_name, words)):
        return False
    first, second = (_LOOSE.sub("", word.lower()) for word in words[:2])
    try:
        ends = _find_ends(list(words))
    except ColumnsError:
        return True
    return ends is not None or (_ROW_IDS.fullmatch(first) is not None and second in _VERTEX_LISTS)


def named(words: Sequence[str], requested: Columns) -> Named:
    """The columns that `words` name. Raises ColumnsError where they do not show the ends, and GdslError E0711 where
    they lack a requested column."""
    header = list(words)
    requested_ends = _requested_ends(header, requested)
    ends = requested_ends if requested_ends is not None else _find_ends(header)
    has_ends = ends is not None
    if ends is None:
        ends = _first_two(header)
    if header[ends[0]] == header[ends[1]]:
        raise _same_name()
    names: list[str | None] = list(header)
    for place, word in enumerate(header):
        if _UNNAMED.fullmatch(word):
            names[place] = None
        elif word.lower() == "weight" and "weight" not in header:
            names[place] = "weight"
    if requested.weight is not None:
        place = header.index(_as_written(requested.weight, header))
        require_weight_apart(header[place], (header[ends[0]], header[ends[1]]))
        names = [None if name == "weight" else name for name in names]
        names[place] = "weight"
    names[ends[0]], names[ends[1]] = "source", "destination"
    others = [name for place, name in enumerate(names) if place not in ends and name is not None]
    if len(set(others)) != len(others):
        raise _same_name()
    return Named(tuple(header), ends, has_ends, tuple(names))


def pair_among(header: Sequence[str]) -> tuple[int, int] | None:
    """The first two columns whose names differ only as names of ends do, such as `gene A` and `gene B`."""
    places = {word.lower(): place for place, word in reversed(list(enumerate(header)))}
    for place, word in enumerate(header):
        for match in _PAIRED.finditer(word):
            if match[0] == word:  # `a` and `b` alone may be anything
                continue
            front, rest = word[: match.start()], word[match.end() :]
            for partner in _PARTNERS[match[0].lower()]:
                other = places.get(f"{front}{partner}{rest}".lower(), place)
                if other != place:
                    return place, other
    return None


def ends_fix(header: Sequence[str], ends: tuple[int, int]) -> str:
    """The fix that names the columns of the ends."""
    source, target = (header[end] for end in ends)
    return (
        f"--source-column {shell_word(source)} --target-column {shell_word(target)} "
        f"(source_column={source!r}, target_column={target!r})"
    )


def _requested_ends(header: list[str], requested: Columns) -> tuple[int, int] | None:
    written = Columns(*(None if name is None else _as_written(name, header) for name in _requested_names(requested)))
    requested_ends = written.ends_among(header)
    if written.weight is not None:
        require_column(written.weight, header)
    return None if requested_ends is None else (header.index(requested_ends[0]), header.index(requested_ends[1]))


def _requested_names(requested: Columns) -> tuple[str | None, str | None, str | None]:
    return requested.source, requested.target, requested.weight


def _as_written(name: str, header: list[str]) -> str:
    """A requested name as the header writes it, which may begin with the mark of a comment."""
    if name in header:
        return name
    return next((word for word in header if word.lstrip(_MARKS) == name.lstrip(_MARKS)), name)


def _find_ends(header: list[str]) -> tuple[int, int] | None:
    """The places of the columns whose names are known for ends. Raises ColumnsError where several columns have one."""
    if tuple(header[:2]) in (ENDS[0], UNDIRECTED_ENDS):
        return 0, 1
    for pair in (*ENDS, UNDIRECTED_ENDS):
        result = [_places(header, word) for word in pair]
        if all(result):
            if any(len(places) > 1 for places in result):
                raise _same_name()
            return result[0][0], result[1][0]
    sources, destinations = (
        [place for word in set(words) for place in _places(header, word)] for words in zip(*ENDS, strict=True)
    )
    if len(sources) == len(destinations) == 1:
        return sources[0], destinations[0]
    loose = [_LOOSE.sub("", word.lower()) for word in header]
    for pair in (*_ALSO_ENDS, *ENDS):
        one, other = (_LOOSE.sub("", word) for word in pair)
        if loose.count(one) == loose.count(other) == 1:
            return loose.index(one), loose.index(other)
    likely = pair_among(header)
    return likely if likely == tuple(_named_places(header)[:2]) else None


def _first_two(header: list[str]) -> tuple[int, int]:
    """The first two columns that have a name, unless the first one numbers the rows."""
    places = _named_places(header)
    if len(places) < 2:
        raise ColumnsError("the first line names fewer than two columns", "name the two columns of the ends")
    first, second = places[:2]
    pair = pair_among(header)
    if pair is not None:  # and it is not the first two
        message = f"the columns `{header[pair[0]]}` and `{header[pair[1]]}` may be the ends, and are not the first two"
        raise ColumnsError(message, f"if they are: {ends_fix(header, pair)}")
    is_row_id = _ROW_IDS.fullmatch(_LOOSE.sub("", header[first].lower())) is not None
    one, other = (_LOOSE.sub("", header[place].lower()) for place in (first, second))
    if (is_row_id or one.endswith("id")) and other.endswith(_VERTEX_LISTS):
        message = f"the columns `{header[first]}` and `{header[second]}` seem to be a list of vertices, not of edges"
        raise ColumnsError(message, f"if they are the ends: {ends_fix(header, (first, second))}")
    if is_row_id and len(places) > 2:
        likely = places[1], places[2]
        message = f"the first column, `{header[first]}`, seems to number the rows, and no two columns are named as ends"
        raise ColumnsError(message, f"if `{header[places[1]]}` and the next are: {ends_fix(header, likely)}")
    return first, second


def _named_places(header: Sequence[str]) -> list[int]:
    return [place for place, word in enumerate(header) if not _UNNAMED.fullmatch(word)]


def _places(header: list[str], word: str) -> list[int]:
    """The places of `word` as written, else those of `word` in any case."""
    exact = [place for place, name in enumerate(header) if name == word]
    return exact or [place for place, name in enumerate(header) if name.lower() == word]


def _same_name() -> ColumnsError:
    fix = "give each its own, such as source, destination, weight, capacity"
    return ColumnsError("two columns have the same name", fix)


_SURE = {*ENDS, UNDIRECTED_ENDS}
_MOST_COLUMNS = 32
"""With more columns, not every pair is examined."""


def likely_ends(sample: Sequence[Sequence[str]], width: int) -> tuple[int, int]:
    """The places of the columns that are most likely the ends in rows such as those of `sample`, without a header.

    Numbers in the first two columns are the ends. Otherwise the ends are two columns that share values, or else columns
    that do not have fewer different values than their neighbors, unlike the middle one in `A interacts B`.
    """
    width = min(width, _MOST_COLUMNS)
    rows = [row for row in sample if len(row) >= width]
    if not rows or width < 3:
        return 0, 1
    columns = [[row[place] for row in rows] for place in range(width)]
    whole = [all(map(is_whole, column)) for column in columns]
    text = [not any(map(is_number, column)) and all(column) for column in columns]
    values = [set(column) for column in columns]
    if (whole[0] and whole[1]) or (text[0] and text[1] and values[0] & values[1]):
        return 0, 1
    unlike = not (text[0] and text[1])
    pairs = list(itertools.combinations(range(width), 2))
    alike = [
        pair for kinds in ((text, whole) if unlike else (text,)) for pair in pairs if all(kinds[at] for at in pair)
    ]
    best = max(alike, key=lambda pair: len(values[pair[0]] & values[pair[1]]), default=(0, 1))
    if values[best[0]] & values[best[1]]:
        return best
    if unlike:
        return alike[0] if alike else (0, 1)
    middle = text[2] and len(rows) > 1 and len(values[1]) < min(len(values[0]), len(values[2]))
    return (0, 2) if middle else (0, 1)


def may_be_edge(words: tuple[str, str], rows: Sequence[tuple[str, str]]) -> bool:
    """Whether a first line that seems to name the ends may be an edge: the ends below differ from these as little as
    the two differ from each other, by one character, such as `v3` below `v1` and `v2`."""
    if is_sure(words):
        return False
    front = _common_front(*words)
    rest = _common_front(*(word[len(front) :][::-1] for word in words))[::-1]
    same = len(front) + len(rest)
    if not same or any(len(word) != same + 1 for word in words):
        return False
    return any(value.startswith(front) and value.endswith(rest) and len(value) > same for row in rows for value in row)


def is_sure(words: tuple[str, str]) -> bool:
    """Whether two words can hardly be vertices, as `source` and `target`."""
    first, second = (word.lower() for word in words)
    return (first, second) in _SURE


def _common_front(one: str, other: str) -> str:
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(first for first, _ in alike)
