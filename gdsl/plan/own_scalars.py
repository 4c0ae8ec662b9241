"""Decides of which scalars each thread of an operator on elements has a copy (cpu).

A scalar lies in memory, as arrays do, and for all that a compiler knows a store to an element may change it. So it is
read anew for each element, and with it whatever is computed from it: a division by a scalar is made a thousand times,
one behind the other. What the operator itself does not write stays as it is while it runs, and a copy that nothing
else points to is read once. The same goes for the pointers to arrays and the params, so threads have copies of these,
too.

Operators along edges have none: they read more arrays than there are registers, and gained nothing by it.
"""

from __future__ import annotations

from gdsl.ir.nodes import EdgeFunctor, ScalarTarget, ScalarValue, VertexFunctor
from gdsl.ir.traversal import walk
from gdsl.passes.writers import targets


def own_scalars(functor: VertexFunctor | EdgeFunctor) -> tuple[str, ...]:
    """Those that `functor` reads and does not write, in the order of the text."""
    written = {target.scalar for target in targets(functor) if isinstance(target, ScalarTarget)}
    read = (node.name for node in walk((functor.condition, functor.body)) if isinstance(node, ScalarValue))
    return tuple(name for name in dict.fromkeys(read) if name not in written)
