"""The indices that generated code checks: by their number it says which one failed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from gdsl.ir.nodes import CheckPairs, CheckWidth, PushLevel
from gdsl.operations import Domain
from gdsl.source import Span
from gdsl.types import Type


class Stop(Enum):
    """What is wrong where a check fails."""

    INDEX = "index"
    HISTORY = "history"
    """More members than vertices."""
    WIDTH = "width"
    """Buckets whose levels have no width."""
    PAIRS = "pairs"
    """Two sets of pairs that are not of one size."""
    LEFT_OUT = "left out"
    """An edge that the graph around does not have."""


@dataclass(frozen=True, slots=True)
class CheckSite:
    """A computed index: the array, frontier or function of the graph it is for, its type and its place in the text;
    `domain` None: a place in a vertex's list. Or (`stop`) what else stops a run, with what it is about. `is_value`:
    which of several values of an element of the array."""

    subject: str
    domain: Domain | None
    kind: Type
    span: Span
    stop: Stop = Stop.INDEX
    is_value: bool = False


@dataclass
class CheckTable:
    """The checked indices of one program; generated code reports the number of the one that failed."""

    enabled: bool = True
    """`tune { bounds off; }` clears it: then nothing is checked."""
    sites: list[CheckSite] = field(default_factory=list)
    has_built_graphs: bool = False
    """Whether the program builds graphs, whose edge ids may have gaps."""

    def __post_init__(self) -> None:
        self._numbers = {site: number for number, site in enumerate(self.sites)}

    def bound(self, domain: Domain) -> str:
        """The bound below which the ids of a domain are."""
        edges = "d.graph.edge_bound" if self.has_built_graphs else "d.graph.num_edges"
        return edges if domain is Domain.EDGE else "d.graph.num_vertices"

    def number(self, site: CheckSite) -> int:
        """The number of `site`, which is added where it is new."""
        number = self._numbers.setdefault(site, len(self.sites))
        if number == len(self.sites):
            self.sites.append(site)
        return number

    def number_of(self, step: PushLevel | CheckWidth | CheckPairs) -> int:
        """The number of what a step of the schedule checks."""
        if isinstance(step, PushLevel):
            site = CheckSite(step.history.name, Domain.VERTEX, Type.INT64, step.span, Stop.HISTORY)
        elif isinstance(step, CheckWidth):
            site = CheckSite(step.name, Domain.VERTEX, step.type, step.span, Stop.WIDTH)
        else:
            site = CheckSite("pairs", Domain.VERTEX, Type.INT64, step.span, Stop.PAIRS)
        return self.number(site)

    def existing_edge(self, edge: str, subject: str, span: Span) -> str:
        """The id `edge` of an edge for the set `subject`, looked up in the list of the edge's source."""
        number = self.number(CheckSite(subject, Domain.EDGE, Type.EDGE, span, Stop.LEFT_OUT))
        return f"existing_edge(d, {edge}, {number})"
