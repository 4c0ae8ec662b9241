"""Steps of a plan that keep scalars where no barrier is needed for them: see `turns` and `kept`."""

from __future__ import annotations

from gdsl.ir.nodes import StoreScalar
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """A scalar goes to the next of its places, which holds the value that is stored; the leader stores it in the place
    behind that. See `turns`."""

    step: StoreScalar


@dataclass(frozen=True, slots=True)
class Keep:
    """Every thread has its own of these scalars from now on, which all change alike. See `kept`."""

    scalars: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Everyone:
    """A store in such a scalar, which every thread does for itself."""

    step: StoreScalar


@dataclass(frozen=True, slots=True)
class HandBack:
    """The leader stores scalars that turn, or that every thread has its own of, where the host looks for them."""

    turned: tuple[str, ...]
    kept: tuple[str, ...]
