"""The device functions of a program's functors, each made when an operator first calls it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from gdsl.codegen.cuda.constants import SUMS, identity
from gdsl.codegen.cuda.plan import Total, Totals
from gdsl.codegen.expressions import REDUCTIONS
from gdsl.codegen.functions import Argument, FunctionPrinter, FunctionText
from gdsl.codegen.names import Names
from gdsl.ir.nodes import (
    Advance,
    EdgeFunctor,
    Expression,
    Node,
    Parameter,
    Place,
    Program,
    Role,
    ScalarTarget,
    Update,
    VertexFunctor,
)
from gdsl.ir.traversal import walk
from gdsl.operations import Over, ReduceOperation
from gdsl.passes.writers import accumulated_scalars, far_roles, plain_arrays
from gdsl.types import ScalarType

Functor = VertexFunctor | EdgeFunctor


@dataclass(frozen=True, slots=True)
class EdgeNames:
    """What an edge's parts are called where a functor is run on it: C++ text for each."""

    near: str
    far: str
    at: str
    """The parameter: the place of the edge in the lists that are walked."""
    arguments: dict[Argument, str]

    @property
    def parameters(self) -> str:
        """The parameters of a visit."""
        return f"vertex {self.near}, vertex {self.far}, edge {self.at}"


@dataclass(frozen=True, slots=True)
class Work:
    """What a functor does with an element: a test ("" for none), then a call ("" for none)."""

    test: str
    apply: str
    says: bool
    """Whether the call says if the element is accepted."""


@dataclass
class FunctorTexts:
    """Prints functors on demand and remembers what was printed, in order."""

    program: Program
    printer: FunctionPrinter
    names: Names
    made: dict[tuple[str, str, str], FunctionText | None] = field(default_factory=dict)
    all_totals: dict[str, Totals] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._edge_functors = {functor.name: functor for functor in self.program.edge_functors}
        self._vertex_functors = {functor.name: functor for functor in self.program.vertex_functors}
        self._forms: Counter[tuple[str, str]] = Counter()
        self._accumulated: dict[str, frozenset[str]] = {}
        self._uses_edge: dict[str, bool] = {}

    def edge_functor(self, name: str) -> EdgeFunctor:
        """The edge functor of that name."""
        return self._edge_functors[name]

    def vertex_functor(self, name: str) -> VertexFunctor:
        """The vertex functor of that name."""
        return self._vertex_functors[name]

    def edge_names(self, functor: EdgeFunctor, over: Over, lists: Over | None = None) -> EdgeNames:
        """The names of an edge in a visit `over` the edges of the frontier, walking `lists` (if other than these)."""
        source, destination = self.names.local(functor.source), self.names.local(functor.destination)
        walked = lists or over
        if functor.name not in self._uses_edge:
            self._uses_edge[functor.name] = any(_speaks_of_edge(node) for node in walk(functor))
        uses_edge = self._uses_edge[functor.name]
        at = self.names.local(functor.edge) if walked is Over.OUT_EDGES else "at"
        edge = at if walked is Over.OUT_EDGES or not uses_edge else "in_lists{d.graph}.id(at)"
        near, far = (source, destination) if over is Over.OUT_EDGES else (destination, source)
        arguments = {
            Argument.SOURCE: source,
            Argument.DESTINATION: destination,
            Argument.EDGE: edge,
            Argument.NEAR: near,
            Argument.FAR: far,
        }
        return EdgeNames(near, far, at, arguments)

    def totals(self, functor: Functor) -> Totals | None:
        """The scalars that the functor sums up."""
        accumulated = self._accumulated_in(functor)
        if not accumulated:
            return None
        if functor.name not in self.all_totals:
            updates = {
                node.target.scalar: node
                for node in walk(functor.body)
                if isinstance(node, Update)
                and isinstance(node.target, ScalarTarget)
                and node.target.scalar in accumulated
            }
            members = tuple(self._total(update) for update in updates.values())
            self.all_totals[functor.name] = Totals(self.names.functor(functor.name, "totals"), members)
        return self.all_totals[functor.name]

    def _total(self, update: Update) -> Total:
        assert isinstance(update.target, ScalarTarget)
        name, type_ = self.names.member(update.target.scalar), update.target.type
        adds = update.operation is ReduceOperation.SUBTRACT
        reduce = REDUCTIONS[ReduceOperation.ADD if adds else update.operation]
        return Total(
            name,
            type_.value,
            identity(update.operation, type_),
            SUMS[update.operation],
            f"reduce_{reduce}",
            f"d.{name}",
        )

    # What operators call; each gives an expression

    def visited(self, functor: EdgeFunctor, edge: EdgeNames, plain: frozenset[str] = frozenset()) -> Work:
        """Tests `cond` and runs `apply` for an edge."""
        condition = self._condition(functor, "condition", functor.condition)
        apply = self._apply(functor, "apply", plain)
        return _work((condition,), apply, edge.arguments)

    def visited_vertex(self, functor: VertexFunctor) -> Work:
        """Tests `cond` and runs `apply` for a vertex."""
        condition = self._condition(functor, "condition", functor.condition)
        apply = self._apply(functor, "apply", plain_arrays(functor, frozenset({Role.VERTEX})))
        arguments = {Argument.VERTEX: self.names.local(functor.vertex)}
        return _work((condition,), apply, arguments)

    def claimed(self, functor: EdgeFunctor, op: Advance, edge: EdgeNames) -> Work:
        """Tests what else `cond` says, takes the far end by a compare-and-swap, and runs the rest of `apply`."""
        closing = op.closing
        assert closing is not None
        others = tuple(c for i, c in enumerate(functor.condition) if i != closing.conjunct)
        rest = self._condition(functor, "condition", others)
        claim = self._make(
            functor, "claim", op.over.value, lambda part: self.printer.claim(functor, closing, far_roles(op.over), part)
        )
        apply = self._apply(functor, "apply", frozenset(), without=closing.statement)
        if apply is None:
            return _work((rest,), claim, edge.arguments)
        return _work((rest, claim), apply, edge.arguments)

    def selected(self, functor: EdgeFunctor, select: tuple[int, ...], edge: EdgeNames) -> str:
        """Tests what `cond` says of the far end alone."""
        chosen = tuple(functor.condition[i] for i in select)
        selects = self._condition(functor, "selects", chosen)
        return selects.call(edge.arguments) if selects is not None else "true"

    def pulled(self, functor: EdgeFunctor, op: Advance, edge: EdgeNames, alone: bool) -> Work:
        """Tests the rest of `cond` and runs the whole `apply`; `alone`: one thread has the far end to itself."""
        rest = tuple(c for i, c in enumerate(functor.condition) if i not in op.select)
        meets = self._condition(functor, "meets", rest)
        plain = plain_arrays(functor, far_roles(op.over) | {Role.EDGE}) if alone else self.own_edge(functor)
        part = "apply_alone" if alone else "apply_whole" if op.claims else "apply"
        apply = self._apply(functor, part, plain)
        return _work((meets,), apply, edge.arguments)

    def value(self, functor: EdgeFunctor, edge: EdgeNames, empty: str, type_: ScalarType) -> str:
        """What an edge gives to a reduction: `empty` where `cond` does not hold."""
        condition = self._condition(functor, "condition", functor.condition)
        text = self._make(functor, "value", "", lambda part: self.printer.value(functor, part))
        assert text is not None
        value = text.call(edge.arguments)
        if condition is None:
            return value
        return f"{condition.call(edge.arguments)} ? {value} : {'false' if type_ is ScalarType.BOOL else empty}"

    def own_edge(self, functor: EdgeFunctor) -> frozenset[str]:
        """The arrays that the functor writes only at its own edge, where each edge is visited once."""
        return plain_arrays(functor, frozenset({Role.EDGE}))

    def _condition(self, functor: Functor, part: str, conjuncts: tuple[Expression, ...]) -> FunctionText | None:
        form = " ".join(str(id(conjunct)) for conjunct in conjuncts)  # the program holds them
        return self._make(functor, part, form, lambda name: self.printer.condition(functor, conjuncts, name))

    def _apply(
        self, functor: Functor, part: str, plain: frozenset[str], without: int | None = None
    ) -> FunctionText | None:
        def make(name: str) -> FunctionText | None:
            return self.printer.apply(functor, name, plain, self._accumulated_in(functor), without)

        return self._make(functor, part, f"{sorted(plain)} {without}", make)

    def _make(
        self, functor: Functor, part: str, form: str, make: Callable[[str], FunctionText | None]
    ) -> FunctionText | None:
        """The `part` of a functor in one form; another form that an operator asked for before keeps the plain name."""
        key = (functor.name, part, form)
        if key not in self.made:
            others = self._forms[functor.name, part]
            self._forms[functor.name, part] += 1
            self.made[key] = make(f"{part}_{others + 1}" if others else part)
        return self.made[key]

    def _accumulated_in(self, functor: Functor) -> frozenset[str]:
        if functor.name not in self._accumulated:
            self._accumulated[functor.name] = accumulated_scalars(functor)
        return self._accumulated[functor.name]


def _speaks_of_edge(node: Node) -> bool:
    return (isinstance(node, Parameter) and node.role is Role.EDGE) or isinstance(node, Place)


def _work(tests: tuple[FunctionText | None, ...], apply: FunctionText | None, arguments: dict[Argument, str]) -> Work:
    test = " && ".join(function.call(arguments) for function in tests if function is not None)
    return Work(test, apply.call(arguments) if apply else "", apply is not None and apply.result == "bool")
