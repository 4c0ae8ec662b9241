"""The checks of an exported program before it runs: what `gdsl.binding` requires of params, inputs and the graph.

They are one file of plain C++ for every backend, with the pieces of the cpu runtime that conditions and defaults need.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from gdsl.arithmetic.constants import integer_range
from gdsl.binding.graph_checks import id_literals
from gdsl.binding.params import id_kind
from gdsl.codegen.checks import CheckTable
from gdsl.codegen.cpu.generate import LIBRARY
from gdsl.codegen.fixed_size_arrays import count_text
from gdsl.codegen.functions import FunctionPrinter
from gdsl.codegen.library import struct_text
from gdsl.codegen.literals import memory_type_name
from gdsl.codegen.names import UNDEFINED, Names, Scope, identifiers_of
from gdsl.codegen.templates import render
from gdsl.export.interface import Argument, Interface
from gdsl.export.messages import literal_of, stop_texts
from gdsl.extents import MOST_VALUES
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Degree
from gdsl.plan import structs_cpu
from gdsl.source import Source, Span
from gdsl.types import Type, Widths

_SHARED = (structs_cpu.GRAPH_SLICE, structs_cpu.TRACE_RECORD, structs_cpu.CONTROL)


@dataclass(frozen=True, slots=True)
class Value:
    """A member of the data that conditions read: its type, its name there, and whether it is a pointer."""

    name: str
    type: str
    member: str
    is_pointer: bool


@dataclass(frozen=True, slots=True)
class Condition:
    """A `where`: the function that tests it, and the message around the name and value of the first that fails it."""

    function: str
    argument: Argument
    text: str
    each: str
    length: str
    message: str
    place: str


@dataclass(frozen=True, slots=True)
class Length:
    """An array of the caller's, and the number of values it must have."""

    argument: Argument
    length: str


@dataclass(frozen=True, slots=True)
class Default:
    """The default of a param, in the order of evaluation; `argument` None: a length that the compiler introduced."""

    function: str
    member: str
    kind: str
    argument: Argument | None
    text: str
    name: str


@dataclass(frozen=True, slots=True)
class CountTest:
    """The number of values of an array's elements, and the message where it is out of range."""

    text: str
    message: str
    place: str


@dataclass(frozen=True, slots=True)
class GraphTest:
    """A bound that the `size` of the graph must be above, with the code and message otherwise."""

    size: str
    above: int
    code: int
    message: str


class ChecksPrinter:
    """Prints the file, and the lengths that the host code needs."""

    def __init__(self, program: ir.Program, interface: Interface, widths: Widths, source: Source) -> None:
        self.program, self.interface, self.widths, self.source = program, interface, widths, source
        self.names = Names()
        self.checks = CheckTable(enabled=True)
        used = _used_functions(program)
        called = dataclasses.replace(program, functions=tuple(each for each in program.functions if each.name in used))
        self.functions = FunctionPrinter(called, self.names, self.checks, line_directives=False)
        self.arguments = {each.name: each for each in interface.arguments}
        self.hidden = {param.name: f"count_{place}" for place, param in enumerate(program.params) if param.is_count}

    def count_text(self, name: str, counts: str, params: str) -> str:
        """The value of the param `name`, which some length uses."""
        return f"{counts}.{self.hidden[name]}" if name in self.hidden else f"{params}.{self.arguments[name].member}"

    def counts(self, counts: str, params: str) -> dict[str, str]:
        """The values of all params, which lengths may use."""
        return {param.name: self.count_text(param.name, counts, params) for param in self.program.params}

    def each_text(self, count: ir.Expression | None, counts: str, params: str) -> str:
        """How many values an element has; empty where it has one."""
        if isinstance(count, ir.ParamValue):
            return self.count_text(count.name, counts, params)
        return str(count.value) if isinstance(count, ir.Literal) else ""

    def print(self, stem: str) -> str:
        """The file; its header is `stem`_checks.hpp."""
        defaults = [self._default(param) for param in self.program.params if param.default is not None]
        conditions = [each for each in map(self._condition, self._declared()) if each is not None]
        functions = [text.definition("inline") for text in self.functions.functions()]
        values = list(self._values())
        data = render("export", "conditions.cpp.j2", part="data", values=values)
        body = render(
            "export",
            "conditions.cpp.j2",
            part="conditions",
            functions=functions,
            defaults=defaults,
            conditions=conditions,
            each=self._own_count,
        )
        generated = {"data_slice": data} | {each.name: struct_text("export", each, self.widths) for each in _SHARED}
        text = render(
            "export",
            "checks.cpp.j2",
            name=self.program.name,
            stem=stem,
            source_name=self.program.source_name,
            undefined=UNDEFINED,
            widths=self.widths,
            pieces=[piece.text for piece in LIBRARY.link(f"{data}\n{body}\ndata_slice", generated)],
            body=body,
            literal=literal_of,
            values=values,
            hidden=self.hidden,
            members=self.arguments,
            defaults=defaults,
            reads_graph=self._reads_graph(),
            stops=list(stop_texts(self.program, self.checks)),
            **self._tests(conditions),
        )
        self.names.settle(identifiers_of(text), functions=body, structs=data)
        return self.names.spell(text)

    def _tests(self, conditions: list[Condition]) -> dict[str, object]:
        """The tests by kind: first those of the graph and of params alone."""
        arguments, arrays = self.interface.arguments, self._arrays()
        of_params = [each for each in conditions if each.argument.domain is None and each.argument.what == "param"]
        return {
            "requires": self.program.requires,
            "graph_tests": self._graph_tests(),
            "narrow_numbers": self._narrow_numbers(),
            "ids": [each for each in arguments if each.kind.is_id and each.domain is None],
            "param_conditions": of_params,
            "count_tests": list(self._count_tests()),
            "most": MOST_VALUES,
            "arguments": arguments,
            "value_arrays": [self._length(each) for each in arrays if each.has_array_elements],
            "sets": [each for each in arguments if each.is_set],
            "id_arrays": [self._length(each) for each in arrays if each.kind.is_id],
            "data_conditions": [each for each in conditions if each not in of_params],
        }

    def _arrays(self) -> list[Argument]:
        return [each for each in self.interface.arguments if each.domain is not None and not each.is_set]

    def _length(self, argument: Argument) -> Length:
        each = self.each_text(argument.count, "counts", "given")
        return Length(argument, f"graph.{argument.elements}{f' * (long long)({each})' if each else ''}")

    def _declared(self) -> list[ir.Param | ir.Array | ir.Scalar]:
        """What may have a condition, in the order of the tests."""
        return [*self.program.params, *self.program.arrays, *self.program.scalars]

    def _default(self, param: ir.Param) -> Default:
        assert param.default is not None
        text = self.functions.expressions().print(param.default)
        member = self.names.member(param.name)
        kind = param.type.name
        function = self.names.derived(Scope.GLOBAL, f"default_of_{param.name}", "default")
        return Default(function, member, kind, self.arguments.get(param.name), text, param.name)

    def _condition(self, declared: ir.Param | ir.Array | ir.Scalar) -> Condition | None:
        where = declared.where
        if where is None or not (isinstance(declared, ir.Param) or declared.is_input):
            return None
        argument = self.arguments[declared.name]
        each = self.each_text(argument.count, "counts", "given")
        words = f"{argument.words} must fulfill `{self._written(where.span)}`, but "
        text = self.functions.expressions().print(where)
        function = self.names.derived(Scope.GLOBAL, f"holds_of_{declared.name}", "condition")
        length = self._length(argument).length
        return Condition(function, argument, text, each, length, literal_of(words), self._place(where.span))

    def _own_count(self, argument: Argument) -> str:
        """How many values an element has, for the functions of conditions; empty where it has one."""
        return "" if argument.count is None else count_text(argument.count, self.names)

    def _values(self) -> list[Value]:
        params = [Value(each.name, each.type.name, self.names.member(each.name), False) for each in self.program.params]
        everything: list[ir.Array | ir.Scalar] = [*self.program.arrays, *self.program.scalars]
        data = [each for each in everything if each.is_input]
        sets = {array.name for array in self.program.arrays if array.is_set}
        inputs = [
            Value(each.name, memory_type_name(each.type), self.names.member(each.name), True)
            for each in data
            if each.name not in sets
        ]
        return [*params, *inputs]

    def _reads_graph(self) -> list[str]:
        """The lists whose degrees conditions use."""
        parts = [*(each.where for each in self._declared()), *(param.default for param in self.program.params)]
        nodes = [node for part in parts if part is not None for node in walk(part)]
        nodes += [node for function in self.functions.program.functions for node in walk(function)]
        degrees = {node.degree for node in nodes if isinstance(node, ir.DegreeOf)}
        return ["offsets"] * (Degree.OUT in degrees) + ["in_offsets"] * (Degree.IN in degrees)

    def _graph_tests(self) -> list[GraphTest]:
        tests = []
        for literal in id_literals(self.program):
            size = "num_edges" if literal.type is Type.EDGE else "num_vertices"
            message = f"{literal.value} is not {id_kind(literal.type)} of the graph ({self._where(literal.span)})"
            tests.append(GraphTest(size, int(literal.value), 612, literal_of(message)))
        return tests

    def _narrow_numbers(self) -> list[GraphTest]:
        """The arrays that may be too narrow for the numbers of members, with the largest size they can number."""
        tests = []
        for step in walk(self.program.schedule):
            if isinstance(step, ir.NumberMembers):
                most = integer_range(step.array_type)[1]
                size = step.members.domain.count_name
                message = f"`{step.array}` is {step.array_type.name}, and the graph has more members to number"
                tests.append(GraphTest(size, most, 613, literal_of(f"{message} ({self._where(step.span)})")))
        return [test for test in tests if test.above < 2**63 - 1]

    def _count_tests(self) -> list[CountTest]:
        tests = []
        for array in self.program.arrays:
            if isinstance(array.count, ir.ParamValue):
                text = self.each_text(array.count, "counts", "given")
                message = f"an element of `{array.name}` would have "
                tests.append(CountTest(text, literal_of(message), self._place(array.span)))
        return tests

    def _written(self, span: Span) -> str:
        """A condition as the program writes it."""
        if span.line != span.end_line:
            return "where"
        return self.source.of(span).line(span.line)[span.column - 1 : span.end_column - 1] or "where"

    def _where(self, span: Span) -> str:
        return span.place_in(self.program.source_name)

    def _place(self, span: Span) -> str:
        return literal_of(f" ({self._where(span)})")


def _used_functions(program: ir.Program) -> set[str]:
    """The functions that conditions and defaults call, directly or not."""
    declared: list[ir.Param | ir.Array | ir.Scalar] = [*program.params, *program.arrays, *program.scalars]
    parts: list[object] = [each.where for each in declared if each.where is not None]
    parts += [param.default for param in program.params if param.default is not None]
    by_name = {function.name: function for function in program.functions}
    functions: set[str] = set()
    while parts:
        for node in walk(parts.pop()):
            if isinstance(node, ir.FunctionCall) and node.function not in functions:
                functions.add(node.function)
                parts.append(by_name[node.function].body)
    return functions
