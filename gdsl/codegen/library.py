"""A runtime library in pieces: a generated program gets those that it uses, and what they need.

The files are cut at lines `// piece: name …`, which list the names that the piece defines for others. A piece needs
every piece whose names occur in it; one called `name for other` overloads `name`, and goes wherever both are needed.
What the backends share is in `templates/common/runtime`, with `inline` for whatever a backend writes there; where a
backend's own file has a piece of the same names, that is appended to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from gdsl.codegen.names import identifiers_of, library_identifiers_of
from gdsl.codegen.structs import struct_dtype, type_text
from gdsl.codegen.templates import environment, template_text
from gdsl.plan.buffer_nodes import Struct
from gdsl.types import Type, Widths

TEAMS = ("teams", "teams_pull")
"""Files whose pieces replace others of the same names where each team of blocks has barriers of its own."""
SEVERAL_GPUS = "own_members"
"""The file whose pieces replace others of the same names where several GPUs run a program together."""
SOLO_ROUNDS = "solo_rounds"
"""The file whose pieces replace those where the first GPU runs small passes of a loop alone."""
GPU_LANES = "gpu_lanes"
"""The file whose pieces replace those where each GPU writes a lane of the trace."""
WORKERS = "workers"
"""The file whose pieces replace others of the same names where several workers run a program together."""
INDIRECT_EDGE_IDS = "indirect_edge_ids"
"""The file whose pieces replace others of the same names in programs that build graphs."""
BOTH_SIDES = "both_sides"
"""The file whose pieces replace those that call functions of the device, in a text that nvcc compiles for the host
too; NVRTC, for which the others are, knows none of what these call."""
DIRECT_EDGE_IDS = "direct_edge_ids"
"""The file whose pieces replace those where no graph leaves out edges of another."""
_REPLACING = (INDIRECT_EDGE_IDS, DIRECT_EDGE_IDS, BOTH_SIDES, WORKERS, SEVERAL_GPUS, SOLO_ROUNDS, GPU_LANES, *TEAMS)
COMMON = {
    "small_integers": False,
    "arithmetic": True,
    "plain": False,
    "pairs": True,
    "random": False,
    "fixed_size_arrays": False,
    "vote": True,
    "buckets": True,
}
"""The files of `templates/common/runtime`, and whether backends add pieces of their own to them."""
_HEAD = re.compile(r"^// piece: (.+)$", re.MULTILINE)
_INLINE = re.compile(r"^inline ", re.MULTILINE)
_CONTRACT = re.compile(r"^ *// barriers: .*\n", re.MULTILINE)
"""What `gdsl.plan.contracts` and its tests read; it is left out of generated programs."""
_MEMBER = re.compile(r"\w+(\[[^\]]*\])*;")
"""The name of a struct's member, whatever it means in the library."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some definitions that are included together, and the name of their file without its ending."""

    file: str
    names: tuple[str, ...]
    text: str
    overloads: tuple[str, ...] = ()
    """The names that must all be there for this one to be needed; without any it is needed by its names."""


@dataclass(frozen=True, slots=True)
class Library:
    """The files `files` of `templates/<backend>/runtime`, in that order, each followed by `suffix`; `function` is the
    qualifier of this backend's functions."""

    backend: str
    files: tuple[str, ...]
    suffix: str
    function: str
    words: str = ""
    """The file in `templates/<backend>` with what the backend prints in place of some words, a pair on each line."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Every piece, in the order of the files."""
        return pieces_of(self)

    def link(self, text: str, generated: Mapping[str, str]) -> tuple[Piece, ...]:
        """What `text` needs, each after what it needs itself.

        `generated` holds the definitions made for this program, by name; they take part as pieces do, of no file.
        """
        by_name = {name: piece for piece in self.pieces for name in piece.names}
        by_name |= {name: Piece("", (name,), body) for name, body in generated.items()}
        places = {name: place for place, name in enumerate(by_name)}
        ordered: list[Piece] = []
        seen: set[str] = set()

        def take(piece: Piece) -> None:
            seen.update(piece.names)
            if piece.names[0] in generated:
                include(_MEMBER.sub(";", piece.text), identifiers_of)
            else:
                include(piece.text, library_identifiers_of)
            ordered.append(piece)

        def include(body: str, words: Callable[[str], frozenset[str]]) -> None:
            for name in sorted(words(body) & by_name.keys(), key=places.__getitem__):
                if name not in seen:
                    take(by_name[name])

        include("int32", library_identifiers_of)
        include(text, identifiers_of)
        overloads = [piece for piece in self.pieces if piece.overloads]
        while new := [each for each in overloads if each.names[0] not in seen and seen.issuperset(each.overloads)]:
            take(new[0])
        return tuple(ordered)


def words_of(pieces: Iterable[Piece], *others: str) -> frozenset[str]:
    """Every identifier of linked pieces and `others`, which are generated for one program."""
    words = (library_identifiers_of(piece.text) if piece.file else identifiers_of(piece.text) for piece in pieces)
    return frozenset().union(*map(identifiers_of, others), *words)


@cache
def pieces_of(library: Library) -> tuple[Piece, ...]:
    """The pieces of `library`."""
    pieces: dict[tuple[str, ...], Piece] = {}
    words = _words_of(library)
    for file in library.files:
        parts = []
        if file in COMMON:
            text = template_text("common", "runtime", f"{file}.hpp")
            parts += _cut(file, _INLINE.sub(f"{library.function} ", text))
        if COMMON.get(file, True):
            parts += _cut(file, template_text(library.backend, "runtime", f"{file}{library.suffix}"))
        for piece in parts:
            piece = replace(piece, text=_with_words(piece.text, words))
            former = pieces.get(piece.names)
            alone = former is None or file in _REPLACING
            pieces[piece.names] = (
                piece if alone or former is None else replace(former, text=f"{former.text}\n{piece.text}")
            )
    return tuple(pieces.values())


def _words_of(library: Library) -> list[list[str]]:
    """Words of the runtime, and after two spaces or more what is printed in place of each."""
    lines = template_text(library.backend, library.words).splitlines() if library.words else []
    return [re.split(" {2,}", line) for line in lines]


def _with_words(text: str, words: list[list[str]]) -> str:
    for word, printed in words:
        text = text.replace(word, printed)
    return text


def _cut(file: str, text: str) -> list[Piece]:
    text = _CONTRACT.sub("", text)
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return [_piece(file, head[1], text[head.end() : end].strip()) for head, end in zip(heads, ends, strict=True)]


def _piece(file: str, head: str, text: str) -> Piece:
    if " for " in head:
        return Piece(file, (head,), text, tuple(head.split(" for ")))
    return Piece(file, tuple(head.split()), text)


def struct_text(
    backend: str, struct: Struct, widths: Widths | None = None, parts: tuple[str, ...] = (), size: int = 0
) -> str:
    """The definition of a struct, which begins with structs of the types `parts`, each called by its first word. With
    `widths` of ids, or a `size` in bytes, the compiler checks that the host knows its size."""
    fields = [(part, part.partition("_")[0], 0, "") for part in parts]
    fields += [(type_text(each.type), each.name, each.count, each.comment) for each in struct.fields]
    if widths is not None:
        size = struct_dtype(struct, widths).itemsize
    return str(_structs(backend).struct(struct, fields, size))


def alias_text(backend: str, name: str, kind: Type) -> str:
    """The definition of another name for a type."""
    return str(_structs(backend).alias(name, type_text(kind)))


def _structs(backend: str) -> Any:
    return environment(backend).get_template("struct.j2").module
