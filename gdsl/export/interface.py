"""The C interface of an exported program: the members of its structs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gdsl.backends.interface import part_names
from gdsl.binding import declared_inputs, declared_params
from gdsl.codegen.lines import title_line
from gdsl.codegen.names import KEYWORDS
from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression
from gdsl.operations import Domain
from gdsl.types import TYPE_CLASSES, Type, Widths

_WORDS = """
    assert bool complex errno isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal
    isunordered linux major makedev math_errhandling minor offsetof setjmp signbit stderr stdin stdout unix
    """
_MACROS = frozenset(_WORDS.split())
"""Macros of C's and system headers whose names have lower-case letters."""
_TYPE = re.compile(r"u?int(8|16|32|64)_t|gdsl_(vertex|edge)")
"""The types of members, which a member of the same name would hide in all that follow."""
WEIGHT = "weight"
_OTHER = re.compile(r"\W|__+")


class MemberNames:
    """Distinct names for the members of one struct: those of the program where C allows them."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def own(self, name: str) -> str:
        """A member's name for `name` in the program."""
        form = _OTHER.sub("_", name)
        is_word = form in KEYWORDS or form in _MACROS or _TYPE.fullmatch(form) is not None
        if is_word or form == form.upper() or form.startswith("_") or form in self._taken:
            form = f"{form.lstrip('_') or 'name'}_"
        while form in self._taken:
            form += "_"
        self._taken.add(form)
        return form


@dataclass(frozen=True, slots=True)
class Argument:
    """A member of the params: of a param, an input or a set.

    name: as the program calls it. member: as C does. kind: the type of its values. what: param or input. domain: what
    it has values over; None: it is one number. count: how many values an element has, a literal or a param; None: one.
    counted: the member that says how many values there are, of sets and where elements have several. least: the fewest
    members of a set. others: where the type is the caller's, the options that export it with the widest integers and
    floats.
    """

    name: str
    member: str
    kind: Type
    what: str
    domain: Domain | None = None
    count: ir.Expression | None = None
    counted: str = ""
    is_set: bool = False
    least: int = 0
    default: str | None = None
    comment: str = ""
    others: tuple[str, str] = ("", "")

    @property
    def c_type(self) -> str:
        """The type of its values in C."""
        return c_type(self.kind)

    @property
    def size(self) -> str:
        """Of ids: the size of the graph that bounds them."""
        return "num_edges" if self.kind is Type.EDGE else "num_vertices"

    @property
    def elements(self) -> str:
        """Which number of the graph says how many elements there are."""
        return (self.domain or Domain.VERTEX).count_name

    @property
    def has_array_elements(self) -> bool:
        """Whether elements are fixed-size arrays."""
        return self.count is not None

    @property
    def is_weight(self) -> bool:
        """Whether the file of the graph may have its values: the weights of edges."""
        return self.name == WEIGHT and self.domain is Domain.EDGE and self.count is None

    @property
    def words(self) -> str:
        """What messages call the argument."""
        return f"{self.what} `{self.name}`"


@dataclass(frozen=True, slots=True)
class Part:
    """A member of the results: an array, a scalar, or the part number `place` of the pairs of either."""

    member: str
    column: str
    kind: Type
    place: int = 0

    @property
    def c_type(self) -> str:
        """The type of its values in C."""
        return c_type(self.kind)


@dataclass(frozen=True, slots=True)
class Result:
    """A result: one part, or two for pairs. `domain` None: one value."""

    name: str
    kind: Type
    parts: tuple[Part, ...]
    domain: Domain | None
    each: str
    """The member with the number of values of an element; empty where that is one."""
    count: ir.Expression | None
    comment: str


@dataclass(frozen=True, slots=True)
class Interface:
    """Both structs of a program."""

    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    iterations: str
    milliseconds: str


def c_type(kind: Type) -> str:
    """The C type of values that are not pairs."""
    if kind.is_id:
        return f"gdsl_{kind.name}"
    return {Type.BOOL: "bool", Type.FLOAT32: "float", Type.FLOAT64: "double"}.get(kind) or f"{kind.name}_t"


def fixed_type(kind: Type, widths: Widths) -> str:
    """The type of a value in C++, without the interface's own types; ids are signed."""
    return f"std::int{widths.of(kind)}_t" if kind.is_id else c_type(kind)


def interface_of(program: ir.Program) -> Interface:
    """The interface of `program`."""
    names = MemberNames()
    arguments = [_param(param, names) for param in declared_params(program)]
    arguments += [_input(data, names, program) for data in declared_inputs(program)]
    names = MemberNames()
    data: list[ir.Array | ir.Scalar] = [*program.arrays, *program.scalars]
    results = [_found(each, names) for each in data if not each.is_local and not each.is_input]
    return Interface(tuple(arguments), tuple(results), names.own("iterations"), names.own("milliseconds"))


def _param(param: ir.Param | ir.Array, names: MemberNames) -> Argument:
    member = names.own(param.name)
    if isinstance(param, ir.Array):
        counted = names.own(f"{param.name}_count")
        words = f"a set of vertices{f', at least {param.least}' if param.least else ''}"
        return Argument(
            param.name, member, Type.VERTEX, "param", Domain.VERTEX, None, counted, True, param.least, comment=words
        )
    default = None if param.default is None else title_line(print_expression(param.default))
    comment = "must be given" if default is None else f"{default} by default"
    return Argument(param.name, member, param.type, "param", default=default, comment=comment)


def _input(data: ir.Array | ir.Scalar, names: MemberNames, program: ir.Program) -> Argument:
    member = names.own(data.name)
    if isinstance(data, ir.Scalar):
        return Argument(data.name, member, data.type, "input", comment="must be given")
    counted = names.own(f"{data.name}_count") if data.count is not None else ""
    length, others = _length(data), _other_types(data, program)
    return Argument(
        data.name, member, data.type, "input", data.domain, data.count, counted, comment=length, others=others
    )


def _other_types(data: ir.Array, program: ir.Program) -> tuple[str, str]:
    for each in program.types:
        if data.name in each.users:
            admitted = TYPE_CLASSES[each.class_name]
            wide = (Type.INT64, Type.FLOAT64)
            whole, real = (f"-t {each.name}={type_.name}" if type_ in admitted else "" for type_ in wide)
            return whole or real, real
    return "", ""


def _found(data: ir.Array | ir.Scalar, names: MemberNames) -> Result:
    columns = part_names(data.name) if data.type.is_pair else (data.name,)
    kinds = data.type.parts or (data.type,)
    parts = tuple(
        Part(names.own(column.replace(".", "_")), column, kind, place)
        for place, (column, kind) in enumerate(zip(columns, kinds, strict=True))
    )
    if isinstance(data, ir.Scalar):
        return Result(data.name, data.type, parts, None, "", None, "one value")
    each = names.own(f"{data.name}_each") if data.count is not None else ""
    return Result(data.name, data.type, parts, data.domain, each, data.count, _length(data))


def _length(array: ir.Array) -> str:
    elements = array.domain.count_name
    if array.count is None:
        return elements
    count = str(array.count.value) if isinstance(array.count, ir.Literal) else "as many values each"
    return f"{elements}, {count}" if not count.isdigit() else f"{elements} * {count}"
