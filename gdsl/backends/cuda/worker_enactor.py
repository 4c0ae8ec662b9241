"""The host's side of one worker's run on its GPU: it walks the schedule of several workers, launches a kernel for each
step, and exchanges data with the other workers between launches.

What is exchanged goes from GPU to GPU where the workers have links (`direct_exchanges`). Otherwise it goes through the
memory of the host: it is copied from the GPU, combined there as workers without a GPU do it
(`gdsl.backends.workers.exchanges`), and copied back.
"""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends import failures
from gdsl.backends.cuda.direct_exchanges import DirectExchanger
from gdsl.backends.cuda.enactor import Enactor
from gdsl.backends.cuda.host_walk import Walk
from gdsl.backends.cuda.links import LinkError, Links
from gdsl.backends.cuda.memory import value_dtype
from gdsl.backends.cuda.protocol import Buffer
from gdsl.backends.cuda.run_memory import RunMemory
from gdsl.backends.cuda.share_on_device import shifted
from gdsl.backends.failures import count_of
from gdsl.backends.interface import Bindings, Limits, Outcome
from gdsl.backends.pairs import unpacked
from gdsl.backends.workers.exchanges import Datum, Exchanger
from gdsl.backends.workers.merging import Field, field_of, start_of
from gdsl.backends.workers.share_lists import address_of
from gdsl.codegen.structs import struct_dtype
from gdsl.communicator import Communicator
from gdsl.diagnostics import GdslError
from gdsl.extents import Sizes
from gdsl.graph.shares import GraphShare
from gdsl.ir.nodes import Array
from gdsl.operations import Domain, ReduceOperation
from gdsl.plan.buffer_nodes import PROBLEM, Role
from gdsl.plan.exchange_nodes import Exchange, Exchanged, Held, Snapshot
from gdsl.plan.nodes import Launch, Operation, Step
from gdsl.plan.own_members import FIRST, LAST
from gdsl.plan.walking import operations
from gdsl.types import Type

_LAST = -1
"""The number of the meeting at the end of a run."""


class WorkerMemory(RunMemory):
    """The memory of one worker's runs. Of inputs that are held in parts it has the worker's own part."""

    def _input(self, name: str, values: Any, dtype: Any, own: bool) -> Buffer:
        distribution, share = self.plan.distribution, self.on_device.graph()
        assert distribution is not None and isinstance(share, GraphShare)
        if distribution.of_array(name) is not Held.OWN:
            return super()._input(name, values, dtype, own)
        array = self.plan.program.array(name)
        first, values = own_part(share, array, values, self.sizes)
        there = self.device.upload(numpy.ascontiguousarray(values.astype(dtype, copy=False)))
        return shifted(there, first, dtype.itemsize)


class StoppedByOthersError(Exception):
    """Another worker has stopped, and this one with it."""


class WorkerEnactor(Enactor):
    """Runs the plan of several workers on one GPU, together with those of the other workers."""

    memory_class = WorkerMemory

    def __init__(self, communicator: Communicator, *arguments: Any, **options: Any) -> None:
        """The other arguments are those of `Enactor`; its graph is a `ShareOnDevice`."""
        super().__init__(*arguments, **options)
        assert self.plan.distribution is not None
        self.parts = frozenset(each.name for each in self.plan.distribution.arrays if each.held is Held.OWN)
        self.meet(communicator)

    def meet(self, communicator: Communicator, links: Links | None = None) -> None:
        """The others of the next run, the links to them, and what is counted of its exchanges."""
        self.communicator, self.has_ended = communicator, False
        """Whether all workers know that the run has ended, or has been stopped."""
        counts = self.share.num_vertices, self.share.num_edges
        self.links, self.is_direct = links, links is not None
        """Whether data go from GPU to GPU."""
        self.exchanger: Exchanger = Exchanger(communicator, *counts)
        if links is not None:
            self.exchanger = DirectExchanger(communicator, *counts, links, self.device)

    @property
    def share(self) -> GraphShare:
        """What the worker has of the graph."""
        share = self.on_device.graph()
        assert isinstance(share, GraphShare)
        return share

    def run_share(self, bindings: Bindings, limits: Limits) -> Outcome:
        """One run, which all workers begin together: what this one has of the result, and the trace of all of them.
        Raises what stopped any of the workers."""
        share, params = self.share, dict(bindings.params)
        params[FIRST], params[LAST] = share.first, share.last
        outcome = self.run(dataclasses.replace(bindings, params=params), limits)
        return dataclasses.replace(outcome, traced=self._common_trace(outcome))

    def _launch_all(self, memory: RunMemory) -> Walk:
        self.exchanger.clock.begin()
        walk = WorkerWalk(self)
        try:
            walk.run()
        finally:
            self.has_ended = True
        return walk

    def _common_trace(self, outcome: Outcome) -> tuple[Any, ...]:
        """The records of the program's operators, with the members and edges of all workers."""
        found = {each.step.site for each in operations(self.plan) if each.step.result in self._own_sets}
        records = [record for record in outcome.trace if record.site not in found]
        own = numpy.array([(each.frontier_size, each.edges) for each in records], numpy.int64).reshape(-1)
        total = self.communicator.all_reduce(own, ReduceOperation.ADD).reshape(-1, 2).tolist()
        return tuple(
            dataclasses.replace(record, frontier_size=size, edges=edges)
            for record, (size, edges) in zip(records, total, strict=True)
        )

    @property
    def _own_sets(self) -> tuple[str, ...]:
        assert self.plan.distribution is not None
        return self.plan.distribution.own_sets

    def _arrays(self, outside: Mapping[str, Buffer] | None) -> dict[str, Any]:
        """The results on the host; of what is held in parts, the values of the worker's own elements."""
        memory, widths = self.memory, self.on_device.widths
        by_name = {array.name: array for array in self.plan.program.arrays}
        domains = {name: array.domain for name, array in by_name.items()}
        arrays: dict[str, Any] = {name: self._bindings.inputs[name] for name in self._inputs}
        for name in self.parts & arrays.keys():
            _, arrays[name] = own_part(self.share, by_name[name], arrays[name], memory.sizes)
        for name, kind, dtype, count in memory.results.arrays:
            first, last = 0, count
            if name in self.parts:
                each = count // max(self._elements(domains[name]), 1)
                first, last = (place * each for place in self.share.own(domains[name]))
            address = address_of(memory.names[name].pointer, -first, dtype.itemsize)
            values = self.device.read_memory(address, dtype, last - first)
            arrays[name] = unpacked(values, kind, widths) if name in self._pairs else values
        return arrays

    def _elements(self, domain: Domain) -> int:
        return self.share.num_vertices if domain is Domain.VERTEX else self.share.num_edges


class WorkerWalk(Walk):
    """The walk of one worker over the schedule, which meets those of the others in exchanges."""

    enactor: WorkerEnactor

    def __init__(self, enactor: WorkerEnactor) -> None:
        super().__init__(enactor)
        self.exchanger, self.communicator = enactor.exchanger, enactor.communicator
        self.widths, self.plan, self.device = enactor.on_device.widths, enactor.plan, enactor.device
        self._arrays = {array.name: array for array in self.plan.program.arrays}
        self._buffers = {each.name: each for each in self.plan.buffers if each.group == PROBLEM}

    def run(self) -> None:
        """Walk to the end; raises what stopped the first of the workers that was stopped."""
        error: Exception | None = None
        try:
            try:
                super().run()
                self._check()
            except GdslError as found:
                error = found
            if self.exchanger.agree(_LAST, error is not None) is not None:
                return
        except StoppedByOthersError:
            pass
        except LinkError as failed:
            self.communicator.abort(failed.error)
            raise failed.error from None
        except BaseException as found:  # not by agreement: others may be anywhere
            if self.enactor.links is not None:
                self.enactor.links.abort()
            if isinstance(found, MemoryError):  # of CuPy, in an exchange
                found = failures.memory_error()
            self.communicator.abort(found)
            raise found
        packed = numpy.frombuffer(pickle.dumps(error) if error is not None else b"", numpy.uint8)
        errors = [part for part in self.communicator.all_gather(packed) if len(part)]
        raise pickle.loads(errors[0].tobytes())

    def _steps(self, steps: tuple[Step, ...], iteration: int) -> None:
        for step in steps:
            if isinstance(step, Snapshot):
                self._note(step.number, step.data)
            elif isinstance(step, Exchange):
                self._exchange(step, 0)
            elif isinstance(step, Launch) and self._turns(step) is not None:
                self._in_turns(step, iteration)
            else:
                super()._steps((step,), iteration)

    def _turns(self, launch: Launch) -> Exchange | None:
        """The exchange after each turn of an operator that workers run one after the other."""
        operation = launch.steps[0] if launch.steps else None
        return operation.turns.exchange if isinstance(operation, Operation) and operation.turns is not None else None

    def _in_turns(self, launch: Launch, iteration: int) -> None:
        exchange = self._turns(launch)
        assert exchange is not None
        for turn in range(self.communicator.size):
            self._note(exchange.number, exchange.data)
            if turn == self.communicator.rank:
                super()._steps((launch,), iteration)
            self._exchange(exchange, turn)

    def _check(self) -> None:
        """Wait for the kernels so far, and raise what stopped them."""
        enactor, device = self.enactor, self.device
        device.stop_clock()
        enactor.memory.transfers.receive()
        device.end()
        device.wait(enactor.is_late)
        enactor.raise_failure(enactor.control())
        if enactor.is_late():
            raise failures.timeout_error(enactor.limits.timeout)

    # Exchanges

    def _note(self, number: int, exchanged: tuple[Exchanged, ...]) -> None:
        data = self._read(exchanged)
        self.exchanger.note(number, data)
        self._write([datum for datum in data if start_of(datum.each, datum.field) is not None])

    def _exchange(self, step: Exchange, turn: int) -> None:
        self._check()
        if self.exchanger.agree(step.number, False) is None:
            raise StoppedByOthersError
        data, members, domain = self._read(step.data), numpy.zeros(0, numpy.int32), Domain.VERTEX
        address, saved = self._saved() if step.frontier is not None else (0, numpy.zeros(0))
        if step.frontier is not None:
            domain = next(each.domain for each in self.plan.frontiers if each.name == step.frontier)
            members = self._members(saved, step.frontier, domain)
        united = self.exchanger.exchange(step, turn, data, members, domain)
        if self.communicator.size == 1:
            return
        self._write(data)
        if step.frontier is not None and united is not None:
            self._put_members(saved, step.frontier, domain, united)
            self.device.write_memory(address, saved)

    def _read(self, exchanged: tuple[Exchanged, ...]) -> list[Datum]:
        data = []
        for each in exchanged:
            field = self._field(each.name)
            stays = self.enactor.is_direct and field.places is not None
            values_of = self.device.array_at if stays else self.device.read_memory
            data.append(
                Datum(each, field, values_of(self._address(each.name), field.dtype, self._count(each.name, field)))
            )
        return data

    def _write(self, data: list[Datum]) -> None:
        for datum in data:
            if not self.enactor.is_direct or datum.field.places is None:
                self.device.write_memory(self._address(datum.each.name), datum.values)

    def _address(self, name: str) -> int:
        """Where the data that a name refers to are stored now."""
        return int(self.enactor.memory.record.pointer(self._buffers[name])[0])

    def _count(self, name: str, field: Field) -> int:
        extent = self._buffers[name].extent
        return extent.value(self.enactor.memory.sizes) * field.width

    def _field(self, name: str) -> Field:
        kind, array = self._buffers[name].element, self._arrays.get(name)
        assert isinstance(kind, Type)
        count = 1 if array is None else count_of(array, self.enactor.memory.sizes)
        dtype = value_dtype(kind, self.widths)
        return field_of(self.enactor.share, name, kind, dtype, self.widths, array, count)

    # Sets

    @cached_property
    def _saved_buffer(self) -> Any:
        return next(each for each in self.plan.buffers if each.role is Role.SAVED)

    def _saved(self) -> tuple[int, NDArray[Any]]:
        """What kernels hand on, and where it is."""
        assert self.plan.saved is not None
        address = int(self.enactor.memory.record.pointer(self._saved_buffer)[0])
        return address, self.device.read_memory(address, struct_dtype(self.plan.saved, self.widths), 1)

    def _state(self, saved: NDArray[Any], name: str, domain: Domain) -> NDArray[Any]:
        """The state of a set, a view of `saved`."""
        slot = next(each.slot for each in self.plan.frontiers if each.name == name)
        states = saved["frontiers" if domain is Domain.VERTEX else "edge_frontiers"][0]
        state: NDArray[Any] = states[slot : slot + 1]
        return state

    def _members(self, saved: NDArray[Any], name: str, domain: Domain) -> NDArray[Any]:
        state = self._state(saved, name, domain)
        assert domain is Domain.EDGE or (state["queued"][0] and not state["mapped"][0]), f"{name} has no queue alone"
        bits = self.widths.vertex if domain is Domain.VERTEX else self.widths.edge
        values_of = self.device.array_at if self.enactor.is_direct else self.device.read_memory
        members: NDArray[Any] = values_of(int(state["queue"][0]), numpy.dtype(f"i{bits // 8}"), int(state["size"][0]))
        return members

    def _put_members(self, saved: NDArray[Any], name: str, domain: Domain, members: NDArray[Any]) -> None:
        state = self._state(saved, name, domain)
        state["size"] = len(members)
        if self.enactor.is_direct:
            self.device.array_at(int(state["queue"][0]), members.dtype, len(members))[:] = members
        else:
            self.device.write_memory(int(state["queue"][0]), members)


def own_part(share: GraphShare, array: Array, values: NDArray[Any], sizes: Sizes) -> tuple[int, NDArray[Any]]:
    """The place of the first value of a worker's own elements, and the values of these; a caller may have given all."""
    first, last = share.own(array.domain)
    count = count_of(array, sizes)
    is_whole = len(values) != (last - first) * count
    return first * count, values[first * count : last * count] if is_whole else values
