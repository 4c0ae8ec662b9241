"""Checks all arguments of a run, in the order in which a user wants to hear of mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary, ref

import numpy as np

from gdsl import deadline
from gdsl.backends.batch import VariedBindings
from gdsl.backends.interface import Bindings
from gdsl.binding import graph_checks
from gdsl.binding.conditions import Condition, Conditioned, WhereChecker
from gdsl.binding.expressions import Evaluator
from gdsl.binding.inputs import attribute_array, input_array, is_ready, unchecked
from gdsl.binding.names import check_names, declared_inputs, declared_params, problem_data
from gdsl.binding.params import all_within, check_id, scalar_value, vertex_by_name, whole_values
from gdsl.binding.sets import set_flags
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.interpreter import with_room
from gdsl.ir import nodes as ir
from gdsl.ir.calls import frames_of_calls
from gdsl.ir.traversal import contains
from gdsl.operations import Domain
from gdsl.source import Source
from gdsl.types import Type, Widths

_NO_NAMES: frozenset[str] = frozenset()
_MOST_CONDITIONS = 1000
"""Conditions that are remembered to hold, for different values of params."""


def needed_widths(program: ir.Program, graph: Graph) -> Widths:
    """Of the ids of vertices and edges: 32 bits while those of `graph` fit and the program requires no more, else 64.

    Raises E0610 where the program requires 32 and that is not enough.
    """
    requested = program.tuning.ids
    if requested is None:
        return graph.id_widths
    if requested < graph.id_bits:
        raise GdslError.single(
            "E0610",
            f"schedule.ids={requested}, but the graph needs {graph.id_bits} bits an id",
            fix="leave schedule.ids out",
        )
    return Widths.both(requested)


def bind(
    program: ir.Program,
    graph: Graph,
    arguments: Mapping[str, object],
    source: Source | None = None,
    *,
    id_bits: int | None = None,
    device: bool = False,
) -> Bindings:
    """Check `arguments` (params and inputs by name) and the graph against what `program` declares.

    As `Binder.bind`, but waits for tests that a GPU is busy with."""
    widths = None if id_bits is None else Widths.both(id_bits)
    bindings = Binder(program, source).bind(graph, arguments, widths=widths, device=device)
    for pending in bindings.open:
        pending()
    return bindings


class Binder:
    """The checks of the arguments of a program. What depends only on the program is computed once, what depends on the
    graph, which does not change, once for each graph."""

    def __init__(self, program: ir.Program, source: Source | None = None) -> None:
        self._program, self._source = program, source
        needed = [param.name for param in program.params if param.default is None]
        needed += [array.name for array in program.arrays if array.is_set]
        self._needed = frozenset(needed + [scalar.name for scalar in program.scalars if scalar.is_input])
        self.known = frozenset(data.name for data in (*declared_params(program), *declared_inputs(program)))
        """The names of the params and inputs."""
        self._arrays = [array for array in program.arrays if array.is_input]
        self._scalars = [scalar for scalar in program.scalars if scalar.is_input]
        self._generic = frozenset(name for parameter in program.types for name in parameter.users)
        self._has_counts = any(array.count is not None for array in program.arrays)
        self._param_conditions = _conditions(program.params)
        self._conditions = _conditions(problem_data(program))
        self._depends_on_params = self._has_counts or any(each.params or not each.is_plain for each in self._conditions)
        """Whether inputs that are valid with some params may be invalid with others."""
        self._frames = frames_of_calls(program) if self._param_conditions or self._conditions else 0
        self._functions = {function.name: function for function in program.functions}
        self._constant = {param.name for param in program.params if _is_constant(param.default)}
        self._graphs: WeakKeyDictionary[Graph, _GraphState] = WeakKeyDictionary()
        self._latest: ref[_GraphState] | None = None
        """The state of the last call's graph, which the next call most often uses too."""

    def bind(
        self,
        graph: Graph,
        arguments: Mapping[str, object],
        *,
        widths: Widths | None = None,
        device: bool = False,
        previous: Bindings | None = None,
        rounded: frozenset[str] = _NO_NAMES,
    ) -> Bindings:
        """Check `arguments` (params and inputs by name) and the graph against what the program declares.

        Strings from the command line come as `Text`. CuPy arrays stay on the device where `device` is set, which may
        still be testing them. `previous` are the bindings of a call that differed only in params: its inputs are
        not checked again, unless their conditions depend on params. Values of the names in `rounded` become the nearest
        ones of their type. Raises `GdslError` with every missing and unknown name, or else for the first wrong value.
        """
        program, source = self._program, self._source
        names = arguments.keys()
        if names != self.known and not (self._needed <= names <= self.known):
            check_names(program, arguments, source)
        state = self._latest() if self._latest is not None else None
        if state is None or state.graph() is not graph:
            state = self._state_of(graph)
        params = self._params(graph, arguments, state, rounded)
        widths = widths or needed_widths(program, graph)
        if self._param_conditions:
            self._check_where(self._param_conditions, graph, params, {}, state, _NO_NAMES)
        if self._has_counts:
            graph_checks.check_counts(program, params, source)
            graph_checks.check_room(program, graph, params, widths)
        if not self._arrays and not self._scalars:
            return Bindings(params, {})
        if previous is not None and not self._depends_on_params:
            return Bindings(params, previous.inputs, previous.own)
        inputs, own, vouched_for = self._inputs(graph, arguments, params, state, widths, device, rounded)
        if not self._conditions:
            return Bindings(params, inputs, own)
        conditions = [each for each in self._conditions if each.data.name not in vouched_for]
        return Bindings(params, inputs, own, self._check_where(conditions, graph, params, inputs, state, own))

    def bind_all(
        self, graph: Graph, shared: Mapping[str, object], varied: Mapping[str, Sequence[Any]], **options: Any
    ) -> VariedBindings | None:
        """What `bind` returns for each of the values in `varied`, equally many by param, together with `shared`.

        None where each must be bound separately: only integers in their ranges may differ. Raises as `bind` for the
        first."""
        if not all(varied.values()) or self._param_conditions or self._has_counts or self._depends_on_params:
            return None
        first_arguments = {**shared, **{name: values[0] for name, values in varied.items()}}
        first = self.bind(graph, first_arguments, **options)
        state = self._graphs[graph]
        if any(name not in shared and name not in varied and name not in state.defaults for name in first.params):
            return None
        for name, values in varied.items():
            low, end = state.ranges.get(name, (0, 0))
            if not all_within(values, low, end):
                return None
        return VariedBindings(first, varied)

    def _check_where(
        self,
        conditions: Sequence[Condition],
        graph: Graph,
        params: dict[str, bool | int | float],
        inputs: dict[str, Any],
        state: _GraphState,
        own: frozenset[str],
    ) -> tuple[Callable[[], None], ...]:
        """Test conditions that were not found to hold of the same values before; returns functions that wait for tests
        on a GPU."""
        if not conditions:
            return ()
        keys = [(each, each.key(own, params)) for each in conditions]
        conditions = [each for each, key in keys if key is None or key not in state.satisfied]
        if conditions:
            checker = WhereChecker(self._program, graph, params, inputs, self._source, own)
            try:
                with_room(self._frames, lambda: checker.check_all(conditions))
            finally:
                pending = checker.take_pending()
            if len(state.satisfied) > _MOST_CONDITIONS:
                state.satisfied.clear()
            state.satisfied.update(key for _, key in keys if key is not None)
            return pending
        return ()

    def _state_of(self, graph: Graph) -> _GraphState:
        """What is known of the graph, which becomes the latest."""
        state = self._graphs.get(graph)
        if state is None:
            state = self._graphs[graph] = self._checked(graph)
        self._latest = ref(state)
        return state

    def _checked(self, graph: Graph) -> _GraphState:
        """The checks of what the program requires of the graph."""
        with deadline.doing("checking what the program requires of the graph"):
            graph_checks.check_requirements(self._program, graph, self._source)
        graph_checks.check_literals(self._program, graph, self._source)
        graph_checks.check_numbers(self._program, graph, self._source)
        ranges = {param.name: whole_values(param.type, _id_count(param.type, graph)) for param in self._program.params}
        if graph.names is not None:  # numbers may be names
            ranges = {param.name: ranges[param.name] for param in self._program.params if not param.type.is_id}
        return _GraphState(ref(graph), {name: result for name, result in ranges.items() if result is not None})

    def _params(
        self, graph: Graph, arguments: Mapping[str, object], state: _GraphState, rounded: frozenset[str]
    ) -> dict[str, bool | int | float]:
        """The value of every param, the caller's or the default."""
        params: dict[str, bool | int | float] = {}
        ranges = state.ranges
        for param in self._program.params:
            name = param.name
            if name in arguments and not param.is_count:
                value = arguments[name]
                if type(value) is int and name in ranges and ranges[name][0] <= value < ranges[name][1]:
                    params[name] = value
                    continue
                value = vertex_by_name(param, value, graph, self._source)
                params[name] = scalar_value(param, value, _id_count(param.type, graph), self._source, name in rounded)
            elif name in state.defaults:
                params[name] = state.defaults[name]
            elif param.default is not None:
                params[name] = self.default_of(param, param.default, graph, params)
                if name in self._constant:
                    state.defaults[name] = params[name]
        return params

    def default_of(
        self, param: ir.Param, default: ir.Expression, graph: Graph, params: Mapping[str, bool | int | float]
    ) -> bool | int | float:
        """The default of a param, where the params before it are `params`. Raises E0604."""
        counts = {Domain.VERTEX: graph.num_vertices, Domain.EDGE: graph.num_edges}
        value = Evaluator(np, self._functions, params, counts).value(default)
        if param.type.is_id:
            check_id(param, int(value), "param", _id_count(param.type, graph), self._source, is_default=True)
        return value

    def _inputs(
        self,
        graph: Graph,
        arguments: Mapping[str, object],
        params: Mapping[str, object],
        state: _GraphState,
        widths: Widths,
        device: bool,
        rounded: frozenset[str],
    ) -> tuple[dict[str, Any], frozenset[str], frozenset[str]]:
        """Every input, the caller's or the graph's; the names of the graph's; the names of those whose conditions the
        caller vouches for."""
        inputs: dict[str, Any] = {}
        own, vouched_for = [], []
        for array in self._arrays:
            name = array.name
            if array.is_set:
                deadline.check()
                inputs[name] = set_flags(array, arguments[name], graph, self._source, device)
            elif name in arguments:
                values = arguments[name]
                if isinstance(values, unchecked):
                    values = values.values
                    vouched_for.append(name)
                if not (device and self._is_ready(array, values, graph, state)):
                    deadline.check()
                    count = graph_checks.values_of(array, params)
                    options = {"flags": name in self._generic, "is_rounded": name in rounded}
                    values = input_array(array, values, graph, widths, self._source, device, count, **options)
                inputs[name] = values
            else:
                key = (name, widths, name in rounded)
                if key not in state.own:
                    deadline.check()
                    options = {"flags": name in self._generic, "is_rounded": name in rounded}
                    state.own[key] = attribute_array(array, graph, widths, self._source, **options)
                inputs[name] = state.own[key]
                own.append(name)
        for scalar in self._scalars:
            value = vertex_by_name(scalar, arguments[scalar.name], graph, self._source)
            inputs[scalar.name] = scalar_value(
                scalar, value, _id_count(scalar.type, graph), self._source, scalar.name in rounded
            )
        return inputs, frozenset(own), frozenset(vouched_for)

    def _is_ready(self, array: ir.Array, values: Any, graph: Graph, state: _GraphState) -> bool:
        """`is_ready`. An array of CuPy that was ready stays so: only its shape can change."""
        previous = state.ready.get(array.name)
        is_same = previous is not None and previous() is values
        if is_same and values.ndim == 1:
            return True
        if not is_ready(array, values, graph):
            return False
        state.ready[array.name] = ref(values)
        return True


@dataclass
class _GraphState:
    """What is known of a graph that a program ran on before."""

    graph: ref[Graph]
    ranges: dict[str, tuple[int, int]]
    """By param, the range of Python integers that are its values without conversion."""
    defaults: dict[str, bool | int | float] = field(default_factory=dict)
    """The defaults of params that depend only on the graph."""
    ready: dict[str, ref[Any]] = field(default_factory=dict)
    """By input, the arrays of the last call that needed no conversion."""
    own: dict[tuple[str, Widths, bool], Any] = field(default_factory=dict)
    """The graph's attributes as inputs, by name, widths of ids, and whether they are rounded."""
    satisfied: set[object] = field(default_factory=set)
    """Keys of conditions that `WhereChecker` found to hold."""


def _conditions(declared: Iterable[Conditioned]) -> list[Condition]:
    result = map(Condition.of, declared)
    return [condition for condition in result if condition is not None]


def _is_constant(default: ir.Expression | None) -> bool:
    return default is not None and not contains(default, ir.ParamValue, ir.FunctionCall)


def _id_count(type_: Type, graph: Graph) -> int:
    return graph.num_edges if type_ is Type.EDGE else graph.num_vertices
