"""What a program is tuned to: every knob of the table settled, each a field, as one object."""

from __future__ import annotations

from gdsl.ir.expressions import Node
from gdsl.operations import Balance, Direction, Duplicates, FrontierForm, Layout, Order
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class OperatorKnobs(Node):
    """The knobs of one operator; those that it does not have are as the table has them."""

    direction: Direction | None
    """None: nobody chose, and it is not known yet whether the functor closes; `gdsl.annotate` puts in what follows."""
    alpha: int
    beta: int
    balance: Balance
    frontier: FrontierForm = FrontierForm.AUTO
    dedup: Duplicates = Duplicates.AUTO


@dataclass(frozen=True, slots=True)
class Tuning(Node):
    """All knobs of a program: its own, and by site number those of its operators."""

    sites: tuple[OperatorKnobs, ...] = ()
    fuse: bool = True
    block: int | None = None
    """Threads a block; None: the backend's choice."""
    ids: int | None = None
    """Bits of a vertex or edge id, 32 or 64; None: 32 while they fit."""
    bounds: bool = True
    order: Order = Order.AUTO
    layout: Layout = Layout.AUTO
    hub_bounds: bool = False
    """No knob: whether blocks keep bounds of hubs where they may, which the graph of a run decides."""
    without: tuple[str, ...] = ()
    """No knob: the passes of the plan that are left out (`gdsl.plan.passes`), which changes no result."""
    rows_ahead: bool = False
    """No knob: whether sweeps over all vertices fetch what the next ones ask for, which the graph decides, too."""
