"""What a form of a program keeps for one graph: enactors, with the memory of runs, and what its runs have shown."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from gdsl.backends.cuda.enactor import Enactor
    from gdsl.backends.cuda.observed_forms import ObservedForms
    from gdsl.backends.cuda.observed_gpus import ObservedGpus
    from gdsl.backends.cuda.observed_order import ObservedOrder
    from gdsl.memory_use import MemoryUse
    from gdsl.plan.alternatives import Alternative

Form = TypeVar("Form")


class Within(NamedTuple):
    """An enactor, with the choice of memory and the inputs of the graph's own that it was made for."""

    memory: MemoryUse | None
    own: frozenset[str]
    enactor: Enactor


@dataclasses.dataclass(frozen=True, slots=True)
class Tried(Generic[Form]):
    """A form that is being tried, and whether the graph had its vertices by degree before."""

    alternative: Alternative
    form: Form
    by_degree: bool


@dataclasses.dataclass(slots=True)
class GraphRecord(Generic[Form]):
    """Of one graph. Runs of several threads change it, each field at once."""

    enactor: Enactor | None = None
    with_arrays: Enactor | None = None
    """The same for runs with the caller's own arrays of edges, which are not reordered."""
    within: Within | None = None
    """That of the last run with a choice of memory, or without enough of it."""
    too_large: bool = False
    """Whether its edge lists do not fit on the device."""
    as_given: bool = False
    """Whether there is not enough memory for other ids."""
    suited: Form | None = None
    """The form for its class of graphs: finding it takes a walk over the program."""
    best: Form | None = None
    """The form that runs have shown to be faster than this one."""
    tried: Tried[Form] | None = None
    order: ObservedOrder | None = None
    forms: ObservedForms | None = None
    gpus: ObservedGpus | None = None

    @property
    def has_run(self) -> bool:
        """Whether the form itself has run on the graph."""
        return self.latest is not None

    @property
    def latest(self) -> Enactor | None:
        """The enactor whose kernels' resources are reported."""
        return (self.within.enactor if self.within is not None else None) or self.enactor or self.with_arrays

    def free(self) -> None:
        """Free the memory of runs."""
        self.enactor = self.with_arrays = self.within = None
