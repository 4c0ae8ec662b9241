"""Nodes of the IR inside functors and functions: statements, and expressions that write.

`UpdateValue` and `CompareAndSwap` are expressions with an effect. The checker allows them only where the order of
effects is obvious: as the whole value of a `let`, `var`, assignment, expression statement, `accept` or condition, or
as an operand of `&& || !` there.
"""

from __future__ import annotations

from gdsl.ir.expression_nodes import Expression, Node
from gdsl.operations import Domain, Forest, Outcome, ReduceOperation, StoreRule
from gdsl.records import dataclass
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class ElementTarget(Node):
    """An array element that is written."""

    array: str
    domain: Domain
    type: Type
    index: Expression
    checked: bool

    @property
    def data(self) -> str:
        """The name of what is written."""
        return self.array


@dataclass(frozen=True, slots=True)
class ScalarTarget(Node):
    """A scalar that is written."""

    scalar: str
    type: Type

    @property
    def data(self) -> str:
        """The name of what is written."""
        return self.scalar


Target = ElementTarget | ScalarTarget


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """A statement of a functor or function."""


@dataclass(frozen=True, slots=True)
class Store(Statement):
    """`x = y` or `x any= y`."""

    target: Target
    value: Expression
    rule: StoreRule


@dataclass(frozen=True, slots=True)
class Update(Statement):
    """`x op= y`, atomic where several calls may write the same element."""

    target: Target
    operation: ReduceOperation
    value: Expression


@dataclass(frozen=True, slots=True)
class UpdateValue(Expression):
    """`changed(x op= y)` (bool) or `fetch(x op= y)` (the former value)."""

    outcome: Outcome
    update: Update


@dataclass(frozen=True, slots=True)
class CompareAndSwap(Expression):
    """`cas(x, old, new)`: true for the single call that changed `target` from `old` to `new`."""

    target: Target
    old: Expression
    new: Expression


@dataclass(frozen=True, slots=True)
class Evaluate(Statement):
    """A `cas` used as a statement."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Accept(Statement):
    """Decides membership of the outgoing frontier; the last one executed counts, and without any it is true."""

    value: Expression


# ---------------------------------------------------------------- locals and control flow of functors


@dataclass(frozen=True, slots=True)
class Let(Statement):
    """A new local, constant (`let`) or not (`var`)."""

    name: str
    type: Type
    value: Expression
    mutable: bool


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """A new value for a `var`."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Branch(Statement):
    """`if … else …` in a functor."""

    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ForRange(Statement):
    """`for i in first..last`, `last` excluded; both ends are evaluated once."""

    name: str
    type: Type
    first: Expression
    last: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ForNeighbors(Statement):
    """`for name, edge in neighbors(vertex)`: the out-edges of `vertex`, which is evaluated once, in the order of its
    list. `checked` as in `Element`; `edge` is None where the program does not name it."""

    name: str
    edge: str | None
    vertex: Expression
    checked: bool
    body: tuple[Statement, ...]

    @property
    def variables(self) -> tuple[tuple[str, Type], ...]:
        """The variables of the loop, with their types."""
        neighbor = (self.name, Type.VERTEX)
        return (neighbor,) if self.edge is None else (neighbor, (self.edge, Type.EDGE))


@dataclass(frozen=True, slots=True)
class Loop(Statement):
    """`while (condition)` in a functor; polls the stop flag. `forest`: what it does with labels, where the program says
    `join` or `root`."""

    condition: Expression
    body: tuple[Statement, ...]
    forest: Forest | None = None


@dataclass(frozen=True, slots=True)
class Break(Statement):
    """Leaves the innermost loop of the functor."""


@dataclass(frozen=True, slots=True)
class Return(Statement):
    """The value of a function."""

    value: Expression
