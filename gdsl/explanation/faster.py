"""What would make a program faster: its warnings, wide types along edges, and what stops the compiler's own passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdsl.backends.cuda import neighbors_of
from gdsl.diagnostics import Diagnostic
from gdsl.explanation.model import OperatorFact
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps
from gdsl.plan.nodes import Plan
from gdsl.plan.walking import operations, sweeps_of
from gdsl.types import Type
from gdsl.uniqueness.layout import obstacle as obstacle_to_layout
from gdsl.uniqueness.order import Obstacle

_NARROWER = {Type.FLOAT64: Type.FLOAT32, Type.INT64: Type.INT32, Type.UINT64: Type.UINT32}


def advice(
    program: ir.Program,
    plan: Plan,
    operators: Sequence[OperatorFact],
    diagnostics: Sequence[Diagnostic],
    orders: Sequence[tuple[ir.While, Obstacle | None]],
) -> tuple[str, ...]:
    """Sentences, the most certain first."""
    parts = (
        *(_warning(each) for each in diagnostics),
        *_wide_types(program, operators),
        *_in_edge_ids(plan),
        *_orders(orders),
        *_fusion(program),
        *_layout(program),
    )
    return tuple(dict.fromkeys(parts))


def _warning(each: Diagnostic) -> str:
    where = f" ({each.span.words})" if each.span is not None else ""
    fix = f"; {each.fix}" if each.fix else ""
    return f"{each.code}: {each.message}{where}{fix}"


def _wide_types(program: ir.Program, operators: Sequence[OperatorFact]) -> Iterator[str]:
    """Data of 8 bytes that operators use along edges."""
    for array in program.arrays:
        narrow = _NARROWER.get(array.type)
        if narrow is None:
            continue
        uses = [
            each for each in operators if any(_names(part, array.name) for cost in each.costs for part in cost.parts)
        ]
        if not uses:
            continue
        parameter = next((each for each in program.types if array.name in each.users), None)
        if parameter is not None and parameter.type is parameter.default:
            how = f"`-t {parameter.name}={narrow.name}`"
        else:
            how = f"{narrow.name}"
        saved = "; ".join(_saved(each, array.name) for each in uses)
        yield f"`{array.name}` is {array.type.name}: {how}, where its values fit, halves its bytes ({saved})"


def _saved(operator: OperatorFact, name: str) -> str:
    """How much of what an operator moves an array is."""
    costs = [cost for cost in operator.costs if any(_names(part, name) for part in cost.parts)]
    cost = max(costs, key=lambda each: each.read + each.written)
    own = sum(int(part.rpartition(": ")[2].split()[0]) for part in cost.parts if _names(part, name))
    return f"{own} of {cost.read + cost.written} bytes per {cost.per} in @{operator.label}"


def _names(part: str, name: str) -> bool:
    return part.startswith((f"{name}[", f"{name}:"))


def _in_edge_ids(plan: Plan) -> Iterator[str]:
    for operation in operations(plan):
        for sweep in sweeps_of(operation):
            if any(walk.edge_ids and walk.lists.value == "in_edges" for walk in sweep.walks):
                where = f"@{operation.step.label} ({operation.step.span.words})"
                yield f"{where} reads the ids of in-edges, 4 bytes or more each; along out-edges it would read none"


def _orders(orders: Sequence[tuple[ir.While, Obstacle | None]]) -> Iterator[str]:
    for loop, obstacle in orders:
        if obstacle is not None:
            yield f"the loop in {loop.span.words} runs as given: {obstacle.why} ({obstacle.span.words})"


def _fusion(program: ir.Program) -> Iterator[str]:
    if not program.tuning.fuse:
        yield "`schedule.fuse = off` makes each operator a kernel of its own"
        return
    own = {step.site for step in all_steps(program.schedule) if isinstance(step, ir.Operator)}
    for pair in neighbors_of(program):
        if pair.obstacle is not None and {pair.first.step.site, pair.second.step.site} <= own:
            second = pair.second.step
            where = f"@{second.label} ({second.span.words})"
            yield f"{where} has a sweep of its own: {pair.obstacle.why} ({pair.obstacle.span.words})"


def _layout(program: ir.Program) -> Iterator[str]:
    obstacle = obstacle_to_layout(program)
    if obstacle is not None:
        yield f"vertices keep their order: {obstacle.why} ({obstacle.span.words})"
