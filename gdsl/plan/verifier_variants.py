"""What must hold of the ways in which a functor is run: complete, in order, and with plain writes only where one call
has the element alone."""

from __future__ import annotations

from gdsl.effects.access import Accesses
from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression
from gdsl.ir.traversal import Remembered, contains, walk
from gdsl.ir.verifier import VerificationError
from gdsl.operations import BinaryOperation, UnaryOperation
from gdsl.passes.writers import (
    accumulated_scalars,
    kept_arrays,
    own_list_arrays,
    plain_arrays,
    single_writer_arrays,
    targets_in,
    written_arrays,
)
from gdsl.plan.deduplication import repeated_of
from gdsl.plan.functor_facts import may_stop
from gdsl.plan.hints import BlindClaim, ReadAhead
from gdsl.plan.nodes import Mode, Operation, Plan, Sweep, Variant
from gdsl.plan.write_modes import keeps_in_registers, stores_whole


class VariantVerifier:
    """What `gdsl.plan.verifier_sweeps` asks of the variants of an operation."""

    operation: Operation

    def __init__(self, plan: Plan) -> None:
        self.plan, self.program, self.target = plan, plan.program, plan.target
        self.accesses = Accesses(plan.program)
        self.frontiers = {frontier.name: frontier for frontier in plan.frontiers}
        self.arrays = {array.name: array for array in plan.program.arrays}
        self.scalars = {scalar.name: scalar.type for scalar in plan.program.scalars}
        self.repeated = repeated_of(plan)
        self.ask = Remembered()
        loops = [node for node in walk(plan.program.schedule) if isinstance(node, (ir.While, ir.Repeat))]
        within = {step.site: loop for loop in loops for step in loop.body if isinstance(step, ir.Advance)}
        self.in_loops = frozenset(within)
        self.loop_of = {site: loop for site, loop in within.items() if isinstance(loop, ir.While)}

    def expect(self, holds: bool, what: str) -> None:
        """Raise `VerificationError` with `what` unless it `holds`."""
        if not holds:
            raise VerificationError(f"plan of {self.program.name}: {self.operation.name}: {what}")

    def _run(self, functor: ir.Functor, variant: Variant, sweep: Sweep, alone: frozenset[ir.Role] | None) -> None:
        """`alone`: the parameters whose elements one call has; None: one thread runs all calls."""
        self.expect(variant.functor == functor.name, "another functor")
        claim, selection = variant.claim, sweep.selection
        tests = [*variant.tests, *((claim.conjunct,) if claim else ()), *(selection.test.tests if selection else ())]
        left_out = [
            i for i in range(len(functor.condition)) if i not in tests and self._tells_nothing(functor, i, sweep)
        ]
        complete = sorted([*tests, *left_out]) == list(range(len(functor.condition)))
        self.expect(complete, "a conjunct is tested never or twice")
        self.expect(list(variant.tests) == sorted(variant.tests), "tests out of order")
        body = [*variant.body, *((claim.statement,) if claim else ())]
        self.expect(sorted(body) == list(range(len(functor.body))), "a statement is run never or twice")
        self.expect(list(variant.body) == sorted(variant.body), "statements out of order")
        if claim is not None:
            self._claim(functor, variant, sweep)
        statements = tuple(functor.body[i] for i in variant.body)
        written = {target.data for target in targets_in(statements)}
        self.expect(sorted(each.name for each in variant.writes) == sorted(written), "other things are written")
        self.expect(variant.accepts == contains(statements, ir.Accept), "who accepts")
        if alone is None:
            plain = self.ask(written_arrays, functor)
        else:
            plain = self.ask(plain_arrays, functor, alone) if claim is None and alone else frozenset()
            if claim is None and alone and sweep.own is not None and stores_whole(self.target):
                plain |= self.ask(single_writer_arrays, functor, alone)
            of_vertex = sweep.own is not None and alone is not None and ir.Role.VERTEX in alone
            if claim is None and of_vertex and self.target.one_memory:
                plain |= self.ask(own_list_arrays, functor)
        on_vertices = alone is not None and ir.Role.VERTEX in alone and sweep.own is not None and claim is None
        in_registers = on_vertices and keeps_in_registers(self.target)
        kept = self.ask(kept_arrays, functor) if in_registers else frozenset()
        if in_registers and any(isinstance(each.step, ir.NeighborReduce) for each in self.operation.fused):
            kept |= self.ask(single_writer_arrays, functor, alone)  # in place, see `verifier_sweeps`
        summed = self.ask(accumulated_scalars, functor)
        totals = {total.scalar for total in sweep.totals}
        for write in variant.writes:
            self.expect(write.mode is not Mode.PLAIN or write.name in plain, f"{write.name} has several writers")
            self.expect(write.mode is not Mode.OWN or write.name in kept, f"{write.name} is not known to the call")
            is_total = write.name in self.scalars and write.name in summed
            self.expect((write.mode is Mode.TOTAL) == is_total, f"{write.name} is summed up where it is not")
            self.expect(not is_total or write.name in totals, f"nobody combines the totals of {write.name}")

    def _tells_nothing(self, functor: ir.Functor, number: int, sweep: Sweep) -> bool:
        """Whether all that follows from a conjunct is whether the one statement, an assignment, changes anything: no
        result and no sum, and the conjunct fails only for an element that has the assigned constant."""
        if sweep.collect is not None or sweep.totals or sweep.selection is not None or not self.target.grid:
            return False
        store = functor.body[0] if len(functor.body) == 1 and isinstance(functor, ir.EdgeFunctor) else None
        if not isinstance(store, ir.Store) or not isinstance(store.value, ir.Literal) or store.value.type.holds_float:
            return False
        test, target = functor.condition[number], store.target
        sides = (test.left, test.right) if isinstance(test, ir.Binary) else ()
        if sides and isinstance(test, ir.Binary) and test.operation is BinaryOperation.NOT_EQUAL:
            values = [each.value for each in sides if isinstance(each, ir.Literal)]
            element = next((each for each in sides if isinstance(each, ir.Element)), None)
        else:
            negated = isinstance(test, ir.Unary) and test.operation is UnaryOperation.NOT
            inner = test.operand if isinstance(test, ir.Unary) else test
            values, element = [negated], inner if isinstance(inner, ir.Element) else None
        if element is None or not isinstance(target, ir.ElementTarget) or values != [store.value.value]:
            return False
        places = (element.index, target.index)
        ends = [each.role for each in places if isinstance(each, ir.Parameter)]
        same = element.array == target.array and len(ends) == 2 and ends[0] is ends[1]
        return same and self.target.one_memory and not may_stop(functor.condition[number + 1 :])

    def _claim(self, functor: ir.Functor, variant: Variant, sweep: Sweep) -> None:
        """Test and store of one element of the far end, once a run, with nothing between them that could tell."""
        claim, closing = variant.claim, getattr(self.operation.step, "closing", None)
        assert claim is not None and isinstance(functor, ir.EdgeFunctor)
        self.expect(isinstance(closing, ir.Closing), "a claim of what does not close")
        assert isinstance(closing, ir.Closing)
        facts = closing.end is ir.Role.FAR
        facts = facts and (closing.conjunct, closing.statement) == (claim.conjunct, claim.statement)
        self.expect(facts and closing.array == claim.array, "a claim of what does not close")
        test, store = functor.condition[claim.conjunct], functor.body[claim.statement]
        fits = isinstance(test, ir.Binary) and test.operation is BinaryOperation.EQUAL and isinstance(store, ir.Store)
        self.expect(fits and claim.expected in (getattr(test, "left", None), getattr(test, "right", None)), "a claim")
        assert isinstance(store, ir.Store)
        self.expect(store.target.type is claim.expected.type, "a claim that expects another type")
        blind = sweep.hint(BlindClaim) is not None
        self.expect(not claim.expected.type.is_pair or not blind, "a claim of a pair without a look")
        touched = [
            node
            for node in walk((functor.condition, functor.body))
            if isinstance(node, (ir.Element, ir.ElementTarget)) and node.array == claim.array
        ]
        self.expect(len(touched) == 2, "what is claimed is touched elsewhere")
        later = functor.condition[claim.conjunct + 1 :]
        self.expect(not may_stop((later, store.value)), "a test that may stop the run is moved")
        self.expect(sweep.selection is None, "a claim in a pull")

    def _read_ahead(self, functor: ir.Functor, hint: ReadAhead, sweep: Sweep) -> None:
        """What is read early is what the calls of this sweep leave alone, or the element of the call itself."""
        written = self.ask(written_arrays, functor)
        reads = [read for level in (*hint.before, *hint.after) for read in level]
        for node in walk(tuple(read.value for read in reads)):
            array = node.array if isinstance(node, ir.Element) else None
            index = ir.element_index(node.index) if isinstance(node, ir.Element) else None
            own = ir.is_parameter(index, ir.Role.VERTEX)
            self.expect(array not in written or own, f"{array} is read before others have written it")
        texts = [print_expression(read.value) for read in reads]
        self.expect(len(set(texts)) == len(texts), "a value that is read early twice")
        self.expect(all(read.places for read in reads), "a value that is read early and asked for nowhere")
        self.expect(hint.elements > 0, "no element at a time")
        skips = sweep.skips
        noted = (hint.own, hint.seen)
        self.expect(noted == (None, None) or skips is not None, "a value that nobody notes")
        self.expect(skips is None or None not in noted, "a worklist that notes no value")


def uses_edge_id(functor: ir.Functor) -> bool:
    """Whether a functor uses the edge itself, or its place."""
    return any(
        isinstance(node, ir.Place) or (isinstance(node, ir.Parameter) and node.role.is_edge) for node in walk(functor)
    )
