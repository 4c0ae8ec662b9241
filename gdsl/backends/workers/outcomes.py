"""What each of several workers has of the result of a run, and mistakes on which all of them agree."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gdsl.backends import failures
from gdsl.backends.interface import Outcome, Pair
from gdsl.backends.workers.lanes import Lane
from gdsl.communicator import Communicator
from gdsl.diagnostics import GdslError

T = TypeVar("T")


@dataclass
class ShareOutcome:
    """What one worker has of the result of a run.

    outcome: as of a run by one worker, with the same values and the same trace on all workers, except that arrays of
    edges that are held in parts have the values of this worker's own edges (`parts` names them).
    bytes_sent: what this worker sent to others in exchanges. exchanges: how often workers met. lane: what it did when.
    """

    outcome: Outcome
    parts: frozenset[str]
    bytes_sent: int
    exchanges: int
    _communicator: Communicator
    lane: Lane | None = None

    def gathered(self, root: int = 0) -> Outcome | None:
        """The whole result at worker `root`, None elsewhere. All workers call it."""
        arrays = dict(self.outcome.arrays)
        for name in sorted(self.parts & arrays.keys()):
            values = arrays[name]
            both = values if isinstance(values, Pair) else (values,)
            whole = [self._at(root, np.ascontiguousarray(each)) for each in both]
            arrays[name] = Pair(*whole) if isinstance(values, Pair) else whole[0]
        if self._communicator.rank != root:
            return None
        own = self.outcome
        return Outcome(arrays, own.scalars, own.iterations, own.time_ms, own.traced)

    def _at(self, root: int, values: NDArray[Any]) -> NDArray[Any]:
        nothing = values[:0]
        parts = [values if rank == root else nothing for rank in range(self._communicator.size)]
        return np.concatenate(self._communicator.all_to_all(parts))


def agreed(communicator: Communicator, work: Callable[[], T]) -> T:
    """What `work` returns, which exchanges nothing; where it fails on some workers, the error of the first of them is
    raised on all."""
    error: Exception | None = None
    result: T | None = None
    try:
        result = work()
    except (GdslError, MemoryError, OSError, TypeError, ValueError, KeyError) as found:
        error = failures.memory_error() if isinstance(found, MemoryError) else found
    packed = np.frombuffer(pickle.dumps(error) if error is not None else b"", np.uint8)
    errors = [part for part in communicator.all_gather(packed) if len(part)]
    if errors:
        raise pickle.loads(errors[0].tobytes())
    return result  # type: ignore[return-value]
