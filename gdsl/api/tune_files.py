"""Tune files: what `gdslc tune` found for a program, by machine and kind of graph, as a small JSON document.

A file belongs to one text of a program and one version of gdsl: for any other it is stale, and not used. Knobs never
change a result, so a wrong file only costs time; therefore knobs that affect more than the time (`NOT_TUNED`) are never
taken from a file.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import re
from pathlib import Path
from typing import Any

from gdsl.diagnostics import GdslError, printable
from gdsl.files import cannot_write, whole_file
from gdsl.graph import Graph
from gdsl.imports import with_imports
from gdsl.knobs import KNOBS, OPERATOR_KNOBS, written
from gdsl.packages import owner
from gdsl.program_files import STANDARD_INPUT, TEXT, samples
from gdsl.program_files import SUFFIX as PROGRAM_SUFFIX
from gdsl.records import dataclass
from gdsl.source import Source
from gdsl.version import __version__

FORMAT = 1
SUFFIX = ".tune"
NOT_TUNED = ("bounds", "ids")
"""Knobs that affect errors, or the width of ids in the results."""

_LARGEST = 1 << 20
_MOST_ENTRIES, _MOST_WORDS, _LONGEST_WORD = 1000, 1000, 1000
_BEGINNING = re.compile(r'\s*\{\s*"gdsl_tune"\s*:')
"""The beginning of every tune file, even a damaged one: files that begin differently are never overwritten."""
_WORD = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\.([a-z]+)=([a-z0-9_]+)(\([a-z0-9=, ]*\))?")
_SCHEDULE = tuple(written(knob).partition(".")[2] for knob in KNOBS if not knob.operators and not knob.alone)


_SIZE, _DEGREE, _SKEW = 4.0, 2.0, 8.0
"""By which factors sizes, mean degrees and skews of similar graphs may differ. With factors instead of classes, nearly
equal graphs are never on two sides of a border. Hubs grow with their graph, so skews may differ most."""


@dataclass(frozen=True, slots=True)
class GraphKind:
    """The properties of a graph that knobs depend on. edges: as stored. largest_degree: of outgoing edges.

    Weights are not included: a program that takes weights has them in every run, from the graph or the caller, and
    other programs do not see them.
    """

    vertices: int
    edges: int
    largest_degree: int
    directed: bool

    @property
    def mean_degree(self) -> float:
        """Edges per vertex."""
        return self.edges / max(self.vertices, 1)

    @property
    def skew(self) -> float:
        """The length of the longest list of edges relative to the mean: 1 if all have the same length."""
        return max(self.largest_degree, 1) / max(self.mean_degree, 1.0)

    def unlike(self, other: GraphKind) -> str | None:
        """How a graph of this kind differs from `other`, in words; None if they are similar."""
        if self.directed is not other.directed:
            return f"one is {_direction(self)}, the other {_direction(other)}"
        if _differ(self.vertices, other.vertices, _SIZE):
            return f"{_count(self.vertices)} vertices to {_count(other.vertices)}"
        if _differ(self.mean_degree, other.mean_degree, _DEGREE):
            return f"{self.mean_degree:.3g} edges a vertex to {other.mean_degree:.3g}"
        if _differ(self.skew, other.skew, _SKEW):
            return f"a largest degree of {_count(self.largest_degree)} to one of {_count(other.largest_degree)}"
        return None

    def distance(self, other: GraphKind) -> float:
        """The distance between two similar kinds, relative to the allowed differences."""
        pairs = (
            (self.vertices, other.vertices, _SIZE),
            (self.mean_degree, other.mean_degree, _DEGREE),
            (self.skew, other.skew, _SKEW),
        )
        return sum(abs(_log_ratio(one, two)) / math.log(most) for one, two, most in pairs)

    def __str__(self) -> str:
        sizes = f"{_count(self.vertices)} vertices, {_count(self.edges)} edges"
        return f"{sizes}, degrees to {_count(self.largest_degree)}, {_direction(self)}"


def kind_of(graph: Graph) -> GraphKind:
    """The kind of `graph`: O(V)."""
    degrees = graph.out_degrees
    largest = int(degrees.max()) if len(degrees) else 0
    return GraphKind(graph.num_vertices, graph.num_edges, largest, graph.directed)


def _direction(kind: GraphKind) -> str:
    return "directed" if kind.directed else "undirected"


def _log_ratio(one: float, two: float) -> float:
    return math.log(max(one, 1.0) / max(two, 1.0))


def _differ(one: float, two: float, most: float) -> bool:
    return abs(_log_ratio(one, two)) > math.log(most) * (1 + 1e-9)


def _count(number: int) -> str:
    return f"{number:,}"


@dataclass(frozen=True, slots=True)
class Entry:
    """The best setting on one machine for one kind of graph.

    knobs: words as `--tune` takes them, none if nothing was faster than the untuned program. auto_ms, tuned_ms:
    milliseconds of a run without and with them. tried: how many settings were measured.
    """

    backend: str
    device: str
    graph: GraphKind
    knobs: tuple[str, ...]
    auto_ms: float
    tuned_ms: float
    tried: int


@dataclass(frozen=True, slots=True)
class TuneFile:
    """A whole tune file. text: the hash of the program's text; stale: why it does not fit the program, if so."""

    path: str
    program: str
    text: str
    entries: tuple[Entry, ...] = ()
    stale: str | None = None

    def entry_for(self, backend: str, device: str, kind: GraphKind) -> Entry | str:
        """The entry for a graph of `kind`, or why there is none."""
        there = [entry for entry in self.entries if entry.backend == backend]
        if not there:
            return f"nothing was tuned on {backend}"
        here = [entry for entry in there if entry.device == device]
        if not here:
            return f"it was tuned on another machine ({printable(there[0].device)}, not {device})"
        unlike = [entry.graph.unlike(kind) for entry in here]
        alike = [entry for entry, why in zip(here, unlike, strict=True) if why is None]
        if not alike:
            others = f", and {len(here) - 1} more kinds" if len(here) > 1 else ""
            return f"it was tuned on another kind of graph ({unlike[0]}{others})"
        return min(alike, key=lambda entry: entry.graph.distance(kind))

    def replaced(self, new: Entry) -> TuneFile:
        """This file with `new` in place of the entries for that machine and kind of graph."""
        remaining = tuple(entry for entry in self.entries if not _same_place(entry, new))
        return dataclasses.replace(self, entries=(*remaining, new))

    def as_text(self) -> str:
        """The content of the file."""
        document = {"gdsl_tune": FORMAT, "gdsl": __version__, "program": self.program, "text": self.text}
        entries = [dataclasses.asdict(entry) for entry in self.entries]
        return json.dumps({**document, "entries": entries}, indent=2, allow_nan=False) + "\n"


def _same_place(one: Entry, two: Entry) -> bool:
    return (one.backend, one.device) == (two.backend, two.device) and one.graph.unlike(two.graph) is None


def hash_of_text(source: Source) -> str:
    """A hash of a program's text and the texts it imports from."""
    digest = hashlib.sha256()
    source = with_imports(source)
    for each in (source, *(source.imported or ())):
        text = each.text.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(text) + text)
    return digest.hexdigest()


def tune_path(source: Source) -> str | None:
    """The path of a program's tune file: next to its file, for a sample or a program of a package in the working
    directory; None for a text."""
    if source.name in (TEXT, STANDARD_INPUT):
        return None
    stem = source.name.removesuffix(PROGRAM_SUFFIX)
    try:
        is_installed = source.name in samples().values() or owner(source.name) is not None
    except OSError:  # an incomplete installation
        is_installed = False
    return (os.path.basename(stem) if is_installed else stem) + SUFFIX


def new_file(path: str, program: str, source: Source) -> TuneFile:
    """A file without entries."""
    return TuneFile(path, program, hash_of_text(source))


def file_of(path: str, program: str, source: Source) -> TuneFile:
    """The file `path` with its entries for `source`; without entries if it is stale or damaged, and is to be
    replaced."""
    new = new_file(path, program, source)
    try:
        file = read_file(path, source) if is_there(path) else new
    except GdslError:
        return new
    return new if file.stale is not None else file


def write_file(file: TuneFile) -> None:
    """Write the whole file, or nothing. Raises E0911."""
    try:
        require_tune_file(file.path, file.program)
        with whole_file(file.path) as opened:
            opened.write(file.as_text().encode())
    except OSError as error:
        raise cannot_write(file.path, error.strerror or error) from None


def require_tune_file(path: str, program: str) -> None:
    """Raise E0911 if the file exists and must not be replaced: it is not a tune file, or one of another program or a
    later format."""
    if not os.path.isfile(path):
        return
    try:
        content = _content(path)
        what = _whose(content, program) if _BEGINNING.match(content) is not None else "which is not a tune file"
    except (OSError, UnicodeDecodeError):
        what = "which is not a tune file"
    if what is not None:
        raise GdslError.single(
            "E0911",
            f"cannot write {printable(path)}: there is a file of that name, {what}",
            fix="name another one with -o, or remove it",
        )


def _whose(content: str, program: str) -> str | None:
    """Why a tune file must not be replaced for `program`; None if it may, also if it is damaged."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return None
    form, owner = document["gdsl_tune"], document.get("program")
    if type(form) is int and form > FORMAT:
        return "a tune file of a later gdsl"
    if isinstance(owner, str) and owner != program:
        return f"the tune file of another program ({printable(owner[:80])})"
    return None


def read_file(path: str, source: Source) -> TuneFile:
    """The tune file `path`, stale if it is not one for `source`. Raises E0615 if it is damaged, is not a tune file, or
    cannot be read."""
    try:
        text = _content(path)
    except ValueError as error:  # also UnicodeDecodeError, and a NUL in the name
        why = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else "a path has no NUL character"
        raise _unusable(path, why) from None
    except FileNotFoundError as error:
        raise _unusable(path, error.strerror or "it is not there", fix="write one with gdslc tune") from None
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from None
    if _BEGINNING.match(text) is None:
        raise _unusable(path, "it is not a tune file")
    try:
        document = json.loads(text)
        return _file_of(path, document, hash_of_text(source))
    except _DamagedError as error:
        raise _unusable(path, f"it is damaged: {error}") from None
    except RecursionError:
        raise _unusable(path, "it is damaged: it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise _unusable(path, f"it is damaged: {error.msg} in line {error.lineno}") from None
    except ValueError:
        raise _unusable(path, "it is damaged: a number has too many digits") from None


def _content(path: str) -> str:
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(0, "it is not a file")
    with open(path, "rb") as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise OSError(0, f"it is longer than {_LARGEST:,} bytes, which no tune file is")
    return content.decode()


def _unusable(path: str, why: str, fix: str = "remove it, or write a new one with gdslc tune") -> GdslError:
    return GdslError.single("E0615", f"cannot use the tune file {printable(path)}: {why}", fix=fix)


# ---------------------------------------------------------------- from the document


class _DamagedError(ValueError):
    """What is wrong with a document."""


def _file_of(path: str, document: dict[str, Any], text: str) -> TuneFile:
    if document["gdsl_tune"] != FORMAT or type(document["gdsl_tune"]) is not int:
        return TuneFile(path, "", "", stale=f"its format is {str(document['gdsl_tune'])[:20]!r}, not {FORMAT}")
    version, program = _str(document, "gdsl"), _str(document, "program")
    file = TuneFile(path, program, _str(document, "text"))
    if version != __version__:
        return dataclasses.replace(file, stale=f"it was made by gdsl {printable(version)}, this is {__version__}")
    if file.text != text:
        return dataclasses.replace(file, stale="the program's text has changed since it was tuned")
    entries = document.get("entries")
    if not isinstance(entries, list) or len(entries) > _MOST_ENTRIES:
        raise _DamagedError("its `entries` are not a list of entries")
    file = dataclasses.replace(file, entries=tuple(_entry(entry) for entry in entries))
    unknown = next((word for entry in file.entries for word in entry.knobs if not _is_known(word)), None)
    stale = None if unknown is None else f"gdsl takes no {printable(unknown[:80])!r} from a tune file"
    return dataclasses.replace(file, stale=stale)


def _entry(document: object) -> Entry:
    if not isinstance(document, dict):
        raise _DamagedError("an entry is not an object")
    graph, knobs = document.get("graph"), document.get("knobs")
    if not isinstance(graph, dict):
        raise _DamagedError("an entry has no `graph`")
    if not isinstance(knobs, list) or len(knobs) > _MOST_WORDS or not all(isinstance(word, str) for word in knobs):
        raise _DamagedError("the `knobs` of an entry are not a list of words")
    vertices, edges, largest = (_whole(graph, name) for name in ("vertices", "edges", "largest_degree"))
    kind = GraphKind(vertices, edges, largest, _bool(graph, "directed"))
    times = _number(document, "auto_ms"), _number(document, "tuned_ms")
    return Entry(
        _str(document, "backend"), _str(document, "device"), kind, tuple(knobs), *times, _whole(document, "tried")
    )


def _is_known(word: str) -> bool:
    """Whether a word sets a knob that may be tuned, judging by its name; the program decides about its subject."""
    match = _WORD.fullmatch(word) if len(word) <= _LONGEST_WORD else None
    knobs = _SCHEDULE if match is not None and match[1] == "schedule" else OPERATOR_KNOBS
    return match is not None and match[2] in knobs and match[2] not in NOT_TUNED


def _str(document: dict[str, Any], name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str) or len(value) > 1000:
        raise _DamagedError(f"its `{name}` is not text")
    return value


def _bool(document: dict[str, Any], name: str) -> bool:
    value = document.get(name)
    if not isinstance(value, bool):
        raise _DamagedError(f"its `{name}` is neither true nor false")
    return value


def _whole(document: dict[str, Any], name: str) -> int:
    value = document.get(name)
    if type(value) is not int or not 0 <= value < 2**63:
        raise _DamagedError(f"its `{name}` is not a whole number")
    return value


def _number(document: dict[str, Any], name: str) -> float:
    value = document.get(name)
    if type(value) not in (int, float) or not 0 <= value < 1e300:  # type: ignore[operator]
        raise _DamagedError(f"its `{name}` is not a number of milliseconds")
    return float(value)  # type: ignore[arg-type]


def is_there(path: str) -> bool:
    """Whether a program has a tune file of that name; a directory or a pipe is not one."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False
