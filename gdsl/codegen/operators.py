"""What both backends do alike to put an operation of the plan in words: which form it has, and what every form says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from gdsl import records
from gdsl.codegen.functions import Argument
from gdsl.codegen.functors import FunctorTexts, TotalsText
from gdsl.codegen.literals import type_name
from gdsl.codegen.names import Names, Scope
from gdsl.codegen.switches import SwitchText, switch_text
from gdsl.operations import Domain, Over, ReduceOperation
from gdsl.plan.nodes import Choice, Collect, Measure, NearFar, Operation, Plan, Segment, Sweep, Variant, Vote, Walk
from gdsl.plan.walking import sweeps_of, variants_of

Text = TypeVar("Text")

ON_COMMON = {
    Argument.SOURCE: "u",
    Argument.DESTINATION: "w",
    Argument.COMMON: "x",
    Argument.EDGE: "e",
    Argument.SOURCE_EDGE: "eu",
    Argument.DESTINATION_EDGE: "ew",
}
"""What functors are given for a common neighbour of the ends of an edge."""
STRUCTS = {Domain.VERTEX: "frontier", Domain.EDGE: "edge_frontier"}
"""The types of sets."""


def shared(struct: str, name: str, owner: str) -> str:
    """The declaration of a frontier that has its storage from another."""
    return f"{struct}& {name} = {owner};  // never needed at the same time"


def order_type(order: NearFar) -> str:
    """The type of what keeps a worklist in its order."""
    falls = "true" if order.operation is ReduceOperation.MIN else "false"
    return f"near_far<{type_name(order.type)}, {falls}>"


@records.dataclass(frozen=True, slots=True)
class CommonText:
    """What every operator has in the text of every backend. Strings are C++ text."""

    kind: ClassVar[str]
    function: str
    comment: str
    """Where it stands in the program."""
    parameters: str
    site: int
    input: bool
    """Whether it takes a frontier."""
    members: str
    size: str
    """How many elements it runs on."""


@dataclass
class CommonPrinter(ABC, Generic[Text]):
    """Prints the operations of one plan; `texts` gathers the functions that they call."""

    plan: Plan
    names: Names
    texts: FunctorTexts
    measures: ClassVar[Mapping[Measure, str]]
    """What a choice between directions compares."""
    lists: ClassVar[Mapping[Over | None, str]]
    """The lists whose edges are counted where a set is made; of None for none."""

    def __post_init__(self) -> None:
        self._counts: dict[str | None, Over | None] = {None: None}
        self._counts.update((frontier.name, frontier.counts) for frontier in self.plan.frontiers)

    def print(self, operation: Operation) -> Text:
        """What is laid out for any operation."""
        does, sweep = operation.does, sweeps_of(operation)[0]
        common = self._common(operation, sweep, isinstance(does, Choice))
        if isinstance(does, Choice):
            return self._advance(common, does.no, does.yes, switch_text(does.test, self.measures))
        if sweep.intersection is not None:
            return self._intersect(common, sweep, operation.step.adds_to)
        if sweep.segment is not None:
            return self._reduce(common, sweep, sweep.segment)
        if sweep.vote is not None:
            return self._vote(common, sweep, sweep.vote)
        if sweep.own is not None:
            return self._on_elements(common, sweep, sweep.own)
        pulls = sweep.selection is not None
        return self._advance(common, None if pulls else sweep, sweep if pulls else None, None)

    def _common(self, operation: Operation, sweep: Sweep, directed: bool) -> dict[str, Any]:
        """The fields that the texts of all operators have; `directed`: it chooses a direction in each pass."""
        everything = "d.graph.num_edges" if sweep.members.domain is Domain.EDGE else "d.graph.num_vertices"
        return {
            "function": self.names.derived(Scope.GLOBAL, operation.name, f"operator {operation.step.site}"),
            "site": operation.step.site,
            "input": sweep.members.frontier is not None,
            **self._own_fields(operation, sweep, directed, everything),
        }

    def _counted(self, collect: Collect | None) -> str:
        return self.lists[self._counts[collect.frontier if collect is not None else None]]

    def _totals(self, operation: Operation, sweep: Sweep) -> TotalsText | None:
        """What the sweep sums up: for its functor, or, where it runs none, for the operator itself."""
        run = next(iter(variants_of(sweep)), None)
        if run is not None:
            own = tuple(total for total in sweep.totals if total.scalar != operation.step.adds_to)
            return self.texts.totals_of(run.functor, own)
        owner = f"operator {operation.step.site}"
        name = self.names.derived(Scope.GLOBAL, f"{operation.name}_totals", f"totals of {owner}")
        return self.texts.totals_called(name, sweep.totals)

    def _lists_of(self, walk: Walk) -> str:
        """The lists that a push or a reduction walks, or no more of each than their first places."""
        if walk.first_places is None:
            return self._walked_lists(walk)
        return f"first_places{{d.graph, {self.texts.printer.expressions().print(walk.first_places)}}}"

    @abstractmethod
    def _own_fields(self, operation: Operation, sweep: Sweep, directed: bool, everything: str) -> dict[str, Any]:
        """The fields that backends fill each in its own way; `everything` is how many elements there are."""

    @abstractmethod
    def _walked_lists(self, walk: Walk) -> str:
        """The lists of a walk."""

    @abstractmethod
    def _advance(
        self, common: dict[str, Any], push: Sweep | None, pull: Sweep | None, choice: SwitchText | None
    ) -> Text:
        """An advance that pushes, pulls, or chooses."""

    @abstractmethod
    def _intersect(self, common: dict[str, Any], sweep: Sweep, count: str | None) -> Text:
        """The common neighbours of the ends of edges; how many there are is added to the scalar `count`."""

    @abstractmethod
    def _reduce(self, common: dict[str, Any], sweep: Sweep, segment: Segment) -> Text:
        """A reduction over the edges of each vertex."""

    @abstractmethod
    def _vote(self, common: dict[str, Any], sweep: Sweep, vote: Vote) -> Text:
        """A vote of the edges of each vertex."""

    def _score(self, vote: Vote) -> str:
        """What a key of `v` and its total are scored by."""
        arguments = {Argument.VERTEX: "near", Argument.KEY: "key", Argument.TOTAL: "total"}
        return self.texts.score(vote.score, arguments) if vote.score is not None else "total"

    @abstractmethod
    def _on_elements(self, common: dict[str, Any], sweep: Sweep, own: Variant) -> Text:
        """A functor on the members themselves."""
