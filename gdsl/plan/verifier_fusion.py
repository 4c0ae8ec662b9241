"""What must hold of operators that share a sweep: a call sees what another one wrote for its own member alone."""

from __future__ import annotations

from gdsl.ir.nodes import Operator
from gdsl.operations import Balance
from gdsl.plan.functor_facts import own_arrays
from gdsl.plan.hints import Contended, EqualShares, ReadAhead, TotalFirst
from gdsl.plan.nodes import Operation, Sweep
from gdsl.plan.verifier_variants import VariantVerifier


class FusionVerifier(VariantVerifier):
    """What `gdsl.plan.verifier_sweeps` asks of operators in one sweep."""

    def verify_fused(self, operations: tuple[Operation, ...]) -> None:
        """Operators in one sweep go through the same members, and a call sees what another one wrote for its own
        member alone."""
        if len(operations) == 1:
            return
        self.expect(self.target.fused and not self.target.workers, "two operators in one sweep")
        if not self.target.grid:
            reduction, *others = operations
            reduces = isinstance(reduction.does, Sweep) and reduction.does.segment is not None
            self.expect(reduces and len(others) == 1, "one thread after the other in one sweep")
        for number, later in enumerate(operations[1:], start=1):
            second = later.does
            self.expect(isinstance(second, Sweep) and second.own is not None, "edges in another operator's sweep")
            assert isinstance(second, Sweep)
            self.expect(second.hint(ReadAhead) is None, "values read early that another operator may write")
            shared = not any(second.hint(kind) is not None for kind in (Contended, EqualShares, TotalFirst))
            self.expect(shared, "threads of another sweep")
            for earlier in operations[:number]:
                first = earlier.does
                fits = isinstance(first, Sweep) and (first.own is not None or first.segment is not None)
                self.expect(fits, "an operator behind a walk along edges in one sweep")
                assert isinstance(first, Sweep)
                same = (first.members.domain, first.members.frontier) == (
                    second.members.domain,
                    second.members.frontier,
                )
                self.expect(same and first.members.frontier not in self.repeated, "other members in one sweep")
                complete = first.collect is None and first.hint(ReadAhead) is None
                self.expect(complete, "a sweep that goes on with its own result")
                if first.segment is not None:
                    whole = first.segment.aside is None and first.balance not in (Balance.MERGE, Balance.EDGES)
                    self.expect(whole and second.collect is None, "results that are not complete yet")
                alone = self._own(earlier.step) & self._own(later.step)
                for name in self._meeting(earlier.step, later.step):
                    self.expect(name in alone, f"{name} is seen before all calls have written it")

    def _own(self, step: Operator) -> frozenset[str]:
        """The arrays of which the work on a member touches that member's element alone."""
        functor = self.accesses.functor_of(step)
        if step.stores is not None:
            read = any(each.name == step.stores and not each.writes for each in self.accesses.of_step(step))
            array = self.arrays.get(step.stores)
            return frozenset({step.stores}) if not read and array is not None and array.count is None else frozenset()
        return own_arrays(functor, self.program) if functor is not None else frozenset()

    def _meeting(self, first: Operator, second: Operator) -> set[str]:
        one, other = self.accesses.of_step(first), self.accesses.of_step(second)
        written = {each.name for each in one if each.writes}, {each.name for each in other if each.writes}
        names = {each.name for each in one}, {each.name for each in other}
        return (written[0] & names[1]) | (written[1] & names[0])
