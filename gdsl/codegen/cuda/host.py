"""The schedule as the host walks it in the unfused form: which kernel each step is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HostKernel:
    """Launch `name`; `leaves` frontiers as they are or changes them, all in device memory."""

    name: str


@dataclass(frozen=True, slots=True)
class HostSwap:
    """Exchange two pointers of the problem data."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class HostWhile:
    """Launch `condition`, read its answer, run the body while it is not 0."""

    loop: int
    condition: str
    body: tuple[HostStep, ...]


@dataclass(frozen=True, slots=True)
class HostRepeat:
    """Launch `count`, read its answer, run the body so often."""

    loop: int
    count: str
    body: tuple[HostStep, ...]


@dataclass(frozen=True, slots=True)
class HostIf:
    """Launch `condition` and read its answer."""

    condition: str
    then: tuple[HostStep, ...]
    otherwise: tuple[HostStep, ...]


HostStep = HostKernel | HostSwap | HostWhile | HostRepeat | HostIf
