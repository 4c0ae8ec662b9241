"""The table of signatures: what every built-in function, reduction, operator and method takes and gives.

The checker binds the arguments of calls by it, the vocabulary has its words from it, and editors can show it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gdsl.operations import ArrayReduction, NeighborOperation, Over
from gdsl.types import Type


class Kind(Enum):
    """What an argument is, in words."""

    NUMBER = "a number"
    VALUE = "a number, an id or a pair"
    INTEGER = "an integer"
    VERTEX = "a vertex"
    EDGE = "an edge"
    BITS = "an integer, as bits"
    PLACE = "a place in a list, from 0"
    KEY = "an integer, an id or a bool"
    TARGET_VALUE = "a value of the array's type"
    SET = "a set of vertices or of edges"
    VERTICES = "a set of vertices"
    EDGES = "a set of edges"
    FRONTIER = "a frontier, a history or buckets"
    HISTORY = "a history"
    PAIR_OF_SETS = "two sets of vertices of one size"
    FUNCTOR = "a functor of what the set holds"
    VERTEX_FUNCTOR = "a vertex functor"
    EDGE_FUNCTOR = "an edge functor"
    VALUE_FUNCTOR = "an edge functor with a `value`"
    BALLOT = "an edge functor with a key and a weight"
    VOTE_FUNCTOR = "a vote functor"
    COMMON_FUNCTOR = "a common functor"
    ARRAY = "an array"
    VARIABLE = "an array or a scalar"
    SCALAR = "an int64 scalar"
    WORD = "one of some words"


class Group(Enum):
    """What a signature belongs to, which decides where it may be called and whether a program may declare its name."""

    FUNCTION = "a function of values; the name is reserved"
    ADDITIONAL = "a function of values; a program may declare the name"
    DEGREE = "a function of the graph; the name is reserved"
    GRAPH = "a function of the graph, for functors; the name is reserved"
    ADDITIONAL_GRAPH = "a function of the graph, for functors; a program may declare the name"
    LABELS = "a word for labels, for functors; a program may declare the name"
    REDUCTION = "a reduction of an array, for the schedule; a program may declare the name"
    SCHEDULE = "an operator or function of the schedule; the name is reserved"
    FORM = "a word of one form of the schedule; a program may declare the name"
    METHOD = "a method of histories and buckets"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. `words` are those of a `WORD`, the default first."""

    name: str
    kind: Kind
    optional: bool = False
    repeated: bool = False
    """Whether there may be more arguments of the kind."""
    words: tuple[str, ...] = ()
    named: bool = False
    """Whether a positional parameter may be given by its name, too."""


@dataclass(frozen=True, slots=True)
class Signature:
    """How something built in is called."""

    name: str
    group: Group
    parameters: tuple[Parameter, ...]
    gives: Type | str
    """The type of the result, or what it is."""
    help: str
    keywords: tuple[Parameter, ...] = ()
    """Parameters that are given by name alone; all are optional."""
    takes: str = ""
    """The parameters in words, where their number is not enough."""
    shape: str = ""
    """How a call is written, where that is not just the name and the parameters."""
    labeled: bool = False
    """Whether a call may have a `@label`."""
    for_more: str = ""
    """What to suggest after the form when there are too many arguments."""

    @property
    def form(self) -> str:
        """How a call is written."""
        return self.shape or f"{self.name}({', '.join(each.name for each in self.parameters)})"

    @property
    def counts(self) -> tuple[int, int | None]:
        """The fewest and the most positional arguments; None: any number."""
        least = sum(not each.optional for each in self.parameters)
        return least, None if any(each.repeated for each in self.parameters) else len(self.parameters)

    @property
    def code(self) -> str:
        """The code of messages about wrong arguments."""
        return "E0402" if self.group in (Group.SCHEDULE, Group.FORM, Group.METHOD) else "E0211"

    def keyword(self, name: str) -> Parameter:
        """The keyword of this name."""
        return next(each for each in self.keywords if each.name == name)


_X, _Y = Parameter("x", Kind.NUMBER), Parameter("y", Kind.NUMBER)
_V, _E, _I = Parameter("v", Kind.VERTEX), Parameter("e", Kind.EDGE), Parameter("i", Kind.PLACE)
_BITS, _KEY = Parameter("x", Kind.BITS), Parameter("key", Kind.KEY, repeated=True)
_VALUES = (Parameter("x", Kind.VALUE), Parameter("y", Kind.VALUE))
_A, _F = Parameter("a", Kind.ARRAY), Parameter("f", Kind.SET)
_MEMBERS = Parameter("f", Kind.VERTICES)
_OVER = Parameter("over", Kind.WORD, words=tuple(over.value for over in Over))
_PUSHED = (Parameter("f", Kind.VERTICES),)
COMMON_TYPE, _FLOAT = "the type of its arguments", "float32 or float64"


def _of_values(group: Group, helps: dict[str, str]) -> tuple[Signature, ...]:
    return tuple(Signature(name, group, (_X,), _FLOAT, text) for name, text in helps.items())


def _reduction(word: ArrayReduction, gives: str, text: str) -> Signature:
    members = Parameter("f", Kind.SET, optional=True)
    takes, shape = "an array, and a frontier if not all of it", f"{word.value}(a)` or `{word.value}(a, f)"
    return Signature(word.value, Group.REDUCTION, (_A, members), gives, text, takes=takes, shape=shape)


def _operator(
    name: str, parameters: tuple[Parameter, ...], gives: str, text: str, *keywords: Parameter, for_more: str = ""
) -> Signature:
    assigned = "a = " if name.startswith("neighbor_") else ""
    shape = f"{assigned}{name}({', '.join(each.name for each in parameters)})"
    return Signature(
        name, Group.SCHEDULE, parameters, gives, text, keywords, shape=shape, labeled=True, for_more=for_more
    )


_TABLE: tuple[Signature, ...] = (
    # functions of values
    Signature("min", Group.FUNCTION, _VALUES, COMMON_TYPE, "the smaller of two values"),
    Signature("max", Group.FUNCTION, _VALUES, COMMON_TYPE, "the larger of two values"),
    Signature("abs", Group.FUNCTION, (_X,), COMMON_TYPE, "the distance from 0"),
    *_of_values(
        Group.FUNCTION,
        {
            "floor": "the largest whole number up to x",
            "ceil": "the smallest whole number from x on",
            "sqrt": "the square root",
            "exp": "e to the power x",
            "log": "the natural logarithm",
        },
    ),
    Signature("pow", Group.FUNCTION, (_X, _Y), _FLOAT, "x to the power y"),
    *_of_values(
        Group.ADDITIONAL,
        {
            "sin": "the sine of an angle in radians",
            "cos": "the cosine of an angle in radians",
            "tan": "the tangent of an angle in radians",
            "asin": "the angle of a sine",
            "acos": "the angle of a cosine",
            "atan": "the angle of a tangent",
            "sinh": "the hyperbolic sine",
            "cosh": "the hyperbolic cosine",
            "tanh": "the hyperbolic tangent",
            "trunc": "x without its fraction",
        },
    ),
    Signature("atan2", Group.ADDITIONAL, (_Y, _X), _FLOAT, "the angle of the point (x, y)"),
    Signature("wrap", Group.ADDITIONAL, (Parameter("x", Kind.INTEGER),), COMMON_TYPE, "x, whose `+` and `-` wrap"),
    Signature("popcount", Group.ADDITIONAL, (_BITS,), Type.INT32, "the number of bits that are 1"),
    Signature("ctz", Group.ADDITIONAL, (_BITS,), Type.INT32, "the number of zeros after the last bit that is 1"),
    Signature(
        "random", Group.ADDITIONAL, (_KEY,), Type.FLOAT32, "a number from 0 to below 1, a function of its keys",
        takes="a key or more", shape="random(v, iteration)",
    ),
    Signature(
        "random_bits", Group.ADDITIONAL, (_KEY,), Type.UINT64, "64 random bits, a function of the keys",
        takes="a key or more", shape="random_bits(v, iteration)",
    ),
    Signature(
        "random_below", Group.ADDITIONAL, (Parameter("n", Kind.INTEGER), _KEY), "the type of n",
        "an integer from 0 to below n, a function of the keys",
        takes="a limit and a key or more", shape="random_below(6, v, iteration)",
    ),
    # the graph
    Signature("out_degree", Group.DEGREE, (_V,), Type.INT32, "the number of edges from v"),
    Signature("in_degree", Group.DEGREE, (_V,), Type.INT32, "the number of edges to v"),
    Signature("src", Group.GRAPH, (_E,), Type.VERTEX, "the source of an edge"),
    Signature("dst", Group.GRAPH, (_E,), Type.VERTEX, "the destination of an edge"),
    Signature("reverse", Group.GRAPH, (_E,), Type.EDGE, "the opposite edge, or `none`"),
    Signature("neighbor", Group.GRAPH, (_V, _I), Type.VERTEX, "the i-th neighbor of v"),
    Signature("out_edge", Group.ADDITIONAL_GRAPH, (_V, _I), Type.EDGE, "the i-th edge from v"),
    Signature(
        "has_edge", Group.GRAPH, (Parameter("u", Kind.VERTEX), Parameter("w", Kind.VERTEX)), Type.BOOL,
        "whether there is an edge from u to w",
    ),
    Signature("neighbors", Group.GRAPH, (_V,), "a list for loops", "the neighbors of v, for `for u in neighbors(v)`"),
    # sets as forests of labels
    Signature(
        "join", Group.LABELS, (_A, Parameter("s", Kind.VERTEX), Parameter("t", Kind.VERTEX)), "nothing",
        "the sets of s and t, of which a has the labels, become one", shape="join(component, s, t);",
    ),
    Signature(
        "root", Group.LABELS, (_A, _V), Type.VERTEX, "the smallest vertex of the set of v, found by the labels in a",
        shape="root(component, v)",
    ),
    # reductions of arrays
    _reduction(ArrayReduction.SUM, "int64, uint64 or float64", "the sum of the elements"),
    _reduction(ArrayReduction.MIN, "the type of the array", "the smallest element"),
    _reduction(ArrayReduction.MAX, "the type of the array", "the largest element"),
    _reduction(ArrayReduction.COUNT, "int64", "the number of elements that are true"),
    _reduction(ArrayReduction.ANY, "bool", "whether an element is true"),
    _reduction(ArrayReduction.ALL, "bool", "whether all elements are true"),
    _reduction(ArrayReduction.ARGMIN, "vertex or edge", "where the smallest element is"),
    _reduction(ArrayReduction.ARGMAX, "vertex or edge", "where the largest element is"),
    # operators
    _operator(
        "advance", (_F, Parameter("functor", Kind.EDGE_FUNCTOR)), "a frontier",
        "runs a functor for the edges of a set; gives the far ends that it accepts",
        Parameter("to", Kind.WORD, words=("vertices", "edges", "none")), _OVER,
    ),
    _operator("filter", (_F, Parameter("functor", Kind.FUNCTOR)), "a frontier", "the members that a functor accepts"),
    _operator("where", (Parameter("functor", Kind.VERTEX_FUNCTOR),), "a frontier", "the vertices that it accepts",
              for_more=", or `filter(f, functor)` for the members of a set"),
    _operator("compute", (_F, Parameter("functor", Kind.FUNCTOR)), "nothing", "runs a functor for each member"),
    _operator(
        "top", (_MEMBERS, Parameter("functor", Kind.VALUE_FUNCTOR), Parameter("k", Kind.INTEGER)), "an edge frontier",
        "the k edges of a set with the largest values", _OVER,
    ),
    _operator(
        "neighbor_reduce",
        (_F, Parameter("functor", Kind.VALUE_FUNCTOR),
         Parameter("op", Kind.WORD, words=tuple(operation.value for operation in NeighborOperation))),
        "the values of an array over vertices", "combines the values of the edges of each member",
        _OVER, Parameter("by", Kind.WORD, words=("far", "near")), Parameter("empty", Kind.TARGET_VALUE),
    ),
    _operator(
        "neighbor_vote",
        (_MEMBERS, Parameter("ballot", Kind.BALLOT), Parameter("score", Kind.VOTE_FUNCTOR, optional=True)),
        "the values of an array over vertices", "the key with the most weight among the edges of each member",
        _OVER, Parameter("keep", Kind.ARRAY),
    ),
    Signature(
        "intersect", Group.SCHEDULE,
        (Parameter("edges", Kind.EDGES), Parameter("functor", Kind.COMMON_FUNCTOR, optional=True)),
        "a frontier, or a number for an int64 scalar", "the common neighbors of the ends of edges",
        (Parameter("count", Kind.SCALAR), Parameter("pairs", Kind.PAIR_OF_SETS)),
        takes="one frontier of edges or `pairs=`, and a common functor if there is one",
        shape="intersect(edges)`, or `frontier c = intersect(edges, functor, count=s);", labeled=True,
    ),
    # the rest of the schedule
    Signature("size", Group.SCHEDULE, (Parameter("f", Kind.FRONTIER),), Type.INT64, "the number of members or levels"),
    Signature(
        "swap", Group.SCHEDULE, (Parameter("a", Kind.VARIABLE), Parameter("b", Kind.VARIABLE)), "nothing",
        "exchanges two arrays or two scalars",
    ),
    Signature("fill", Group.SCHEDULE, (_A, Parameter("x", Kind.TARGET_VALUE)), "nothing", "sets all elements to x"),
    Signature("subgraph", Group.SCHEDULE, (Parameter("e", Kind.EDGES),), "a graph", "the graph of these edges alone"),
    Signature(
        "contract", Group.SCHEDULE,
        (Parameter("label", Kind.ARRAY), Parameter("weight", Kind.ARRAY, optional=True),
         Parameter("op", Kind.WORD, optional=True)),
        "a graph", "the graph in which vertices of one label are one",
        takes="a label, and a weight and its reduction if there are any", shape="contract(label, weight)",
    ),
    Signature("number", Group.FORM, (_F,), "the values of an array", "the place of each member by ascending id",
              takes="one frontier", shape="a = number(f);"),
    Signature("backward", Group.FORM, (Parameter("h", Kind.HISTORY),), "the levels of a loop", "the last level first",
              takes="one history", shape="for f in backward(h) { … }"),
    Signature("forward", Group.FORM, (Parameter("h", Kind.HISTORY),), "the levels of a loop", "the first level first",
              takes="one history", shape="for f in forward(h) { … }"),
    Signature("buckets", Group.METHOD, (_A, Parameter("width", Kind.NUMBER, named=True)), "buckets",
              "keeps vertices by the level of their element", takes="an array and a width",
              shape="buckets b(A, width) = { source };"),
    Signature("push", Group.METHOD, _PUSHED, "nothing", "adds a level to a history, or vertices to buckets",
              takes="one set", shape="{owner}.push(f);"),
    Signature("pop", Group.METHOD, (), "a frontier", "the vertices of the lowest level", takes="no arguments",
              shape="{owner}.pop()"),
)  # fmt: skip

REDUCTIONS = {each.name: each for each in _TABLE if each.group is Group.REDUCTION}
SIGNATURES = {each.name: each for each in _TABLE if each.group is not Group.REDUCTION}
"""All signatures but those of reductions, two of which have the name of a function."""


def names_of(*groups: Group) -> frozenset[str]:
    """The names of some groups."""
    return frozenset(each.name for each in _TABLE if each.group in groups)
