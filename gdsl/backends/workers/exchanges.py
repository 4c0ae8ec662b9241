"""Exchanges of the data of one run between workers: what changed is found, sent, combined and stored.

Workers meet in every exchange, in the same order. They first agree that nobody stops. Elements that several workers may
have written go to the workers that own them, which combine them in the order of ranks; then everyone gets what has
changed. What changed travels as a list of places and values (sparse) where that is fewer bytes than all values of the
worker (dense).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.backends.workers import merging
from gdsl.backends.workers.lanes import Clock
from gdsl.backends.workers.messages import ALL, LIST, NOTHING, OWN, Reader, Writer
from gdsl.communicator import Communicator
from gdsl.operations import Domain, ReduceOperation
from gdsl.plan.exchange_nodes import Exchange, Exchanged, How, Reach

_PLACE = np.dtype(np.int64)


class DisagreementError(RuntimeError):
    """Workers are in different places of the schedule: a mistake of the compiler."""


@dataclass(frozen=True, slots=True)
class Datum:
    """An array or scalar in an exchange: what becomes of it, what it is, and its values in memory (those of a worker's
    own elements alone where it has no others)."""

    each: Exchanged
    field: merging.Field
    values: NDArray[Any]


class Exchanger:
    """The exchanges of one run of one worker."""

    def __init__(self, communicator: Communicator, num_vertices: int, num_edges: int) -> None:
        self.communicator = communicator
        self.rank, self.size = communicator.rank, communicator.size
        self._counts = {Domain.VERTEX: num_vertices, Domain.EDGE: num_edges}
        self._noted: dict[tuple[int, str], merging.Noted] = {}
        self.sent = 0
        """Bytes that this worker has sent to others."""
        self.met = 0
        """Exchanges so far."""
        self.clock = Clock()

    def agree(self, number: int, stops: bool, edges: int = 0) -> int | None:
        """The sum of `edges` of all workers; None where one of them stops. Raises `DisagreementError`."""
        came = self.clock.now()
        words = np.array([stops, number, number * number, edges], np.int64)
        stopped, total, squares, counted = self.communicator.all_reduce(words, ReduceOperation.ADD).tolist()
        self.clock.met(number, came)
        if stopped:
            return None
        if (total, squares) != (number * self.size, number * number * self.size):
            raise DisagreementError(f"worker {self.rank} is in exchange {number}, and others are not")
        self.met += 1
        return int(counted)

    def note(self, number: int, data: Sequence[Datum], elements: NDArray[np.int64] | None = None) -> None:
        """Remember the values before a step, of arrays of vertices those of some `elements`
        alone where it changes no others. Sums of floats
        and products begin anew, so that a worker's part of them can be told apart."""
        if self.size == 1:
            return
        for datum in data:
            field = datum.field
            if field.places is None:
                noted = merging.Noted.of(datum.values, 0, 1, field.words)
            elif elements is not None and not field.of_edges:
                noted = merging.Noted.at(datum.values, merging.places_of(elements, field.count), field.words)
            else:
                part = self._noted_part(datum)
                noted = merging.Noted.of(datum.values, part[0], part[1], field.words)
            self._noted[number, datum.each.name] = noted
            start = merging.start_of(datum.each, field)
            if start is not None:
                noted.fill(datum.values, start)

    def exchange(
        self, step: Exchange, turn: int, data: Sequence[Datum], members: NDArray[Any], domain: Domain
    ) -> NDArray[Any] | None:
        """Make `data` the same for all workers; `turn` is the rank of the one whose values others adopt (`How.ADOPT`).
        Returns the ids in the union of all workers' `members`, ascending; None where no set is exchanged."""
        if self.size == 1:
            return None
        before = self.sent
        united = self._made_equal(step, turn, data, members, domain)
        self.clock.exchanged(self.sent - before)
        return united

    def _made_equal(
        self, step: Exchange, turn: int, data: Sequence[Datum], members: NDArray[Any], domain: Domain
    ) -> NDArray[Any] | None:
        noted = {datum.each.name: self._noted.pop((step.number, datum.each.name), None) for datum in data}
        merged = self._merge([datum for datum in data if _merges_elements(datum)], noted)
        message = Writer()
        for datum in data:
            self._pack(message, datum, turn, noted[datum.each.name], merged.get(datum.each.name))
        if step.frontier is not None:
            message.put(ALL, members)
        if not data and step.frontier is None:
            return None
        readers = [Reader(part) for part in self._gather(message.packed())]
        for datum in data:
            self._take(readers, datum, noted[datum.each.name])
        if step.frontier is None:
            return None
        return merging.union([reader.values(members.dtype) for reader in readers], self._counts[domain])

    # Elements that several workers may have written

    def _merge(
        self, data: Sequence[Datum], noted: dict[str, merging.Noted | None]
    ) -> dict[str, tuple[NDArray[np.int64], NDArray[Any]]]:
        """By array, which of this worker's own elements anybody has changed, and their values now."""
        if not data:
            return {}
        messages = [Writer() for _ in range(self.size)]
        for datum in data:
            field, before = datum.field, noted[datum.each.name]
            assert before is not None and field.places is not None
            places = before.changed(datum.values, merging.start_of(datum.each, field))
            own = merging.contribution(datum.each, field, datum.values, before, places)
            cuts = [0, *np.searchsorted(places, field.places[1:-1]).tolist(), len(places)]
            for message, first, last in zip(messages, cuts[:-1], cuts[1:], strict=True):
                message.put(LIST, places[first:last])
                message.put(LIST, own[first * field.width : last * field.width])
        readers = [Reader(part) for part in self._send([message.packed() for message in messages])]
        merged = {}
        for datum in data:
            before = noted[datum.each.name]
            assert before is not None
            parts = [(reader.values(_PLACE), reader.values(datum.field.dtype)) for reader in readers]
            merged[datum.each.name] = merging.combined(datum.each, datum.field, datum.values, before, parts)
        return merged

    # What everyone gets

    def _pack(
        self,
        message: Writer,
        datum: Datum,
        turn: int,
        noted: merging.Noted | None,
        merged: tuple[NDArray[np.int64], NDArray[Any]] | None,
    ) -> None:
        each, field, values = datum.each, datum.field, datum.values
        if each.how is How.ADOPT and turn != self.rank:
            message.put(NOTHING, values[:0])
        elif field.places is None or noted is None:
            message.put(ALL, values)
        elif merged is not None:
            self._pack_places(message, datum, *merged, dense=noted.values if noted.is_whole else None)
        else:
            places = noted.changed(values, None)
            dense = values if each.reach is Reach.OWN and noted.places is None else None
            self._pack_places(message, datum, places, merging.taken(values, places, field.words), dense)

    def _pack_places(
        self,
        message: Writer,
        datum: Datum,
        places: NDArray[np.int64],
        changed: NDArray[Any],
        dense: NDArray[Any] | None,
    ) -> None:
        """Values at some places; or all of this worker's own, where it changed no others and that is fewer bytes.
        `dense` has the other values then, by place."""
        own = self._own_part(datum)
        if dense is not None and places.nbytes + changed.nbytes >= (own.stop - own.start) * changed.itemsize:
            whole = dense[own].copy()
            merging.put(whole, places - own.start // datum.field.width, changed, datum.field.words)
            message.put(OWN, whole)
            return
        message.put(LIST, places)
        message.put(LIST, changed)

    def _take(self, readers: Sequence[Reader], datum: Datum, noted: merging.Noted | None) -> None:
        """Store what all workers have sent of an array or scalar."""
        each, field, values = datum.each, datum.field, datum.values
        if each.how is How.MERGE and field.places is None:
            assert noted is not None
            values[:] = merging.combined_scalar(
                each, field, noted.values, [reader.values(field.dtype) for reader in readers]
            )
            return
        if each.how is How.MERGE:
            assert noted is not None
            noted.restore(values)
        for rank, reader in enumerate(readers):
            kind, data = reader.next()
            if kind == ALL:
                values[:] = data.view(field.dtype)
            elif kind == OWN:
                values[self._own_part(datum, rank)] = data.view(field.dtype)
            elif kind == LIST:
                merging.put(values, data.view(_PLACE), reader.values(field.dtype), field.words)

    def _own_part(self, datum: Datum, rank: int | None = None) -> slice:
        """Where the values of the elements that a worker owns are."""
        owner = self.rank if rank is None else rank
        places = datum.field.places
        assert places is not None
        return slice(int(places[owner]) * datum.field.width, int(places[owner + 1]) * datum.field.width)

    def _noted_part(self, datum: Datum) -> tuple[int, int]:
        """The places that are noted: those that this worker may change."""
        places = datum.field.places
        assert places is not None
        if datum.each.reach is not Reach.OWN:
            return 0, int(places[-1])
        return int(places[self.rank]), int(places[self.rank + 1])

    def _gather(self, packed: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
        self.sent += packed.nbytes * (self.size - 1)
        return self.communicator.all_gather(packed)

    def _send(self, parts: list[NDArray[np.uint8]]) -> list[NDArray[np.uint8]]:
        self.sent += sum(part.nbytes for rank, part in enumerate(parts) if rank != self.rank)
        return self.communicator.all_to_all(parts)


def _merges_elements(datum: Datum) -> bool:
    return datum.each.how is How.MERGE and datum.field.places is not None
