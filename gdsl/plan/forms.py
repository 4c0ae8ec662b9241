"""Decides how the frontier that an advance makes is stored."""

from __future__ import annotations

from gdsl.ir.nodes import Advance, Program
from gdsl.ir.traversal import walk
from gdsl.operations import Direction, FrontierForm
from gdsl.plan.choices import Directions
from gdsl.plan.sweep_nodes import Form

_FORMS = {FrontierForm.QUEUE: Form.QUEUE, FrontierForm.BITMAP: Form.BITMAP}


def form_of_result(asked: FrontierForm, pulls: bool) -> Form:
    """As somebody asks, else as it comes: a push finds members in no order, a pull goes over all vertices. A pull whose
    result is to be a queue makes that from the bitmap."""
    return _FORMS.get(asked, Form.BITMAP if pulls else Form.QUEUE)


def collected_as_bitmaps(program: Program, directions: Directions) -> frozenset[str]:
    """The frontiers that an operator may leave without a queue."""
    found = set()
    for step in (node for node in walk(program.schedule) if isinstance(node, Advance)):
        asked, direction = program.tuning.sites[step.site].frontier, directions.of_site[step.site]
        ways = {Direction.PUSH: (False,), Direction.PULL: (True,), Direction.AUTO: (False, True)}[direction]
        if step.result and any(form_of_result(asked, pulls) is Form.BITMAP for pulls in ways):
            found.add(step.result)
    return frozenset(found)
