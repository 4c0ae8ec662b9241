"""The driver's interface to virtual memory, `cuda.bindings.driver`, that keeps books."""

from __future__ import annotations

import types
from enum import IntEnum

from gdsl.backends.cuda.flat_ranges import HOST

PAGE = 1 << 21


class Answer(IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_OUT_OF_MEMORY = 2
    CUDA_ERROR_NOT_SUPPORTED = 801


class FakeDriver(types.ModuleType):
    """GPUs with `pages` pages each, which reach each other unless they are `apart`, and a host with as many pages."""

    def __init__(self, pages: int = 8) -> None:
        super().__init__("cuda.bindings.driver")
        self.CUresult = Answer
        names = types.SimpleNamespace
        self.CUmemLocationType = names(CU_MEM_LOCATION_TYPE_DEVICE=1, CU_MEM_LOCATION_TYPE_HOST_NUMA=3)
        self.CUmemAllocationType = names(CU_MEM_ALLOCATION_TYPE_PINNED=1)
        self.CUmemAllocationGranularity_flags = names(CU_MEM_ALLOC_GRANULARITY_MINIMUM=0)
        self.CUmemAccess_flags = names(CU_MEM_ACCESS_FLAGS_PROT_READWRITE=3)
        self.CUfunction = int
        self.CUdevice_attribute = names(CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID=134)
        self.nodes: set[int] = set()
        """Of the host's memory that was created."""
        self.CUdevice_P2PAttribute = names(CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED=3)
        self.atomics, self.linked = True, 1 << 10
        """Whether GPUs have atomics in each other's memory, and so many that follow each other are linked for that."""
        self.loaded: list[int] = []
        self.CUmemLocation = self.CUmemAllocationProp = self.CUmemAccessDesc = names
        self.pages, self.apart, self.refuses = pages, False, False
        self.reserved: dict[int, int] = {}
        self.mapped: dict[int, tuple[int, int]] = {}
        self.access: dict[int, list[int]] = {}
        self.created: dict[int, tuple[int, int]] = {}
        self.released: set[int] = set()

    @staticmethod
    def _owner(location: types.SimpleNamespace) -> int:
        return HOST if location.type == 3 else location.id

    def cuInit(self, flags: int) -> tuple[Answer]:  # noqa: N802
        return (Answer.CUDA_SUCCESS,)

    def cuDeviceGetP2PAttribute(self, which: int, first: int, second: int) -> tuple[Answer, int]:  # noqa: N802
        return Answer.CUDA_SUCCESS, int(self.atomics and first // self.linked == second // self.linked)

    def cuFuncLoad(self, function: int) -> tuple[Answer]:  # noqa: N802
        self.loaded.append(function)
        return (Answer.CUDA_SUCCESS,)

    def cuDeviceGet(self, number: int) -> tuple[Answer, int]:  # noqa: N802
        return Answer.CUDA_SUCCESS, number

    def cuDeviceGetAttribute(self, attribute: int, number: int) -> tuple[Answer, int]:  # noqa: N802
        assert attribute == 134
        return Answer.CUDA_SUCCESS, number - 1  # -1: no nodes

    def cuDeviceCanAccessPeer(self, first: int, second: int) -> tuple[Answer, int]:  # noqa: N802
        return Answer.CUDA_SUCCESS, int(not self.apart)

    def cuMemGetAllocationGranularity(self, properties: object, option: int) -> tuple[Answer, int]:  # noqa: N802
        return Answer.CUDA_SUCCESS, PAGE

    def cuMemAddressReserve(self, size: int, alignment: int, address: int, flags: int) -> tuple[Answer, int]:  # noqa: N802
        address = self.addresses(size)
        self.reserved[address] = size
        return Answer.CUDA_SUCCESS, address

    def addresses(self, size: int) -> int:
        """The first of so many addresses."""
        return (len(self.reserved) + 1) << 40

    def cuMemCreate(self, size: int, properties: types.SimpleNamespace, flags: int) -> tuple[Answer, int]:  # noqa: N802
        owner = self._owner(properties.location)
        if owner == HOST:
            self.nodes.add(properties.location.id)
        used = sum(bytes_ for where, bytes_ in self.mapped.values() if where == owner)
        if used + size > self.pages * PAGE:
            return Answer.CUDA_ERROR_OUT_OF_MEMORY, 0
        handle = len(self.created) + 1
        self.created[handle] = owner, size
        return Answer.CUDA_SUCCESS, handle

    def cuMemMap(self, address: int, size: int, offset: int, handle: int, flags: int) -> tuple[Answer]:  # noqa: N802
        assert handle not in self.released
        assert self.created[handle][1] == size
        self.mapped[address] = self.created[handle]
        return (Answer.CUDA_SUCCESS,)

    def cuMemRelease(self, handle: int) -> tuple[Answer]:  # noqa: N802
        self.released.add(handle)
        return (Answer.CUDA_SUCCESS,)

    def cuMemSetAccess(self, address: int, size: int, access: list, count: int) -> tuple[Answer]:  # noqa: N802
        if self.refuses:
            return (Answer.CUDA_ERROR_NOT_SUPPORTED,)
        assert count == len(access)
        assert all(each.flags == 3 for each in access)
        self.access[address] = [self._owner(each.location) for each in access]
        return (Answer.CUDA_SUCCESS,)

    def cuMemUnmap(self, address: int, size: int) -> tuple[Answer]:  # noqa: N802
        assert self.mapped.pop(address)[1] == size
        return (Answer.CUDA_SUCCESS,)

    def cuMemAddressFree(self, address: int, size: int) -> tuple[Answer]:  # noqa: N802
        assert not any(address <= start < address + size for start in self.mapped)
        assert self.reserved.pop(address) == size
        return (Answer.CUDA_SUCCESS,)
