"""Several GPUs: which ones the option `gpus` means, and what each of them holds of a run's arrays."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gdsl.backends.interface import Need
from gdsl.diagnostics import GdslError, shown
from gdsl.numerals import is_whole

LANES = "+lanes"
"""What the name of a backend ends with whose GPUs each write a lane of the trace."""
_WITH_GPUS = re.compile(r"cuda:([0-9]{1,4}(?:,[0-9]{1,4})*)(?:\+lanes)?")
MOST_KERNELS = 60
"""The most kernels of a run: each knows where all others wait at barriers."""
_PAGE = 2 << 20
"""Bytes of a page on the GPUs of today."""
_LEAST_PAGES = 2
_LARGEST_PART = 4
"""An array that no run changes is copied if it takes at most one part in so many of the free memory."""


class GpuNeed(NamedTuple):
    """What a run would hold on the GPU of that number, and the bytes that are free there; None if unknown."""

    gpu: int
    needed: int
    free: int | None


def is_spread(nbytes: int, count: int, page: int = _PAGE) -> bool:
    """Whether an array of so many bytes is cut into equal parts on `count` GPUs; others are on the first."""
    return count > 1 and nbytes >= _LEAST_PAGES * count * page


def is_copied(nbytes: int, free: int | None) -> bool:
    """Whether each kernel has a copy of an array of so many bytes that no run changes, where so many are free on each
    GPU: not if it would take much of that."""
    return free is None or nbytes <= free // _LARGEST_PART


def spread_over(needs: Iterable[Need], kernels: Sequence[int], free: int | None) -> tuple[GpuNeed, ...]:
    """What each of the GPUs would hold that run `kernels`, each of which has copies of its own; of the bytes that are
    `free` each GPU has an equal part."""
    sharing = Counter(kernels)
    gpus, count, most = tuple(sharing), len(sharing), max(sharing.values())
    held = dict.fromkeys(gpus, 0)
    each = None if free is None else free // count
    left = each
    for need in needs:
        has_room = is_copied(need.nbytes, None if left is None else left // most)
        copied = need.is_own or (need.is_constant and has_room)
        if copied and left is not None:
            left -= need.nbytes * most
        for place, gpu in enumerate(gpus):
            if copied:
                held[gpu] += need.nbytes * sharing[gpu]
            elif is_spread(need.nbytes, count) and not need.is_first:
                held[gpu] += need.nbytes * (place + 1) // count - need.nbytes * place // count
            elif place == 0:
                held[gpu] += need.nbytes
    return tuple(GpuNeed(gpu, held[gpu], each) for gpu in gpus)


def no_memory_error() -> GdslError:
    """E0923 for a place or a limit of memory, which runs on several GPUs cannot be given."""
    return GdslError.single(
        "E0923",
        "the option memory is for runs on one GPU: several GPUs keep the whole graph in their memories",
        fix="leave out memory, or run on one GPU",
    )


def gpus_of(key: object) -> tuple[int, ...]:
    """The GPUs in the name of a backend, such as `cuda:0,1`; none if it is not such a name."""
    match = _WITH_GPUS.fullmatch(key) if isinstance(key, str) else None
    return tuple(map(int, match[1].split(","))) if match is not None else ()


def with_lanes(key: str) -> str:
    """The name of the backend whose GPUs each write a lane of the trace; `key` itself if it does not name several."""
    return f"{key.removesuffix(LANES)}{LANES}" if len(gpus_of(key)) > 1 else key


def named_twice_error(backend: str, gpus: object) -> GdslError:
    """E0923 for a backend such as `cuda:0,1` beside the option `gpus`."""
    return GdslError.single(
        "E0923",
        f"GPUs are named twice, by backend={shown(backend)} and by gpus={shown(gpus)}",
        fix=f'write only one of them: backend={shown(backend)}, or gpus={shown(gpus)} with backend="cuda"',
    )


def gpu_numbers(gpus: object, count: int | None) -> tuple[int, ...]:
    """The numbers of the GPUs that the option means on a machine with `count`: a number of GPUs, "all", or a list of
    numbers, in which one may be repeated. None: how many it has is not known, and "all" names none. Raises E0921 for
    GPUs that do not exist and for more than a run can have, TypeError and ValueError for what names none."""
    wrong = f'gpus is a number of GPUs, "all" or a list of their numbers, not {shown(gpus)}'
    if isinstance(gpus, str):
        if gpus != "all":
            raise ValueError(wrong)
        _check_count(count or 0)
        return tuple(range(count or 0))
    if is_whole(gpus):
        number = int(gpus)  # type: ignore[call-overload]
        if number < 1:
            raise ValueError(f"gpus is at least 1, not {shown(gpus)}")
        if count is not None and number > count:
            fix = "choose fewer; [0, 0] runs two kernels that share one GPU, for tests"
            raise GdslError.single("E0921", f"{number} GPUs are requested, and {_has(count)}", fix=fix)
        _check_count(number)
        return tuple(range(number))
    if not isinstance(gpus, Sequence) or isinstance(gpus, bytes | bytearray) or not all(map(is_whole, gpus)):
        raise TypeError(wrong)
    if not gpus:
        raise ValueError(f"{wrong}, which is empty")
    numbers = tuple(map(int, gpus))
    for number in numbers:
        if number < 0 or (count is not None and number >= count):
            fix = f"choose from 0 to {count - 1}" if count and count > 1 else "GPUs are numbered from 0 on"
            has = f", and {_has(count)}" if count is not None else ""
            raise GdslError.single("E0921", f"GPU {number} is requested{has}", fix=fix)
    _check_count(len(numbers))
    return numbers


def gpu_numbers_elsewhere(gpus: object) -> tuple[int, ...]:
    """As `gpu_numbers`, for another machine: how many GPUs that has is not known here, so "all" raises E0921."""
    numbers = gpu_numbers(gpus, None)
    if not numbers:
        fix = "say how many, as in `--gpus 2` (in Python `gpus=2`)"
        raise GdslError.single("E0921", "all GPUs of another machine are requested, whose number is unknown", fix=fix)
    return numbers


def _check_count(kernels: int) -> None:
    """Raise E0921 for more kernels than a run can have."""
    if kernels > MOST_KERNELS:
        raise GdslError.single(
            "E0921",
            f"{shown(kernels)} GPUs are requested, and a run has at most {MOST_KERNELS}",
            fix="choose fewer GPUs",
        )


def _has(count: int) -> str:
    return f"this machine has {count}" if count != 1 else "this machine has one, number 0"
