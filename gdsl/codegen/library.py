"""A runtime library in pieces: a generated program gets those that it uses, and what they need.

The files are cut at lines `// piece: name …`, which list the names that the piece defines for others. A piece needs
every piece whose names occur in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from gdsl.codegen.names import identifiers_of, library_identifiers_of
from gdsl.codegen.templates import template_text

_HEAD = re.compile(r"^// piece: (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Piece:
    """Some definitions that are included together."""

    names: tuple[str, ...]
    text: str


class Library:
    """The files `files` of `templates/<backend>/runtime`, in that order."""

    def __init__(self, backend: str, files: tuple[str, ...]) -> None:
        self.backend = backend
        self.files = files

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Every piece, in the order of the files."""
        found = []
        for file in self.files:
            text = template_text(self.backend, "runtime", file)
            heads = list(_HEAD.finditer(text))
            ends = [head.start() for head in heads[1:]] + [len(text)]
            for head, end in zip(heads, ends, strict=True):
                found.append(Piece(tuple(head[1].split()), text[head.end() : end].strip()))
        return tuple(found)

    def link(self, text: str, generated: Mapping[str, str]) -> tuple[str, ...]:
        """What `text` needs, each after what it needs itself.

        `generated` holds the definitions made for this program, by name; they take part as pieces do.
        """
        by_name = {name: piece for piece in self.pieces for name in piece.names}
        by_name |= {name: Piece((name,), body) for name, body in generated.items()}
        places = {name: place for place, name in enumerate(by_name)}
        ordered: list[str] = []
        seen: set[str] = set()

        def include(body: str, words: Callable[[str], frozenset[str]]) -> None:
            for name in sorted(words(body) & by_name.keys(), key=places.__getitem__):
                piece = by_name[name]
                if piece.names[0] not in seen:
                    seen.add(piece.names[0])
                    include(piece.text, identifiers_of if name in generated else library_identifiers_of)
                    ordered.append(piece.text)

        include("int32", library_identifiers_of)
        include(text, identifiers_of)
        return tuple(ordered)
