"""Programs whose results differ from order to order, with two such orders: what the checker must refuse or mark."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from fuzz.programs.edits import Tree
from fuzz.programs.running import Place, checked, compiled, lowered, on_reference
from fuzz.programs.trials import Trial, differing_names, is_compared, trial_of
from gdsl.backends.interface import Outcome
from gdsl.binding import problem_data
from gdsl.diagnostics import GdslError
from gdsl.frontend import CheckedProgram, syntax

_MARK = "# orders: "
_END = "\n# ----\n"


@dataclass(frozen=True)
class Entry:
    """A trial, two orders of the reference, and the results that differ between them."""

    trial: Trial
    orders: tuple[int, int]
    names: frozenset[str]

    def text(self) -> str:
        """As a file keeps it."""
        mark = _MARK + json.dumps({"orders": self.orders, "differ": sorted(self.names)})
        return f"{mark}\n{self.trial.header()}\n{self.trial.text.strip()}{_END}"

    def holds(self) -> bool:
        """Whether the two orders give different results, as they are said to."""
        return differing(self.trial, self.orders, longest=2) == self

    @cached_property
    def checked(self) -> CheckedProgram:
        """The program before the rules of reading and writing."""
        return checked(self.trial.text)

    def is_refused(self) -> bool:
        """Whether the rules refuse the program."""
        try:
            lowered(self.trial.text, self.checked)
        except GdslError:
            return True
        return False

    def is_missed(self) -> bool:
        """Whether the checker lets the program pass, and one of its differing results without a mark."""
        try:
            program = lowered(self.trial.text, self.checked)
        except GdslError:
            return False
        return any(declared.name in self.names and is_compared(declared) for declared in problem_data(program))


def differing(trial: Trial, seeds: Iterable[int], longest: int = 60) -> Entry | None:
    """The first order of `seeds` that gives other results than their first; what the rules say does not count. None
    where all agree, or a run ends in an error. Raises what binding raises."""
    program = compiled(trial.text, refuse=False)
    place, run = Place(trial.shape.graph, trial.pools), on_reference(program)
    numbers = iter(seeds)
    first = next(numbers)
    answer = run(place, first, 1)
    if not isinstance(answer, Outcome):
        return None
    for _, seed in zip(range(longest), numbers, strict=False):
        other = run(place, seed, 1)
        if not isinstance(other, Outcome):
            return None
        names = differing_names(program, answer, other)
        if names:
            return Entry(trial, (first, seed), frozenset(names))
    return None


def tidied(entry: Entry) -> Entry | None:
    """The same in less text, where it still differs: without what nothing uses, and without blank lines."""
    text, names = entry.trial.text, set(entry.trial.pools)
    tree = Tree(text)
    for part in [*tree.nodes(syntax.Functor, syntax.Function), *tree.nodes(syntax.Declaration)]:
        assert isinstance(part, syntax.Functor | syntax.Function | syntax.Declaration)
        if len(re.findall(rf"\b{part.name}\b", text)) == 1:
            text = text.replace(tree.words(part), "")
            names.discard(part.name)
    text = re.sub(r"\n\s*\n", "\n", re.sub(r"^ +$", "", text, flags=re.MULTILINE))
    pools = {name: values for name, values in entry.trial.pools.items() if name in names}
    try:
        return differing(replace(entry.trial, text=text, pools=pools), entry.orders)
    except GdslError:
        return None


def read(path: Path) -> list[Entry]:
    """The entries of a file."""
    found = []
    for block in path.read_text(encoding="utf-8").split(_END):
        marks = [line for line in block.splitlines() if line.startswith(_MARK)]
        if marks:
            data = json.loads(marks[0][len(_MARK) :])
            first, second = data["orders"]
            text = "\n".join(line for line in block.splitlines() if not line.startswith("#")) + "\n"
            trial = trial_of(block)
            found.append(Entry(Trial(text, trial.shape, trial.pools), (first, second), frozenset(data["differ"])))
    return found
