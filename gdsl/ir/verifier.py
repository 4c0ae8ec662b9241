"""Checks that a program of the IR is consistent. A failure is a bug in the compiler, never a mistake of the user."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gdsl.ir import nodes, slots
from gdsl.ir.traversal import walk
from gdsl.ir.verifier_code import CodeVerifier
from gdsl.ir.verifier_code import VerificationError as VerificationError
from gdsl.ir.verifier_code import expecting as expecting
from gdsl.ir.verifier_indices import IndexVerifier
from gdsl.knobs import misfit
from gdsl.operations import JOINING_FLOATS, JOINING_INTEGERS, Domain, Grade, NeighborOperation, SetOperation
from gdsl.types import Type


def verify(program: nodes.Program, after: str, before: nodes.Program | None = None) -> None:
    """Raise `VerificationError` unless names are declared and types agree; `after` names the pass that ran.

    `before` is the program as it was verified before that pass: parts that the pass did not change are skipped.
    """
    _Verifier(program, after, _unchanged(program, before)).program()


def _unchanged(program: nodes.Program, before: nodes.Program | None) -> frozenset[int]:
    """The functions, functors and steps that both programs have, by identity, where they mean the same in both."""
    if before is None:
        return frozenset()
    same_data = all(
        getattr(before, part) is getattr(program, part)
        for part in ("params", "arrays", "scalars", "functions", "frontiers", "graphs")
    )
    if not same_data or _functors(before) != _functors(program):
        return frozenset()
    parts = (before.functions, before.vertex_functors, before.edge_functors, before.vote_functors, before.schedule)
    return frozenset(id(item) for part in parts for item in part)


def _functors(program: nodes.Program) -> list[tuple[str, Type | None]]:
    """The functors' names, and what is known of them to the steps of the schedule."""
    values = [(functor.name, functor.value.type if functor.value else None) for functor in program.edge_functors]
    keys = [(functor.name, functor.key.type if functor.key else None) for functor in program.edge_functors]
    votes = [(functor.name, functor.value.type) for functor in program.vote_functors]
    return [*((functor.name, None) for functor in program.vertex_functors), *values, *keys, *votes]


class _Verifier(CodeVerifier):
    def program(self) -> None:
        root = self.root
        groups: tuple[Iterable[Any], ...] = (
            root.params,
            (*root.arrays, *root.scalars),
            root.functions,
            (*root.functors, *root.vote_functors),
        )
        named = [[item.name for item in group] for group in groups]
        for names in [*named, [*(frontier.name for frontier in root.frontiers), *root.graphs]]:
            self.expect(len(names) == len(set(names)), "a name is declared twice", root)
        for array in root.arrays:
            self.expect(slots.fits_extent(array), f"{array.name} has another length than its index", array)
            count = self.params.get(array.count.name) if isinstance(array.count, nodes.ParamValue) else None
            known = not isinstance(array.count, nodes.ParamValue) or (count is not None and count.is_count)
            self.expect(known, f"the number of values per element of {array.name} is not declared", array)
        everything: tuple[nodes.Param | nodes.Array | nodes.Scalar, ...] = (*root.params, *root.arrays, *root.scalars)
        for data in everything:
            initial = data.default if isinstance(data, nodes.Param) else data.initial
            if initial is not None:
                self.expect(initial.type is data.type, "the initial value has another type", data)
            if not isinstance(data, nodes.Param):
                doubted = data.doubt is not None
                self.expect(
                    doubted is (data.grade not in (Grade.EXACT, Grade.TRIED)), "a grade without its reason", data
                )
            self.parts(walk(data))
        for function in root.functions:
            self.locals = dict(function.parameters)
            self.part(function)
        for each in (*root.functors, *root.schedule):
            self.locals = {}
            self.part(each)
        indices = IndexVerifier(root)
        for functor in root.functors:
            for node in indices.unfounded(functor):
                self.expect(False, "an index without a check that may be out of range", node)
        for vote in root.vote_functors:
            self.locals = {vote.key: vote.key_type, vote.total: vote.total_type}
            self.part(vote)
        steps = [node for node in walk(root.schedule) if isinstance(node, nodes.Operator)]
        self.expect(len({step.site for step in steps}) == len(steps), "two operators have one site", root)
        self.tuning(steps)

    def tuning(self, steps: list[nodes.Operator]) -> None:
        """Every knob has an allowed value, and operators only have their own knobs set."""
        tuning = self.root.tuning
        wrong = misfit(tuning, None)
        self.expect(wrong is None, f"the knob {wrong} is set to what it does not take", tuning)
        for step in steps:
            self.expect(0 <= step.site < len(tuning.sites), "an operator without knobs", step)
            wrong = misfit(tuning.sites[step.site], step.word)
            self.expect(wrong is None, f"the knob {wrong} is set to what it does not take", step)

    def part(self, part: nodes.Node) -> None:
        if id(part) in self.verified:
            return
        parts = list(walk(part))
        for node in parts:
            if isinstance(node, (nodes.Let, nodes.ForRange)):
                self.expect(node.name not in self.locals, f"the local {node.name} is declared twice", node)
                self.locals[node.name] = node.type
            elif isinstance(node, nodes.ForNeighbors):
                for name, kind in node.variables:
                    self.expect(name not in self.locals, f"the local {name} is declared twice", node)
                    self.locals[name] = kind
        self.parts(parts)

    def parts(self, parts: Iterable[nodes.Node]) -> None:
        for node in parts:
            if isinstance(node, nodes.Expression):
                self.expression(node)
            elif isinstance(node, nodes.Step):
                self.step(node)
            elif isinstance(node, nodes.Statement):
                self.statement(node)
            elif isinstance(node, (nodes.ElementTarget, nodes.ScalarTarget)):
                self.target(node)

    # ------------------------------------------------------------ schedule

    def step(self, node: nodes.Step) -> None:
        if isinstance(node, nodes.Operator):
            self.operator(node)
        match node:
            case nodes.SetStep():
                self.set_step(node)
            case nodes.PushBuckets() | nodes.PopBuckets():
                array = self.arrays.get(node.buckets.array)
                named = [node.buckets.waiting, *([node.result] if isinstance(node, nodes.PopBuckets) else ())]
                fits = all(self.frontiers.get(name) is Domain.VERTEX for name in named)
                fits = fits and array is not None and array.domain is Domain.VERTEX
                self.expect(fits, f"no buckets {node.buckets.name}", node)
            case nodes.DefineFrontier():
                self.members(node)
            case nodes.CopyFrontier():
                domain = self.frontiers.get(node.name)
                self.expect(domain is not None, f"no frontier {node.name}", node)
                self.expect(domain is self.frontiers.get(node.other), f"no such frontier {node.other}", node)
            case nodes.FarEnds():
                self.expect(self.frontiers.get(node.name) is Domain.VERTEX, f"no frontier {node.name}", node)
                self.expect(self.frontiers.get(node.other) is Domain.EDGE, f"no edge frontier {node.other}", node)
                self.expect(node.end in (nodes.Role.SOURCE, nodes.Role.DESTINATION), "no end of an edge", node)
            case nodes.CombineFrontiers():
                self.combined(node)
            case nodes.SameGraph() | nodes.Subgraph() | nodes.Contract() | nodes.On():
                self.graph(node)
            case nodes.StoreElement():
                self.expect(node.value.type is node.target.type, "the value has another type", node)
            case nodes.StoreScalar():
                known = self.has_scalar(node.scalar, node.value.type)
                self.expect(known, f"no scalar {node.scalar} of this type", node)
            case nodes.Fill():
                array = self.arrays.get(node.array)
                self.expect(array is not None and array.type is node.value.type, f"no array {node.array}", node)
            case nodes.Swap():
                known_data: dict[str, nodes.Array] | dict[str, nodes.Scalar]
                known_data = self.scalars if node.of_scalars else self.arrays
                self.expect(node.first in known_data and node.second in known_data, "a swap of unknown data", node)
            case nodes.While() | nodes.If():
                self.expect(node.condition.type is Type.BOOL, "a condition is a bool", node)
            case nodes.Repeat():
                self.expect(node.count.type is Type.INT64, "a count is an int64", node)

    def members(self, node: nodes.DefineFrontier) -> None:
        self.expect(self.frontiers.get(node.name) is node.domain, f"no such frontier {node.name}", node)
        own = Type.VERTEX if node.domain is Domain.VERTEX else Type.EDGE
        self.expect(all(member.type is own for member in node.members), "a member of another type", node)

    def combined(self, node: nodes.CombineFrontiers) -> None:
        first, second = node.first, node.second
        self.expect(node.name in self.frontiers, f"no frontier {node.name}", node)
        for operand in (first, second):
            self.expect(operand.domain is self.frontiers[node.name], "sets of two kinds", node)
            if operand.frontier is not None:
                fits = self.frontiers.get(operand.frontier) is operand.domain
                self.expect(fits, f"no such frontier {operand.frontier}", node)
        left_out = node.operation is SetOperation.DIFFERENCE
        self.expect(not second.everything and (left_out or not first.everything), "a set of everything", node)
        self.expect(first.frontier != second.frontier, "a set with itself", node)

    def operator(self, node: nodes.Operator) -> None:
        source = node.frontier
        if source.frontier is not None:
            fits = self.frontiers.get(source.frontier) is source.domain
            self.expect(fits, f"no such frontier {source.frontier}", node)
        if node.result is not None:
            self.expect(self.frontiers.get(node.result) is node.result_domain, f"no such frontier {node.result}", node)
        if node.functor is not None:
            functors = self.edge_functors if node.functor_domain is Domain.EDGE else self.vertex_functors
            self.expect(node.functor in functors, f"no {node.functor_domain.value} functor {node.functor}", node)
            self.form(node)
        match node:
            case nodes.Advance():
                self.over_vertices(node)
            case nodes.Compute():
                self.expect(node.result is None, "a result of nothing", node)
            case nodes.NeighborReduce():
                self.expect(node.result is None, "a result of nothing", node)
                self.over_vertices(node)
                self.neighbor_reduce(node)
            case nodes.NeighborVote():
                self.expect(node.result is None, "a result of nothing", node)
                self.over_vertices(node)
                self.neighbor_vote(node)
            case nodes.Intersect():
                self.intersection(node)

    def form(self, node: nodes.Operator) -> None:
        """Whether its functor is of the form that it runs."""
        functor = self.edge_functors.get(node.functor or "")
        if functor is None:
            return
        gives = (functor.value is not None, functor.key is not None, functor.common is not None)
        reduces, votes = isinstance(node, nodes.NeighborReduce), isinstance(node, nodes.NeighborVote)
        wanted = (reduces or votes, votes, isinstance(node, nodes.Intersect))
        self.expect(gives == wanted, f"{functor.name} is a functor of another form", node)

    def neighbor_vote(self, node: nodes.NeighborVote) -> None:
        functor = self.edge_functors.get(node.functor)
        if functor is None or functor.key is None or functor.value is None:
            return
        for name in (node.array, *((node.keep,) if node.keep is not None else ())):
            self.expect(self.has_array(name, node.array_type, Domain.VERTEX), f"no array {name}", node)
        self.expect(functor.key.type is node.array_type, "the key has another type", node)
        if node.score is not None:
            score = {each.name: each for each in self.root.vote_functors}.get(node.score)
            types = (functor.key.type, functor.value.type)
            fits = score is not None and (score.key_type, score.total_type) == types
            self.expect(fits, f"no vote functor {node.score} for these ballots", node)

    def intersection(self, node: nodes.Intersect) -> None:
        self.expect((node.frontier.domain is Domain.EDGE) == (node.partners is None), "neither edges nor pairs", node)
        needed = node.result is not None or node.count is not None or node.functor is not None
        self.expect(needed, "an intersection for nothing", node)
        counted = node.count is None or self.has_scalar(node.count, Type.INT64)
        self.expect(counted, f"no scalar {node.count} of int64", node)
        if node.partners is None:
            return
        array, functor = self.arrays.get(node.partners), self.edge_functors.get(node.functor or "")
        fits = array is not None and (array.domain, array.type, array.count) == (Domain.VERTEX, Type.VERTEX, None)
        self.expect(fits, f"no array {node.partners} of partners", node)
        for part in walk((functor.condition, functor.body)) if functor is not None else ():
            of_edge = nodes.is_parameter(part, nodes.Role.EDGE)
            self.expect(not of_edge and not isinstance(part, nodes.Place), "pairs have no edge", node)

    def over_vertices(self, node: nodes.Operator) -> None:
        self.expect(node.frontier.domain is Domain.VERTEX, "edges of edges", node)

    def neighbor_reduce(self, node: nodes.NeighborReduce) -> None:
        functor = self.edge_functors.get(node.functor)
        value = functor.value if functor is not None else None
        self.expect(value is not None, f"no edge functor {node.functor} with a value", node)
        array = self.arrays.get(node.array)
        self.expect(array is not None and array.type is node.array_type, f"no array {node.array}", node)
        if value is not None and node.operation is not NeighborOperation.COUNT:
            self.expect(value.type is node.array_type, "the functor's value has another type", node)
        self.expect((node.operation is None) == (node.own is not None), "not one reduction", node)
        if node.own is not None:
            self.own_operation(node.own, node.array_type)

    def own_operation(self, own: nodes.OwnOperation, kind: Type) -> None:
        function = self.functions.get(own.function)
        self.expect(function is not None, f"no function {own.function}", own)
        types = [] if function is None else [type_ for _, type_ in function.parameters]
        fits = types == [kind, kind] and function is not None and function.result is kind
        self.expect(fits, "an operator on other types", own)
        literal = isinstance(own.identity, nodes.Literal | nodes.NoneId) and own.identity.type is kind
        self.expect(literal, "an identity of another type", own)

    # ------------------------------------------------------------ steps between frontiers and data

    def set_step(self, node: nodes.SetStep) -> None:
        match node:
            case nodes.PushLevel() | nodes.TakeLevel():
                name = node.frontier if isinstance(node, nodes.PushLevel) else node.name
                self.expect(self.frontiers.get(name) is Domain.VERTEX, f"no frontier {name}", node)
                self.history(node.history)
            case nodes.NumberMembers():
                members = node.members
                known = members.frontier is None or self.frontiers.get(members.frontier) is members.domain
                self.expect(known, f"no such frontier {members.frontier}", node)
                fits = self.has_array(node.array, node.array_type, members.domain) and node.array_type.is_integer
                self.expect(fits, f"no array {node.array} for the places", node)
            case nodes.CheckWidth():
                fits = self.has_scalar(node.width, node.type) and node.type.is_numeric
                self.expect(fits, f"no width of {node.name}", node)
            case nodes.ChooseBound():
                fits = all(self.has_scalar(name, Type.FLOAT64) for name in (node.nearest, node.farthest, node.bound))
                fits = fits and self.frontiers.get(node.waiting) is Domain.VERTEX
                self.expect(fits, f"no bound of {node.buckets}", node)
            case nodes.CheckPairs():
                self.expect(self.has_scalar(node.more, Type.INT64), f"no difference {node.more}", node)
            case _:
                self.expect(False, f"an unknown step {type(node).__name__}", node)

    def history(self, node: nodes.History) -> None:
        fits = (
            self.has_array(node.members, Type.VERTEX, Domain.VERTEX)
            and self.has_array(node.ends, Type.INT64, Domain.VERTEX)
            and self.has_scalar(node.levels, Type.INT64)
        )
        data = (self.arrays.get(node.members), self.arrays.get(node.ends), self.scalars.get(node.levels))
        fits = fits and all(each is not None and _begins_empty(each) for each in data)
        self.expect(fits, f"no data of the history {node.name}", node)

    # ------------------------------------------------------------ graphs

    def graph(self, node: nodes.GraphStep | nodes.On) -> None:
        name = node.graph if isinstance(node, nodes.On) else node.name
        self.expect(name in self.graphs, f"no graph {name}", node)
        if isinstance(node, nodes.Subgraph):
            self.expect(self.frontiers.get(node.edges) is Domain.EDGE, f"no edge frontier {node.edges}", node)
        if not isinstance(node, nodes.Contract):
            return
        fits = node.label_type.is_integer or node.label_type is Type.VERTEX
        fits = fits and self.has_array(node.label, node.label_type, Domain.VERTEX)
        self.expect(fits, f"{node.label} is no label", node)
        weights = node.weights
        if weights is not None:
            known = self.has_array(weights.array, weights.type, Domain.EDGE)
            self.expect(known, f"no array {weights.array} over edges", node)
            joining = JOINING_FLOATS if weights.type.is_float else JOINING_INTEGERS
            fits = weights.type.is_numeric and weights.operation in joining
            self.expect(fits, f"the {weights.operation.value} of {weights.type.name}", node)


def _begins_empty(data: nodes.Array | nodes.Scalar) -> bool:
    initial = data.initial
    empty = isinstance(initial, nodes.NoneId) or (isinstance(initial, nodes.Literal) and initial.value == 0)
    return empty and data.is_local and not data.is_input and data.where is None
