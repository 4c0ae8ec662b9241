"""Pass `bit_parallel`: up to 64 instances of a program at a time, so that one visit of an edge serves all of them.

`map` runs a program with many values of its params. The instances share the graph and differ in their data. Here a set
of vertices is a word for each vertex, in which bit k says whether the vertex is a member in instance k, and so is each
test that functors make of a vertex's own data. An edge is then visited once for all instances that have its near end:
the word of the near end, and the words of the tests, say with two or three bitwise operations for which of them the
functor's body runs. That is MS-BFS (Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal", VLDB
2014), for whichever program has the effects below.

Control flow needs no proof: a condition is evaluated for each instance and gives a word, under which the block runs,
as on a SIMD machine. All instances of a loop enter it together, so `iteration` is one number for all that are still in
it, and an instance whose condition has become false keeps its data and sets. The body of a functor, and every step
that visits no edge, runs once for each instance, on its own data. So the results are those of separate runs, in
one of the orders of calls that the rules allow.

What the effects decide is whether an *edge* costs a word operation instead of one for each instance. That holds where

1. every operator that visits edges is an advance from vertices to vertices (a reduction, a vote or an intersection
   would read a value of each instance for each edge);
2. each of its conjuncts is either the same for all instances (it reads ids, the graph, `iteration`, and inputs that
   nothing writes), or a test of one end (it reads elements of that end, params, and such inputs, but neither
   `iteration` nor a scalar, whose changes nobody could see at the vertex);
3. its body, if any, runs at most once for a vertex and an instance until the array is reset: the functor closes at its
   far end (`rules.closing`), which a test of that end decides. Otherwise it would run once for an edge and an instance;
4. nothing changes an array that such a test reads but at a vertex that the call or step names, so that the bit can be
   renewed right there.

A param that a shared conjunct reads must be the same in all instances, which the caller of `map` decides. Conjuncts are
asked in another order than the text has them, so none may stop the run (`functor_facts.may_stop`). Bodies may: a run
that stops one instance is given up, and its instances run one by one, which raises the error of that one.

On a grid many threads visit edges to the same far end at the same time. The first of them that clears the bit of the
test that closes has found the far end, so that there must be one. Bodies run when all edges have been visited, for
one instance after the other, so that neighboring vertices' data of an instance are written side by side: an edge of
its own for each instance would take a line of memory for each of them, which costs more than the shared visits save
(measured: a search that stores its parents takes 40 percent longer than one value in each team). So they have nothing
to do with the edge and its near end. An instance has no check of its own that could stop it, and arrays do not change
places.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from gdsl.effects.access import Who
from gdsl.extents import VERTICES, Fixed, Times
from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression
from gdsl.ir.traversal import all_steps, contains, rewrite, walk
from gdsl.operations import Domain, Over
from gdsl.passes.writers import far_roles, near_roles, plain_arrays, targets_in
from gdsl.plan import variants
from gdsl.plan.buffer_nodes import Buffer, Role, of_run
from gdsl.plan.facts import Facts
from gdsl.plan.functor_facts import may_stop
from gdsl.plan.instance_nodes import BitParallel, BitTest, BitWalk, End, Renewal, Renewals
from gdsl.plan.nodes import Choice, Operation, Plan, Variant
from gdsl.plan.target import INSTANCES
from gdsl.plan.walking import operations
from gdsl.source import Span
from gdsl.types import Type
from gdsl.uniqueness.order import Obstacle

COUNTED = 4
"""What the threads of a team count together beside the instances of a set: edges that are visited, for how many
instances, those into vertices that are open, and chunks of long lists."""
COUNTERS = 4
"""So many steps have counters of their own before those of the first are used again."""


class _ObstacleError(Exception):
    """Ends the analysis with an obstacle."""

    def __init__(self, why: str, span: Span) -> None:
        super().__init__(why)
        self.obstacle = Obstacle(why, span)


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with how its instances run together, for a target that does so; None in it where they do not."""
    if not plan.target.instances:
        return plan
    found = find(plan, facts)
    if isinstance(found, Obstacle):
        return plan
    bits, functors = found
    program = dataclasses.replace(plan.program, vertex_functors=(*plan.program.vertex_functors, *functors))
    buffers = (*plan.buffers, *(_buffers(plan, bits) if plan.target.grid else ()))
    return dataclasses.replace(plan, program=program, bits=bits, buffers=buffers)


def _buffers(plan: Plan, bits: BitParallel) -> Iterator[Buffer]:
    """What a team of blocks has for its instances: the words of each set and test, and what its threads count."""
    words = plan.sizes.instance_words
    of_vertices = Times(words, VERTICES)
    yield of_run("instance_sets", Type.UINT64, of_vertices, Role.INSTANCES, plan.slots(Domain.VERTEX))
    if bits.tests:
        yield of_run("instance_tests", Type.UINT64, of_vertices, Role.INSTANCES, len(bits.tests))
    if bits.sized:
        sets = plan.slots(Domain.VERTEX)
        yield of_run("instance_sizes", Type.UINT64, Fixed(INSTANCES * words), Role.INSTANCES, sets)
    counted = Fixed(COUNTERS * (words + COUNTED))
    yield of_run("instance_counts", Type.UINT64, counted, Role.INSTANCES, 1)


def find(plan: Plan, facts: Facts) -> tuple[BitParallel, tuple[ir.VertexFunctor, ...]] | Obstacle:
    """How the instances of the plan's program run together, with the functors of its tests; or what hinders that."""
    try:
        analysis = _Analysis(plan, facts)
        return analysis.found(), tuple(analysis.functors)
    except _ObstacleError as error:
        return error.obstacle


class _Analysis:
    """Gathers what is known of one plan; raises `_ObstacleError`."""

    def __init__(self, plan: Plan, facts: Facts) -> None:
        self.plan, self.program, self.facts = plan, plan.program, facts
        self.steps = all_steps(self.program.schedule)
        self.own = self._own_data()
        self.tests: dict[str, BitTest] = {}
        self.functors: list[ir.VertexFunctor] = []
        self.shared_params: dict[str, None] = {}

    def found(self) -> BitParallel:
        """Everything."""
        if not self.program.params:
            raise _ObstacleError("it has no params", self.program.span)
        self._sets()
        for step in self.steps:
            self._step(step)
        walks = tuple(self._walk(each) for each in operations(self.plan) if isinstance(each.step, ir.Advance))
        if not walks:
            raise _ObstacleError("it has no advance", self.program.span)
        self._swaps()
        if self.plan.target.grid:
            self._on_a_grid()
        steps = (each.step for each in operations(self.plan))
        renewals = (Renewals(step.site, tuple(self._renewals(step, walks))) for step in steps)
        tests = tuple(self.tests.values())
        asked = (each for each in walk(self.program.schedule) if isinstance(each, ir.FrontierSize))
        sized = tuple(dict.fromkeys(each.frontier for each in asked))
        renewed = tuple(each for each in renewals if each.each)
        return BitParallel(tests, walks, renewed, tuple(self.shared_params), sized)

    def _own_data(self) -> frozenset[str]:
        """The arrays and scalars that each instance has for itself: all but the inputs that nothing writes."""
        written = {each.name for step in self.steps for each in self.facts.accesses.of_step(step) if each.writes}
        written |= {name for step in self.steps if isinstance(step, ir.Swap) for name in (step.first, step.second)}
        return frozenset(each.name for each in self.program.data if not each.is_input or each.name in written)

    # What may be in the schedule

    def _sets(self) -> None:
        edges = {each.name: each for each in self.program.frontiers if each.domain is Domain.EDGE}
        if edges:
            name, frontier = next(iter(edges.items()))
            raise _ObstacleError(
                f"`{name}` is a set of edges, and a word for each edge would cost what it saves", frontier.span
            )

    def _step(self, step: ir.Step) -> None:
        if isinstance(step, ir.On | ir.SameGraph | ir.Subgraph | ir.Contract):
            raise _ObstacleError("each instance would make a graph of its own", step.span)
        if isinstance(step, ir.SetStep):
            kinds = "histories, buckets, pairs of sets and numbers of members"
            raise _ObstacleError(f"{kinds} are kept for one instance", step.span)
        if not isinstance(step, ir.Operator):
            return
        if isinstance(step, ir.NeighborReduce | ir.NeighborVote | ir.Intersect):
            raise _ObstacleError(f"`{step.word}` reads values of each instance for each edge", step.span)
        if step.frontier.domain is Domain.EDGE:
            raise _ObstacleError(f"`{step.word}` runs on edges, for each instance", step.span)

    def _swaps(self) -> None:
        """A swap renames arrays: the bits of a test would be those of the other one."""
        for step in self.steps:
            if isinstance(step, ir.Swap) and any(
                {step.first, step.second} & {*each.arrays} for each in self.tests.values()
            ):
                raise _ObstacleError("a swap changes which data a test of an advance reads", step.span)

    def _on_a_grid(self) -> None:
        """What only one thread can do for many instances."""
        for step in self.steps:
            if isinstance(step, ir.Swap):
                raise _ObstacleError("a swap would exchange arrays of each instance by itself", step.span)
            functor = self.facts.functor(step) if isinstance(step, ir.Operator) else None
            parts = (functor.condition, functor.body) if functor is not None else ()
            if may_stop((_without_blocks(step), parts)):
                raise _ObstacleError("a computed index may stop the run of one instance", step.span)
        for function in self.program.functions:
            if may_stop(function):
                raise _ObstacleError("a computed index may stop the run of one instance", function.span)

    # Advances

    def _walk(self, operation: Operation) -> BitWalk:
        step = operation.step
        assert isinstance(step, ir.Advance)
        functor = self.facts.edge_functor(step)
        by_end: dict[End, list[int]] = {End.NEAR: [], End.FAR: []}
        shared: list[int] = []
        closing: int | None = None
        for place, conjunct in enumerate(functor.condition):
            end = self._end_of(conjunct, step)
            if end is None:
                shared.append(place)
                continue
            number = self._test(conjunct)
            by_end[end].append(number)
            if step.closing is not None and (step.closing.conjunct, step.closing.end) == (place, ir.Role.FAR):
                closing = number if end is End.FAR else None
        if functor.body and closing is None:
            far = functor.source if step.over is Over.IN_EDGES else functor.destination
            never = f"nothing that it tests at `{far}` becomes false with the first call"
            why = f"`{functor.name}` may run for each edge and each instance: {never}"
            raise _ObstacleError(why, functor.body[0].span)
        certain = closing is not None and step.closing is not None and step.closing.statement is not None
        if self.plan.target.grid and functor.body and not certain:
            raise _ObstacleError(
                f"which call of `{functor.name}` is the first is known after its body only", functor.body[0].span
            )
        if self.plan.target.grid:
            self._far_alone(functor, step)
        body = dataclasses.replace(self._body(functor, step), tests=())
        return BitWalk(
            site=step.site,
            near=tuple(dict.fromkeys(by_end[End.NEAR])),
            far=tuple(dict.fromkeys(by_end[End.FAR])),
            shared=Variant(functor.name, tuple(shared), None, (), (), accepts=False),
            body=body,
            closes=closing if certain else None,
            may_pull=isinstance(operation.does, Choice) and certain and step.result is not None,
        )

    def _far_alone(self, functor: ir.EdgeFunctor, step: ir.Advance) -> None:
        """A body that runs when all edges have been visited knows its far end alone."""
        far = far_roles(step.over)
        for node in walk(functor.body):
            of_edge = isinstance(node, ir.Place) or (isinstance(node, ir.Parameter) and node.role not in far)
            if of_edge:
                why = f"the body of `{functor.name}` depends on the edge, which differs between instances"
                raise _ObstacleError(why, functor.body[0].span)
        if functor.body and step.result is None:
            raise _ObstacleError(f"what `{functor.name}` has found is kept in no set", step.span)

    def _body(self, functor: ir.EdgeFunctor, step: ir.Advance) -> Variant:
        """How the body runs: by one thread, or once for each far end and instance, beside all others."""
        if not self.plan.target.grid:
            return variants.by_one_thread(functor)
        own = self.facts.remember(plain_arrays, functor, far_roles(step.over))
        return variants.with_own(variants.plain(functor), own)

    def _end_of(self, conjunct: ir.Expression, step: ir.Advance) -> End | None:
        """Which end a conjunct tests; None where it is the same for all instances."""
        functor = self.facts.edge_functor(step)
        if may_stop(conjunct):
            raise _ObstacleError(f"a test of `{functor.name}` may stop the run", conjunct.span)
        parts = walk(conjunct)
        read = {each.name for each in self.facts.accesses.of_expression(conjunct, Who.ANYBODY)} & self.own
        if not read:
            self.shared_params.update((each.name, None) for each in parts if isinstance(each, ir.ParamValue))
            if any(isinstance(each, ir.FunctionCall) for each in parts):
                self._no_functions(conjunct)
            return None
        return self._own_end(conjunct, step, parts)

    def _own_end(self, conjunct: ir.Expression, step: ir.Advance, parts: list[ir.Node]) -> End:
        """The end that a conjunct tests, which reads data of the instance."""
        text = f"`{print_expression(conjunct)}`"
        roles = {each.role for each in parts if isinstance(each, ir.Parameter)}
        end = End.FAR if roles <= far_roles(step.over) else End.NEAR if roles <= near_roles(step.over) else None
        if end is None or not roles or any(isinstance(each, ir.Place) for each in parts):
            raise _ObstacleError(f"{text} depends on the instance and the edge, not on one end alone", conjunct.span)
        if any(isinstance(each, ir.Iteration) for each in parts):
            raise _ObstacleError(f"{text} compares data of the instance with the pass, which has no bit", conjunct.span)
        if any(isinstance(each, ir.ScalarValue) and each.name in self.own for each in parts):
            raise _ObstacleError(f"{text} reads a scalar of the instance, which changes everywhere", conjunct.span)
        self._no_functions(conjunct)
        if any(isinstance(each, ir.ForNeighbors) for each in parts):
            raise _ObstacleError(f"{text} reads lists of the graph", conjunct.span)
        elements = (each for each in parts if isinstance(each, ir.Element) and each.array in self.own)
        if not all(isinstance(each.index, ir.Parameter) for each in elements):
            raise _ObstacleError(f"{text} reads an element at another vertex than its end", conjunct.span)
        return end

    def _no_functions(self, conjunct: ir.Expression) -> None:
        if contains(conjunct, ir.FunctionCall):
            raise _ObstacleError("a function in a test may read other data", conjunct.span)

    def _test(self, conjunct: ir.Expression) -> int:
        """The number of the test of a vertex that a conjunct is; equal ones are one."""

        def change(node: ir.Node) -> ir.Node:
            if isinstance(node, ir.Parameter):
                return dataclasses.replace(node, role=ir.Role.VERTEX, name="v")
            return dataclasses.replace(node, now=False) if isinstance(node, ir.Element) else node

        expression = rewrite(conjunct, change)
        text = print_expression(expression)
        if text not in self.tests:
            taken = {each.name for each in self.program.functors}
            name = f"test_{len(self.tests)}"
            while name in taken:
                name += "_"
            arrays = {
                each.array: None for each in walk(expression) if isinstance(each, ir.Element) and each.array in self.own
            }
            self.functors.append(ir.VertexFunctor(conjunct.span, name, "v", (expression,), ()))
            self.tests[text] = BitTest(name, tuple(arrays), self._same_at_first(expression, tuple(arrays)))
        return list(self.tests).index(text)

    def _same_at_first(self, expression: ir.Expression, arrays: tuple[str, ...]) -> bool:
        initial = [each.initial for each in self.program.arrays if each.name in arrays]
        parts = [node for part in (expression, *initial) for node in walk(part)]
        given = all(each is not None for each in initial)
        return given and not any(isinstance(node, ir.ParamValue | ir.FunctionCall) for node in parts)

    # What renews bits

    def _renewals(self, step: ir.Operator, walks: Iterable[BitWalk]) -> Iterator[Renewal]:
        functor = self.facts.functor(step)
        ends = {ir.Role.VERTEX: End.OWN}
        if step.visits is not None:
            ends |= dict.fromkeys(far_roles(step.visits), End.FAR) | dict.fromkeys(near_roles(step.visits), End.NEAR)
        closes = next((each.closes for each in walks if each.site == step.site), None)
        seen: dict[Renewal, None] = {}
        for target in targets_in(functor.body):
            if not isinstance(target, ir.ElementTarget):
                continue
            for number, test in enumerate(self.tests.values()):
                if target.array not in test.arrays:
                    continue
                end = ends.get(target.index.role) if isinstance(target.index, ir.Parameter) else None
                if end is None:
                    why = (
                        f"`{functor.name}` writes `{target.array}`, which a test of an advance reads, at another vertex"
                    )
                    raise _ObstacleError(f"{why} than its own", target.span)
                if (number, end) != (closes, End.FAR):
                    seen[Renewal(number, end)] = None
        yield from seen


def _without_blocks(step: ir.Step) -> object:
    """What a step itself evaluates: of a loop or a branch the condition."""
    return step.condition if isinstance(step, ir.While | ir.If) else step.count if isinstance(step, ir.Repeat) else step
