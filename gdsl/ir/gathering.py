"""Which advances may gather instead: those whose calls do nothing but combine a value into their far ends.

`residual[dst] += share[src]` has the same result whether each member sends along its edges or each vertex adds up what
its own edges bring from members. So an advance may gather if its functor is one update of the far end's element, by an
operation whose order does not show: of integers any, of floats those whose rounding is open in any case. (`min=` of
floats is left out, because nothing that arrives would still replace a NaN.) What it computes must not read what it
changes, nor stop the run, nor call a function that might never end: a gather asks the same of other ends.

The edges are walked the other way round. That needs the opposite lists, which take longer to make than an advance: they
must be there, because the graph is symmetric or because something else in the program walks them. And they have no ids
of edges unless they are lists of out-edges. Where a condition speaks of the far end alone, an advance has little to do
at the others, and some may close: these push, or search (`Direction.AUTO` of what closes).
"""

from __future__ import annotations

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import blocks_of, walk
from gdsl.operations import Domain, NeighborOperation, Over, ReduceOperation
from gdsl.types import Type

_FAR = {
    Over.OUT_EDGES: frozenset({ir.Role.FAR, ir.Role.DESTINATION}),
    Over.IN_EDGES: frozenset({ir.Role.FAR, ir.Role.SOURCE}),
}
_GATHERED = {
    ReduceOperation.ADD: NeighborOperation.SUM,
    ReduceOperation.SUBTRACT: NeighborOperation.SUM,
    ReduceOperation.MULTIPLY: NeighborOperation.PRODUCT,
    ReduceOperation.MIN: NeighborOperation.MIN,
    ReduceOperation.MAX: NeighborOperation.MAX,
    ReduceOperation.BIT_AND: NeighborOperation.AND,
    ReduceOperation.BIT_OR: NeighborOperation.OR,
    ReduceOperation.BIT_XOR: NeighborOperation.XOR,
}
"""How what arrives is put together; the result is then combined by the operation itself."""
_OF_BOOLS = {ReduceOperation.BIT_AND: NeighborOperation.EVERY, ReduceOperation.BIT_OR: NeighborOperation.SOME}


def walked_lists(program: ir.Program) -> frozenset[Over]:
    """The lists that operators walk as the program says, and those of out-edges, which every graph has."""
    overs = {step.visits for step in walk(program.schedule) if isinstance(step, ir.Operator)}
    return frozenset(Over if {Over.IN_EDGES, Over.ALL_EDGES} & overs else {Over.OUT_EDGES})


def may_gather(step: ir.Advance, program: ir.Program) -> bool:
    """Whether each vertex may gather what the calls of `step` combine into it."""
    if step.closing is not None or step.to is not Domain.VERTEX or step.over not in _FAR or program.graphs:
        return False
    if not program.requires.symmetric and step.over.reversed not in walked_lists(program):
        return False
    functor = program.edge_functor(step.functor)
    update = combined(functor)
    return (
        update is not None
        and _is_far(update.target, step.over)
        and _in_any_order(update)
        and not any(_hinders(node, update, step.over) for node in walk((functor.condition, functor.body)))
        and not any(_speaks_of_far(conjunct, step.over) for conjunct in functor.condition)
    )


def whole_at_times(program: ir.Program) -> frozenset[int]:
    """The sites of advances whose frontier is all vertices, at least the first time: then most edges are its own at
    least once. Of other frontiers nothing is known, and most are small; the program may say `direction = auto`."""
    sites: set[int] = set()

    def block(steps: tuple[ir.Step, ...], whole: frozenset[str]) -> frozenset[str]:
        """The frontiers that may be all vertices after `steps`, of those before that may be so."""
        for step in steps:
            if isinstance(step, ir.Advance) and (step.frontier.everything or step.frontier.frontier in whole):
                sites.add(step.site)
            if isinstance(step, ir.If):
                whole = block(step.then, whole) | block(step.otherwise, whole)
            elif inner := blocks_of(step):
                for body in inner:
                    whole |= block(body, whole | _made_whole(body, copied=bool(whole)))
            else:
                name = getattr(step, "result", None) or getattr(step, "name", None)
                everything = isinstance(step, ir.DefineFrontier) and step.everything
                copies = isinstance(step, ir.CopyFrontier) and step.other in whole
                whole = whole | {name} if name is not None and (everything or copies) else whole - {name}
        return whole

    block(program.schedule, frozenset())
    return frozenset(sites)


def _made_whole(body: tuple[ir.Step, ...], *, copied: bool) -> frozenset[str]:
    """The frontiers that a pass of a loop may leave as all vertices, or as copies of such ones; `copied`: there are
    some before it."""
    steps = list(walk(body))
    made = frozenset(step.name for step in steps if isinstance(step, ir.DefineFrontier) and step.everything)
    return made.union(step.name for step in steps if isinstance(step, ir.CopyFrontier) and (made or copied))


def combined(functor: ir.EdgeFunctor) -> ir.Update | None:
    """What a functor does if that is one update alone."""
    update = functor.body[0] if len(functor.body) == 1 else None
    return update if isinstance(update, ir.Update) else None


def gathered_by(update: ir.Update) -> NeighborOperation:
    """The reduction that puts together what arrives."""
    return (_OF_BOOLS if update.target.type is Type.BOOL else {}).get(update.operation) or _GATHERED[update.operation]


def _is_far(target: ir.Target, over: Over) -> bool:
    if not isinstance(target, ir.ElementTarget) or target.domain is not Domain.VERTEX or target.checked:
        return False
    return ir.is_parameter(target.index, *_FAR[over])


def _in_any_order(update: ir.Update) -> bool:
    type_ = update.target.type
    if type_.is_pair or (type_ is Type.BOOL and update.operation not in _OF_BOOLS):
        return False
    return not (type_.is_float and update.operation in (ReduceOperation.MIN, ReduceOperation.MAX))


def _hinders(node: ir.Node, update: ir.Update, over: Over) -> bool:
    """Whether a node of the functor means that it must run as the program says."""
    match node:
        case ir.FunctionCall() | ir.GraphRead() | ir.UpdateValue() | ir.CompareAndSwap() | ir.Slot() | ir.Place():
            return True
        case ir.Parameter():
            return node.role.is_edge and over.reversed is Over.IN_EDGES
        case ir.Element() if node.array == update.target.data:
            return True
    return bool(getattr(node, "checked", False))


def _speaks_of_far(conjunct: ir.Expression, over: Over) -> bool:
    """Whether a conjunct names the far end and nothing else of the edge."""
    roles = {node.role for node in walk(conjunct) if isinstance(node, ir.Parameter)}
    return bool(roles) and roles <= _FAR[over]
