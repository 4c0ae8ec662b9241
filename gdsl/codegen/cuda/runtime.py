"""The runtime library of the generated CUDA, in pieces: a program gets those that it uses, and what they need.

The files of `templates/cuda/runtime/` are cut at lines `// piece: name …`, which list the names that the piece
defines for others. A piece needs every piece whose names occur in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from gdsl.codegen.names import identifiers_of, library_identifiers_of
from gdsl.resources import resource_text

FILES = (
    "platform",
    "arithmetic",
    "memory",
    "plain",
    "enactor",
    "warp",
    "edges",
    "frontier",
    "edge_frontier",
    "edge_sets",
    "loops",
    "sets",
    "push",
    "pull",
    "reduce",
    "intersect",
)
PLATFORM = "platform"
_MEMBER = re.compile(r"\w+(\[[^\]]*\])*;")
"""The name of a struct's member, whatever it means in the library."""
_HEAD = re.compile(r"^// piece: (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Piece:
    """Some definitions that are included together."""

    file: str
    names: tuple[str, ...]
    text: str


@cache
def pieces() -> tuple[Piece, ...]:
    """Every piece of the library, in the order of `FILES`."""
    found = []
    for file in FILES:
        text = resource_text("templates", "cuda", "runtime", f"{file}.cuh")
        heads = list(_HEAD.finditer(text))
        ends = [head.start() for head in heads[1:]] + [len(text)]
        for head, end in zip(heads, ends, strict=True):
            found.append(Piece(file, tuple(head[1].split()), text[head.end() : end].strip()))
    return tuple(found)


def link(text: str, generated: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """What `text` needs, each after what it needs itself: (the pieces of the platform, all others).

    `generated` holds the definitions made for this program, by name; they take part as pieces do.
    """
    by_name = {name: piece for piece in pieces() for name in piece.names}
    by_name |= {name: Piece("", (name,), body) for name, body in generated.items()}
    places = {name: place for place, name in enumerate(by_name)}
    ordered: list[Piece] = []
    seen: set[str] = set()

    def include(body: str, words: Callable[[str], frozenset[str]]) -> None:
        for name in sorted(words(body) & by_name.keys(), key=places.__getitem__):
            piece = by_name[name]
            if piece.names[0] not in seen:
                seen.add(piece.names[0])
                if name in generated:
                    include(_MEMBER.sub(";", piece.text), identifiers_of)
                else:
                    include(piece.text, library_identifiers_of)
                ordered.append(piece)

    include("int32", library_identifiers_of)
    include(text, identifiers_of)
    platform = [piece.text for piece in ordered if piece.file == PLATFORM]
    return platform, [piece.text for piece in ordered if piece.file != PLATFORM]
