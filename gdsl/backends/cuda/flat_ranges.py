"""Flat ranges: consecutive addresses whose pages are in the memories of several GPUs, or of the host; and copies of
memory for each kernel of a run.

CUDA's virtual memory management maps the parts of a range next to each other, so that kernels index one array wherever
its pages are. It is reached through `cuda.bindings.driver`, of the extra `gdsl[gpus]`.
"""

from __future__ import annotations

import itertools
import math
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from gdsl.diagnostics import GdslError
from gdsl.extras import required
from gdsl.numerals import readable_bytes

HOST = -1
"""The owner of pages in the memory of the host; other owners are numbers of GPUs."""


_MOST_LISTED = 6
"""Pairs of GPUs in a message."""


class Part(NamedTuple):
    """Pages of one owner: the number of a GPU, or `HOST`. `nbytes` is a multiple of the page size."""

    owner: int
    nbytes: int


class FlatRange:
    """Addresses from `pointer` on, `nbytes` of them, over the memories of the parts' owners in order.

    The memory is unmapped when the range is closed or no longer referenced: nothing that uses it may be in progress
    then. An array on it has to refer to it, as `cupy.cuda.UnownedMemory(pointer, nbytes, owner=range)` does.
    """

    def __init__(self, parts: Sequence[Part], gpus: Sequence[int]) -> None:
        """Readable and writable by all of `gpus`; parts of the host by the host too. Pages have any content. Raises
        E0907 without the extra, E0912 with the owner that has too little memory, E0922 for GPUs that cannot reach an
        owner's memory, and ValueError for a part that is not a whole number of pages."""
        driver = _driver()
        self.gpus = tuple(dict.fromkeys(gpus))
        self.parts = tuple(part for part in parts if part.nbytes)
        owners = {part.owner for part in self.parts}
        require_reach(self.gpus, owners - {HOST})
        page = page_bytes(owners or self.gpus)
        if any(part.nbytes % page for part in self.parts):
            raise ValueError(f"parts of a range are multiples of {page} bytes")
        self.nbytes = sum(part.nbytes for part in self.parts)
        self.pointer = 0
        mapped: list[tuple[int, int]] = []
        if not self.nbytes:
            self._release: weakref.finalize[..., FlatRange] = weakref.finalize(self, mapped.clear)
            return
        self.pointer = int(_called(driver.cuMemAddressReserve(self.nbytes, page, 0, 0), "reserving addresses"))
        self._release = weakref.finalize(self, _unmap, driver, self.pointer, self.nbytes, mapped)
        self._release.atexit = False  # the driver frees what a process leaves, and may be gone by then
        try:
            for part, offset in zip(self.parts, self._offsets(), strict=True):
                _map(driver, part, self.pointer + offset, self.gpus, mapped)
        except BaseException:
            self._release()
            raise

    def _offsets(self) -> list[int]:
        return list(itertools.accumulate((part.nbytes for part in self.parts[:-1]), initial=0))

    def close(self) -> None:
        """Unmap the memory; a second call does nothing."""
        self._release()


class CopyArena:
    """Addresses at which each kernel of a run finds a copy of its own: copy k of the byte at `address` is at
    `address + k * stride`."""

    def __init__(self, owners: Sequence[int], nbytes: int) -> None:
        """Copy k is on GPU `owners[k]`; `nbytes` is the most that is allocated at a time, of each copy. Raises
        E0922."""
        driver = _driver()
        self.owners, self.gpus = tuple(owners), tuple(dict.fromkeys(owners))
        self.page = page_bytes(self.owners)
        self.stride = -(-nbytes // self.page) * self.page
        whole = self.stride * len(self.owners)
        self.pointer = int(_called(driver.cuMemAddressReserve(whole, self.page, 0, 0), "reserving addresses"))
        self._holes = [(0, self.stride)]
        """(offset, bytes) of what is not mapped, in order."""
        weakref.finalize(self, _unmap, driver, self.pointer, whole, []).atexit = False

    def allocate(self, nbytes: int) -> Copies:
        """Copies of at least so many bytes, with any content. Raises E0912."""
        return Copies(self, -(-nbytes // self.page) * self.page)

    def take(self, nbytes: int) -> int:
        """The offset of a hole of so many bytes, which is taken from now on. Raises E0912."""
        for place, (offset, size) in enumerate(self._holes):
            if size >= nbytes:
                self._holes[place : place + 1] = [(offset + nbytes, size - nbytes)] if size > nbytes else []
                return offset
        raise _no_memory(Part(self.owners[0], nbytes))

    def give_back(self, offset: int, nbytes: int) -> None:
        """Let it be a hole again."""
        merged: list[tuple[int, int]] = []
        for start, size in sorted([*self._holes, (offset, nbytes)]):
            if merged and sum(merged[-1]) == start:
                merged[-1] = merged[-1][0], merged[-1][1] + size
            else:
                merged.append((start, size))
        self._holes = merged


class Copies:
    """One allocation of a `CopyArena`: `pointer` is that of copy 0. Unmapped like a `FlatRange`."""

    def __init__(self, arena: CopyArena, nbytes: int) -> None:
        """`nbytes` are whole pages. Raises E0912 with the owner that has too little memory."""
        driver, offset = _driver(), arena.take(nbytes)
        self.arena, self.nbytes, self.pointer = arena, nbytes, arena.pointer + offset
        mapped: list[tuple[int, int]] = []
        self._release = weakref.finalize(self, _unmap_copies, driver, arena, offset, nbytes, mapped)
        self._release.atexit = False
        try:
            for number, owner in enumerate(arena.owners):
                _map(driver, Part(owner, nbytes), self.pointer + number * arena.stride, arena.gpus, mapped)
        except BaseException:
            self._release()
            raise


def page_bytes(owners: Iterable[int]) -> int:
    """The page size for parts of all these owners: 2 MB on the GPUs of today."""
    driver = _driver()
    minimum = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
    sizes = [
        int(_called(driver.cuMemGetAllocationGranularity(_properties(driver, owner), minimum), "asking for page sizes"))
        for owner in owners
    ]
    return math.lcm(*sizes)


def parts_at(cuts: Sequence[int], nbytes: int, owners: Sequence[int], page: int) -> list[Part]:
    """Parts for `nbytes` bytes, rounded up to whole pages: owner k has the bytes from the k-1st of `cuts` to the k-th,
    each cut moved to the nearest page boundary. `cuts` are ascending, one fewer than owners."""
    whole = -(-nbytes // page) * page
    ends = [min((cut + page // 2) // page * page, whole) for cut in cuts]
    bounds = [0, *ends, whole]
    return [Part(owner, end - begin) for owner, begin, end in zip(owners, bounds[:-1], bounds[1:], strict=True)]


def unreachable_pairs(gpus: Iterable[int], owners: Iterable[int]) -> list[tuple[int, int]]:
    """Pairs of a GPU and an owner whose memory it cannot access."""
    driver = _driver()

    def reaches(first: Any, second: Any) -> bool:
        return bool(_called(driver.cuDeviceCanAccessPeer(first, second), "asking for peer access"))

    return _pairs_without(reaches, gpus, owners)


def _pairs_without(
    has: Callable[[Any, Any], bool], gpus: Iterable[int], owners: Iterable[int]
) -> list[tuple[int, int]]:
    driver, owners = _driver(), sorted(set(owners))
    pairs = []
    for gpu, owner in itertools.product(sorted(set(gpus)), owners):
        if gpu != owner:
            first, second = (_called(driver.cuDeviceGet(number), "finding a GPU") for number in (gpu, owner))
            if not has(first, second):
                pairs.append((gpu, owner))
    return pairs


def require_reach(gpus: Iterable[int], owners: Iterable[int]) -> None:
    """Raise E0922, which names them, if GPUs cannot access the memory of some owners."""
    gpus = tuple(gpus)
    pairs = unreachable_pairs(gpus, owners)
    if pairs:
        raise GdslError.single(
            "E0922",
            f"these GPUs cannot access each other's memory: {_listed(pairs)}",
            fix=f"{_connected(gpus, pairs)} NVLink or one PCIe switch connects (`nvidia-smi topo -p2p r` shows them), "
            "or use one",
        )


def require_atomics(gpus: Iterable[int]) -> None:
    """Raise E0922, which names them, if some of the GPUs cannot update each other's memory atomically."""
    driver, gpus = _driver(), tuple(gpus)
    native = driver.CUdevice_P2PAttribute.CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED

    def has_atomics(first: Any, second: Any) -> bool:
        return bool(_called(driver.cuDeviceGetP2PAttribute(native, first, second), "asking for peer atomics"))

    pairs = _pairs_without(has_atomics, gpus, gpus)
    if pairs:
        raise GdslError.single(
            "E0922",
            f"these GPUs cannot update each other's memory atomically: {_listed(pairs)}",
            fix=f"{_connected(gpus, pairs)} NVLink connects (`nvidia-smi topo -p2p a` shows them), or use one",
        )


def _listed(pairs: Sequence[tuple[int, int]]) -> str:
    """Some of them: sixteen GPUs have 240 pairs."""
    first = ", ".join(f"GPU {gpu} that of GPU {owner}" for gpu, owner in pairs[:_MOST_LISTED])
    left = len(pairs) - _MOST_LISTED
    return f"{first}, and {left} more pairs" if left > 0 else first


def _connected(gpus: Iterable[int], pairs: Iterable[tuple[int, int]]) -> str:
    """The beginning of a fix: which of the GPUs could run together; of these `pairs` none can."""
    apart, best = {frozenset(pair) for pair in pairs}, list[int]()
    for first in dict.fromkeys(gpus):
        found = [first]
        for gpu in gpus:
            if gpu not in found and all(frozenset((gpu, each)) not in apart for each in found):
                found.append(gpu)
        best = max(best, found, key=len)
    return f"choose gpus={sorted(best)}, which" if len(best) > 1 else "choose GPUs that"


def load_function(function: int) -> None:
    """Load the code of a kernel, by its handle: at its first launch the driver might wait for kernels that wait for
    this one. Drivers before CUDA 12.4 load it with its attributes."""
    driver = _driver()
    error, *_ = driver.cuFuncLoad(driver.CUfunction(function))
    if not int(error):
        return
    registers = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NUM_REGS
    _called(driver.cuFuncGetAttribute(registers, driver.CUfunction(function)), "loading a kernel")


def owner_name(owner: int) -> str:
    """How messages name an owner."""
    return "the host" if owner == HOST else f"GPU {owner}"


def _driver() -> Any:
    driver = required("cuda.bindings.driver", "gdsl[gpus]", "memory over several GPUs")
    _called(driver.cuInit(0), "starting the driver")
    return driver


def _location(driver: Any, owner: int) -> Any:
    kinds = driver.CUmemLocationType
    location = driver.CUmemLocation()
    location.type = (
        kinds.CU_MEM_LOCATION_TYPE_HOST_NUMA if owner == HOST else kinds.CU_MEM_LOCATION_TYPE_DEVICE
    )  # without nodes, a machine's memory is node 0
    location.id = max(owner, 0)
    return location


def _properties(driver: Any, owner: int, near: Sequence[int] = ()) -> Any:
    """Of memory of this owner; that of the host is the nearest one to the first GPU of `near`."""
    properties = driver.CUmemAllocationProp()
    properties.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    properties.location = _location(driver, owner)
    if owner == HOST and near:
        properties.location.id = _host_node(driver, near[0])
    return properties


def _host_node(driver: Any, gpu: int) -> int:
    """The node of the machine's memory that a GPU is connected to; 0 without nodes."""
    attribute = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID
    error, node = driver.cuDeviceGetAttribute(attribute, _called(driver.cuDeviceGet(gpu), "finding a GPU"))
    return 0 if int(error) else max(int(node), 0)


def _called(answer: tuple[Any, ...], what: str) -> Any:
    """The value that a call of the driver returned after its error code."""
    _check(answer[0], what)
    return answer[1] if len(answer) > 1 else None


def _check(error: Any, what: str) -> None:
    if int(error):
        name = getattr(error, "name", str(error))
        raise GdslError.single(
            "E0922",
            f"{what} failed: the driver answers {name}",
            fix="run on one GPU, or update the driver (gdslc doctor shows its version)",
        )


def _no_memory(part: Part) -> GdslError:
    return GdslError.single(
        "E0912",
        f"the run needs {readable_bytes(part.nbytes)} more on {owner_name(part.owner)}, which has less free memory",
        fix="use a smaller graph or more GPUs, or free memory of other programs",
        notes=["gdslc run --dry-run lists what needs it (from Python: program.dry_run)"],
    )


def _map(driver: Any, part: Part, address: int, gpus: Sequence[int], mapped: list[tuple[int, int]]) -> None:
    """Map a part for all of these GPUs, and add it to those that are `mapped`."""
    error, handle = driver.cuMemCreate(part.nbytes, _properties(driver, part.owner, gpus[:1]), 0)
    if int(error) == int(driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY):
        raise _no_memory(part)
    _check(error, f"allocating {part.nbytes} bytes on {owner_name(part.owner)}")
    try:
        _called(driver.cuMemMap(address, part.nbytes, 0, handle, 0), "mapping memory")
    finally:
        driver.cuMemRelease(handle)  # the mapping keeps the memory
    mapped.append((address, part.nbytes))
    access = []
    for owner in [*gpus, HOST] if part.owner == HOST else gpus:
        each = driver.CUmemAccessDesc()
        each.location = _location(driver, owner)
        each.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        access.append(each)
    _called(driver.cuMemSetAccess(address, part.nbytes, access, len(access)), "giving access to memory")


def _unmap_copies(driver: Any, arena: CopyArena, offset: int, nbytes: int, mapped: list[tuple[int, int]]) -> None:
    for address, size in mapped:
        driver.cuMemUnmap(address, size)
    arena.give_back(offset, nbytes)


def _unmap(driver: Any, pointer: int, nbytes: int, mapped: list[tuple[int, int]]) -> None:
    for address, size in mapped:
        driver.cuMemUnmap(address, size)
    driver.cuMemAddressFree(pointer, nbytes)
