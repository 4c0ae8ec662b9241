"""Decides where a reduction over neighbours need not look at all of them.

`some` stays true once a neighbour has said so, `every` stays false: what is left of the list cannot change that. The
list is looked at to its end where a value may be found to be wrong on the way (an index outside its array), as the
reference does; where both lists of a vertex are reduced; and where the knob asks for another way to share edges out.
"""

from __future__ import annotations

from gdsl.ir.nodes import EdgeFunctor, NeighborReduce
from gdsl.operations import NeighborOperation, Over
from gdsl.plan.stops import may_stop

_STAYS = {NeighborOperation.SOME: True, NeighborOperation.EVERY: False}


def result_that_stays(step: NeighborReduce, functor: EdgeFunctor) -> bool | None:
    """The result at which a list need not be walked any further, if there is one."""
    if step.operation is None or step.over is Over.ALL_EDGES:
        return None
    if may_stop(functor):
        return None
    return _STAYS.get(step.operation)
