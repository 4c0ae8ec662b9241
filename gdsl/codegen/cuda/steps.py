"""The steps of a plan that are no loops, branches or launches, as CUDA statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gdsl.codegen.checks import CheckSite
from gdsl.codegen.combinations import Words, combination_lines, edge_lines
from gdsl.codegen.cuda.filters import Filters
from gdsl.codegen.cuda.problem_data import called_lines, lent_data
from gdsl.codegen.cuda.visits import test
from gdsl.codegen.cuda.words import COUNTED
from gdsl.codegen.expressions import ExpressionPrinter
from gdsl.codegen.functions import Argument
from gdsl.codegen.functors import FunctorTexts
from gdsl.codegen.literals import type_name
from gdsl.codegen.names import Scope
from gdsl.codegen.reductions import combine, identity, reduce_function
from gdsl.codegen.set_steps import SetWords, set_step_line
from gdsl.codegen.several import all_values, count_text
from gdsl.ir.nodes import (
    Expression,
    FrontierNotEmpty,
    History,
    ParamValue,
    PushLevel,
    SameGraph,
    SetStep,
    StoreScalar,
    Subgraph,
    TakeLevel,
)
from gdsl.ir.nodes import Fill as FillStep
from gdsl.operations import Domain, Over
from gdsl.plan.buffers import ENDS
from gdsl.plan.nodes import (
    Barrier,
    Combine,
    Copy,
    Define,
    Everyone,
    FarEnds,
    Fill,
    HandBack,
    Initialise,
    Keep,
    Leader,
    Loop,
    MakeGraph,
    OnSets,
    Operation,
    Plan,
    Reduction,
    Step,
    Swap,
    Turn,
)
from gdsl.plan.walking import steps_in, sweeps_of

SPARES = {Domain.VERTEX: "spare", Domain.EDGE: "spare_edges"}
"""The frontier into which the next result goes; it then changes places with the one that is assigned."""
ORDER = "order"
"""What keeps a worklist in its order, in the loop that works it off."""
Looked = tuple[History, Over]
"""A history, and which lists of its levels' members."""
_ID_TYPES = {Domain.VERTEX: "vertex", Domain.EDGE: "edge"}


@dataclass
class StepPrinter:
    """Prints the steps of one plan."""

    plan: Plan
    expressions: ExpressionPrinter
    texts: FunctorTexts
    cuda: Filters

    def __post_init__(self) -> None:
        self._counts = {frontier.name: frontier.counts for frontier in self.plan.frontiers}
        self._arrays = {array.name: array for array in self.plan.program.arrays}
        self._domains = {frontier.name: frontier.domain for frontier in self.plan.frontiers}
        self.histories = tuple(dict.fromkeys(filter(None, map(_history_in, steps_in(self.plan.schedule)))))
        """Of the schedule, in its order."""
        self.looked_ahead = tuple(dict.fromkeys(_looked_ahead(self.plan.schedule)))
        """Whose next level is looked at."""

    def lines(self, step: Step, taken: Sequence[str] = ()) -> list[str]:
        """The statements of `step`; `taken` are the graphs whose arrays may still be read."""
        match step:
            case Initialise():
                return ["initialise(run, d);"]
            case Operation():
                return self._operation(step)
            case Define():
                return self._define(step)
            case Copy():
                return [self._copy(step), self._exchange(step.step.name)]
            case FarEnds():
                ends, counted = ENDS[step.step.end], COUNTED[self._counts[step.step.name]]
                arguments = (
                    f"{self._spare(step.step.name)}, {self._frontier(step.step.other)}, d.graph.{ends}, {counted}"
                )
                return [f"collect_far_ends(run, {arguments});", self._exchange(step.step.name)]
            case OnSets():
                return self._on_sets(step)
            case Combine():
                return self._combine(step)
            case Barrier():
                return ["synchronize(run);"]
            case Swap():
                return [f"exchange(d.{self._member(step.step.first)}, d.{self._member(step.step.second)});"]
            case Turn() | Keep() | Everyone() | HandBack():
                return self._on_scalars(step)
            case Fill():
                return [self._fill(step.step)]
            case MakeGraph():
                return self._make_graph(step, taken)
            case Leader():
                return [f"if (leader()) {{ {self._store(step)}; }}", *self._begun(step)]
        raise AssertionError(f"no step of one statement: {type(step).__name__}")

    def _fill(self, step: FillStep) -> str:
        array, value = self._arrays[step.array], self.expressions.print(step.value)
        member, names = self._member(step.array), self.expressions.names
        if step.domain is not Domain.EDGE or not self.plan.graphs:
            return f"each_id({all_values(array, names)}, [&](uint64 i) {{ d.{member}[i] = {value}; }});"
        if array.count is None:
            return f"each_edge(d.graph, [&](vertex, vertex, edge e) {{ d.{member}[e] = {value}; }});"
        count = count_text(array.count, names)
        places = f"for (uint64 i = 0; i < {count}; ++i) {{ d.{member}[value_index(e, {count}, i)] = {value}; }}"
        return f"each_edge(d.graph, [&](vertex, vertex, edge e) {{ {places} }});"

    def uses_spare(self, step: Step) -> Domain | None:
        """The domain into whose spare frontier `step` puts something."""
        if isinstance(step, Operation):
            collects = (sweep.collect for sweep in sweeps_of(step) if sweep.collect is not None)
            return next((collect.domain for collect in collects), None)
        if isinstance(step, OnSets):
            result = step.step.use.result
            return None if result is None or not step.waits else self._domains[result]
        return self._domains[step.step.name] if isinstance(step, (Define, Copy, Combine, FarEnds)) else None

    def direction(self, operation: Operation) -> str:
        """The variable that remembers the direction of an operation."""
        return self.cuda.direction(operation) if self.plan.target.fused else "direction"

    def _operation(self, step: Operation) -> list[str]:
        host, _ = self.cuda.fused(step)
        sweep = sweeps_of(step)[0]
        named = {"direction": self.direction(step)}
        if sweep.collect is not None:
            named["result"] = SPARES[sweep.collect.domain]
        if sweep.members.frontier is not None:
            named["input"] = self._frontier(sweep.members.frontier)
        for looked in _looked_ahead((step,)):
            named |= {"upcoming": self.upcoming(looked), "history": self.state(looked[0])}
        own = (named.get(argument, argument) for argument in self.cuda.arguments(host))
        arguments = ["run", "d", *own, "iteration"]
        lines = [f"{self.cuda.operator(host)}({', '.join(arguments)});"]
        return lines if sweep.collect is None else [*lines, self._exchange(sweep.collect.frontier)]

    def _copy(self, step: Copy) -> str:
        arguments = f"{self._spare(step.step.name)}, {self._frontier(step.step.other)}"
        if self._domains[step.step.name] is Domain.EDGE:
            return f"copy_edges(run, {arguments});"
        return f"copy_frontier(run, {arguments}, d.graph.num_vertices);"

    def _define(self, step: Define) -> list[str]:
        name, members, spare = step.step.name, step.step.members, self._spare(step.step.name)
        of_edges = step.step.domain is Domain.EDGE
        count = "d.graph.num_edges" if of_edges else f"d.graph.num_vertices, {COUNTED[self._counts[name]]}"
        if step.step.everything:
            define = "define_all_edges" if of_edges else "define_everything"
            count = "d.graph" if of_edges and self.plan.graphs else count
            return [f"{define}(run, {spare}, {count});", self._exchange(name)]
        define, rest = "define_edges" if of_edges else "define_frontier", f"{len(members)}, {count}"
        if not members:
            return [f"{define}(run, {spare}, nullptr, {rest});", self._exchange(name)]
        listed = ", ".join(self._checked_member(step, member) for member in members)
        return [
            "{",
            f"    const {_ID_TYPES[step.step.domain]} members[] = {{{listed}}};",
            f"    {define}(run, {spare}, members, {rest});",
            f"    {self._exchange(name)}",
            "}",
        ]

    def _combine(self, step: Combine) -> list[str]:
        name, walked, asked = step.step.name, step.walked.frontier, step.asked.frontier
        assert asked is not None
        first, second = self._frontier(walked) if walked is not None else "", self._frontier(asked)
        spare = self._spare(name)
        if step.test is not None:
            members = f"members_of({first})" if first else "all_members{uint64(d.graph.num_vertices)}"
            passes = test(self.texts.calls(step.test, {Argument.VERTEX: "v"}))
            rest = f"[&](vertex v) {{ return !({passes}); }}, {COUNTED[self._counts[name]]}"
            return [f"collect_rest(run, {spare}, {members}, {rest});", self._exchange(name)]
        of_edges = self._domains[name] is Domain.EDGE
        wait = ("synchronize(run);  // until its marks are taken out",) if step.waits else ()
        words = Words(
            result=spare,
            walked=first,
            asked=second,
            everything=self._all_edges() if of_edges else "all_members{uint64(d.graph.num_vertices)}",
            first="run",
            growing=f"run, {first}, {spare}",
            last=f", d.graph.num_vertices, {self._counted_there(name)}",
            exchange=(*wait, self._exchange(name)),
        )
        call, *others = edge_lines(step, words) if of_edges else combination_lines(step, words)
        called = called_lines(self.plan, call, first, second, spare)
        if step.few:
            few = f"grow_few({words.growing}, {second}{words.last})"
            return [f"if (!{few}) {{", *(f"    {line}" for line in called), "}"]
        return [*called, *others]

    def _counted_there(self, name: str) -> str:
        """What counts the edges of a set in a function that is called."""
        return COUNTED[self._counts[name]].replace("d.graph", f"{lent_data(self.plan) or 'd'}.graph")

    def _all_edges(self) -> str:
        return "all_edges{d.graph}" if self.plan.graphs else "all_edges{uint64(d.graph.num_edges)}"

    def _make_graph(self, made: MakeGraph, taken: Sequence[str]) -> list[str]:
        step = made.step
        name = self._frontier(step.name)
        if isinstance(step, SameGraph):
            return [self._graph_becomes(name, "d.graph")]
        edges = self._frontier(step.edges) if isinstance(step, Subgraph) else ""
        if isinstance(step, Subgraph):
            value = f"make_subgraph(run, d.graph, room, {edges})"
        else:
            sums = "no_sums{}"
            if step.weights is not None:
                kind = step.weights.type.name
                aside = f"reinterpret_cast<{kind}*>(d.run.graph_sums)"
                reduction = Reduction(step.weights.operation.as_update, step.weights.type)
                begins = identity(reduction.identity, step.weights.type)
                reduce = f"[]({kind}* x, {kind} value) {{ {reduce_function(reduction)}(x, value); }}"
                join = f"[]({kind} a, {kind} b) {{ return {kind}({combine(reduction)}); }}"
                array = self._member(step.weights.array)
                sums = f"join_weights<{kind}>(d.{array}, {aside}, {begins}, {join}, {reduce})"
            value = f"make_contraction(run, d.graph, room, d.{self._member(step.label)}, {sums})"
        rooms = ", ".join(f"{graph}.{room}" for graph in taken for room in ("room", "ends_room"))
        return [
            "{",
            f"    const int64 taken[] = {{{rooms}}};",
            f"    const int64 room = free_room(taken, {2 * len(taken)});",
            *(f"    {line}" for line in called_lines(self.plan, self._graph_becomes(name, value), edges)),
            "}",
        ]

    def _graph_becomes(self, name: str, value: str) -> str:
        """One kernel for all keeps graphs where all threads of a block find them."""
        return f"share({name}, {value});" if self.plan.target.fused else f"{name} = {value};"

    def _on_sets(self, on_sets: OnSets) -> list[str]:
        step, names = on_sets.step, self.expressions.names
        made = step.use.result if on_sets.waits else None
        result, counted = ("", "") if made is None else (self._spare(made), COUNTED[self._counts[made]])
        history = _history_of(step)
        state = self.state(history) if history is not None else ""
        near_set = self.plan.sizes.near_set
        words = SetWords("run", result, counted, names, self.expressions.checks, near_set, state, on_sets.waits)
        found = [] if history is None or self.plan.target.fused else [self._found(history)]
        return [*found, set_step_line(step, words), *([] if made is None else [self._exchange(made)])]

    def state(self, history: History) -> str:
        """The variable that has what every thread knows of a history."""
        return self.expressions.names.derived(Scope.VARIABLE, f"state_of_{history.name}", f"history {history.levels}")

    def upcoming(self, looked: Looked) -> str:
        """The variable that has what a warp knows of these lists of the next level of a history."""
        history, over = looked
        name = f"upcoming_{'in_' if over is Over.IN_EDGES else ''}of_{history.name}"
        return self.expressions.names.derived(Scope.VARIABLE, name, f"history {history.members} {over.value}")

    def history_variables(self) -> list[str]:
        """The statements that make both."""
        states = [f"history_state {self.state(history)} = {{}};" for history in self.histories]
        return [*states, *(f"lists_ahead {self.upcoming(each)} = {{}};" for each in self.looked_ahead)]

    def _found(self, history: History) -> str:
        """A launch takes over what there is of a history from the data themselves."""
        ends, levels = (f"d.{self._member(name)}" for name in (history.ends, history.levels))
        return f"history_state {self.state(history)} = history_at(run, {ends}, {levels});"

    def _begun(self, step: Leader) -> list[str]:
        """What all threads note where a history has no levels yet."""
        stored = step.step.scalar if isinstance(step.step, StoreScalar) and self.plan.target.fused else None
        begun = [each for each in self.histories if each.levels == stored]
        ahead = [f"{self.upcoming(each)} = lists_ahead{{}};" for each in self.looked_ahead if each[0] in begun]
        return [*(f"{self.state(each)} = history_state{{}};" for each in begun), *ahead]

    def _spare(self, name: str) -> str:
        return SPARES[self._domains[name]]

    def _exchange(self, name: str) -> str:
        return f"exchange({self._frontier(name)}, {self._spare(name)});"

    def _checked_member(self, step: Define, member: Expression) -> str:
        """A member of a set: params were checked by the host, all else is checked here."""
        text = self.expressions.print(member)
        checked_before = isinstance(member, ParamValue) and not self.plan.graphs
        if checked_before or not self.expressions.checks.enabled:
            return text
        domain = step.step.domain
        number = self.expressions.checks.number(CheckSite(step.step.name, domain, member.type, member.span))
        count = self.expressions.checks.bound(domain)
        found = f"checked_index(d, {text}, {count}, {number})"
        if step.asks_lists:
            found = self.expressions.checks.kept_edge(found, step.step.name, member.span)
        return f"{_ID_TYPES[domain]}({found})"

    def _on_scalars(self, step: Turn | Keep | Everyone | HandBack) -> list[str]:
        if isinstance(step, Turn):
            name, value = self._member(step.step.scalar), self.expressions.print(step.step.value)
            return [f"turn(d.{name}, problem.{name}, {value});"]
        if isinstance(step, Keep):
            return [line for name in step.scalars for line in self._kept(name)]
        if isinstance(step, Everyone):
            return [f"{self._store(step)};"]
        return [f"hand_back(d.{name}, problem.{name});" for name in map(self._member, (*step.turned, *step.kept))]

    def _kept(self, name: str) -> list[str]:
        """Each thread has a value of its own of a scalar."""
        own = self.expressions.names.derived(Scope.VARIABLE, f"kept_{name}", f"scalar {name}")
        kind = next(each.type for each in self.plan.program.scalars if each.name == name)
        return [f"{type_name(kind)} {own} = *d.{self._member(name)};", f"d.{self._member(name)} = &{own};"]

    def _store(self, leader: Leader | Everyone) -> str:
        step = leader.step
        if isinstance(step, StoreScalar):
            return f"{self.expressions.scalar(step.scalar)} = {self.expressions.print(step.value)}"
        target = step.target
        place = self.expressions.element(target.array, target.index, target.checked, target.domain)
        return f"{place} = {self.expressions.print(step.value)}"

    def worklist(self, step: Loop) -> str:
        """The frontier that a loop waits for."""
        assert isinstance(step.condition, FrontierNotEmpty)
        return self._frontier(step.condition.frontier)

    def _frontier(self, name: str) -> str:
        return self.expressions.names.frontier(name)

    def _member(self, name: str) -> str:
        return self.expressions.names.member(name)


def _history_of(step: SetStep) -> History | None:
    """The history that a step adds to or takes from."""
    return step.history if isinstance(step, (PushLevel, TakeLevel)) else None


def _looked_ahead(steps: tuple[Step, ...]) -> Iterator[Looked]:
    """The histories whose next levels operators of `steps` look at, each with the lists that they find."""
    for step in steps_in(steps):
        for sweep in sweeps_of(step) if isinstance(step, Operation) else ():
            if sweep.segment is not None and sweep.segment.upcoming is not None:
                yield sweep.segment.upcoming, sweep.walks[0].lists


def _history_in(step: Step) -> History | None:
    return _history_of(step.step) if isinstance(step, OnSets) else None
