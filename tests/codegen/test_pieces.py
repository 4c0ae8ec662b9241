"""The pieces of the runtime libraries: each stands behind what it needs, whatever a program asks for."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gdsl.codegen.cpu.generate import LIBRARY
from gdsl.codegen.cuda import runtime
from gdsl.codegen.names import library_identifiers_of

PIECES: Mapping[str, list[tuple[tuple[str, ...], str]]] = {
    "cuda": [(piece.names, piece.text) for piece in runtime.pieces()],
    "cpu": [(piece.names, piece.text) for piece in LIBRARY.pieces],
}


@pytest.mark.parametrize("backend", PIECES)
def test_a_name_is_of_one_piece(backend: str) -> None:
    names = [name for names, _ in PIECES[backend] for name in names]
    assert sorted({name for name in names if names.count(name) > 1}) == []


@pytest.mark.parametrize("backend", PIECES)
def test_no_piece_needs_itself(backend: str) -> None:
    """Not by way of others either: a word of a piece that is the name of another would put that one in front of it."""
    owner = {name: names[0] for names, _ in PIECES[backend] for name in names}
    needs = {
        names[0]: {owner[word] for word in library_identifiers_of(text) & owner.keys()} - {names[0]}
        for names, text in PIECES[backend]
    }
    while needs:
        ready = {name for name, others in needs.items() if not others & needs.keys()}
        assert ready, f"in a circle: {sorted(needs)}"
        needs = {name: others for name, others in needs.items() if name not in ready}
