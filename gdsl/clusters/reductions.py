"""Reductions over workers in the order of their ranks, so that all of them have the same bits."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.arithmetic.operations import of_arrays
from gdsl.communicator import Communicator
from gdsl.operations import ReduceOperation
from gdsl.types import Type

SMALL = 1 << 16
"""Bytes up to which every worker reduces the values of all others itself, in one exchange. Of larger arrays each worker
reduces a part for everyone, in two exchanges: 2 · nbytes for each worker instead of size · nbytes."""


def all_reduce(communicator: Communicator, values: NDArray[Any], operation: ReduceOperation) -> NDArray[Any]:
    """`values` of all workers, of the same shape and dtype, reduced element by element; the result is the caller's.
    Updates that add and subtract are both sums: of what each worker added or subtracted."""
    flat = np.ascontiguousarray(values).reshape(-1)
    if flat.nbytes <= SMALL:
        return reduced(communicator.all_gather(flat), operation).reshape(values.shape)
    cuts = [len(flat) * rank // communicator.size for rank in range(1, communicator.size)]
    own = reduced(communicator.all_to_all(np.split(flat, cuts)), operation)
    return np.concatenate(communicator.all_gather(own)).reshape(values.shape)


def reduced(parts: list[NDArray[Any]], operation: ReduceOperation) -> NDArray[Any]:
    """`parts`, of one length and dtype, reduced element by element from the first to the last, as programs compute it:
    integers wrap, and of a number and NaN the number is the minimum and the maximum. A new array of that length and
    dtype."""
    dtype = parts[0].dtype
    with np.errstate(all="ignore"):
        result = functools.reduce(_combining(operation, dtype), parts[1:], parts[0])
    return np.array(result, dtype)


def _combining(operation: ReduceOperation, dtype: np.dtype[Any]) -> Any:
    arithmetic = of_arrays()
    if operation is ReduceOperation.MIN:
        return arithmetic.minimum
    if operation is ReduceOperation.MAX:
        return arithmetic.maximum
    if operation is ReduceOperation.SUBTRACT:
        operation = ReduceOperation.ADD
    return arithmetic.binary(operation.as_binary, Type.named(dtype.name))
