"""What sets without a name are called, and whether a name can be given to one at once."""

from __future__ import annotations

from collections import Counter

from gdsl.frontend import syntax
from gdsl.frontend.syntax import OperatorKind

DONE = {
    OperatorKind.ADVANCE: "advanced",
    OperatorKind.FILTER: "filtered",
    OperatorKind.WHERE: "selected",
    OperatorKind.INTERSECT: "common",
    OperatorKind.TOP: "best",
}
"""What comes out of an operator."""


class Temporaries:
    """Gives names of frontiers that nothing has yet: a stem and a number."""

    def __init__(self, taken: set[str]) -> None:
        """`taken` are the names that are there already; new ones are added to them."""
        self.taken, self._counts = taken, Counter[str]()

    def __call__(self, stem: str) -> str:
        """The next name with this stem."""
        self._counts[stem] += 1
        while f"{stem}_{self._counts[stem]}" in self.taken:
            self._counts[stem] += 1
        self.taken.add(f"{stem}_{self._counts[stem]}")
        return f"{stem}_{self._counts[stem]}"


def stem_of(value: syntax.Expression) -> str:
    """What a set without a name is called, as far as that is free."""
    if isinstance(value, syntax.Popped):
        return "popped"
    return DONE[value.kind] if isinstance(value, syntax.OperatorCall) else "members"


def last_reader(name: str, links: tuple[syntax.SetLink, ...]) -> int:
    """The place of the last operand that reads the frontier `name`; -1 where none does."""
    for place in reversed(range(len(links))):
        found = (node for node in syntax.walk(links[place].operand) if isinstance(node, syntax.Name))
        if any(node.symbol is not None and node.symbol.unique == name for node in found):
            return place
    return -1
