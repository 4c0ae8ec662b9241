"""Monotone loops: any order of their visits ends in the same values (*Order of work* of the language).

`while (f) { f = advance(f, relax); }` and nothing else, where all that `relax` does is one `min=` (or `max=`) on an
element at the far end, with `accept changed(…)` of just that. What decides it must be the same in every visit, and the
operand monotone in the element at the near end (`monotone`): then the worklist of `relaxation` may be processed in any
order.

More exactly: let a run visit, in whatever order and as often as it likes, vertices that were in the first worklist or
have changed, and no others, each visit with the value that the vertex has at some moment during it; and let every
change, and every membership of the first worklist, be followed by a visit that sees that value or a later one. The
proof of `relaxation` needs no more than this. Its end D is the only one: what any run stores is the operand's value
along some path from the first worklist, taken in the order of the path; D has the least of these (for `max=` the
largest), since the operand of a value that is no further on is itself no further on. So nothing is reordered within a
path: sums of floats, which depend on their order, are computed along each path from its start to its end, with the
program's own operations, and rounding is monotone.

The same holds for `while (b) { b.push(advance(b.pop(), relax)); }` where the width of `b` is automatic: which vertices
a pop takes is open, everything that waits is visited once more (`split_worklists`), and nothing else is done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gdsl.diagnostics import Diagnostic, GdslError, Label
from gdsl.effects import Effects
from gdsl.effects.terms import split
from gdsl.ir import nodes
from gdsl.ir.traversal import all_steps
from gdsl.ir.worklists import hindrance, without_buckets
from gdsl.operations import EXTREMES, Domain, Order
from gdsl.rules import JudgedOperator
from gdsl.source import Source, Span
from gdsl.uniqueness.data import Data
from gdsl.uniqueness.relaxation import Loop, works_off

_FIX = "write `as_given` or `auto`"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a program may not be run in another way, and the place that shows it."""

    why: str
    span: Span


def obstacles(program: nodes.Program, sites: Mapping[int, JudgedOperator], data: Data) -> dict[int, Obstacle | None]:
    """The obstacle to another order for each `while` of a program, by number; None for monotone loops."""
    loops = (step for step in all_steps(program.schedule) if isinstance(step, nodes.While))
    return {step.loop: _obstacle(step, sites, data) for step in loops}


def _obstacle(step: nodes.While, sites: Mapping[int, JudgedOperator], data: Data) -> Obstacle | None:
    if not isinstance(step.condition, nodes.FrontierNotEmpty):
        return Obstacle("the condition of this loop is not just a worklist", step.condition.span)
    worklist = step.condition.frontier
    body = without_buckets(step).body
    if len(body) != 1:
        return Obstacle(f"the loop does more than advance `{worklist}`", step.body[0].span if step.body else step.span)
    (operator,) = body
    if not isinstance(operator, nodes.Operator) or operator.visits is None or operator.frontier.everything:
        return Obstacle(f"the loop does something other than advance `{worklist}`", operator.span)
    if operator.result is None or operator.result_domain is not Domain.VERTEX:
        return Obstacle("what is accepted here is not a set of vertices", operator.span)
    effects = sites[operator.site].effects
    obstacle = _in_functor(effects)
    if obstacle is None and effects.writes[0].name not in Loop(step, sites, data).settled():
        write = effects.writes[0]
        why = (
            f"it is not known that the value which is compared with `{write.name}` at the far end moves the same way as"
            f" `{write.name}` at the near one, by the same rule in every pass"
        )
        return Obstacle(why, write.span)
    return obstacle


def _in_functor(effects: Effects) -> Obstacle | None:
    """What a functor does in addition to its one reduction."""
    if not effects.writes:
        return Obstacle("nothing is written, so there is no order", effects.operator.span)
    write = effects.writes[0]
    if len(effects.writes) > 1:
        other = effects.writes[1]
        return Obstacle(f"`{other.name}` is written in addition to `{write.name}`, once for each visit", other.span)
    if write.operation not in EXTREMES:
        return Obstacle(f"`{write.form}` on `{write.name}` is not a `min=` or `max=`", write.span)
    if write.index is not effects.far and len(split(write.index)) > 1:
        return Obstacle(f"`{write.name}` has several values for each vertex, and no order among them", write.span)
    if effects.accept is not write.result:
        return Obstacle(f"what is accepted is not just `changed({write.name}[far] {write.form} …)`", write.span)
    if not works_off(effects, write.name):
        reads = (read.span for read in effects.reads.values() if read.name == write.name)
        why = f"`{write.name}` is not just written at the far end of an edge and read at the near one"
        return Obstacle(why, next((span for span in reads), write.span))
    return None


def obstacle_to_near_far(
    loop: nodes.While, program: nodes.Program, known: Mapping[int, Obstacle | None]
) -> Obstacle | None:
    """Why `loop` is not processed from near to far; None where it may be. `known`: the obstacles to any other order."""
    obstacle = known[loop.loop]
    if obstacle is not None:
        return obstacle
    why = hindrance(loop, program)
    return Obstacle(why, loop.span) if why is not None else None


def check_order(program: nodes.Program, known: Mapping[int, Obstacle | None], source: Source) -> None:
    """Raise GdslError (E0420) where `schedule.order = near_far` has no loop that may be processed so."""
    if program.tuning.order is not Order.NEAR_FAR:
        return
    knob = "`schedule.order = near_far` does not fit here"
    loops = [step for step in all_steps(program.schedule) if isinstance(step, nodes.While)]
    obstacles = [obstacle_to_near_far(loop, program, known) for loop in loops]
    if not program.tuning.fuse:
        mistake = Diagnostic(
            "E0420", f"{knob}: one kernel per step keeps no order", program.span, fix="leave out `fuse`"
        )
    elif None in obstacles:
        return
    elif not loops:
        mistake = Diagnostic("E0420", f"{knob}: there is no `while`", program.span, fix=_FIX)
    else:
        labels = tuple(Label(each.span, each.why) for each in obstacles if each is not None)
        mistake = Diagnostic("E0420", f"{knob}: {labels[0].text}", labels[0].span, labels=labels[1:], fix=_FIX)
    raise GdslError([mistake], source)
