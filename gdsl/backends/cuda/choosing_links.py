"""Whether the workers of a run exchange data from GPU to GPU: all decide alike, from what each of them has."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from typing import Any, TypeVar

import numpy

from gdsl.backends.cuda.links import LinkError, Links, version_text
from gdsl.backends.cuda.protocol import Device
from gdsl.communicator import Communicator
from gdsl.diagnostics import shown
from gdsl.extras import first_line
from gdsl.records import dataclass

T = TypeVar("T")
SWITCH = "GDSL_NCCL"
"""The environment variable that turns NCCL off."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a worker has. lacks: why it cannot use NCCL, or nothing; gpu: the same word for the same GPU; kept: the
    identity of links from an earlier run."""

    lacks: str
    version: int
    gpu: str
    kept: bytes


_kept: dict[str, Links] = {}
"""The links of this process from earlier runs, by its GPU."""


def bindings() -> tuple[Any, str]:
    """NCCL's functions, and why they cannot be used, or nothing."""
    word = os.environ.get(SWITCH, "").strip()
    if word.lower() in ("off", "0"):
        return None, f"{SWITCH}=off"
    if word.lower() not in ("", "on", "1"):
        return None, f"{SWITCH}={shown(word)} is neither on nor off (unset it, or set it to off)"
    try:
        import nccl.bindings.nccl as found
    except ImportError as error:
        is_missing = isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("nccl")
        why = "is not installed" if is_missing else f"cannot be imported: {first_line(error)}"
        return None, f"nccl4py {why} (pip install 'gdsl[nccl]')"
    try:
        found.get_version()
    except RuntimeError as error:
        why = "" if "No such file" in str(error) else f" that works: {first_line(error)}"
        return (
            None,
            f"nccl4py finds no NCCL library{why} (pip install nvidia-nccl-cu13, or nvidia-nccl-cu12 for CUDA 12)",
        )
    return found, ""


def links_for(
    communicator: Communicator, device: Device, gpu: str, found: Callable[[], tuple[Any, str]] = bindings
) -> tuple[Links | None, str]:
    """The links of all workers, or none, and in words what was chosen and why. All workers call it; `gpu` names this
    one's GPU, alike for all processes that see it; `found` are NCCL's functions."""
    if communicator.size == 1:
        return None, ""
    nccl, lacks = found()
    kept = _kept.get(gpu)
    version = 0 if nccl is None else int(nccl.get_version())
    identity = kept.identity if kept is not None and kept.fit(communicator) else b""
    facts = gathered(communicator, Facts(lacks, version, gpu, identity))
    obstacle = obstacle_to(facts)
    if obstacle:
        return None, _through_hosts(obstacle)
    if kept is not None and facts[0].kept and len({each.kept for each in facts}) == 1:
        kept.meet(communicator, device)
        return kept, _directly(kept)
    if kept is not None:
        _kept.pop(gpu).abort()
    links, why = _started(nccl, communicator, device)
    if links is None:
        return None, _through_hosts(why)
    _kept[gpu] = links
    return links, _directly(links)


def obstacle_to(facts: list[Facts]) -> str:
    """Why workers that have this cannot use NCCL; nothing where they can."""
    lacking = [rank for rank, each in enumerate(facts) if each.lacks]
    if lacking:
        who = "" if len(lacking) == len(facts) else f"on worker {lacking[0]} "
        return f"{who}{facts[lacking[0]].lacks}"
    versions = {each.version: rank for rank, each in reversed(list(enumerate(facts)))}
    if len(versions) > 1:
        (one, first), (other, second) = sorted(versions.items(), key=lambda item: item[1])[:2]
        return f"worker {first} has NCCL {version_text(one)}, and worker {second} has {version_text(other)}"
    by_gpu: dict[str, int] = {}
    for rank, each in enumerate(facts):
        if each.gpu in by_gpu:
            return f"workers {by_gpu[each.gpu]} and {rank} share a GPU, which NCCL does not support"
        by_gpu[each.gpu] = rank
    return ""


def _started(nccl: Any, communicator: Communicator, device: Device) -> tuple[Links | None, str]:
    """New links, or why there are none, which is the same for all workers."""
    identity, why = b"", ""
    if communicator.rank == 0:
        try:
            identity = bytes(nccl.get_unique_id())
        except nccl.NCCLError as error:
            why = f"NCCL cannot start: {first_line(error)}"
    identity, why = gathered(communicator, (identity, why))[0]
    if why:
        return None, why
    links, why = _attempted(communicator, lambda: Links(nccl, communicator, device, identity))
    if links is not None and not why:
        _, why = _attempted(communicator, links.connect)
    if links is not None and why:
        links.abort()
    return (None if why else links), why


def _attempted(communicator: Communicator, work: Callable[[], T]) -> tuple[T | None, str]:
    """What `work` returns, and why it has failed on some worker."""
    result, why = None, ""
    try:
        result = work()
    except LinkError as error:
        why = error.error.diagnostics[0].message
    return result, next((each for each in gathered(communicator, why) if each), "")


def gathered(communicator: Communicator, value: Any) -> list[Any]:
    """What all workers have, by rank."""
    parts = communicator.all_gather(numpy.frombuffer(pickle.dumps(value), numpy.uint8))
    return [pickle.loads(part.tobytes()) for part in parts]


def _directly(links: Links) -> str:
    return f"exchanges from GPU to GPU, by NCCL {links.version}"


def _through_hosts(why: str) -> str:
    return f"exchanges through the memory of the hosts: {why}"
