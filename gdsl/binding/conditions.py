"""The `where` of params and inputs, tested on every value before a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl import deadline
from gdsl.arithmetic.constants import integer_range
from gdsl.binding import device_conditions
from gdsl.binding.expressions import Evaluator
from gdsl.binding.graph_checks import values_of
from gdsl.binding.inputs import array_module, value_name
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.graph.arrays import is_on_gpu
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Degree, Domain
from gdsl.records import dataclass
from gdsl.source import Source

_CHUNK = 1 << 22
"""Elements that are tested at a time, which bounds the memory that the test takes."""

Conditioned = ir.Param | ir.Array | ir.Scalar
"""Declarations that may have a `where`."""


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """The `where` of a param or an input, and what it refers to."""

    data: Conditioned
    where: ir.Expression
    arrays: frozenset[str]
    params: tuple[str, ...]
    is_plain: bool
    """Whether it refers only to these, the graph and literals."""

    @classmethod
    def of(cls, data: Conditioned) -> Condition | None:
        """The condition of a param or an input, if it has one."""
        where = data.where
        if where is None or not (isinstance(data, ir.Param) or data.is_input):
            return None
        nodes = list(walk(where))
        arrays = frozenset(node.array for node in nodes if isinstance(node, ir.Element))
        params = tuple(dict.fromkeys(node.name for node in nodes if isinstance(node, ir.ParamValue)))
        has_calls = any(isinstance(node, ir.FunctionCall | ir.ScalarValue) for node in nodes)
        if isinstance(data, ir.Param):
            params = (data.name, *params)
        is_set = isinstance(data, ir.Array) and data.is_set
        return cls(data, where, arrays, params, not (isinstance(data, ir.Scalar) or is_set or has_calls))

    @property
    def is_of_own_edge(self) -> bool:
        """Whether it reads the value of one edge, and nothing else that differs from edge to edge."""
        data = self.data
        if not isinstance(data, ir.Array) or data.domain is not Domain.EDGE or self.arrays != {data.name}:
            return False
        nodes = list(walk(self.where))
        elements = [node for node in nodes if isinstance(node, ir.Element)]
        ids = [node for node in nodes if isinstance(node, ir.OwnId)]
        others = (ir.DegreeOf, ir.GraphRead, ir.OwnPart, ir.Count)
        at_own = all(isinstance(node.index, ir.OwnId) for node in elements)
        return at_own and len(ids) == len(elements) and not any(isinstance(node, others) for node in nodes)

    def key(self, own: frozenset[str], params: dict[str, bool | int | float]) -> object:
        """What the answer depends on besides the graph, to which the inputs `own` belong; None where it depends on the
        caller's values."""
        is_own = isinstance(self.data, ir.Param) or self.data.name in own
        if not self.is_plain or not is_own or not self.arrays <= own:
            return None
        # As text, since -0.0 and 0.0 are equal, and a condition may divide by them.
        return (self.data.name, *(repr(params[name]) for name in self.params))


class WhereChecker:
    """Tests the `where` of params, of inputs on all elements, and of sets on all members."""

    def __init__(
        self,
        program: ir.Program,
        graph: Graph,
        params: dict[str, bool | int | float],
        inputs: dict[str, Any],
        source: Source | None,
        own: frozenset[str] = frozenset(),
    ) -> None:
        """`own` are the inputs that are attributes of the graph and do not change."""
        self._own = own
        self._program = program
        self._graph = graph
        self._params = params
        self._inputs = inputs
        self._source = source
        self._pending: list[Callable[[], None]] = []
        """Functions that wait for tests on a GPU; each raises E0608 as `check` does."""

    def check_all(self, conditions: Iterable[Condition]) -> None:
        """`check` each condition."""
        for condition in conditions:
            self.check(condition)

    def take_pending(self) -> tuple[Callable[[], None], ...]:
        """The functions that must still be called. Keeping them here would keep arrays alive in a reference cycle."""
        pending, self._pending = tuple(self._pending), []
        return pending

    def check(self, condition: Condition) -> None:
        """Raise E0608 for the first element for which it does not hold. Attributes of a graph are tested once."""
        data, key = condition.data, None
        if isinstance(data, ir.Array) and condition.key(self._own, self._params) is not None:
            key = repr((data.domain, data.type, condition.where, sorted(self._params.items())))
        if key is not None and key in self._graph._conditions:
            return
        with deadline.doing(f"testing the `where` of {_kind(data)} `{data.name}`"):
            self._test(data, self._edges_to_test(condition, key))
        if key is not None:
            self._graph._conditions.add(key)

    def _edges_to_test(self, condition: Condition, key: str | None) -> NDArray[Any] | None:
        """The ids of the edges of an updated graph that are new, where the condition held for all others."""
        new = self._graph._new_edges
        if new is None or key not in new.conditions:
            return None
        return new.ids if condition.is_of_own_edge else None

    def _test(self, declared: Conditioned, edges: NDArray[Any] | None = None) -> None:
        """Test all values, or those of `edges`."""
        where = declared.where
        assert where is not None
        values: Any = self._params[declared.name] if isinstance(declared, ir.Param) else self._inputs[declared.name]
        values = values if edges is None else values[edges]
        is_array = isinstance(declared, ir.Array)
        is_set = isinstance(declared, ir.Array) and declared.is_set
        if is_on_gpu(values) and not is_set:
            verdict = device_conditions.start_test(declared.name, where, values, self._params)
            if verdict is not None:
                self._pending.append(partial(self._finish, declared, verdict, values))
                return
        for finish in self._pending:  # the first failure is reported
            finish()
        evaluator = self._evaluator(array_module(values), {} if edges is None else {declared.name: values})
        length = len(values) if is_array else 1
        count = values_of(declared, self._params) if isinstance(declared, ir.Array) else None
        for first in range(0, length, _CHUNK):
            last = min(first + _CHUNK, length)
            deadline.check()
            holds = evaluator.values(where, first, last, count or 1)
            if is_set:
                holds = holds | ~values[first:last]
            if bool(holds.all()):
                continue
            place = first + int(holds.argmin()) if len(holds) > 1 else first
            edge = place if edges is None else int(edges[place])
            self._refuse(declared, values[place].item() if is_array else values, edge)

    def _finish(self, declared: Conditioned, verdict: device_conditions.Verdict, values: Any) -> None:
        with deadline.doing(f"testing the `where` of {_kind(declared)} `{declared.name}`"):
            place = verdict.failure()
        if place is not None:
            self._refuse(declared, values[place].item(), place)

    def _refuse(self, declared: Conditioned, value: bool | int | float, place: int) -> None:
        name = "it"
        if isinstance(declared, ir.Array):
            name = value_name(declared.domain, place, self._graph, values_of(declared, self._params))
        condition = self._text_of(declared.where) if declared.where is not None else ""
        pending = f"has {value}" if isinstance(declared, ir.Array) else f"is {value}"
        if isinstance(declared, ir.Array) and declared.is_set:
            pending = "is in it"
        kind, notes = declared.type, []
        if kind.is_integer and value == integer_range(kind)[1] and re.search(r"\binf\b", condition):
            notes = [f"{value} is `inf`, the largest value of {kind.name}"]
        raise GdslError.single(
            "E0608",
            f"{_kind(declared)} `{declared.name}` must fulfill `{condition}`, but {name} {pending}",
            declared.where.span if declared.where is not None else declared.span,
            self._source,
            notes=notes,
        )

    def _text_of(self, expression: ir.Expression) -> str:
        span = expression.span
        if self._source is None or span.line != span.end_line:
            return "where"
        return self._source.of(span).line(span.line)[span.column - 1 : span.end_column - 1] or "where"

    def _evaluator(self, module: Any, parts: Mapping[str, Any]) -> Evaluator:
        """Evaluates with the inputs, of which some have only the values in `parts`."""

        def whole(name: str) -> Any:
            values = parts[name] if name in parts else self._inputs[name]
            if isinstance(values, bool | int | float):
                return values
            if module is np and is_on_gpu(values):
                return values.get()
            return module.asarray(values)

        def degrees(degree: Degree) -> Any:
            return module.asarray(self._graph.out_degrees if degree is Degree.OUT else self._graph.in_degrees)

        functions = {function.name: function for function in self._program.functions}
        counts = {Domain.VERTEX: self._graph.num_vertices, Domain.EDGE: self._graph.num_edges}
        return Evaluator(module, functions, self._params, counts, whole, degrees)


def _kind(declared: Conditioned) -> str:
    """The word for it in messages."""
    is_param = isinstance(declared, ir.Param) or (isinstance(declared, ir.Array) and declared.is_set)
    return "param" if is_param else "input"
