"""Flat ranges over a driver that keeps books: what is mapped where, who may access it, and what is freed."""

from __future__ import annotations

import gc
import sys

import pytest
from support.fake_driver import PAGE, FakeDriver

from gdsl.backends.cuda import flat_ranges
from gdsl.backends.cuda.flat_ranges import HOST, CopyArena, FlatRange, Part
from gdsl.diagnostics import GdslError


@pytest.fixture
def driver(monkeypatch):
    found = FakeDriver()
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", found)
    return found


def test_parts_are_mapped_next_to_each_other_and_freed_together(driver):
    parts = [Part(0, 2 * PAGE), Part(1, 0), Part(HOST, PAGE), Part(1, 3 * PAGE)]
    found = FlatRange(parts, [0, 1, 0])
    start = found.pointer
    assert found.nbytes == driver.reserved[start] == 6 * PAGE
    places = {start: (0, 2 * PAGE), start + 2 * PAGE: (HOST, PAGE), start + 3 * PAGE: (1, 3 * PAGE)}
    assert driver.mapped == places
    assert driver.access == {start: [0, 1], start + 2 * PAGE: [0, 1, HOST], start + 3 * PAGE: [0, 1]}
    assert driver.released == set(driver.created)  # the mappings keep the memory
    found.close()
    assert not driver.mapped and not driver.reserved
    found.close()


def test_a_range_that_nothing_refers_to_is_freed(driver):
    found = FlatRange([Part(0, PAGE)], [0])
    assert driver.reserved
    del found
    gc.collect()
    assert not driver.mapped and not driver.reserved


def test_memory_of_the_host_is_near_the_first_gpu(driver):
    for gpus, node in (([0], 0), ([3, 1], 2)):  # the first GPU knows no nodes
        driver.nodes.clear()
        FlatRange([Part(HOST, PAGE)], gpus).close()
        assert driver.nodes == {node}


def test_an_empty_range_maps_nothing(driver):
    found = FlatRange([], [0, 1])
    assert (found.pointer, found.nbytes) == (0, 0)
    found.close()
    assert not driver.reserved


def test_memory_that_does_not_suffice_is_named_and_nothing_stays(driver):
    with pytest.raises(GdslError, match=r"18\.9 MB more on GPU 1") as error:
        FlatRange([Part(0, PAGE), Part(1, 9 * PAGE)], [0, 1])
    assert error.value.code == "E0912"
    assert not driver.mapped and not driver.reserved


def test_gpus_that_cannot_reach_each_other_are_named(driver):
    driver.apart = True
    with pytest.raises(GdslError, match="GPU 0 that of GPU 1, GPU 1 that of GPU 0") as error:
        FlatRange([Part(0, PAGE), Part(1, PAGE)], [0, 1])
    assert error.value.code == "E0922"
    FlatRange([Part(0, PAGE), Part(HOST, PAGE)], [0]).close()  # the host is reachable from everywhere


def test_gpus_without_atomics_are_named(driver):
    flat_ranges.require_atomics([0, 1, 0])
    driver.atomics = False
    with pytest.raises(GdslError, match=r"atomically: GPU 0 that of GPU 2, GPU 2 that of GPU 0") as error:
        flat_ranges.require_atomics([2, 0])
    assert error.value.code == "E0922"
    flat_ranges.require_atomics([0, 0])


def test_gpus_that_could_run_together_are_named(driver):
    """Pairs that NVLink connects, of four and of sixteen GPUs; messages stay short."""
    driver.linked = 2
    with pytest.raises(GdslError, match=r"GPU 0 that of GPU 2, .* GPU 2 that of GPU 0, .*, and 2 more pairs") as error:
        flat_ranges.require_atomics([1, 0, 2, 3])
    assert "choose gpus=[0, 1], which NVLink connects" in str(error.value)
    driver.linked = 4
    with pytest.raises(GdslError, match="and 186 more pairs") as error:
        flat_ranges.require_atomics([0, *range(1, 16)])
    assert "choose gpus=[0, 1, 2, 3], which" in str(error.value) and len(str(error.value)) < 500
    flat_ranges.require_atomics([4, 5, 6, 7])
    driver.linked = 1
    with pytest.raises(GdslError, match="choose GPUs that NVLink connects"):
        flat_ranges.require_atomics([0, 1])


def test_a_refusal_of_the_driver_is_an_error_and_nothing_stays(driver):
    driver.refuses = True
    with pytest.raises(GdslError, match=r"giving access to memory failed.*CUDA_ERROR_NOT_SUPPORTED") as error:
        FlatRange([Part(0, PAGE)], [0])
    assert error.value.code == "E0922"
    assert not driver.mapped and not driver.reserved


def test_a_part_is_whole_pages(driver):
    with pytest.raises(ValueError, match="multiples of 2097152"):
        FlatRange([Part(0, PAGE + 4)], [0])


def test_copies_have_one_distance(driver):
    driver.pages = 12
    arena = CopyArena([0, 1, 0], 6 * PAGE - 5)
    assert arena.stride == 6 * PAGE
    assert driver.reserved == {arena.pointer: 18 * PAGE}
    first, second = arena.allocate(PAGE + 1), arena.allocate(7)
    assert (first.pointer, second.pointer) == (arena.pointer, arena.pointer + 2 * PAGE)
    assert [driver.mapped[second.pointer + k * arena.stride] for k in range(3)] == [(0, PAGE), (1, PAGE), (0, PAGE)]
    assert all(access == [0, 1] for access in driver.access.values())
    with pytest.raises(GdslError, match=r"on GPU 0") as error:
        arena.allocate(4 * PAGE)  # there are three pages left
    assert error.value.code == "E0912"
    del first
    gc.collect()
    third = arena.allocate(2 * PAGE)
    assert third.pointer == arena.pointer  # where the first one was
    del second, third
    gc.collect()
    assert not driver.mapped
    assert arena.allocate(6 * PAGE).pointer == arena.pointer
    gc.collect()
    del arena, error
    gc.collect()
    assert not driver.mapped and not driver.reserved


def test_copies_that_do_not_fit_leave_nothing(driver):
    arena = CopyArena([0, 1], 20 * PAGE)
    taken = FlatRange([Part(1, 6 * PAGE)], [0, 1])
    with pytest.raises(GdslError, match=r"6\.3 MB more on GPU 1") as error:
        arena.allocate(3 * PAGE)
    assert error.value.code == "E0912"
    assert list(driver.mapped) == [taken.pointer]
    assert arena.allocate(2 * PAGE).pointer == arena.pointer


def test_without_the_extra_the_error_says_what_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
    with pytest.raises(GdslError, match=r"memory over several GPUs needs cuda") as error:
        FlatRange([Part(0, PAGE)], [0])
    assert error.value.code == "E0907"
    assert "pip install 'gdsl[gpus]'" in str(error.value)


@pytest.mark.parametrize(
    ("cuts", "nbytes", "pages"),
    [
        ([3 * PAGE], 6 * PAGE, [3, 3]),
        ([3 * PAGE + PAGE // 2 - 1], 6 * PAGE, [3, 3]),
        ([3 * PAGE + PAGE // 2], 6 * PAGE, [4, 2]),
        ([10], 20, [0, 1]),
        ([PAGE - 1], PAGE, [1, 0]),
        ([0, 0], 3 * PAGE, [0, 0, 3]),
        ([PAGE, 2 * PAGE], 2 * PAGE + 1, [1, 1, 1]),
        ([0], 0, [0, 0]),
    ],
)
def test_parts_are_cut_at_page_boundaries(cuts, nbytes, pages):
    owners = list(range(len(pages)))
    assert flat_ranges.parts_at(cuts, nbytes, owners, PAGE) == [
        Part(owner, count * PAGE) for owner, count in zip(owners, pages, strict=True)
    ]
