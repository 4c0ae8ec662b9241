"""Exchanges of the data of one run from GPU to GPU: arrays stay in the memory of the GPUs, where they are compared,
combined and stored.

What everyone must know first goes through the memory of the hosts, in one message of each worker: scalars, which are
few bytes, the sizes of sets, and how many values of large arrays have changed. Then all workers choose alike for each
array:

- lists: everyone gets the places and values that each worker has changed, and combines them in the order of ranks;
- the values of owners, sent from the array of one to those of the others;
- reductions by NCCL, of integers, whose sums, products, minima and maxima are the same in any order;
- slices: each worker gets what all others contribute to its own elements, combines it in the order of ranks, and sends
  the result to all; of two workers, and where it is little, each gets all contributions, and nothing is sent twice.

Everything has the bits that `Exchanger` gives it, except that the minimum of two zeros may be the other one. Small
arrays take no lists, and large ones only where these are much shorter: to find, sort and store what has changed takes
longer than to send all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.backends.cuda.links import Links, reduces
from gdsl.backends.cuda.protocol import Device
from gdsl.backends.workers import merging
from gdsl.backends.workers.exchanges import Datum, Exchanger
from gdsl.backends.workers.messages import ALL, Reader, Writer
from gdsl.communicator import Communicator
from gdsl.operations import EXTREMES, Domain, ReduceOperation
from gdsl.plan.exchange_nodes import Exchange, How, Reach

SMALL = 1 << 24
"""Bytes up to which an array is small."""
ONE_ROUND = 1 << 20
"""Bytes that a worker sends in less time than another round takes."""
SHORTER = 8
"""How many times fewer bytes lists must have."""
Round = tuple[list[tuple[int, Any]], list[tuple[int, Any]], list[tuple[Any, ReduceOperation]]]
"""What one array sends, receives and reduces at a time, together with the others."""


class DirectExchanger(Exchanger):
    """The exchanges of one run of one worker, by `links` to the others. The values of a `Datum` are in the memory of
    the GPU, except those of scalars."""

    def __init__(
        self, communicator: Communicator, num_vertices: int, num_edges: int, links: Links, device: Device
    ) -> None:
        super().__init__(communicator, num_vertices, num_edges)
        self.links, self.device = links, device
        self.small, self.shorter, self.one_round = SMALL, SHORTER, ONE_ROUND

    def note(self, number: int, data: Sequence[Datum], elements: NDArray[np.int64] | None = None) -> None:
        """As `Exchanger.note`; what will be exchanged without it is not noted."""
        super().note(number, [datum for datum in data if self._needs_former(datum)], elements)

    def _made_equal(
        self, step: Exchange, turn: int, data: Sequence[Datum], members: NDArray[Any], domain: Domain
    ) -> NDArray[Any] | None:
        noted = {datum.each.name: self._noted.pop((step.number, datum.each.name), None) for datum in data}
        scalars = [datum for datum in data if datum.field.places is None]
        arrays = [datum for datum in data if datum.field.places is not None]
        changes = [self._changes(datum, noted[datum.each.name]) for datum in arrays]
        sizes = [len(found) for found in changes if found is not None]
        if step.frontier is not None:
            sizes.append(len(members))
        counts = self._met(scalars, turn, noted, sizes)
        works: list[Iterator[Round]] = []
        for datum, changed in zip(arrays, changes, strict=True):
            before = noted[datum.each.name]
            if changed is not None:
                of_all = [each.pop(0) for each in counts]
                if self._fit_lists(datum, of_all, turn):
                    works.append(self._lists(datum, before, changed, of_all, turn))
                    continue
            works.append(self._dense(datum, before, turn))
        parts: list[Any] = []
        if step.frontier is not None:
            parts = [self.device.empty_array(members.dtype, each[-1]) for each in counts]
            works.append(iter([self._gathered(members, parts)]))
        before_links = self.links.sent
        self._together(works)
        self.sent += self.links.sent - before_links
        return merging.union(parts, self._counts[domain]) if step.frontier is not None else None

    def _met(
        self, scalars: Sequence[Datum], turn: int, noted: dict[str, merging.Noted | None], sizes: list[int]
    ) -> list[list[int]]:
        """The sizes of all workers, by rank; and scalars are exchanged, by the memory of the hosts."""
        if not scalars and not sizes:
            return [[] for _ in range(self.size)]
        message = Writer()
        message.put(ALL, np.array(sizes, np.int64))
        for datum in scalars:
            self._pack(message, datum, turn, noted[datum.each.name], None)
        readers = [Reader(part) for part in self._gather(message.packed())]
        counts: list[list[int]] = [reader.values(np.dtype(np.int64)).tolist() for reader in readers]
        for datum in scalars:
            self._take(readers, datum, noted[datum.each.name])
        return counts

    def _together(self, works: Sequence[Iterator[Round]]) -> None:
        """Do the rounds of several arrays at the same time."""
        active = list(works)
        while active:
            rounds = []
            for work in list(active):
                one = next(work, None)
                if one is None:
                    active.remove(work)
                else:
                    rounds.append(one)
            if rounds:
                sends, receives, reductions = (
                    [each for found in kind for each in found] for kind in zip(*rounds, strict=True)
                )
                self.links.exchange(sends, receives, reductions)

    # Choices, which are the same on all workers

    def _needs_former(self, datum: Datum) -> bool:
        """Whether the values before the step are needed."""
        each = datum.each
        if datum.field.places is None or datum.values.nbytes > self.small:
            return True
        if each.how is How.MERGE:
            return each.operation not in EXTREMES or not self._by_nccl(datum)
        return each.how is How.PUBLISH and each.reach is not Reach.OWN

    def _by_nccl(self, datum: Datum) -> bool:
        """Whether NCCL combines the values of a merge."""
        field = datum.field
        is_integer = field.dtype.kind in "iu" and not field.words
        return is_integer and reduces(datum.each.operation, field.dtype)

    def _fit_lists(self, datum: Datum, counts: list[int], turn: int) -> bool:
        """Whether lists of so many places are much fewer bytes than all values."""
        count = counts[turn] if datum.each.how is How.ADOPT else sum(counts)
        nbytes = datum.field.width * datum.field.dtype.itemsize
        return count * (_PLACE.itemsize + nbytes) * self.shorter < datum.values.nbytes

    def _changes(self, datum: Datum, noted: merging.Noted | None) -> Any | None:
        """Where the values of a large array have changed; None of one that is small or was not noted."""
        if noted is None or datum.values.nbytes <= self.small:
            return None
        return noted.changed(datum.values, merging.start_of(datum.each, datum.field))

    # How arrays are exchanged

    def _lists(
        self, datum: Datum, before: merging.Noted | None, places: Any, counts: list[int], turn: int
    ) -> Iterator[Round]:
        each, field, values, empty = datum.each, datum.field, datum.values, self.device.empty_array
        assert before is not None
        merges = each.how is How.MERGE
        own = (
            merging.contribution(each, field, values, before, places)
            if merges
            else merging.taken(values, places, field.words)
        )
        if each.how is How.ADOPT:
            counts = [count if rank == turn else 0 for rank, count in enumerate(counts)]
            places, own = places[: counts[self.rank]], own[: counts[self.rank] * field.width]
        all_places = [empty(_PLACE, count) for count in counts]
        all_values = [empty(field.dtype, count * field.width) for count in counts]
        yield _both(self._gathered(places, all_places), self._gathered(own, all_values))
        parts = list(zip(all_places, all_values, strict=True))
        if merges:
            parts = [merging.combined(each, field, values, before, parts)]
            before.restore(values)
        for there, found in parts:
            merging.put(values, there, found, field.words)

    def _dense(self, datum: Datum, before: merging.Noted | None, turn: int) -> Iterator[Round]:
        each, values = datum.each, datum.values
        if each.how is How.ADOPT:
            yield self._from_one(values, turn)
        elif each.how is How.PUBLISH and each.reach is Reach.OWN:
            yield self._own_slices(datum)
        elif before is None and each.how is How.PUBLISH:
            yield self._from_one(values, self.size - 1)
        elif each.how is How.PUBLISH:
            assert before is not None and before.is_whole
            yield from self._flipped(values, before)
        elif self._by_nccl(datum):
            yield from self._reduced(datum, before)
        else:
            assert before is not None and before.is_whole
            yield from self._in_slices(datum, before)

    def _from_one(self, values: Any, root: int) -> Round:
        """What one worker has, for all others."""
        if root == self.rank:
            return [(rank, values) for rank in self._others()], [], []
        return [], [(root, values)], []

    def _own_slices(self, datum: Datum) -> Round:
        """What owners have, for all others."""
        values, own = datum.values, self._own_part(datum)
        sends = [(rank, values[own]) for rank in self._others()]
        return sends, [(rank, values[self._own_part(datum, rank)]) for rank in self._others()], []

    def _flipped(self, values: Any, before: merging.Noted) -> Iterator[Round]:
        """Each value was changed by one worker at most, so its changed bits are the sum of those of all workers."""
        kind = np.dtype(f"u{values.dtype.itemsize if values.dtype.itemsize != 2 else 1}")
        former = before.values.view(kind)
        bits = values.view(kind)
        flipped = np.bitwise_xor(bits, former)
        yield [], [], [(flipped, ReduceOperation.ADD)]
        bits[:] = np.bitwise_xor(former, flipped)

    def _reduced(self, datum: Datum, before: merging.Noted | None) -> Iterator[Round]:
        """By NCCL. Ids compare without sign, and sums wrap without it."""
        operation, values = datum.each.operation, datum.values
        assert operation is not None
        if operation in EXTREMES:
            unsigned = np.dtype(f"u{values.dtype.itemsize}")
            yield [], [], [(values.view(unsigned) if datum.field.kind.is_id else values, operation)]
            return
        assert before is not None and before.is_whole
        part = merging.difference(operation, values, before.values)
        if operation is ReduceOperation.MULTIPLY:
            part = part.copy()
        yield [], [], [(part, operation)]
        values[:] = merging.combine(operation, datum.field, before.values, part)

    def _in_slices(self, datum: Datum, before: merging.Noted) -> Iterator[Round]:
        """Each owner combines what all workers contribute to its elements, or each worker all of it."""
        each, field, values = datum.each, datum.field, datum.values
        at_once = self.size == 2 or (self.size - 1) * values.nbytes <= self.one_round
        slices = [slice(0, len(values)) if at_once else self._own_part(datum, rank) for rank in range(self.size)]
        own, start = slices[self.rank], merging.start_of(each, field)
        contributed = values if start is not None else merging.difference(each.operation, values, before.values)
        length = own.stop - own.start
        parts = [self.device.empty_array(field.dtype, length) for _ in range(self.size)]
        parts[self.rank] = contributed[own]
        sends = [(rank, contributed[slices[rank]]) for rank in self._others()]
        yield sends, [(rank, parts[rank]) for rank in self._others()], []
        former = before.values[own]
        unchanged = start if start is not None else former
        if each.operation in (ReduceOperation.ADD, ReduceOperation.BIT_XOR) and start is None:
            unchanged = field.dtype.type(0)
        result = former
        for part in parts if each.operation is not None else reversed(parts):  # of any values the first one stays
            changed = part if each.operation is None else merging.combine(each.operation, field, result, part)
            result = _chosen(merging.differing(part, unchanged, field.words), changed, result, field.words)
        values[own] = result
        if not at_once:
            yield self._own_slices(datum)

    def _gathered(self, own: Any, parts: list[Any]) -> Round:
        """`own` of all workers, in `parts` by rank."""
        parts[self.rank] = own
        return [(rank, own) for rank in self._others()], [(rank, parts[rank]) for rank in self._others()], []

    def _others(self) -> list[int]:
        """The ranks of the others, from the next one on, so that not all send to the same one first."""
        return [(self.rank + distance) % self.size for distance in range(1, self.size)]


_PLACE = np.dtype(np.int64)


def _both(first: Round, second: Round) -> Round:
    return first[0] + second[0], first[1] + second[1], first[2] + second[2]


def _chosen(mask: Any, there: Any, elsewhere: Any, words: int) -> Any:
    """The values of one array where the mask says so, and of another one elsewhere."""
    if words > 1:
        return np.where(mask[:, None], there.reshape(-1, words), elsewhere.reshape(-1, words)).reshape(-1)
    return np.where(mask, there, elsewhere)
