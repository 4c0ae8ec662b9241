"""Exchanges from GPU to GPU give the bits that those through the hosts give: for each kind of exchange, operator and
type, with lists and with whole arrays, and with a fake of NCCL in the memory of the host."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.fake_nccl import FakeNccl, HostDevice
from support.thread_group import ThreadCommunicator, run_group

from gdsl.backends.cuda.direct_exchanges import DirectExchanger
from gdsl.backends.cuda.links import LinkError, Links
from gdsl.backends.pairs import unpacked
from gdsl.backends.workers.exchanges import Datum, Exchanger
from gdsl.backends.workers.merging import Field
from gdsl.diagnostics import GdslError
from gdsl.operations import Domain, ReduceOperation
from gdsl.plan.exchange_nodes import Exchange, Exchanged, How, Reach
from gdsl.types import Type, Widths

COUNT = 41
INTEGERS = (Type.INT32, Type.UINT32, Type.INT64, Type.UINT64)
FLOATS = (Type.FLOAT32, Type.FLOAT64)
OF_BITS = (ReduceOperation.BIT_AND, ReduceOperation.BIT_OR, ReduceOperation.BIT_XOR)
OF_NUMBERS = (ReduceOperation.MIN, ReduceOperation.MAX, ReduceOperation.ADD, ReduceOperation.MULTIPLY)
PAIRS = {
    Type.pair(Type.INT32, Type.VERTEX): 1,
    Type.pair(Type.FLOAT32, Type.FLOAT32): 1,
    Type.pair(Type.INT64, Type.FLOAT64): 2,
    Type.pair(Type.FLOAT64, Type.FLOAT32): 2,
}
"""Pairs, and their words."""
WIDTHS = Widths.both(32)
DTYPES = {Type.VERTEX: np.dtype("i4"), Type.EDGE: np.dtype("i8"), Type.BOOL: np.dtype("u1")}


def merges() -> Iterator[tuple[Type, ReduceOperation | None, int]]:
    """The type, the operation and the words of merges."""
    for kind in (*INTEGERS, *FLOATS):
        for operation in (*OF_NUMBERS, None, *(OF_BITS if kind in INTEGERS else ())):
            yield kind, operation, 0
    for kind in (Type.VERTEX, Type.EDGE):
        for operation in (ReduceOperation.MIN, ReduceOperation.MAX, None):
            yield kind, operation, 0
    for operation in (ReduceOperation.BIT_AND, ReduceOperation.BIT_OR, None):
        yield Type.BOOL, operation, 0
    for kind, words in PAIRS.items():
        for operation in (ReduceOperation.MIN, ReduceOperation.MAX, None):
            yield kind, operation, words


def exchanged() -> Iterator[tuple[str, Exchanged, Type, int]]:
    """All that an exchange can do with an array."""
    for kind, operation, words in merges():
        word = operation.value if operation is not None else "any"
        yield f"{kind.name}{words}-{word}", Exchanged("a", How.MERGE, Reach.ENDS, operation), kind, words
    for how, reach in ((How.PUBLISH, Reach.OWN), (How.PUBLISH, Reach.ANYWHERE), (How.ADOPT, Reach.ANYWHERE)):
        for kind, words in (
            (Type.INT32, 0),
            (Type.FLOAT64, 0),
            (Type.BOOL, 0),
            (Type.pair(Type.INT64, Type.FLOAT64), 2),
        ):
            yield f"{kind.name}{words}-{how.value}-{reach.name}", Exchanged("a", how, reach), kind, words


def dtype_of(kind: Type) -> np.dtype[Any]:
    return DTYPES.get(kind) or np.dtype(kind.name)


def field_of(kind: Type, words: int, size: int, count: int) -> Field:
    cuts = np.sort(np.random.default_rng(size).integers(0, count // 3 + 1, size - 1)) * 3
    places = np.array([0, *cuts.tolist(), count], np.int64)
    return Field("a", kind, np.dtype("u8") if words else dtype_of(kind), places, words)


def random_values(generator: np.random.Generator, field: Field, count: int) -> NDArray[Any]:
    """Few different ones, so that some are equal; of floats a NaN and both zeros."""
    length = count * field.width
    if field.dtype.kind == "f":
        return generator.choice(np.array([0.0, -0.0, np.nan, 1.5, 2.25, 1e30, 0.1], field.dtype), length)
    if field.words:
        ranks = [random_ranks(generator, part, count) for part in field.kind.parts]
        return ranks[0] << np.uint64(32) | ranks[1] if field.words == 1 else np.stack(ranks, axis=1).reshape(-1)
    if field.kind is Type.BOOL:
        return generator.integers(0, 2, length).astype(np.uint8)
    low = -1 if field.dtype.kind == "i" else 0
    return generator.integers(low, 5, length).astype(field.dtype)


def random_ranks(generator: np.random.Generator, part: Type, count: int) -> NDArray[Any]:
    """Parts of pairs as they are stored: of floats also both zeros, and a NaN of either sign."""
    if not part.is_float:
        return generator.integers(0, 3, count).astype(np.uint64)
    bits = 32 if part is Type.FLOAT32 else 64
    values = np.array([0.0, -0.0, np.nan, -np.nan, 1.5, -np.inf, np.inf], part.name)
    words, sign = values.view(f"u{bits // 8}").astype(np.uint64), np.uint64(1 << (bits - 1))
    ones = np.uint64((1 << bits) - 1)
    ranks = np.where(words & sign != 0, words ^ ones, words ^ sign)
    return generator.choice(ranks, count)


def written(generator: np.random.Generator, each: Exchanged, field: Field, values: Any, rank: int, size: int) -> None:
    """What a step of worker `rank` does to its values, in place, a part of them at random."""
    count = len(values) // field.width
    owner = np.searchsorted(field.places[1:], np.arange(count), side="right")  # type: ignore[index]
    touched = generator.random(count) < generator.choice([0.0, 0.05, 0.5, 1.0])
    if each.how is How.PUBLISH:
        touched &= (owner if each.reach is Reach.OWN else np.arange(count) % size) == rank
    new = random_values(generator, field, count).reshape(count, field.width)
    rows = values.reshape(count, field.width)
    combining = {
        ReduceOperation.ADD: np.add,
        ReduceOperation.MULTIPLY: np.multiply,
        ReduceOperation.BIT_AND: np.bitwise_and,
        ReduceOperation.BIT_OR: np.bitwise_or,
        ReduceOperation.BIT_XOR: np.bitwise_xor,
    }
    if each.operation in combining:
        new = combining[each.operation](rows, new)
    elif each.operation is not None:
        new = extreme(each.operation, field, rows, new)
    rows[touched] = new[touched]


def extreme(operation: ReduceOperation, field: Field, old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
    """The smaller or larger rows, as kernels compute them."""
    unsigned = np.dtype(f"u{field.dtype.itemsize}")
    result = old.copy()
    if field.words:
        sides = (unpacked(each.reshape(-1), field.kind, WIDTHS) for each in (old, new))
        pairs = (zip(each.first.tolist(), each.second.tolist(), strict=True) for each in sides)
        for row, candidate, former, value in zip(result, new, *pairs, strict=True):
            better = value < former if operation is ReduceOperation.MIN else value > former
            if not any(map(math.isnan, value)) and (better or any(map(math.isnan, former))):
                row[:] = candidate
        return result
    for row, candidate in zip(result, new, strict=True):
        if field.dtype.kind == "f":
            row[:] = (np.fmin if operation is ReduceOperation.MIN else np.fmax)(row, candidate)
            continue
        keys = [tuple((each.view(unsigned) if field.kind.is_id else each).tolist()) for each in (row, candidate)]
        if (keys[1] < keys[0]) == (operation is ReduceOperation.MIN) and keys[0] != keys[1]:
            row[:] = candidate
    return result


class ClearedAsByCuPy(np.ndarray):
    """An array that CuPy's `fill` fills: where the value equals zero, it clears the memory, also for -0.0."""

    def __setitem__(self, key: Any, value: Any) -> None:
        is_zero = isinstance(key, slice) and not isinstance(value, np.ndarray) and value == 0
        super().__setitem__(key, 0 if is_zero else value)


def run_exchanges(
    communicator: ThreadCommunicator, exchanger: Exchanger, each: Exchanged, field: Field, count: int, seed: int
) -> list[Any]:
    """Some exchanges of one array, a scalar and a set: what this worker has after each."""
    shared, mine = np.random.default_rng(seed), np.random.default_rng([seed, exchanger.rank])
    values = random_values(shared, field, count)
    if isinstance(exchanger, DirectExchanger):
        values = values.view(ClearedAsByCuPy)
    total = np.array([3.0])
    scalar = Field("total", Type.FLOAT64, np.dtype("f8"), None)
    sums = Exchanged("total", How.MERGE, Reach.ANYWHERE, ReduceOperation.ADD, scalar=True)
    step = Exchange(7, "", (each, sums), "f")
    found = []
    for turn in range(exchanger.size):
        data = [Datum(each, field, values), Datum(sums, scalar, total)]
        exchanger.note(7, data)
        writes = each.how is not How.ADOPT or turn == exchanger.rank
        with np.errstate(all="ignore"):
            if writes:
                written(mine, each, field, values, exchanger.rank, exchanger.size)
        total += 0.1 * (exchanger.rank + turn)
        members = mine.choice(max(count, 1), int(mine.integers(0, count + 1)), replace=False).astype(np.int32)
        assert exchanger.agree(7, False) is not None
        united = exchanger.exchange(step, turn, data, members, Domain.VERTEX)
        assert united is not None
        found.append((values.tobytes(), total.tobytes(), united.tolist()))
    return found


@pytest.mark.parametrize("size", [pytest.param(2, marks=pytest.mark.slow), 3])
@pytest.mark.parametrize(
    ("each", "kind", "words"), [found[1:] for found in exchanged()], ids=[found[0] for found in exchanged()]
)
def test_the_bits_of_exchanges_through_the_hosts(each: Exchanged, kind: Type, words: int, size: int) -> None:
    """With lists where they are shorter (`small` is 0), with whole arrays, and of no elements."""
    for count, small, seed in ((COUNT, 0, 1), (COUNT, 1 << 20, 2), (COUNT, 1 << 20, 3), (1, 0, 4), (0, 1 << 20, 5)):

        def direct(mine: ThreadCommunicator, small: int = small, seed: int = seed, count: int = count) -> list[Any]:
            device: Any = HostDevice()
            links = Links(FakeNccl(mine), mine, device, b"identity")
            exchanger = DirectExchanger(mine, count, 2 * count, links, device)
            exchanger.small, exchanger.shorter = small, 1
            exchanger.one_round = 0 if seed == 3 else 1 << 20
            return run_exchanges(mine, exchanger, each, field_of(kind, words, size, count), count, seed)

        def by_hosts(mine: ThreadCommunicator, seed: int = seed, count: int = count) -> list[Any]:
            exchanger = Exchanger(mine, count, 2 * count)
            return run_exchanges(mine, exchanger, each, field_of(kind, words, size, count), count, seed)

        expected, found = run_group(size, by_hosts), run_group(size, direct)
        if each.operation in (ReduceOperation.MIN, ReduceOperation.MAX) and kind.is_float:
            expected, found = _without_signs(expected, dtype_of(kind)), _without_signs(found, dtype_of(kind))
        assert found == expected


def _without_signs(found: list[Any], dtype: np.dtype[Any]) -> list[Any]:
    """NumPy's minimum of 0.0 and -0.0 may be either."""
    return [[((np.frombuffer(values, dtype) + 0.0).tobytes(), *others) for values, *others in each] for each in found]


def test_a_failure_of_nccl_ends_the_run_on_all_workers() -> None:
    """One worker hears of it from NCCL, and the others from that worker."""

    def work(mine: ThreadCommunicator) -> None:
        device: Any = HostDevice()
        nccl = FakeNccl(mine, fails_at=1 if mine.rank == 1 else None)
        links = Links(nccl, mine, device, b"identity")
        links._starts_until = None
        here = np.zeros(4, np.uint8)
        try:
            for _ in range(3):
                links.exchange([(1 - mine.rank, here)], [(1 - mine.rank, here.copy())])
        except LinkError as failed:
            assert nccl.aborted and not links.fit(mine)
            mine.abort(failed.error)
            raise failed.error from None

    with pytest.raises(GdslError) as caught:
        run_group(2, work)
    assert caught.value.code == "E0807"
    message = caught.value.diagnostics[0].message
    assert message.startswith("worker 1 cannot exchange data any more: NCCL 2.28.9 reports: remote process exited")


def test_an_error_of_another_worker_is_found_while_waiting() -> None:
    """NCCL does not notice it; the run ends with that error."""
    stopped = GdslError.single("E0803", "another worker has stopped")

    def work(mine: ThreadCommunicator) -> None:
        device: Any = HostDevice()
        nccl = FakeNccl(mine)
        links = Links(nccl, mine, device, b"identity")
        mine.barrier()
        if mine.rank:
            mine.abort(stopped)
            return
        device.work_done = lambda: lambda: False
        nccl.group_end = lambda: None  # type: ignore[method-assign]
        with pytest.raises(LinkError) as caught:
            links.exchange([], [])
        assert caught.value.error is stopped and nccl.aborted

    with pytest.raises(GdslError, match="another worker has stopped"):
        run_group(2, work)
