"""Workers choose alike whether NCCL is used, and say why."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.fake_nccl import FakeNccl, HostDevice
from support.thread_group import ThreadCommunicator, run_group

from gdsl import doctor
from gdsl.backends.cuda import choosing_links
from gdsl.backends.cuda.choosing_links import Facts, bindings, links_for, obstacle_to
from gdsl.backends.cuda.links import Links

GOOD = [Facts("", 22809, f"gpu {rank}", b"") for rank in range(3)]


@pytest.mark.parametrize(
    ("facts", "obstacle"),
    [
        (GOOD, ""),
        ([replace(each, lacks="GDSL_NCCL=off") for each in GOOD], "GDSL_NCCL=off"),
        (
            [GOOD[0], replace(GOOD[1], lacks="nccl4py is not installed"), GOOD[2]],
            "on worker 1 nccl4py is not installed",
        ),
        ([*GOOD[:2], replace(GOOD[2], version=22703)], "worker 0 has NCCL 2.28.9, and worker 2 has 2.27.3"),
        (
            [*GOOD[:2], replace(GOOD[2], gpu="gpu 0")],
            "workers 0 and 2 share a GPU, which NCCL does not support",
        ),
    ],
    ids=["none", "off", "one has no nccl4py", "versions", "one GPU"],
)
def test_why_not(facts: list[Facts], obstacle: str) -> None:
    assert obstacle_to(facts) == obstacle


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("off", "GDSL_NCCL=off"),
        (" OFF", "GDSL_NCCL=off"),
        ("0", "GDSL_NCCL=off"),
        ("no (please)", "GDSL_NCCL='no (please)' is neither on nor off (unset it, or set it to off)"),
    ],
)
def test_the_switch(word: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GDSL_NCCL", word)
    assert bindings() == (None, why)
    line = next(each for each in doctor.examine() if each.name == "NCCL")
    detail, _, fix = why.partition(" (unset")
    assert line.detail == f"for workers with a GPU each: {detail}" and line.fix == ("unset" + fix[:-1] if fix else "")


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Links from earlier runs, of all these threads: each has another GPU."""
    found: dict[str, Any] = {}
    monkeypatch.setattr(choosing_links, "_kept", found)
    return found


def choose(size: int, **options: Any) -> list[tuple[Links | None, str]]:
    """What workers choose that have NCCL."""

    def work(mine: ThreadCommunicator) -> tuple[Links | None, str]:
        device: Any = HostDevice()
        return links_for(mine, device, f"gpu {mine.rank}", lambda: (FakeNccl(mine, **options), ""))

    return run_group(size, work)


def test_links_are_kept_until_one_of_them_fails() -> None:
    first = choose(3)
    assert [words for _, words in first] == ["exchanges from GPU to GPU, by NCCL 2.28.9"] * 3
    again = choose(3)
    assert [links for links, _ in again] == [links for links, _ in first]
    failed = again[1][0]
    assert failed is not None
    failed.abort()
    anew = choose(3)
    assert all(links is not None and links._comm is not None for links, _ in anew)
    assert not {id(links) for links, _ in anew} & {id(links) for links, _ in first}
    assert not any(links is not None and links._comm is not None for links, _ in first)
    fewer = choose(2)  # of a group of another size
    assert not {id(links) for links, _ in fewer} & {id(links) for links, _ in anew}


def test_workers_without_nccl_go_through_the_hosts(kept: dict[str, Any]) -> None:
    def work(mine: ThreadCommunicator) -> tuple[Links | None, str]:
        device: Any = HostDevice()
        found = (None, "nccl4py is not installed") if mine.rank == 1 else (FakeNccl(mine), "")
        return links_for(mine, device, f"gpu {mine.rank}", lambda: found)

    words = "exchanges through the memory of the hosts: on worker 1 nccl4py is not installed"
    assert run_group(2, work) == [(None, words)] * 2 and kept == {}


def test_a_start_that_fails_on_one_worker(kept: dict[str, Any]) -> None:
    def work(mine: ThreadCommunicator) -> tuple[Links | None, str]:
        device: Any = HostDevice()
        nccl = FakeNccl(mine)
        if mine.rank == 1:
            nccl.comm_get_async_error = lambda comm: 2  # type: ignore[method-assign]
        return links_for(mine, device, f"gpu {mine.rank}", lambda: (nccl, ""))

    words = "exchanges through the memory of the hosts: NCCL 2.28.9 cannot connect worker 1: error 2"
    assert run_group(2, work) == [(None, words)] * 2 and kept == {}


def test_one_worker_says_nothing() -> None:
    def work(mine: ThreadCommunicator) -> tuple[Links | None, str]:
        device: Any = HostDevice()
        return links_for(mine, device, "gpu 0", lambda: (FakeNccl(mine), ""))

    assert run_group(1, work) == [(None, "")]
