"""The operator IR: what a program means once names, types and conversions are resolved. This page has all of its
nodes; most are defined in the files `*_nodes.py`, by theme.

Every node is a frozen dataclass with the span of the text that it came from. Names of data, functors, frontiers and
locals are the program's own and unique within their kind, so a name identifies its declaration. Expressions are typed,
every conversion is explicit, and the operands of a `Binary` have one type. `gdsl.ir.verifier` checks this, and
`gdsl.ir.printer` prints it.
"""

from __future__ import annotations

from gdsl.ir.declaration_nodes import (
    Array,
    CommonNames,
    Doubt,
    EdgeFunctor,
    Frontier,
    Function,
    Param,
    Requirements,
    Scalar,
    TypeParameter,
    VertexFunctor,
    VoteFunctor,
)
from gdsl.ir.expression_nodes import (
    Binary,
    BuiltinCall,
    Chain,
    Convert,
    Count,
    DegreeOf,
    Element,
    Expression,
    FrontierNotEmpty,
    FrontierSize,
    FunctionCall,
    GraphRead,
    Iteration,
    ListVariable,
    Literal,
    Local,
    MakePair,
    Node,
    NoneId,
    OwnId,
    OwnPart,
    PairPart,
    Parameter,
    ParamValue,
    Place,
    Role,
    ScalarValue,
    Select,
    Slot,
    Unary,
    element_index,
)
from gdsl.ir.operator_nodes import (
    Advance,
    Closing,
    Compute,
    Filter,
    Intersect,
    NeighborReduce,
    NeighborVote,
    Operator,
    OwnOperation,
)
from gdsl.ir.schedule_nodes import (
    CombineFrontiers,
    Contract,
    CopyFrontier,
    DefineFrontier,
    Elements,
    FarEnds,
    Fill,
    GraphStep,
    If,
    On,
    Repeat,
    SameGraph,
    Step,
    StoreElement,
    StoreScalar,
    Subgraph,
    Swap,
    Weights,
    While,
)
from gdsl.ir.set_nodes import (
    Buckets,
    CheckPairs,
    CheckWidth,
    ChooseBound,
    History,
    NumberMembers,
    PopBuckets,
    PushBuckets,
    PushLevel,
    SetStep,
    SetUse,
    TakeLevel,
)
from gdsl.ir.statement_nodes import (
    Accept,
    Assign,
    Branch,
    Break,
    CompareAndSwap,
    ElementTarget,
    Evaluate,
    ForNeighbors,
    ForRange,
    Let,
    Loop,
    Return,
    ScalarTarget,
    Statement,
    Store,
    Target,
    Update,
    UpdateValue,
)
from gdsl.operations import Balance, Direction, Duplicates, FrontierForm, Layout, Order
from gdsl.records import dataclass

# ---------------------------------------------------------------- writes
#
# `UpdateValue` and `CompareAndSwap` are expressions with an effect. The checker allows them only where the order of
# effects is obvious: as the whole value of a `let`, `var`, assignment, expression statement, `accept` or condition, or
# as an operand of `&& || !` there.


# ---------------------------------------------------------------- declarations
# ---------------------------------------------------------------- schedule
# ---------------------------------------------------------------- operators
# ---------------------------------------------------------------- between frontiers and data
@dataclass(frozen=True, slots=True)
class OperatorKnobs(Node):
    """The knobs of one operator; those that it does not have are as the table of knobs has them."""

    direction: Direction | None
    """None: no choice was made, and it is not known yet whether the functor closes; `gdsl.annotate` derives it."""
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
    """Threads per block; None: the backend's choice."""
    ids: int | None = None
    """Bits of a vertex or edge id, 32 or 64; None: 32 while they fit."""
    bounds: bool = True
    order: Order = Order.AUTO
    layout: Layout = Layout.AUTO
    without: tuple[str, ...] = ()
    """Not a knob: the passes of the plan that are left out (`gdsl.plan.passes`), which changes no result."""


class _WithDigest(Node):
    """Room for a cached digest of the whole program, which is not part of its value: neither equality nor a copy knows
    it."""

    __slots__ = ("digest",)
    digest: str


@dataclass(frozen=True, slots=True)
class Program(_WithDigest):
    """A whole program. Frontier variables, named and temporary, are listed in `frontiers` in order of appearance."""

    name: str
    doc: str
    source_name: str
    requires: Requirements
    params: tuple[Param, ...]
    arrays: tuple[Array, ...]
    scalars: tuple[Scalar, ...]
    functions: tuple[Function, ...]
    vertex_functors: tuple[VertexFunctor, ...]
    edge_functors: tuple[EdgeFunctor, ...]
    frontiers: tuple[Frontier, ...]
    schedule: tuple[Step, ...]
    tuning: Tuning
    vote_functors: tuple[VoteFunctor, ...] = ()
    graphs: tuple[str, ...] = ()
    """The variables that hold graphs, at first the one that the program was given, in order of appearance. No frontier
    has one of their names."""
    any_ids: bool = False
    """Whether other ids, by descending degree and in the given order where degrees are equal, change no result except
    the ids in it, as `gdsl.uniqueness.layout` finds."""
    types: tuple[TypeParameter, ...] = ()
    """The type parameters, in the order of the text."""


__all__ = [
    "Accept",
    "Advance",
    "Array",
    "Assign",
    "Binary",
    "Branch",
    "Break",
    "Buckets",
    "BuiltinCall",
    "Chain",
    "CheckPairs",
    "CheckWidth",
    "ChooseBound",
    "Closing",
    "CombineFrontiers",
    "CommonNames",
    "CompareAndSwap",
    "Compute",
    "Contract",
    "Convert",
    "CopyFrontier",
    "Count",
    "DefineFrontier",
    "DegreeOf",
    "Doubt",
    "EdgeFunctor",
    "Element",
    "ElementTarget",
    "Elements",
    "Evaluate",
    "Expression",
    "FarEnds",
    "Fill",
    "Filter",
    "ForNeighbors",
    "ForRange",
    "Frontier",
    "FrontierNotEmpty",
    "FrontierSize",
    "Function",
    "FunctionCall",
    "GraphRead",
    "GraphStep",
    "History",
    "If",
    "Intersect",
    "Iteration",
    "Let",
    "ListVariable",
    "Literal",
    "Local",
    "Loop",
    "MakePair",
    "NeighborReduce",
    "NeighborVote",
    "Node",
    "NoneId",
    "NumberMembers",
    "On",
    "Operator",
    "OperatorKnobs",
    "OwnId",
    "OwnOperation",
    "OwnPart",
    "PairPart",
    "Param",
    "ParamValue",
    "Parameter",
    "Place",
    "PopBuckets",
    "Program",
    "PushBuckets",
    "PushLevel",
    "Repeat",
    "Requirements",
    "Return",
    "Role",
    "SameGraph",
    "Scalar",
    "ScalarTarget",
    "ScalarValue",
    "Select",
    "SetStep",
    "SetUse",
    "Slot",
    "Statement",
    "Step",
    "Store",
    "StoreElement",
    "StoreScalar",
    "Subgraph",
    "Swap",
    "TakeLevel",
    "Target",
    "Tuning",
    "TypeParameter",
    "Unary",
    "Update",
    "UpdateValue",
    "VertexFunctor",
    "VoteFunctor",
    "Weights",
    "While",
    "element_index",
]
