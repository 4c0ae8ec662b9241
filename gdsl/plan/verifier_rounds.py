"""What must hold where blocks run rounds of their own (decided by `local_rounds`)."""

from __future__ import annotations

from gdsl.effects.access import Accesses
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import contains, walk
from gdsl.ir.verifier import expecting
from gdsl.operations import Balance
from gdsl.plan.functor_facts import may_stop, own_arrays
from gdsl.plan.nodes import Barrier, Choice, Dedup, Form, Loop, Operation, Plan, Sweep
from gdsl.plan.walking import operations, steps_in, sweeps_of


def verify_rounds(plan: Plan) -> None:
    """Raise `VerificationError` unless each push with such rounds is the end of a loop that it works off, in which
    nothing depends on what the loop changes, and blocks run what the loop runs on its members."""
    found = {o.step.site for o in operations(plan) if any(sweep.rounds is not None for sweep in sweeps_of(o))}
    if found:
        _Verifier(plan).verify(found)


class _Verifier:
    def __init__(self, plan: Plan) -> None:
        self.plan, self.accesses = plan, Accesses(plan.program)
        self.expect = expecting(f"plan of {plan.program.name}: rounds of a block")

    def verify(self, found: set[int]) -> None:
        target = self.plan.target
        self.expect(target.fused and target.grid and not target.teams, "no grid to wait for")
        self.expect(not target.several_gpus and not target.workers and not self.plan.program.graphs, "another grid")
        loops = [step for step in steps_in(self.plan.schedule) if isinstance(step, Loop)]
        ends = {each.step.site: loop for loop in loops for each in loop.body[-1:] if isinstance(each, Operation)}
        for site in found:
            self.expect(site in ends, "no loop that ends with them")
            self._loop(ends[site])

    def _loop(self, loop: Loop) -> None:
        *before, advance = loop.body
        assert isinstance(advance, Operation)
        step, pushes = advance.step, [sweep for sweep in sweeps_of(advance) if sweep.rounds is not None]
        self.expect(isinstance(step, ir.Advance) and len(pushes) == 1, "no push")
        (push,) = pushes
        assert push.rounds is not None
        if isinstance(advance.does, Choice):
            self.expect(advance.does.yes.rounds is None and advance.does.no is push, "a pull with rounds")
        computations = [each for each in before if isinstance(each, Operation)]
        others = [each for each in before if not isinstance(each, (Operation, Barrier))]
        worklist = push.members.frontier
        members = {each.step.frontier.frontier for each in (*computations, advance)} | {step.result}
        self.expect(members == {worklist} and not others and not advance.fused, "a loop that does something else")
        ends = isinstance(loop.condition, ir.FrontierNotEmpty) and loop.condition.frontier == worklist
        self.expect(ends and not loop.counted and loop.order is None, "a loop that ends otherwise")
        own = [each.does.own for each in computations if isinstance(each.does, Sweep)]
        self.expect([each.own for each in push.rounds.runs] == own and len(own) == len(computations), "other work")
        self._collects(push)
        self._independent(computations, advance, push)

    def _collects(self, push: Sweep) -> None:
        collect, plain = push.collect, push.balance is Balance.AUTO and not push.totals and len(push.walks) == 1
        for each in (push.order, push.skips, push.selection, push.segment, push.vote, push.intersection, push.mirrors):
            plain = plain and each is None
        self.expect(plain and push.members.form is Form.QUEUE, "another kind of sweep")
        once = collect is not None and collect.dedup in (Dedup.CLAIM, Dedup.TICKET) and collect.form is Form.QUEUE
        self.expect(once, "a vertex that several calls may accept")

    def _independent(self, computations: list[Operation], advance: Operation, push: Sweep) -> None:
        """Nothing that is read is written in the loop, but by a claim."""
        every = (*computations, advance)
        touched = {each.step.site: self.accesses.of_step(each.step) for each in every}
        written = {each.name for accesses in touched.values() for each in accesses if each.writes}
        decided = {each.name for each in touched[advance.step.site] if each.writes}
        claims = push.walks[0].variant.claim is not None
        for each in every:
            functor = self.accesses.functor_of(each.step)
            read = {access.name for access in touched[each.step.site] if not access.writes} & written
            own_claim = decided if each is advance and claims else set[str]()
            self.expect(read <= own_claim, "something is read that the loop changes")
            asks = contains(functor, ir.Iteration, ir.FrontierSize, ir.FrontierNotEmpty)
            self.expect(not asks and not may_stop(functor), "a call that depends on the round")
        self.expect(
            push.rounds is not None and decided == {push.rounds.array}, "an advance that writes more than what accepts"
        )
        functor = self.accesses.functor_of(advance.step)
        stores = [node for node in walk(functor) if isinstance(node, ir.Store)]
        self.expect(len(stores) == (1 if claims else 0), "a store that is no claim")
        near = ir.Role.SOURCE if push.walks[0].over.name == "OUT_EDGES" else ir.Role.DESTINATION
        ends = [node.role for store in stores for node in walk(store.value) if isinstance(node, ir.Parameter)]
        self.expect(near not in ends and ir.Role.EDGE not in ends, "a claim that stores what its edge decides")
        for each in computations:
            functor = self.accesses.functor(each.step)
            writes = {access.name for access in touched[each.step.site] if access.writes}
            own = own_arrays(functor, self.plan.program)
            stores_only = all(isinstance(statement, ir.Store) for statement in functor.body)
            self.expect(stores_only and writes <= own and not writes & decided, "a computation that is not repeatable")
