"""Vertices numbered by falling degree on the device, and conversions between the caller's ids and the new ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from gdsl.backends.cuda.owned_chunks import OwnedChunks, has_chunks
from gdsl.backends.cuda.protocol import Arguments, Buffer, Device
from gdsl.codegen.structs import element_dtype
from gdsl.resources import filled_text
from gdsl.types import Type, Widths

if TYPE_CHECKING:
    from gdsl.plan.nodes import Plan

WORDS = (8, 4, 1)
"""Sizes in bytes of the words that `put_…` moves, the widest first."""
_PUT_IDS, _PUT_OWN_IDS, _PUT_OWN_TWO = "put_ids", "put_own_ids", "put_own_two"
_UNSIGNED = {8: "unsigned char", 32: "unsigned int", 64: "unsigned long long"}
_THREADS, _MOST_BLOCKS = 512, 4
"""Threads per block, and blocks per multiprocessor."""


def put_name(size: int, of: Type) -> str:
    """The kernel that reorders words of that many bytes for each vertex, or edge."""
    return f"put_{size}" if of is Type.VERTEX else f"put_edges_{size}"


def put_own_name(size: int) -> str:
    """The kernel that reorders words of that many bytes, on each of several GPUs for its own chunks of vertices."""
    return f"put_own_{size}"


def text_for(widths: Widths, several_gpus: bool = False) -> str:
    """The CUDA that renumbers vertices and reorders values, for ids of these widths."""
    vertex, edge = (_UNSIGNED[widths.of(kind)] for kind in (Type.VERTEX, Type.EDGE))
    kernels = ((put_name(size, of), _UNSIGNED[8 * size], of.name) for of in (Type.VERTEX, Type.EDGE) for size in WORDS)
    puts = "\n".join(
        filled_text("templates", "cuda", "renumbering_put.cu.in", kernel=kernel, type=kind, of=of)
        for kernel, kind, of in kernels
    )
    text = filled_text("templates", "cuda", "renumbering.cu.in", vertex=vertex, edge=edge, puts=puts)
    if not several_gpus:
        return text
    own = "\n".join(
        filled_text(
            "templates", "cuda", "renumbering_put_own.cu.in", kernel=put_own_name(size), type=_UNSIGNED[8 * size]
        )
        for size in WORDS
    )
    return f"{text}\n{filled_text('templates', 'cuda', 'renumbering_own.cu.in', puts=own)}"


class Kernels:
    """The kernels of `text_for` on one device."""

    def __init__(self, device: Device, kernel: Callable[[str], Any]) -> None:
        self.device, self._kernel = device, kernel
        self._blocks: dict[str, int] = {}

    def start(self, name: str, *values: int) -> None:
        """Start one with these addresses and numbers; does not wait."""
        kernel, blocks = self._resident(name)
        self.device.launch(kernel, self.device.multiprocessors * blocks, _THREADS, _arguments(values))

    def start_on_each(self, starts: Iterable[tuple[str, Sequence[Sequence[int]]]]) -> None:
        """Start kernels of `text_for` several GPUs: each on all GPUs, with these addresses and numbers there."""
        self.device.launch_on_each(
            [(*self._resident(name), _THREADS, [_arguments(each) for each in values]) for name, values in starts]
        )

    def _resident(self, name: str) -> tuple[Any, int]:
        """The kernel, and how many of its blocks a multiprocessor gets."""
        kernel = self._kernel(name)
        if name not in self._blocks:
            self._blocks[name] = max(min(self.device.resident_blocks(kernel, _THREADS), _MOST_BLOCKS), 1)
        return kernel, self._blocks[name]


def _arguments(values: Iterable[int]) -> Arguments:
    return Arguments(*(numpy.array([value], numpy.uint64) for value in values))


class ToPut(NamedTuple):
    """Values for all vertices to put in the caller's order, into `made`: they are at the address `values`, or, if that
    is 0, at the address stored at `values_at`. of_ids: they are ids."""

    values: int
    values_at: int
    made: Buffer
    nbytes: int
    of_ids: bool


class Places(NamedTuple):
    """The position of each vertex or edge in the caller's order."""

    buffer: Buffer
    length: int
    of: Type


class Numbering:
    """New ids: the caller's vertices by falling degree, those of equal degree in the order of their ids. On several
    GPUs each has an equal part of the ids: those of the vertices in its `chunks`, or, without these, of vertices that
    are dealt out to the GPUs in that order.

    `order` maps new ids to the caller's, `rank` maps the caller's ids to new ones.
    """

    def __init__(
        self,
        kernels: Kernels,
        offsets: Buffer,
        in_offsets: Buffer | None,
        num_vertices: int,
        widths: Widths,
        chunks: OwnedChunks | None = None,
    ) -> None:
        """Raises E0912."""
        self._kernels, self._device, self.num_vertices = kernels, kernels.device, num_vertices
        self._dtype = element_dtype(Type.VERTEX, widths)
        self.order, self.rank = (self._device.allocate_constant(self._dtype.itemsize * num_vertices) for _ in range(2))
        keys = self._device.allocate(8 * num_vertices)
        in_pointer = in_offsets.pointer if in_offsets is not None else 0
        gpus = max(len(self._device.gpu_numbers), 1)
        pieces = self._place(chunks, gpus)
        kernels.start("keys_of_vertices", offsets.pointer, in_pointer, keys.pointer, num_vertices, *pieces)
        self._device.sort(keys, num_vertices)
        parts = gpus if chunks is None else 1  # chunks have brought each GPU's vertices together
        kernels.start("name_vertices", keys.pointer, self.order.pointer, self.rank.pointer, num_vertices, parts)
        self._device.publish(self.order)
        self._device.publish(self.rank)
        self._on_host: dict[int, Any] = {}
        self._kept: dict[tuple[int, bool], tuple[Any, Buffer]] = {}
        self._prepared = set[str]()

    def _place(self, chunks: OwnedChunks | None, gpus: int) -> tuple[int, int]:
        """The address and the number of the pieces for `keys_of_vertices`; notes where GPUs find their chunks."""
        self._chunks, self._own = chunks, list[tuple[int, int]]()
        if chunks is None:
            return 0, 0
        firsts = [chunks.of(number) for number in range(gpus)]
        table = [each for gpu in firsts for each in gpu]
        pieces = [first for first, _ in chunks.pieces] + [number for _, number in chunks.pieces]
        self._tables = [self._device.upload(numpy.array(each, numpy.uint64)) for each in (table, pieces)]
        at = 0
        for each in firsts:
            self._own.append((8 * at, len(each)))
            at += len(each)
        return self._tables[1].pointer, len(chunks.pieces)

    def inside(self, vertex: Any) -> int:
        """The new id of a vertex of the caller."""
        return int(self._here(self.rank).item(vertex))

    def all_inside(self, vertices: Any) -> Any:
        """The new ids of an array of vertices of the caller."""
        return self._here(self.rank)[vertices]

    def outside(self, vertex: int) -> int:
        """The caller's id of a vertex; below 0 there is none."""
        return int(self._here(self.order).item(vertex)) if vertex >= 0 else vertex

    def put_inside(self, values: Buffer, nbytes: int, of_ids: bool, edges: Places | None = None) -> Buffer:
        """`nbytes` bytes of values in the caller's order of vertices, or of `edges` if given, in the new order."""
        reordered = self._device.allocate_constant(nbytes)
        if edges is None:
            self._put(values.pointer, 0, reordered, nbytes, (self.order, self.rank), of_ids)
        elif edges.length:
            self._move(values.pointer, 0, reordered, nbytes, edges)
        self._device.publish(reordered)
        return reordered

    def put_attribute(
        self, values: Any, there: Callable[[], Buffer], nbytes: int, of_ids: bool, edges: Places | None
    ) -> Buffer:
        """An array of the graph, of which `nbytes` bytes are `there` on the device, in the new order; this is done
        once."""
        stored = self._kept.get((id(values), of_ids))
        if stored is None:
            stored = self._kept[id(values), of_ids] = values, self.put_inside(there(), nbytes, of_ids, edges)
        return stored[1]

    def prepare(self, results: Iterable[tuple[int, bool]]) -> None:
        """Load the kernels that `put_outside` starts for `results`, given the bytes of each and whether these are ids:
        after a run the driver would wait for its end, without a way to stop a run that is late."""
        names = {self._put_name(nbytes, of_ids) for nbytes, of_ids in results}
        for name in sorted(names - self._prepared):
            self._kernels.start(name, *[0] * (9 if name == _PUT_IDS else 8))
        self._prepared |= names

    def prepare_owned(self, results: Iterable[tuple[int, bool]]) -> None:
        """Load the kernels that `put_outside_owned` launches for these results: bytes of an element, and whether it is
        an id."""
        known = list(results)
        names = {self._put_own_name(nbytes, of_ids) for nbytes, of_ids in known}
        if sum(self._is_word(nbytes) for nbytes, _ in known) > 1:
            names.add(_PUT_OWN_TWO)
        names -= self._prepared
        if names:
            counts = {_PUT_OWN_IDS: 10, _PUT_OWN_TWO: 13}
            nothing = ((name, [0] * counts.get(name, 9)) for name in sorted(names))
            self._kernels.start_on_each((name, [values] * len(self._own)) for name, values in nothing)
            self._prepared |= names

    def has_owned(self, nbytes: int) -> bool:
        """Whether an array of so many bytes for all vertices can be in the memories of several GPUs in the caller's
        order, each value where it is during a run."""
        return self._chunks is not None and has_chunks(nbytes, self.num_vertices)

    def allocate_owned(self, nbytes: int) -> Buffer:
        """Memory for such an array. Raises E0912."""
        assert self._chunks is not None
        each = self._chunks.length * (nbytes // self.num_vertices)
        return self._device.allocate_owned(nbytes, each, self._chunks.owners)

    def put_outside_owned(self, arrays: Sequence[ToPut]) -> None:
        """Put arrays in the caller's order, by each GPU those values that it has: two of 32-bit words together."""
        words = [each for each in arrays if self._is_word(each.nbytes)]
        pairs = list(zip(words[::2], words[1::2], strict=False))
        paired = {id(each) for pair in pairs for each in pair}
        gpus = range(len(self._own))
        starts = [(_PUT_OWN_TWO, [self._two_arguments(pair, number) for number in gpus]) for pair in pairs]
        starts += [
            (
                self._put_own_name(each.nbytes, each.of_ids),
                [self._own_arguments(each, number) for number in gpus],
            )
            for each in arrays
            if id(each) not in paired
        ]
        self._kernels.start_on_each(starts)

    def _is_word(self, nbytes: int) -> bool:
        """Whether an array for all vertices has a 32-bit word for each."""
        return nbytes == 4 * self.num_vertices

    def _two_arguments(self, pair: tuple[ToPut, ToPut], number: int) -> list[int]:
        """What `put_own_two` gets on the GPU of that number."""
        assert self._chunks is not None
        arguments = list[int]()
        for array in pair:
            names = self._device.own_address(self.order.pointer, number) if array.of_ids else 0
            values = self._device.own_address(array.values, number)
            arguments += [values, array.values_at, array.made.pointer, names]
        rank, own = (self._device.own_address(each, number) for each in (self.rank.pointer, self._tables[0].pointer))
        offset, count = self._own[number]
        return [*arguments, rank, self.num_vertices, own + offset, count, self._chunks.length]

    def _own_arguments(self, array: ToPut, number: int) -> list[int]:
        """What `put_own_…` gets on the GPU of that number."""
        assert self._chunks is not None
        table, (offset, count) = self._tables[0].pointer, self._own[number]
        pointers = array.values, self.rank.pointer, self.order.pointer, table
        values, rank, order, own = (self._device.own_address(each, number) for each in pointers)
        each, names = array.nbytes // self.num_vertices, [order] if array.of_ids else []
        words = each // (self._dtype.itemsize if array.of_ids else _word_of(each))
        made = [values, array.values_at, array.made.pointer, rank, *names, self.num_vertices, words]
        return [*made, own + offset, count, self._chunks.length]

    def _put_own_name(self, nbytes: int, of_ids: bool) -> str:
        return _PUT_OWN_IDS if of_ids else put_own_name(_word_of(nbytes // max(self.num_vertices, 1)))

    def put_outside(self, values: int, values_at: int, nbytes: int, of_ids: bool) -> Buffer:
        """The inverse, for the values at the address `values`, or, if that is 0, at the address stored at
        `values_at`."""
        reordered = self._device.allocate_result(nbytes)
        self._put(values, values_at, reordered, nbytes, (self.rank, self.order), of_ids)
        return reordered

    def put_rows_outside(self, values: int, nbytes: int, of_ids: bool, rows: tuple[int, int]) -> Buffer:
        """The inverse for rows of that many bytes, the first of which is at the address `values`; `rows`: how many, and
        the bytes from one to the next, in both places."""
        reordered = self._device.allocate(rows[0] * rows[1])
        self._put(values, 0, reordered, nbytes, (self.rank, self.order), of_ids, rows)
        return reordered

    def _put(
        self,
        values: int,
        values_at: int,
        reordered: Buffer,
        nbytes: int,
        ways: tuple[Buffer, Buffer],
        of_ids: bool,
        rows: tuple[int, int] = (1, 0),
    ) -> None:
        places, names = ways
        each = nbytes // self.num_vertices
        if not each:
            return
        if of_ids:
            arguments = values, values_at, reordered.pointer, places.pointer, names.pointer, self.num_vertices
            self._kernels.start(
                _PUT_IDS, *arguments, each // self._dtype.itemsize, rows[0], rows[1] // self._dtype.itemsize
            )
            return
        self._move(values, values_at, reordered, nbytes, Places(places, self.num_vertices, Type.VERTEX), rows)

    def _move(
        self,
        values: int,
        values_at: int,
        reordered: Buffer,
        nbytes: int,
        places: Places,
        rows: tuple[int, int] = (1, 0),
    ) -> None:
        each = nbytes // places.length
        word = _word_of(each)
        arguments = values, values_at, reordered.pointer, places.buffer.pointer, places.length, each // word
        self._kernels.start(put_name(word, places.of), *arguments, rows[0], rows[1] // word)

    def _put_name(self, nbytes: int, of_ids: bool) -> str:
        return _PUT_IDS if of_ids else put_name(_word_of(nbytes // max(self.num_vertices, 1)), Type.VERTEX)

    def _here(self, buffer: Buffer) -> Any:
        """One of the two arrays on the host, where it is copied when the first element is needed: each copy has to wait
        for the device."""
        array = self._on_host.get(buffer.pointer)
        if array is None:
            array = self._device.fetch(buffer, self._dtype, self.num_vertices)
            self._on_host[buffer.pointer] = array
        return array


def _word_of(each: int) -> int:
    """The widest words into which that many bytes can be divided."""
    return next(size for size in WORDS if each % size == 0)


class RunIds:
    """Converts a program's values between the ids of the caller and those of the device; both are the same without a
    `numbering`."""

    def __init__(self, plan: Plan, numbering: Numbering | None) -> None:
        self._names = frozenset(plan.layout.ids) if plan.layout is not None else frozenset()
        self._numbering = numbering

    def are_in(self, name: str) -> bool:
        """Whether the values of this name are ids of vertices."""
        return name in self._names

    def differ(self, name: str) -> bool:
        """Whether a value of this name changes with the ids."""
        return self._numbering is not None and name in self._names

    def inside(self, name: str, value: Any) -> Any:
        """The value of a param or a scalar in the device's ids."""
        return self._numbering.inside(value) if self._numbering is not None and name in self._names else value

    def all_inside(self, name: str, values: Any) -> Any:
        """An array of values of the data `name` in the device's ids."""
        return values if self._numbering is None or name not in self._names else self._numbering.all_inside(values)

    def outside(self, name: str, value: Any) -> Any:
        """The value of a scalar in the caller's ids."""
        return value if self._numbering is None or name not in self._names else self._numbering.outside(value)
