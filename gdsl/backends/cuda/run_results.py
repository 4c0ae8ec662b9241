"""The arrays that the caller gets from a run: where kernels write them, and how they come into the caller's order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdsl.backends.cuda.memory import GraphOnDevice, value_dtype
from gdsl.backends.cuda.numbering import RunIds, ToPut
from gdsl.backends.cuda.protocol import Buffer, Device
from gdsl.backends.cuda.run_transfers import RunTransfers
from gdsl.backends.pairs import words_of
from gdsl.extents import Sizes
from gdsl.plan.buffer_nodes import PROBLEM, Role
from gdsl.plan.nodes import Plan


class RunResults:
    """The results of one program's runs on one graph."""

    def __init__(
        self,
        device: Device,
        plan: Plan,
        on_device: GraphOnDevice,
        sizes: Sizes,
        ids: RunIds,
        transfers: RunTransfers,
    ) -> None:
        self._device, self._plan, self._on_device, self._ids = device, plan, on_device, ids
        self._transfers, self._numbering = transfers, on_device.numbering
        self._whole = frozenset(each.array for each in plan.replicas)
        """Those that every GPU has whole: what kernels write is on the first one."""
        widths, results = on_device.widths, (each for each in plan.buffers if each.role is Role.RESULT)
        lengths = {buffer.name: buffer.extent.value(sizes) for buffer in results if buffer.group == PROBLEM}
        self.arrays = [
            (each.name, each.type, value_dtype(each.type, widths), lengths[each.name] * words_of(each.type, widths))
            for each in plan.program.arrays
            if each.name in lengths
        ]
        """The name and type of each, and how many values of which dtype the device has."""
        self._owned: dict[str, int] = {}
        """Those that are in the memories of several GPUs in the caller's order, and the bytes of each."""
        self._outside: dict[str, Buffer] = {}
        """Memory for them in the run in progress."""
        if self._numbering is not None:
            nbytes = {name: dtype.itemsize * count for name, _, dtype, count in self.arrays}
            self._owned = {name: size for name, size in nbytes.items() if self._numbering.has_owned(size)}
            others = {name: size for name, size in nbytes.items() if name not in self._owned}
            self._numbering.prepare((size, ids.are_in(name)) for name, size in others.items())
            self._numbering.prepare_owned((size, ids.are_in(name)) for name, size in self._owned.items())

    def begin(self, acquires: bool) -> None:
        """Allocate what the results of a run need, while nothing runs, since pages are mapped; `acquires`: the run has
        just taken over the scratch memory."""
        if self._numbering is None:
            return
        if acquires:
            self._near_rooms()  # in the memory that is left
        self._outside = {name: self._numbering.allocate_owned(nbytes) for name, nbytes in self._owned.items()}

    def end(self) -> None:
        """Release what belongs to the run."""
        self._outside = {}

    def put_outside(self, names: Mapping[str, Buffer]) -> dict[str, Buffer] | None:
        """The caller's results, in the caller's order, computed after everything that was launched; None if they are
        what kernels wrote, or will be copied once it is known which buffers these are. `names`: the buffers of the
        run's data."""
        if self._numbering is None:
            if not self._device.copies_results or (self._plan.swapped and self._plan.target.fused):
                return None
            copied = (name for name, *_ in self.arrays if name not in self._whole)
            return {
                **{name: names[name] for name in self._whole if name in names},
                **{name: self._device.copy_result(names[name]) for name in copied},
            }
        # The addresses of names that the device swaps; 0 if the run was stopped before it stored them.
        created, at = {}, self._transfers.outputs_pointer
        rooms = self._near_rooms()
        brought = self._device.bring_near([(names[name], near) for name, near in rooms.items()])
        arrivals = dict(zip(rooms, brought, strict=True))
        owned = list[ToPut]()
        for name, _, dtype, count in self.arrays:
            if name in arrivals:
                arrivals[name]()
            place = int((rooms[name] if name in rooms else names[name]).pointer)
            places = (0, at + 8 * self._plan.swapped.index(name)) if self._moved(name) else (place, 0)
            nbytes, of_ids = dtype.itemsize * count, self._ids.are_in(name)
            if name in self._owned:
                created[name] = self._outside[name]
                owned.append(ToPut(*places, created[name], nbytes, of_ids))
            else:
                created[name] = self._numbering.put_outside(*places, nbytes, of_ids)
        if owned:
            self._numbering.put_outside_owned(owned)
        return created

    def _near_rooms(self) -> dict[str, Any]:
        """Where results are brought before they are put in the caller's order, by name; others are read where they are:
        those that are on the first GPU, maybe as one of several copies, those whose address only the device knows, and
        those that stay in the memories of all GPUs."""
        apart = {*self._whole, *self._owned}
        results = (each for each in self.arrays if not self._moved(each[0]) and each[0] not in apart)
        sizes = {name: dtype.itemsize * count for name, _, dtype, count in results}
        rooms = self._on_device.scratch.near_rooms(tuple(sizes.values()))
        return {name: room for name, room in zip(sizes, rooms, strict=True) if room is not None}

    def _moved(self, name: str) -> bool:
        """Whether the device swaps what this name refers to."""
        return self._plan.target.fused and name in self._plan.swapped
