"""One run of one worker: what generated code calls back for, exchanges and checkpoints."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.backends.cpu.checkpoints import NO_PART, Checkpoints, Moment, RunState, StoredGraph, equal_share, own_part
from gdsl.backends.cpu.memory import ExchangeCall, TraceEntry
from gdsl.backends.cpu.run import LoadedProgram
from gdsl.backends.cpu.worker_memory import WorkerMemory, values_at
from gdsl.backends.interface import Bindings, Limits, Outcome
from gdsl.backends.workers.exchanges import Datum, Exchanger
from gdsl.backends.workers.share_lists import ends_of
from gdsl.communicator import Communicator
from gdsl.diagnostics import GdslError
from gdsl.graph.shares import GraphShare
from gdsl.operations import Domain, Over, ReduceOperation
from gdsl.plan.exchange_nodes import Exchange, Snapshot

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.POINTER(ExchangeCall))
_LAST, _AT_CHECKPOINT = -1, -2
"""The numbers of the meetings at the end of a run, and before the state is taken."""


class WorkerRun(WorkerMemory):
    """One run of one worker, and its part in exchanges."""

    one_thread = False

    def __init__(
        self,
        executable: LoadedProgram,
        share: GraphShare,
        bindings: Bindings,
        communicator: Communicator,
        limits: Limits,
    ) -> None:
        super().__init__(executable, share, bindings, communicator, limits)
        self._callback = _CALLBACK(self._called)
        self.control.exchange = ctypes.cast(self._callback, ctypes.c_void_p).value
        self.exchanger = Exchanger(communicator, share.num_vertices, share.num_edges)
        self._snapshots = {each.number: each for each in executable.generated.snapshots}
        self._exchanges = {each.number: each for each in executable.generated.exchanges}
        self.error: BaseException | None = None
        self.ended = False
        """Whether all workers have agreed to stop."""
        self._mirrors = {
            address: values
            for address, buffer, values in zip(self._addresses, executable.generated.buffers, self.data, strict=True)
            if buffer.name not in self.parts
        }

        self._checkpoints: Checkpoints | None = None
        self._resumed: RunState | None = None
        self._taken: RunState | None = None
        frontiers = self.program.frontiers
        self._set_domains = [each.domain for domain in Domain for each in frontiers if each.domain is domain]
        """Of the frontiers of the plan, by number: those of vertices come first."""

    def continue_with(self, checkpoints: Checkpoints | None, state: RunState | None) -> None:
        """Have the run ask `checkpoints`, and go on from `state`. Raises E0809 for one of another run."""
        self._checkpoints, self._resumed, control = checkpoints, state, self.control
        control.checkpoints = checkpoints is not None
        if state is None:
            return
        state.check(self.program, self.graph)
        for buffer, values in zip(self.executable.generated.buffers, self.data, strict=True):
            own = self.own_slice(buffer.name)
            state.check_data(buffer.name, values.dtype, len(values if own is None else values[own]))
        for number in state.sets:
            self._stored_members(state, number)
        control.resume_loop, control.resume_pass = state.loop + 1, state.passes
        control.resume_passes, control.iterations = state.passes_of_loop, state.iterations

    # Exchanges

    def _called(self, pointer: Any) -> None:
        """What generated code calls; nothing may be raised through it."""
        if self.ended:
            return
        try:
            call = pointer.contents
            if call.moment > Moment.AFTER:
                self._at_checkpoint(call)
                return
            step = self._exchanges[call.number]
            data = [
                Datum(each, self._fields[each.name], self._mirrors[call.data[place]])
                for place, each in enumerate(step.data)
            ]
            if call.moment == Moment.BEFORE:
                self.exchanger.note(step.number, data, self._elements(call))
            else:
                self._exchange(step, call, data)
        except BaseException as error:
            self.error = error
            self._end()
            with contextlib.suppress(Exception):
                self.communicator.abort(error)

    def _elements(self, call: Any) -> NDArray[np.int64] | None:
        """What a step may change: the members of a set that are this worker's, and the far ends of their lists; None
        where these are not few."""
        snapshot = self._snapshots.get(call.number)
        if snapshot is None or snapshot.frontier is None:
            return None
        members = self.queue(call.queue, Domain.VERTEX)[: call.size]
        if snapshot.pulled_from is not None and self._may_pull(members, snapshot):
            return None
        return ends_of(self.graph, self.communicator, self.own_members(members, Domain.VERTEX), snapshot.over)

    def _may_pull(self, members: NDArray[Any], snapshot: Snapshot) -> bool:
        """Whether a step on this set may pull."""
        share, vertices = self.graph, self.graph.num_vertices
        assert snapshot.pulled_from is not None
        if snapshot.pulled_from * len(members) >= vertices:
            return True
        backward = Over.IN_EDGES in snapshot.over
        degrees = share.in_degrees(self.communicator) if backward else share.out_degrees(self.communicator)
        return int(degrees[members].sum(dtype=np.int64)) > vertices

    def _exchange(self, step: Exchange, call: Any, data: list[Datum]) -> None:
        last = self.last_record() if step.counts_edges else None
        edges = self.exchanger.agree(step.number, self._stops(), last.edges if last is not None else 0)
        if edges is None:
            self._end()
            return
        if last is not None:
            last.edges = edges
        domain = Domain.VERTEX
        members = np.zeros(0, f"i{self.widths.vertex // 8}")
        if step.frontier is not None:
            domain = self.executable.domains[step.frontier]
            members = self.queue(call.queue, domain)
        united = self.exchanger.exchange(step, call.turn, data, members[: call.size].copy(), domain)
        if united is not None:
            members[: len(united)] = united
            call.size = len(united)

    def _stops(self) -> bool:
        return bool(self.control.host_stop or self.control.halted)

    def _end(self) -> None:
        """All workers have agreed to stop, or this one cannot go on."""
        self.ended = True
        self.control.host_stop = 1

    # Checkpoints

    def _at_checkpoint(self, call: Any) -> None:
        """What generated code tells of a pass that has ended, or asks where the run goes on."""
        names = [buffer.name for buffer in self.executable.generated.buffers]
        if call.moment == Moment.PASS_ENDED:
            assert self._checkpoints is not None
            passes, state = self.control.iterations, None
            if self._checkpoints.due(passes):
                # A run that is being stopped leaves its loops in the middle of a pass.
                if self.exchanger.agree(_AT_CHECKPOINT, self._stops()) is None:
                    self._end()
                    return
                held = zip(names, self.all_values(call.data), strict=True)
                parts = {name: own_part(values, self.own_slice(name)) for name, values in held}
                state = RunState.of(self.program, self.graph, call.number, call.turn, call.size, passes, parts)
            self._taken = state
            call.size = state is not None
        elif call.moment == Moment.SET:
            assert self._taken is not None
            domain = self._set_domains[call.number]
            members = self.queue(call.queue, domain)[: call.size]
            self._taken.sets[call.number] = self.own_members(members, domain)
        elif call.moment == Moment.GRAPH:
            assert self._taken is not None
            self._taken.graphs[call.number] = self._stored_graph(call)
        elif call.moment == Moment.COMPLETE:
            assert self._taken is not None and self._checkpoints is not None
            self._checkpoints.save(self._taken)
            self._taken = None
        elif call.moment == Moment.RESTORED:
            assert self._resumed is not None
            for name, values in zip(names, self.all_values(call.data), strict=True):
                self._restore(values, self._resumed.data[name], self.own_slice(name))
        elif call.moment == Moment.GRAPH_SIZES:
            assert self._resumed is not None
            share = self.graph
            stored = self._resumed.graph(call.number, share.num_vertices, share.num_edges)
            values_at(call.queue, 3, np.dtype(np.int64))[:] = stored.sizes
        elif call.moment == Moment.GRAPH_RESTORED:
            self._restore_graph(call)
        else:
            assert self._resumed is not None
            own = self._stored_members(self._resumed, call.number)
            members = np.concatenate(self.communicator.all_gather(own))
            self.queue(call.queue, self._set_domains[call.number])[: len(members)] = members
            call.size = len(members)

    def _stored_members(self, state: RunState, number: int) -> NDArray[Any]:
        """This worker's own members of a set, by its number. Raises E0809 where the state has no such set."""
        if not 0 <= number < len(self._set_domains):
            raise state.unfit("has a set that the program does not have")
        domain = self._set_domains[number]
        dtype = np.dtype(f"i{(self.widths.vertex if domain is Domain.VERTEX else self.widths.edge) // 8}")
        return state.members(number, dtype, *self.graph.own(domain))

    def _stored_graph(self, call: Any) -> StoredGraph:
        """This worker's share of a graph that all workers have."""
        sizes = values_at(call.queue, 3, np.dtype(np.int64)).copy()
        parts = (
            equal_share(values_at(address, count, dtype), self.graph.rank, self.graph.size)
            for address, count, dtype in self._parts_of_graph(call, sizes)
        )
        return StoredGraph(sizes, *parts)

    def _restore_graph(self, call: Any) -> None:
        assert self._resumed is not None
        stored = self._resumed.graphs[call.number]
        vertices, ends, _ = stored.sizes.tolist()
        shares = (stored.columns, stored.sources, stored.edges)
        bounds = (vertices, vertices, self.graph.num_edges if ends == NO_PART else ends)
        parts = self._parts_of_graph(call, stored.sizes)
        for share, bound, (address, count, dtype) in zip(shares, bounds, parts, strict=True):
            if share.dtype != dtype or share.ndim != 1:
                raise self._resumed.unfit("does not have a graph that the schedule has built")
            whole = np.concatenate(self.communicator.all_gather(share))
            if len(whole) != count or (count and not 0 <= whole.min() <= whole.max() < bound):
                raise self._resumed.unfit("does not have a graph that the schedule has built")
            values_at(address, count, dtype)[:] = whole

    def _parts_of_graph(self, call: Any, sizes: NDArray[np.int64]) -> Iterator[tuple[int, int, np.dtype[Any]]]:
        """Where the destinations, the sources and the ids of a graph's edges are, how many, and of which type."""
        vertices, edges = np.dtype(f"i{self.widths.vertex // 8}"), np.dtype(f"i{self.widths.edge // 8}")
        _, ends, some = (max(int(size), 0) for size in sizes)
        yield from zip(call.data[:3], (ends, ends, some), (vertices, vertices, edges), strict=True)

    def _restore(self, values: NDArray[Any], stored: NDArray[Any], own: slice | None) -> None:
        whole = stored if own is None else np.concatenate(self.communicator.all_gather(stored))
        if values.flags.writeable:  # others are inputs, whose values are those of the caller
            values[:] = whole

    # The end

    def work(self) -> None:
        """Run to the end; raises what stopped any of the workers."""
        interrupted = False
        try:
            self.call(self._function)
        except KeyboardInterrupt:
            interrupted = True
        except GdslError:  # the system allows no further thread
            self.status[:] = [1]
        if self.error is not None:
            raise self.error
        if interrupted and not self.ended:
            # Not by agreement: others may be in a loop in which workers never meet.
            error = KeyboardInterrupt()
            self.communicator.abort(error)
            raise error
        stops = interrupted or self._stops() or self.timed_out or self.status != [0]
        if not self.ended and self.exchanger.agree(_LAST, stops) is not None:
            self._add_edges()
            return
        self._take_failure(interrupted)
        self.check()
        raise KeyboardInterrupt

    def _add_edges(self) -> None:
        """Add up the edges that workers have walked where they did not meet afterwards. All have the same records."""
        length = self.traced
        if not length or not self.distribution.walked:
            return
        entries = ctypes.cast(self.control.trace, ctypes.POINTER(TraceEntry))
        records = [entries[place] for place in range(length) if entries[place].site in self.distribution.walked]
        own = np.array([record.edges for record in records], np.int64)
        for record, edges in zip(records, self.communicator.all_reduce(own, ReduceOperation.ADD).tolist(), strict=True):
            record.edges = edges

    def _function(self, host: Any) -> int:
        library = self.executable.library
        restore = library.use_one_thread() if self.one_thread else None
        status: int = library.run(host)
        if restore is not None:
            restore()
        return status

    def _take_failure(self, interrupted: bool) -> None:
        """What stopped the first worker that was stopped by more than others, as if it had stopped this one."""
        control = self.control
        own = [self.status[0] if self.status else 1, control.exhausted, control.failure, control.failed_value]
        own += [control.failed_length, self.timed_out, interrupted]
        failures = self.communicator.all_gather(np.array(own, np.int64))
        reasons = [
            row for row in (each.tolist() for each in failures) if row[0] or row[1] or row[2] or row[5] or row[6]
        ]
        status, exhausted, failure, value, length, timed_out, _ = reasons[0]
        self.status[:], self.timed_out = [status], bool(timed_out)
        control.exhausted, control.failure = exhausted, failure
        control.failed_value, control.failed_length = value, length

    def worker_outcome(self) -> Outcome:
        """The result of this worker, with its own part of what it holds in parts."""
        arrays, scalars = self._named_results()
        control = self.control
        return Outcome(arrays, scalars, control.iterations, control.nanoseconds / 1e6, self._trace())
