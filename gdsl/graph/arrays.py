"""The caller's arrays, and those of other libraries, as NumPy arrays without losing anything; on the host or a GPU."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.extras import first_line
from gdsl.foreign_objects import attribute, has
from gdsl.graph.memory import require_memory

_CUDA = 2
_READABLE = frozenset({1, 3, 11, 13})
"""Kinds of DLPack devices whose memory NumPy reads: the host's, and pinned or managed memory of CUDA and ROCm."""
_DEVICES = {4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 14: "oneAPI", 15: "WebGPU", 16: "Hexagon"}
_WORDS = ("__array__", "__array_interface__", "__array_struct__")
_FLOATS_OF_ML = ("bfloat16", "float8", "float4")
_TO_HOST = "array.get() or tensor.cpu() copies it to the host"


def is_of_cupy(values: object) -> bool:
    """Whether `values` is an array of CuPy, by its type: its `__cuda_array_interface__` takes microseconds."""
    try:
        return type(values) is sys.modules["cupy"].ndarray
    except Exception:  # CuPy was not imported, or could not be
        return False


def is_on_gpu(values: object) -> bool:
    """Whether `values` is in the memory of a CUDA device."""
    if type(values) is np.ndarray:
        return False
    if is_of_cupy(values) or has(values, "__cuda_array_interface__"):
        return True
    return not isinstance(values, np.generic | np.ndarray) and _device(values) == _CUDA


def on_gpu(values: Any) -> Any:
    """An array on a GPU as an array of CuPy over the same memory.

    Raises ValueError with the rest of a sentence that begins with a name."""
    try:
        import cupy
    except ImportError:
        reason = "is in the memory of a GPU, and reading it requires CuPy, which is not installed"
        raise ValueError(f"{reason}; pip install 'gdsl[cuda13]', or {_TO_HOST}") from None
    try:
        if is_of_cupy(values):  # copied only from another GPU
            return cupy.asarray(values)
        if has(values, "block_until_ready"):  # JAX computes asynchronously and does not say on which stream
            values.block_until_ready()
        return cupy.asarray(values) if has(values, "__cuda_array_interface__") else cupy.from_dlpack(values)
    except Exception as error:  # of the library, of CuPy or of the driver
        raise ValueError(reason_of(values, error) or _without_gpu(error)) from None


def fetched(values: Any) -> NDArray[Any]:
    """An array on a GPU, copied to the host. Raises ValueError as `on_gpu` does."""
    array_on_gpu = on_gpu(values)
    return np.asarray(array_on_gpu.get())


def as_host(values: Any) -> Any:
    """`values` for NumPy: an array where they support DLPack only, else themselves. Raises ValueError as
    `on_gpu` does."""
    if type(values) is np.ndarray or not has(values, "__dlpack__"):
        return values
    if any(has(values, word) for word in _WORDS):
        return values
    kind = _device(values)
    if kind not in _READABLE:
        where = f"of {_DEVICES[kind]}" if kind in _DEVICES else "other than the host's"
        raise ValueError(f"is in the memory of a device {where}; copy it to the host first")
    try:
        return np.from_dlpack(values)
    except Exception as error:  # any exception of the library
        raise ValueError(reason_of(values, error) or f"cannot be read through DLPack: {first_line(error)}") from None


def missing_of(values: Any) -> int:
    """How many values of a column (of Arrow, Polars, pandas) are missing; 0 for arrays without missing values. A NaN of
    a NumPy array is a value."""
    if type(values) is np.ndarray or isinstance(values, list | tuple):
        return 0
    count = getattr(values, "null_count", 0)
    if callable(count):
        count = count()
    if isinstance(count, int) and count:
        return count
    kind = getattr(values, "dtype", None)
    if hasattr(values, "isna") and not isinstance(kind, np.dtype):
        return int(np.count_nonzero(np.asarray(values.isna())))
    return 0


def _device(values: Any) -> int | None:
    """The kind of device that DLPack reports; None without DLPack."""
    try:
        array_on_gpu = values.__dlpack_device__()
        return int(array_on_gpu[0])
    except Exception:  # there is no such method, or the library knows no device
        return None


def reason_of(values: Any, error: Exception) -> str | None:
    """Why NumPy cannot take a tensor, where that is known, as the rest of a sentence that begins with its name."""
    kind = str(attribute(values, "dtype", "")).rpartition(".")[2]
    if kind.startswith(_FLOATS_OF_ML):
        return f"has the type {kind}, which NumPy lacks; convert it to float32"
    if attribute(values, "requires_grad") is True:
        return "is a tensor that needs gradients; give tensor.detach()"
    layout = str(attribute(values, "layout", "")).rpartition(".")[2]
    if layout.startswith("sparse"):
        return "is a sparse tensor; give its values, as a dense one"
    if type(values).__module__.partition(".")[0] in ("torch", "jax", "jaxlib", "tensorflow", "mlx"):
        return f"cannot be taken: {first_line(error)}"
    return None


def _without_gpu(error: Exception) -> str:
    return f"is in the memory of a GPU that cannot be used here ({first_line(error)}); {_TO_HOST}"


def host_array(values: Any, name: str) -> NDArray[Any]:
    """`values` as `numpy.asarray` takes them, of any dtype and shape; arrays on a GPU are copied, and arrays that
    support DLPack only are read through it.

    Raises ValueError, with the rest of a sentence that begins with `name`, for anything that is not an array, and for
    masked or missing values, which have no counterpart in a graph or a program. Raises GdslError E0708 for an array
    larger than the machine.
    """
    if is_on_gpu(values):
        values = fetched(values)
    values = as_host(values)
    try:
        missing = missing_of(values)
        length = len(values) if _is_sequence(values) else 0
        _require_room(16 * length, name)
        masked = length and any(isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value) for value in values)
        array = values if masked else np.asanyarray(values)
    except (GdslError, MemoryError):
        raise
    except Exception as error:  # any exception of `__array__`, `__len__` or `__getitem__`
        reason = reason_of(values, error)
        raise ValueError(reason or f"is not an array of numbers, but {type(values).__name__}") from error
    if missing:
        raise ValueError(f"has missing values ({missing:,} of them); give the others only, or values in their places")
    if masked:
        raise ValueError(_MASKED)
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise ValueError(_MASKED)
    array = _integers(values, np.asarray(array))
    if 0 in array.strides:  # a broadcast value, of which a copy takes more memory
        _require_room(array.size * array.itemsize, name)
    return _sound(array)


def _integers(values: Any, array: NDArray[Any]) -> NDArray[Any]:
    """Undo that NumPy turns integers into floats where only uint64 holds some, or floats are among them. Raises
    ValueError where a float would be rounded."""
    if array.dtype.kind != "f" or not isinstance(values, (list, tuple)) or not values:
        return array
    if all(type(value) is int for value in values) and min(values) >= 0:
        return np.array(values, dtype=np.uint64)
    rounded = next(
        (each for each in values if type(each) is int and abs(each) > _EXACT and int(float(each)) != each), None
    )
    if rounded is not None:
        raise ValueError(f"has {rounded} among values that make all of them float64, which cannot hold it")
    return array


def _sound(array: NDArray[Any]) -> NDArray[Any]:
    """Arrays over foreign memory may be misaligned, and have bools that are neither 0 nor 1; compiled code relies on
    neither being so."""
    if array.dtype == np.bool_ and (array.view(np.uint8) > 1).any():
        return np.not_equal(array.view(np.uint8), 0)
    return array if array.flags.aligned else array.copy()


def _require_room(needed: int, name: str) -> None:
    if needed > _LITTLE:
        require_memory(needed, name)


_LITTLE = 1 << 24
_EXACT = 1 << 53
_MASKED = "has masked values; give the others only, or values in their places, such as array.filled(0)"


def _is_sequence(values: Any) -> bool:
    """Whether NumPy would take `values` one by one."""
    if isinstance(values, (str, bytes, bytearray, memoryview, Mapping, type)):
        return False
    as_whole = any(hasattr(values, word) for word in ("__array__", "__array_interface__", "__array_struct__"))
    return (
        not as_whole and hasattr(values, "__len__") and hasattr(values, "__getitem__") and hasattr(values, "__iter__")
    )
