"""What the host must know of scalars that it keeps with a graph; see `gdsl.plan.hoisted_scalars`, which finds them."""

from __future__ import annotations

from gdsl.records import dataclass
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class HoistedScalar:
    """One scalar, the param with its first value, and that value where it is not known."""

    scalar: str
    param: str
    type: Type
    value: bool | int | float | None
    """None: `none`."""


@dataclass(frozen=True, slots=True)
class HoistedScalars:
    """Scalars that are found together, under the `key` that says how. `there`: the param which says that they are
    known. `found`: the scalar that is true after a run which has found them."""

    key: str
    there: str
    found: str
    scalars: tuple[HoistedScalar, ...]
