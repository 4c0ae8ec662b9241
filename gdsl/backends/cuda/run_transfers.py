"""What host and device send each other in one run: the control block, scalars, and the trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda.argument_record import Record
from gdsl.backends.cuda.memory import host_dtype
from gdsl.backends.cuda.protocol import Buffer, Bytes, Device, Incoming
from gdsl.backends.cuda.trace import Traces, Written
from gdsl.backends.needs import bytes_of
from gdsl.extents import Sizes
from gdsl.plan import buffer_nodes
from gdsl.plan.buffer_nodes import Cleared, Role
from gdsl.plan.nodes import Plan
from gdsl.types import Type, Widths

ROLES = (Role.CONTROL, Role.SAVED, Role.OUTPUTS, Role.TRACE)
"""What the host sends before a run or reads after it, besides scalars."""
_RECORDS = 64
"""Trace records that are copied to the host with the results, until a run has had more."""


class RunTransfers:
    """The buffers that host and device exchange, each way in one copy: first those that are sent, last the trace."""

    def __init__(
        self,
        device: Device,
        plan: Plan,
        widths: Widths,
        sizes: Sizes,
        record: Record,
        scalars: Sequence[buffer_nodes.Buffer],
    ) -> None:
        """Raises E0912 if the device has not enough memory."""
        self._device, self._record = device, record
        initial = [scalar for scalar in scalars if scalar.cleared is Cleared.GIVEN]
        control, saved, outputs, trace = ([each for each in plan.buffers if each.role is role] for role in ROLES)
        sent = [*control, *saved, *outputs, *initial]
        together = [*sent, *(scalar for scalar in scalars if scalar not in initial), *trace]
        self._outputs_at = together.index(outputs[0]) if outputs else 0
        nbytes = [bytes_of(buffer, widths, sizes) for buffer in together]
        self.capacity = together[-1].extent.value(sizes)
        """Records that the trace has room for."""
        self._record_size = nbytes[-1] // self.capacity
        self.shared = device.shared(nbytes, len(sent), _RECORDS * self._record_size)
        self._place_at = {created.pointer: place for place, created in enumerate(self.shared.buffers)}
        self.scalars: dict[str, Buffer] = {}
        self.initial_scalars: list[tuple[str, Any]] = []
        """Those that the caller gives, and where the host sends their values from."""
        for place, (buffer, created) in enumerate(zip(together, self.shared.buffers, strict=True)):
            record.point(buffer, [created])
            if buffer in scalars:
                self.scalars[buffer.name] = created
            if buffer in initial and isinstance(buffer.element, Type):
                values = self.shared.sent[place].view(host_dtype(buffer.element, widths))
                self.initial_scalars.append((buffer.name, values))
        self._lanes = [(each, bytes_of(each, widths, sizes)) for each in plan.buffers if each.role is Role.LANES]
        self._handed_over: Sequence[Bytes] | None = None
        self._traces = Traces(plan, widths, self._record_size)

    @property
    def can_join(self) -> bool:
        """Whether a run can be queued after others: nothing has to be created or waited for that is only possible after
        these have ended, and the memory that the host sends from holds no values of the caller."""
        return self.shared.is_ready and not self.initial_scalars

    def send_ahead(self) -> None:
        """Send what the next run begins with, unless the caller gives some of it."""
        if not self.initial_scalars:
            self.shared.send_ahead()

    def hand_over(self, incoming: Incoming) -> None:
        """Queue the transfer of what the host reads, and leave the device ready for the next run."""
        self.shared.hand_over(incoming, not self.initial_scalars)

    def receive(self) -> None:
        """Queue the copy of what the host reads; traces of earlier runs in that memory are kept."""
        self._traces.keep()
        self.shared.receive()

    def look_at(self, received: Sequence[Bytes] | None) -> None:
        """Use the values on the host of another run; None: of the run that is waited for."""
        self._handed_over = received

    # What the kernels left, after a wait

    @property
    def _received(self) -> Sequence[Bytes]:
        return self.shared.received if self._handed_over is None else self._handed_over

    def control(self) -> NDArray[numpy.uint64]:
        """The words of the control block."""
        words: NDArray[numpy.uint64] = self._received[0].view(numpy.uint64)
        return words

    def outputs(self) -> Any:
        """The addresses of the names that may be swapped."""
        return self._received[self._outputs_at].view(numpy.uint64)

    @property
    def outputs_pointer(self) -> int:
        """The address on the device of what `outputs` reads."""
        return int(self.shared.buffers[self._outputs_at].pointer)

    def scalar(self, buffer: Buffer) -> Any:
        """The bytes of a scalar."""
        return self._received[self._place_at[buffer.pointer]]

    def written(self) -> Written:
        """The trace of the run, as far as it is copied to the host."""
        return self._traces.begun(self._received[-1], self._handed_over is None)

    def has_trace(self, length: int) -> bool:
        """Whether that many records, or as many as are recorded, are on the host."""
        return min(length, self.capacity) * self._record_size <= len(self._received[-1])

    def expect_trace(self, length: int) -> None:
        """Expect about as many records in the next runs."""
        nbytes = min(length, self.capacity) * self._record_size
        self.shared.expect(nbytes + nbytes // 4)

    def complete(self, written: Written, length: int) -> None:
        """The rest of a trace of `length` records."""
        if not self.has_trace(length):
            self.expect_trace(length)
            nbytes = min(length, self.capacity) * self._record_size
            written.keep(self._device.fetch(self.shared.buffers[-1], numpy.uint8, nbytes).tobytes())

    def lanes(self, length: int) -> Sequence[Bytes]:
        """Of each GPU the bytes of its lane of the trace, which has `length` records, or as many as are recorded."""
        ((buffer, nbytes),) = self._lanes
        nbytes = nbytes // (self.capacity + 1) * (min(length, self.capacity) + 1)
        return self._device.fetch_copies(int(self._record.pointer(buffer)[0]), nbytes)
