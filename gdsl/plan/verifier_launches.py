"""What must hold of launches, and of what the host does between them: conditions are asked where they can be answered,
operators end with what others need of them, and scalars that rotate or are private are written back."""

from __future__ import annotations

from gdsl.effects.access import Accesses, frontiers_of, measured_frontiers
from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression
from gdsl.ir.traversal import walk
from gdsl.ir.verifier import expecting
from gdsl.plan import nodes
from gdsl.plan.contracts import ENDING_SET_STEPS
from gdsl.plan.facts import may_be_left_out
from gdsl.plan.hints import FewAsList
from gdsl.plan.hoisted_scalars import noted_scalars
from gdsl.plan.verifier_barriers import missing_barrier
from gdsl.plan.walking import blocks_of, launches, operations, steps_in, sweeps_of
from gdsl.types import Type

_SAME_EACH_TIME = (ir.Literal, ir.NoneId, ir.ParamValue, ir.Unary, ir.Binary, ir.Convert)


def verify_launches(plan: nodes.Plan, accesses: Accesses) -> None:
    """Raise `gdsl.ir.verifier.VerificationError` where a launch is not whole, or the host would have to do its work."""
    verifier = _Launches(plan, accesses)
    for step in plan.schedule:
        verifier.on_host(step)
    for launch in launches(plan):
        verifier.launch(launch)


class _Launches:
    def __init__(self, plan: nodes.Plan, accesses: Accesses) -> None:
        self.plan, self.program, self.accesses = plan, plan.program, accesses
        self.expect = expecting(f"plan of {plan.program.name}")
        self.counted = {each.name for each in plan.frontiers if each.counts is not None}
        self.rotations = {each.name: each.value for each in plan.rotations}

    def on_host(self, step: nodes.Step) -> None:
        """A step between launches."""
        if isinstance(step, nodes.On):
            self.expect(step.enter is not None, "the device enters a graph by itself")
        elif isinstance(step, (nodes.Loop, nodes.Branch)):
            self.expect(step.ask is not None and step.ask.answer == step.condition, "the host asks for something else")
            self._condition(step)
        else:
            fits = isinstance(step, (nodes.Launch, nodes.Swap, nodes.Snapshot, nodes.Exchange))
            self.expect(fits, "the host cannot do what only the device can")
            return
        for each in (each for block in blocks_of(step) for each in block):
            self.on_host(each)

    def _condition(self, step: nodes.Loop | nodes.Branch) -> None:
        counted = isinstance(step, nodes.Loop) and step.counted
        wanted = Type.INT64 if counted else Type.BOOL
        self.expect(step.condition.type is wanted, "a condition of another type")

    def _handed_on(self, launch: nodes.Launch) -> None:
        reads, writes = set(measured_frontiers(launch.answer)), set[str]()
        for step in launch.steps if not self.plan.target.fused else ():
            if isinstance(
                step,
                (
                    nodes.Operation,
                    nodes.Define,
                    nodes.Copy,
                    nodes.Combine,
                    nodes.FarEnds,
                    nodes.MakeGraph,
                    nodes.Leader,
                    nodes.Fill,
                    nodes.OnSets,
                ),
            ):
                use = frontiers_of(step.step)
                (writes if isinstance(step, (nodes.Operation, nodes.Combine, nodes.OnSets)) else reads).update(use.read)
                writes.update(use.written)
        same = (reads, writes) == (set(launch.reads), set(launch.writes))
        once = len({*launch.reads}) == len(launch.reads) and len({*launch.writes}) == len(launch.writes)
        self.expect(same and once, "a launch hands on other frontiers than it uses")

    def launch(self, launch: nodes.Launch) -> None:
        """The steps of a launch."""
        plan = self.plan
        for step in steps_in(launch.steps):
            self.expect(not isinstance(step, nodes.Launch), "a launch within a launch")
            if isinstance(step, (nodes.Loop, nodes.Branch)):
                self.expect(step.ask is None, "the device asks the host")
                self._condition(step)
            if isinstance(step, nodes.Define):
                asks = may_be_left_out(step.step, self.program)
                self.expect(step.asks_lists == asks, "whether members are looked for in lists")
            if isinstance(step, nodes.Barrier):
                self.expect(plan.target.grid and bool(step.reason), "a barrier for nothing")
                self.expect(step == nodes.Barrier(step.reason), "a barrier of an operator outside of it")
        self._handed_on(launch)
        self.expect(bool(launch.steps) != (launch.answer is not None), "a launch that does nothing")
        one = plan.target.fused or (len(launch.steps) <= 1 and not any(isinstance(s, nodes.Loop) for s in launch.steps))
        self.expect(one, "a launch of several steps")
        if plan.target.grid and plan.target.fused:
            for step in steps_in(launch.steps):
                self._end(step)
            why = missing_barrier(launch, self.accesses)
            self.expect(why is None, f"a barrier is missing: {why}")
            self._scalars(launch)
        else:
            self.expect(not plan.rotations and not plan.private_scalars, "scalars rotate in several launches")
            own = (
                isinstance(step, (nodes.Barrier, nodes.Rotate, nodes.Privatize, nodes.StorePrivate, nodes.WriteBack))
                for step in steps_in(launch.steps)
            )
            self.expect(not any(own), "copies of scalars in several launches")
        chosen = [
            s.step.site for s in launch.steps if isinstance(s, nodes.Operation) and isinstance(s.does, nodes.Choice)
        ]
        self.expect(plan.target.fused or list(launch.directions) == chosen, "a switch is not handed on")

    def _end(self, step: nodes.Step) -> None:
        """A collected set is complete, and the walked edges are counted, after a barrier."""
        if isinstance(step, nodes.OnSets):
            level = isinstance(step.step, (ir.PushLevel, ir.TakeLevel))
            self.expect(step.waits or level, "a set is used before it is complete")
            self.expect(
                not step.waits or type(step.step) in ENDING_SET_STEPS, "a barrier that the runtime does not have"
            )
            counts = isinstance(step.step, ir.TakeLevel) and step.step.name in self.counted
            self.expect(step.waits or not counts, "the edges of a level are not counted yet")
        if isinstance(step, nodes.Operation) and not step.waits:
            for each in (*step.fused, step):
                fits = not isinstance(each.does, nodes.Choice) and each.does.collect is None and not self.program.graphs
                self.expect(fits, f"{each.name} does not wait for its own result")
                walks = not isinstance(each.does, nodes.Choice) and (each.does.walks or each.does.intersection)
                reduces = not isinstance(each.does, nodes.Choice) and each.does.segment is not None
                self.expect(not walks or reduces, f"{each.name} does not wait for the edges that it counts")
        if isinstance(step, nodes.Loop):
            self._list(step)

    def _list(self, loop: nodes.Loop) -> None:
        """A worklist of few members is a list that no other step reads or writes."""
        for push in (step for step in loop.body if isinstance(step, nodes.Operation)):
            if not any(sweep.hint(FewAsList) for sweep in sweeps_of(push)):
                continue
            name = push.step.result
            others = [step for step in steps_in(loop.body) if step is not push]
            self.expect(not any(isinstance(step, nodes.Loop) for step in others), "a list in a loop around others")
            of_sets = (
                nodes.Operation,
                nodes.Copy,
                nodes.FarEnds,
                nodes.Combine,
                nodes.OnSets,
                nodes.MakeGraph,
                nodes.Define,
            )
            used = [frontiers_of(step.step) for step in others if isinstance(step, of_sets)]
            self.expect(all(name not in (*use.read, *use.written) for use in used), f"{name} is a list, and is used")

    def _scalars(self, launch: nodes.Launch) -> None:
        """Rotating and private scalars are stored by the schedule in one way, and written back where they are
        results."""
        plan, steps = self.plan, list(steps_in(launch.steps))
        stores = [
            (step, step.step) for step in steps if isinstance(step, (nodes.Leader, nodes.Rotate, nodes.StorePrivate))
        ]
        results = {scalar.name for scalar in self.program.scalars if not scalar.is_local}
        results |= noted_scalars(self.program)
        written = {each.name for o in operations(plan) for each in self.accesses.of_step(o.step) if each.writes}
        for step, store in stores:
            if not isinstance(store, ir.StoreScalar):
                continue
            name = store.scalar
            self.expect(
                isinstance(step, nodes.StorePrivate) == (name in plan.private_scalars),
                f"{name} is not stored by every thread",
            )
            if isinstance(step, nodes.Rotate):
                constant = all(isinstance(node, _SAME_EACH_TIME) for node in walk(store.value))
                self.expect(name in self.rotations and constant, f"{name} rotates to a value that changes")
                self.expect(_text(store.value) == _text(self.rotations.get(name)), f"{name} rotates to another value")
        for name in plan.private_scalars:
            self.expect(name not in written, f"{name} is private, and operators write it")
        rotating = {step.step.scalar for step in steps if isinstance(step, nodes.Rotate)}
        self.expect(rotating == set(self.rotations), "other scalars rotate")
        private = [name for step in steps if isinstance(step, nodes.Privatize) for name in step.scalars]
        self.expect(sorted(private) == sorted(plan.private_scalars), "other scalars are private")
        back = [step for step in steps if isinstance(step, nodes.WriteBack)]
        written_back = (
            {name for step in back for name in step.rotating},
            {name for step in back for name in step.private},
        )
        wanted = results & set(self.rotations), results & set(plan.private_scalars)
        self.expect(
            written_back == wanted and len(back) == bool(wanted[0] or wanted[1]), "a result is not written back"
        )
        last = isinstance(launch.steps[-1], (nodes.WriteBack, nodes.Barrier))
        self.expect(not back or last, "results are written back too early")


def _text(value: ir.Expression | None) -> str:
    """A value without its place in the text."""
    return f"{value.type.name} {print_expression(value)}" if value is not None else ""
