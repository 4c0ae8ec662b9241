"""The option `memory`, and the arithmetic of where edge lists are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdsl.backends import placement
from gdsl.backends.interface import Need
from gdsl.backends.placement import PAGE, Placement, decide
from gdsl.memory_use import MemoryUse, Place, memory_use


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("auto", None),
        ("device", MemoryUse(Place.DEVICE)),
        ("host", MemoryUse(Place.HOST)),
        ("2GB", MemoryUse(limit=2 * 10**9)),
        ("500MB", MemoryUse(limit=5 * 10**8)),
        (" 1.5GiB ", MemoryUse(limit=3 << 29)),
        ("2 gb", MemoryUse(limit=2 * 10**9)),
        (12345, MemoryUse(limit=12345)),
    ],
)
def test_sizes_and_words(value: Any, expected: MemoryUse | None) -> None:
    assert memory_use(value) == expected
    assert memory_use(expected) == expected


@pytest.mark.parametrize("value", ["", "2 apples", "-1", "1e9", "HOST!", "GB", -1])
def test_other_words_and_negative_sizes(value: Any) -> None:
    with pytest.raises(ValueError, match="memory must be"):
        memory_use(value)


@pytest.mark.parametrize("value", [True, 1.5, [], b"2GB"])
def test_other_types(value: Any) -> None:
    with pytest.raises(TypeError, match="memory must be"):
        memory_use(value)


def need(name: str, nbytes: int, is_list: bool) -> Need:
    return Need(f"graph.{name}", "graph", "", nbytes, is_list=is_list)


sizes = st.integers(0, 1 << 40)
all_needs = st.lists(st.tuples(sizes, st.booleans()), max_size=8).map(
    lambda found: [need(f"a{number}", *each) for number, each in enumerate(found)]
)


@given(all_needs, sizes, st.sampled_from([512, 4096, PAGE]))
def test_a_limit_is_respected_and_used(needs: list[Need], limit: int, page: int) -> None:
    memory = MemoryUse(limit=limit)
    found = decide([needs], [needs], limit, memory, page)
    whole = placement.allocated_bytes(needs)
    least = placement.least_limit(needs)
    taken = placement.allocated_bytes(found.needs)
    assert (found.placement is None) == (whole <= limit or not any(each.nbytes for each in needs if each.is_list))
    assert sum(each.nbytes + each.host_bytes for each in found.needs) == sum(each.nbytes for each in needs)
    assert all(each.nbytes % page == 0 for each in found.needs if each.host_bytes)
    assert taken <= max(limit, least)
    lists = [each for each in needs if each.is_list]
    if found.placement is not None and limit >= least:
        assert limit - taken < (len(lists) + 1) * page + 512 * len(needs)  # no more is wasted than the parts of pages


@given(all_needs, sizes)
def test_the_smallest_limit_works_and_nothing_below_it(needs: list[Need], limit: int) -> None:
    least = placement.least_limit(needs)
    found = decide([needs], [needs], least, MemoryUse(limit=least))
    assert placement.allocated_bytes(found.needs) <= least
    below = decide([needs], [needs], least - 1, MemoryUse(limit=least - 1))
    assert placement.allocated_bytes(below.needs) > least - 1
    error = placement.too_small(below.needs, least - 1)
    assert error.code == "E0914" and f"{least:,}" in str(error) and f"--memory {least}" in str(error)


@given(sizes, sizes, sizes, st.sampled_from([64, PAGE]))
def test_resident_bytes_are_whole_pages(resident: int, whole: int, nbytes: int, page: int) -> None:
    found = Placement(resident, whole, page).resident_bytes(nbytes)
    assert found % page == 0 and 0 <= found <= nbytes


@given(st.lists(sizes, min_size=1, max_size=6), sizes)
def test_lists_together_have_at_most_what_is_resident(lists: list[int], resident: int) -> None:
    whole = sum(lists)
    place = Placement(min(resident, whole), whole)
    assert sum(map(place.resident_bytes, lists)) <= min(resident, whole)


LISTS = [need("columns", 10 * PAGE, True), need("offsets", 1000, False)]


def test_words_choose_the_place() -> None:
    room = 1 << 40
    assert decide([LISTS], [LISTS], room).placement is None
    host = decide([LISTS], [LISTS], room, MemoryUse(Place.HOST))
    assert host.needs[0].host_bytes == 10 * PAGE and host.needs[0].nbytes == 0
    device = decide([LISTS], [LISTS], 5 * PAGE, MemoryUse(Place.DEVICE))
    assert device.placement is None and list(device.needs) == LISTS
    assert decide([LISTS], [LISTS], None).placement is None  # nothing is known of the device


def test_better_candidates_come_first() -> None:
    other = [*LISTS, need("keys", 20 * PAGE, False)]
    assert decide([other, LISTS], [LISTS], 40 * PAGE).candidate == 0
    assert decide([other, LISTS], [LISTS], 20 * PAGE).candidate == 1
    host = decide([other, LISTS], [LISTS], 5 * PAGE)
    assert host.candidate == 2 and 0 < host.needs[0].nbytes < 5 * PAGE


def test_without_pages_nothing_is_resident() -> None:
    assert decide([LISTS], [LISTS], 5 * PAGE, page=None).needs[0].nbytes == 0


def test_the_line_says_what_is_where_and_why() -> None:
    needs = decide([LISTS], [LISTS], 5 * PAGE, MemoryUse(limit=5 * PAGE)).needs
    line = placement.line_of(needs, MemoryUse(limit=5 * PAGE))
    assert line.startswith("memory: ") and "(columns) are in the host's memory" in line
    assert line.endswith("since the run may use 10.5 MB of the GPU's memory")
    assert placement.line_of(LISTS, None) == ""
    moved = [replace(LISTS[0], nbytes=0, host_bytes=5)]
    assert placement.line_of(moved, None).endswith("since they do not fit in the GPU's memory")
    assert placement.line_of(moved, MemoryUse(Place.HOST)).endswith("as requested")
