"""The backends by name, and which one `auto` chooses on this machine."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol, cast

from gdsl.backends.gpus import LANES, gpu_numbers, gpus_of, named_twice_error, with_lanes
from gdsl.backends.interface import Availability, Backend
from gdsl.diagnostics import GdslError, shown

NAMES = ("cuda", "cpu", "reference")
"""All backends, in the order in which `auto` tries them."""

_MISSING_CODES = {"cuda": "E0901", "cpu": "E0902"}
_MACHINE_CODES = ("E0901", "E0902", "E0903", "E0904", "E0905", "E0906")


class _HasGpus(Protocol):
    """What only the cuda backend has."""

    def on_gpus(self, gpus: tuple[int, ...], lanes: bool = False) -> Backend: ...

    def gpu_count(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Choice:
    """A backend that can run here, and one line that says why it was chosen (empty if it was requested)."""

    backend: Backend
    line: str = ""
    key: str = ""
    """The name under which `get` finds it."""

    def __post_init__(self) -> None:
        if not self.key:
            object.__setattr__(self, "key", self.backend.name)


@cache
def get(name: str) -> Backend:
    """The backend called `name`, whether or not it can run here; `cuda:0,1` is the one for these GPUs."""
    if gpus := gpus_of(name):
        return cast(_HasGpus, get("cuda")).on_gpus(gpus, name.endswith(LANES))
    return cast(Backend, importlib.import_module(f"gdsl.backends.{name}").create_backend())


def availability(name: str) -> Availability:
    """Whether the backend called `name` can run here; if parts of it are not installed, it is unavailable."""
    try:
        return get(name).availability()
    except ImportError as error:
        return Availability(False, f"it cannot be imported: {error}")


def choose(name: str = "auto", failed: Mapping[str, str] | None = None) -> Choice:
    """The backend called `name`, or the first of `NAMES` that can run here for "auto".

    `failed` says why backends that seemed usable are not: "auto" skips them.

    Raises E0901 or E0902 if the requested one cannot run, ValueError or TypeError for an unknown name.
    """
    if not isinstance(name, str):
        raise TypeError(f"backend must be a str, one of auto, {', '.join(NAMES)}, not {shown(name)}")
    if name == "auto":
        return _first_available(failed or {})
    if gpus := gpus_of(name):
        lanes = name.endswith(LANES)
        name = on_gpus("cuda", gpus)
        name = with_lanes(name) if lanes else name
    elif name not in NAMES:
        raise ValueError(f"backend must be one of auto, {', '.join(NAMES)}, not {shown(name)}")
    state = availability(name)
    if not state.ok:
        raise GdslError.single(
            _MISSING_CODES.get(name, "E0905"),
            f"the {name} backend cannot run here: {state.detail}",
            fix=state.fix or "gdslc doctor",
        )
    return Choice(get(name), key=name)


def on_gpus(name: str, gpus: object) -> str:
    """The name of the backend that runs on `gpus`: how many, "all", or a list of numbers. `name` is the requested
    backend, cuda or auto. Raises E0923 for others and for one that names GPUs itself, E0901 without a GPU, E0921 for
    GPUs that do not exist, and TypeError and ValueError for what names no GPUs."""
    if gpus_of(name):
        raise named_twice_error(name, gpus)
    if name not in ("auto", "cuda"):
        choose(name)
        raise GdslError.single(
            "E0923", f"the {name} backend does not run on GPUs", fix="leave out gpus, or choose the cuda backend"
        )
    if type(gpus) is int and gpus == 1:
        return "cuda"
    gpu_numbers(gpus, None)
    numbers = gpu_numbers(gpus, cast(_HasGpus, choose("cuda").backend).gpu_count())
    return f"cuda:{','.join(map(str, numbers))}"


def is_fault_of_machine(error: GdslError) -> bool:
    """Whether a program could not be compiled because the machine's compiler, or its directory for libraries,
    failed."""
    return error.code in _MACHINE_CODES


def _first_available(failed: Mapping[str, str]) -> Choice:
    reasons: list[str] = []
    for name in NAMES:
        state = Availability(False, failed[name]) if name in failed else availability(name)
        if state.ok:
            because = f" ({'; '.join(reasons)})" if reasons else ""
            return Choice(get(name), f"backend: {name}, {state.detail}{because}")
        reasons.append(f"no {name}: {state.detail}")
    raise AssertionError("the reference backend runs everywhere")
