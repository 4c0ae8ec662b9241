"""How many bytes go over the link in order: copies that the plan lets each GPU make, what it merges, and members that
are taken in turns, wherever their values are."""

from __future__ import annotations

from collections.abc import Iterable

from gdsl.clusters.model import accesses
from gdsl.clusters.model.accesses import Access, Amounts, Where
from gdsl.clusters.model.profile import Profile
from gdsl.plan.nodes import Form, Plan, Sweep
from gdsl.types import Type, Widths

_SECTOR = 32
"""Bytes that one access moves at least."""


class Copies:
    """Those of the passes of one run on `gpus`, of each GPU."""

    def __init__(self, plan: Plan, profile: Profile, gpus: int, widths: Widths) -> None:
        self.profile, self.gpus, self.vertex = profile, gpus, widths.of(Type.VERTEX) // 8
        self.widths, self.share = widths, (gpus - 1) / gpus
        self.own_queues = {each.frontier for each in plan.own_queues}
        self.bytes_of = {each.name: max(widths.of(each.type) // 8, 1) for each in plan.program.arrays}

    def of_pass(self, sweep: Sweep, amounts: Amounts, found: Iterable[Access]) -> float:
        """All of a pass in which all GPUs take part."""
        copies = self._in_order(sweep, amounts, found) + self._mirrored(sweep) + self._merged(sweep, amounts)
        return copies + self._proposed(sweep, amounts) + self._labeled(sweep) + self._published(sweep, amounts)

    def of_pass_alone(self, sweep: Sweep, found: Iterable[Access]) -> float:
        """Those of the first GPU, if it is alone. It has the entries of small sets."""
        return self.share * self._elements(found) + self._mirrored(sweep)

    def filled(self, sweep: Sweep) -> float:
        """The copy that is merged, which is filled before the first pass."""
        if sweep.merge is None or sweep.merge.stays:
            return 0.0
        return self.share * self.profile.vertices * max(self.widths.of(sweep.merge.reduction.type) // 8, 1)

    def _in_order(self, sweep: Sweep, amounts: Amounts, found: Iterable[Access]) -> float:
        """Because members are taken in turns: entries of sets, and elements of members. A GPU that has vertices has
        their words of a bitmap."""
        queued = sweep.collect is not None and sweep.collect.form is Form.QUEUE
        stored = amounts.found * self.vertex if queued else 0.0
        stored = 0.0 if sweep.collect is not None and sweep.collect.frontier in self.own_queues else stored
        own = sweep.members.frontier in self.own_queues
        entries = stored + (0.0 if own else amounts.members * accesses.entry_bytes(sweep, self.widths))
        return self.share * (entries + self._elements(found)) / self.gpus

    def _elements(self, found: Iterable[Access]) -> float:
        """Elements of members, as many sectors as these touch."""
        own = (each for each in found if each.where is Where.OWN and not each.is_local)
        return sum(self._sectors(each.count, each.bytes) for each in own)

    def _mirrored(self, sweep: Sweep) -> float:
        if sweep.mirrors is None:
            return 0.0
        size = sum(self.bytes_of[name] for name in sweep.mirrors.arrays) + (1 / 8 if sweep.mirrors.members else 0)
        return self.share * self.profile.vertices * size

    def _merged(self, sweep: Sweep, amounts: Amounts) -> float:
        """The others' marks and their values that are marked, what is stored in the array itself, and, of members that
        may be passed over, the values that others have of them."""
        if sweep.merge is None:
            return 0.0
        width = max(self.widths.of(sweep.merge.reduction.type) // 8, 1)
        others, vertices = self.gpus - 1, self.profile.vertices
        marked = self._sectors(amounts.found, width)
        size = others * (vertices / 8 + marked) + (0.0 if sweep.merge.stays else self.share * marked / self.gpus)
        if sweep.skips is not None:
            size += others * self._sectors(amounts.members, width) / self.gpus
        return size

    def _proposed(self, sweep: Sweep, amounts: Amounts) -> float:
        """The others' bitmaps, and proposals for vertices of its own that a GPU has not come to itself: at most as many
        as there are."""
        if sweep.proposals is None:
            return 0.0
        bitmaps = (self.gpus - 1) * self.profile.vertices / 8 / self.gpus
        return bitmaps + self.share * self._sectors(amounts.ends, self.vertex) / self.gpus

    def _labeled(self, sweep: Sweep) -> float:
        """A copy of labels that is filled, and what other GPUs' copies have for the own vertices; where all copies
        stay, what is stored in those of others comes instead of a fill. Packed labels are two bits for each vertex of
        the others, as most of them are in one tree, or in none."""
        if sweep.labels is None:
            return 0.0
        size = self.profile.vertices * self.vertex
        if sweep.labels.packed is not None:
            return (self.gpus - 1) * self.profile.vertices / 4
        return self.share * size + (self.gpus - 1) * size / self.gpus

    def _published(self, sweep: Sweep, amounts: Amounts) -> float:
        """What each GPU stores in the copies of others, at most: each of its calls changes its element."""
        size = sum(self.bytes_of[name] for name in sweep.published)
        return (self.gpus - 1) * amounts.members * size / self.gpus

    def _sectors(self, count: float, width: int) -> float:
        """The bytes of the sectors in which `count` elements of an array of vertices are."""
        vertices = max(self.profile.vertices, 1)
        in_one = _SECTOR / width
        touched: float = 1 - (1 - min(count / vertices, 1.0)) ** in_one
        return max(count / vertices, 1.0) * vertices / in_one * touched * _SECTOR
