"""What the sweeps of a plan read and write, in bytes: for each edge that they walk, and for each member.

The numbers are those of the plan's own form: the lists that it walks, the tests and statements of the functor that it
runs there, and the width of each element. An element of the vertex that has the list is read once for the whole list;
one of its other end once for each edge. Everything counts as used, so the numbers are the most that a visit takes:
a test that fails, and caches, make it less.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.ir import nodes as ir
from gdsl.ir.nodes import Element, ElementTarget, Expression, Parameter, Program, Role, element_index
from gdsl.ir.printer import print_expression
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Degree, Domain, GraphQuery, Over
from gdsl.plan.nodes import Form, Plan, Sweep
from gdsl.plan.sweep_nodes import Variant, Walk
from gdsl.records import dataclass
from gdsl.types import Type, Widths


@dataclass(frozen=True, slots=True)
class Item:
    """Something that is read or written: its text in the program, or the part of the graph."""

    what: str
    type: str
    bytes: int
    is_write: bool
    in_order: bool
    """Whether neighbors in memory are read one after the other."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """What is read and written for each of one kind of thing: `per` edge, vertex or common neighbor."""

    per: str
    items: tuple[Item, ...]

    def total(self, is_write: bool) -> int:
        """The bytes that are read, or those that are written."""
        return sum(each.bytes for each in self.items if each.is_write is is_write)


def traffic_of(sweep: Sweep, plan: Plan, widths: Widths) -> tuple[Traffic, ...]:
    """What one sweep of `plan` moves for ids of these widths."""
    traffic = _Sweep(sweep, plan.program, widths)
    parts = [traffic.per_edge(walk_) for walk_ in sweep.walks]
    if sweep.intersection is not None:
        parts.append(traffic.per_common_neighbor())
    parts.append(traffic.per_member())
    return tuple(part for part in parts if part.items)


_OWNERS = {Over.OUT_EDGES: Role.SOURCE, Over.IN_EDGES: Role.DESTINATION}
"""The end of an edge whose list it is in."""
_PARTS = {Over.OUT_EDGES: ("offsets", "columns"), Over.IN_EDGES: ("in_offsets", "in_sources")}


class _Sweep:
    def __init__(self, sweep: Sweep, program: Program, widths: Widths) -> None:
        self.sweep = sweep
        self.program = program
        self.widths = widths
        self.types = {array.name: array.type for array in program.arrays}
        self.functors = {each.name: each for each in program.functors}
        self.functions = {each.name: each.body for each in program.functions}

    # ------------------------------------------------------------ by what it is for

    def per_edge(self, way: Walk) -> Traffic:
        """Of a way along edges."""
        pulls = self.sweep.selection is not None
        owner = _OWNERS[way.lists]
        owners = (owner, Role.FAR if pulls else Role.NEAR)
        _, column = _PARTS[way.lists]
        whole = self.sweep.balance is Balance.EDGES
        items = [self._part("columns" if whole else column, Type.VERTEX)]
        if whole:
            items.append(self._part("edge_sources", Type.VERTEX))
        elif way.lists is Over.IN_EDGES and way.edge_ids:
            items.append(self._part("in_edges", Type.EDGE))
        if pulls and self.sweep.members.form is Form.BITMAP:
            items.append(Item(f"bit of {self.sweep.members.frontier}", "bool", 1, False, False))
        code = self._code(way.variant)
        items += (item for role, item in self._elements(code, way.lists is Over.OUT_EDGES) if role not in owners)
        items += self._collected() if not pulls else []
        return Traffic("edge", _distinct(items))

    def per_common_neighbor(self) -> Traffic:
        """Of an intersection: the lists of both ends are walked side by side."""
        meeting = self.sweep.intersection
        assert meeting is not None
        items = [
            self._part(f"{_PARTS[each][1]} of an end", Type.VERTEX) for each in (meeting.source, meeting.destination)
        ]
        if meeting.run is not None:
            items += (item for _, item in self._elements(self._code(meeting.run), False))
        items += self._collected()
        return Traffic("step through two lists", _distinct(items))

    def per_member(self) -> Traffic:
        """Of a member, or in a pull of a vertex that looks for members."""
        sweep = self.sweep
        of_edges = sweep.members.domain is Domain.EDGE
        items: list[Item] = []
        if sweep.members.form is Form.QUEUE and sweep.selection is None:
            kind = Type.EDGE if of_edges else Type.VERTEX
            items.append(Item(f"entry of {sweep.members.frontier}", "id", self._bytes(kind), False, True))
        if of_edges:
            items += [self._part("edge_sources", Type.VERTEX), self._part("columns", Type.VERTEX)]
        for way in sweep.walks if sweep.balance is not Balance.EDGES else ():
            items.append(self._part(_PARTS[way.lists][0], Type.EDGE))
            owners = (_OWNERS[way.lists], Role.FAR if sweep.selection is not None else Role.NEAR)
            items += (item for role, item in self._elements(self._code(way.variant), True) if role in owners)
        if sweep.own is not None:
            items += (item for _, item in self._elements(self._code(sweep.own), True))
            items += self._collected()
        if sweep.selection is not None:
            items += (item for _, item in self._elements(self._code(sweep.selection.test), True))
            items += self._collected()
        for stored in (sweep.segment, sweep.vote):
            if stored is not None:
                kind = self.types[stored.array]
                items.append(Item(stored.array, kind.name, self._bytes(kind), True, True))
        return Traffic("edge" if of_edges else "vertex", _distinct(items))

    def _collected(self) -> list[Item]:
        """The entry of an element that is accepted."""
        collect = self.sweep.collect
        if collect is None:
            return []
        if collect.form is Form.BITMAP:
            return [Item(f"bit of {collect.frontier}", "bool", 1, True, self.sweep.selection is not None)]
        kind = Type.EDGE if collect.domain is Domain.EDGE else Type.VERTEX
        return [Item(f"entry of {collect.frontier}", "id", self._bytes(kind), True, True)]

    # ------------------------------------------------------------ what code touches

    def _code(self, variant: Variant) -> tuple[object, ...]:
        functor = self.functors[variant.functor]
        code: list[object] = [functor.condition[place] for place in variant.tests]
        if variant.claim is not None:
            code += [functor.condition[variant.claim.conjunct], functor.body[variant.claim.statement]]
        code += [functor.body[place] for place in variant.body]
        if isinstance(functor, ir.EdgeFunctor) and functor.value is not None:
            code += [functor.value, *([functor.key] if functor.key is not None else [])]
        return tuple(code)

    def _elements(self, code: object, edges_in_order: bool) -> Iterator[tuple[Role | None, Item]]:
        """The elements that code reads and writes, with the role of a plain index. Each function counts once, as those
        that call each other twice double the calls with each level; and many may call each other in a row."""
        inside, seen = [iter(walk(code))], set[str]()
        while inside:
            node = next(inside[-1], None)
            if node is None:
                inside.pop()
            elif isinstance(node, ir.FunctionCall):
                if node.function not in seen:
                    seen.add(node.function)
                    inside.append(iter(walk(self.functions[node.function])))
            elif len(inside) > 1:
                yield from ((None, item) for _, item in self._touched(node, False))
            else:
                yield from self._touched(node, edges_in_order)

    def _touched(self, node: object, edges_in_order: bool) -> Iterator[tuple[Role | None, Item]]:
        """The elements that one node reads or writes itself."""
        if isinstance(node, (Element, ElementTarget)):
            role = _role(node.index)
            ordered = role is Role.EDGE and edges_in_order
            yield role, self._element(node, isinstance(node, ElementTarget), ordered or role is Role.VERTEX)
        elif isinstance(node, ir.Update) and isinstance(node.target, ElementTarget):
            yield _role(node.target.index), self._element(node.target, False, False)
        elif isinstance(node, ir.DegreeOf):
            part = "offsets" if node.degree is Degree.OUT else "in_offsets"
            text = print_expression(node)
            yield _role(node.vertex), Item(f"{text} ({part})", "id", 2 * self._bytes(Type.EDGE), False, False)
        elif isinstance(node, ir.GraphRead):
            kind = Type.EDGE if node.query in (GraphQuery.REVERSE, GraphQuery.OUT_EDGE) else Type.VERTEX
            yield None, Item(print_expression(node), "id", self._bytes(kind), False, False)

    def _element(self, node: Element | ElementTarget, is_write: bool, in_order: bool) -> Item:
        kind = self.types[node.array]
        text = f"{node.array}[{print_expression(element_index(node.index))}]"
        return Item(text, kind.name, self._bytes(kind), is_write, in_order)

    def _part(self, name: str, kind: Type) -> Item:
        return Item(name, "id", self._bytes(kind), False, True)

    def _bytes(self, kind: Type) -> int:
        return max(self.widths.of(kind) // 8, 1)


def _role(index: Expression) -> Role | None:
    element = element_index(index)
    return element.role if isinstance(element, Parameter) else None


def _distinct(items: list[Item]) -> tuple[Item, ...]:
    return tuple(dict.fromkeys(items))
