"""The operations of the language, as enumerations that the typed AST and the IR share."""

from __future__ import annotations

from enum import Enum

from gdsl.records import dataclass
from gdsl.types import Type


class UnaryOperation(Enum):
    """An operator with one operand."""

    NEGATE = "-"
    NOT = "!"
    INVERT = "~"


class BinaryOperation(Enum):
    """An operator with two operands, named by its spelling in the language."""

    ADD = "+"
    ADD_SATURATING = "+|"
    """Integer addition of a type that has an ``inf`` (its largest value) in the program: ``inf`` on either side stays
    ``inf``, what does not fit becomes the nearest value that does. Made by the checker only, as is the next one."""
    SUBTRACT = "-"
    SUBTRACT_SATURATING = "-|"
    """The same for subtraction: ``inf - y`` is ``inf``, ``x - inf`` of another ``x`` the smallest value."""
    MULTIPLY = "*"
    DIVIDE = "/"
    INTEGER_DIVIDE = "//"
    """Integer division, truncated towards zero as in C; by zero it gives 0."""
    MODULO = "%"
    """Remainder with the sign of the left side, as in C; by zero it gives 0. On floats: C's fmod."""
    SHIFT_LEFT = "<<"
    SHIFT_RIGHT = ">>"
    BIT_AND = "&"
    BIT_OR = "|"
    BIT_XOR = "^"
    AND = "&&"
    OR = "||"
    EQUAL = "=="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="

    @property
    def is_comparison(self) -> bool:
        """Whether the result is a bool from two operands of one type."""
        return self.value in ("==", "!=", "<", "<=", ">", ">=")

    @property
    def is_logical(self) -> bool:
        """Whether both operands and the result are bool, the right side evaluated only when needed."""
        return self.value in ("&&", "||")


SMALLER = (BinaryOperation.LESS, BinaryOperation.LESS_EQUAL)
CONJUNCTIONS = (BinaryOperation.AND, BinaryOperation.BIT_AND)
DISJUNCTIONS = (BinaryOperation.OR, BinaryOperation.BIT_OR)
SATURATING = (BinaryOperation.ADD_SATURATING, BinaryOperation.SUBTRACT_SATURATING)
LARGER = (BinaryOperation.GREATER, BinaryOperation.GREATER_EQUAL)


class SetOperation(Enum):
    """How two sets become one, named by its spelling in the language."""

    UNION = "|"
    INTERSECTION = "&"
    DIFFERENCE = "-"


class ReduceOperation(Enum):
    """How an update statement combines the former value with the new one."""

    MIN = "min="
    MAX = "max="
    ADD = "+="
    SUBTRACT = "-="
    MULTIPLY = "*="
    BIT_AND = "&="
    BIT_OR = "|="
    BIT_XOR = "^="

    @property
    def as_binary(self) -> BinaryOperation:
        """The operator that combines two values, which all except minimum and maximum have."""
        return _COMBINING[self]


IDEMPOTENT = (ReduceOperation.MIN, ReduceOperation.MAX, ReduceOperation.BIT_OR, ReduceOperation.BIT_AND)
"""The operations that change nothing when they are repeated with the same value."""
EXTREMES = (ReduceOperation.MIN, ReduceOperation.MAX)
ADDITIVE = (ReduceOperation.ADD, ReduceOperation.SUBTRACT)
BITWISE = (ReduceOperation.BIT_OR, ReduceOperation.BIT_AND)

_COMBINING = {
    ReduceOperation.ADD: BinaryOperation.ADD,
    ReduceOperation.SUBTRACT: BinaryOperation.SUBTRACT,
    ReduceOperation.MULTIPLY: BinaryOperation.MULTIPLY,
    ReduceOperation.BIT_AND: BinaryOperation.BIT_AND,
    ReduceOperation.BIT_OR: BinaryOperation.BIT_OR,
    ReduceOperation.BIT_XOR: BinaryOperation.BIT_XOR,
}


class NeighborOperation(Enum):
    """The reduction of one `neighbor_reduce`."""

    SUM = "sum"
    MIN = "min"
    MAX = "max"
    PRODUCT = "product"
    SOME = "some"
    EVERY = "every"
    AND = "and"
    OR = "or"
    XOR = "xor"
    COUNT = "count"

    @property
    def as_update(self) -> ReduceOperation:
        """The operation that combines two of its values; a count adds ones."""
        return _COMBINED_BY[self]

    @property
    def adds_up(self) -> bool:
        """Whether floats are rounded on the way, so that the order can be seen."""
        return self in (NeighborOperation.SUM, NeighborOperation.PRODUCT)


JOINING_FLOATS = (NeighborOperation.SUM, NeighborOperation.MIN, NeighborOperation.MAX, NeighborOperation.PRODUCT)
"""The operations that may merge the weights of parallel edges."""
JOINING_INTEGERS = (*JOINING_FLOATS, NeighborOperation.AND, NeighborOperation.OR, NeighborOperation.XOR)

_COMBINED_BY = {
    NeighborOperation.SUM: ReduceOperation.ADD,
    NeighborOperation.COUNT: ReduceOperation.ADD,
    NeighborOperation.MIN: ReduceOperation.MIN,
    NeighborOperation.MAX: ReduceOperation.MAX,
    NeighborOperation.PRODUCT: ReduceOperation.MULTIPLY,
    NeighborOperation.SOME: ReduceOperation.BIT_OR,
    NeighborOperation.EVERY: ReduceOperation.BIT_AND,
    NeighborOperation.AND: ReduceOperation.BIT_AND,
    NeighborOperation.OR: ReduceOperation.BIT_OR,
    NeighborOperation.XOR: ReduceOperation.BIT_XOR,
}


class ArrayReduction(Enum):
    """A reduction over the elements of an array, in an expression of the schedule."""

    SUM = "sum"
    MIN = "min"
    MAX = "max"
    COUNT = "count"
    ANY = "any"
    ALL = "all"
    ARGMIN = "argmin"
    ARGMAX = "argmax"


class Outcome(Enum):
    """The value of the expression form of an update."""

    CHANGED = "changed"
    FETCH = "fetch"


class Builtin(Enum):
    """A pure function that the language provides."""

    MIN = "min"
    MAX = "max"
    ABS = "abs"
    FLOOR = "floor"
    CEIL = "ceil"
    TRUNC = "trunc"
    SQRT = "sqrt"
    EXP = "exp"
    LOG = "log"
    POW = "pow"
    SIN = "sin"
    COS = "cos"
    TAN = "tan"
    ASIN = "asin"
    ACOS = "acos"
    ATAN = "atan"
    ATAN2 = "atan2"
    SINH = "sinh"
    COSH = "cosh"
    TANH = "tanh"
    POPCOUNT = "popcount"
    """How many bits of an integer are 1 (int32)."""
    CTZ = "ctz"
    """How many bits of an integer are 0 below its lowest 1 (int32); of 0 all of them."""
    RANDOM = "random"
    """A float32 of 24 bits in [0, 1), a function of its keys; the keys of this and the next two are int64."""
    RANDOM_BITS = "random_bits"
    """64 bits (uint64), a function of the keys."""
    RANDOM_BELOW = "random_below"
    """A number of [0, n), of n's type, a function of n, the first argument, and the keys; 0 where n is not above 0."""

    @property
    def is_random(self) -> bool:
        """Whether its arguments are keys, any number of them."""
        return self in (Builtin.RANDOM, Builtin.RANDOM_BITS, Builtin.RANDOM_BELOW)


APPROXIMATE = tuple(
    map(Builtin, ["exp", "log", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "atan2"])
)
"""Functions that backends compute to a few units in the last place."""


class Degree(Enum):
    """Which of a vertex's edges are counted."""

    OUT = "out_degree"
    IN = "in_degree"


class GraphQuery(Enum):
    """The functions that read the graph, by name."""

    SOURCE = "src"
    """The source of an edge."""
    DESTINATION = "dst"
    """The destination of an edge."""
    REVERSE = "reverse"
    """The edge from an edge's destination to its source that is paired with it, or `none`."""
    NEIGHBOR = "neighbor"
    """The vertex at a place of a vertex's list of out-edges."""
    OUT_EDGE = "out_edge"
    """The edge at a place of a vertex's list of out-edges."""
    HAS_EDGE = "has_edge"
    """Whether an edge leads from one vertex to another."""

    @property
    def result(self) -> Type:
        """The type of the answer."""
        return _ANSWERS[self]

    @property
    def of_edge(self) -> bool:
        """Whether it is asked of an edge; the others are asked of a vertex."""
        return self in (GraphQuery.SOURCE, GraphQuery.DESTINATION, GraphQuery.REVERSE)

    @property
    def in_list(self) -> bool:
        """Whether it takes a place in the list of a vertex."""
        return self in (GraphQuery.NEIGHBOR, GraphQuery.OUT_EDGE)


_ANSWERS = {
    GraphQuery.SOURCE: Type.VERTEX,
    GraphQuery.DESTINATION: Type.VERTEX,
    GraphQuery.REVERSE: Type.EDGE,
    GraphQuery.NEIGHBOR: Type.VERTEX,
    GraphQuery.OUT_EDGE: Type.EDGE,
    GraphQuery.HAS_EDGE: Type.BOOL,
}


class ForestWord(Enum):
    """What a loop of a functor does with labels, of which each leads to a vertex of the same set."""

    JOIN = "join"
    """Two sets become one."""
    ROOT = "root"
    """Labels are followed to the root."""
    FLATTEN = "flatten"
    """The same, and the root becomes the label of the vertex where it began."""


@dataclass(frozen=True, slots=True)
class Forest:
    """A word for labels, and the array that has them."""

    word: ForestWord
    array: str


class Over(Enum):
    """Which edges of a frontier's vertices an operator visits."""

    OUT_EDGES = "out_edges"
    IN_EDGES = "in_edges"
    ALL_EDGES = "all_edges"

    @property
    def reversed(self) -> Over:
        """The same edges as seen from their far ends."""
        return {Over.OUT_EDGES: Over.IN_EDGES, Over.IN_EDGES: Over.OUT_EDGES}.get(self, self)

    @property
    def degrees(self) -> tuple[Degree, ...]:
        """What together count these edges of a vertex."""
        return _DEGREES[self]


_DEGREES = {Over.OUT_EDGES: (Degree.OUT,), Over.IN_EDGES: (Degree.IN,), Over.ALL_EDGES: (Degree.OUT, Degree.IN)}


class Domain(Enum):
    """The index domain of problem data."""

    VERTEX = "vertex"
    EDGE = "edge"

    @property
    def plural(self) -> str:
        """`vertices` or `edges`."""
        return "vertices" if self is Domain.VERTEX else "edges"

    @property
    def count_name(self) -> str:
        """`num_vertices` or `num_edges`."""
        return f"num_{self.plural}"

    @property
    def id_type(self) -> Type:
        """The type of the ids of its elements."""
        return Type.VERTEX if self is Domain.VERTEX else Type.EDGE


DOMAINS = {domain.plural: domain for domain in Domain}
"""The domains by the words `vertices` and `edges`."""


class Direction(Enum):
    """How an advance walks: from the frontier along its edges, or from the far ends back to it."""

    PUSH = "push"
    PULL = "pull"
    AUTO = "auto"


class Balance(Enum):
    """How the edges of a frontier are shared among threads."""

    THREAD = "thread"
    """A thread walks the edges of a vertex."""
    WARP = "warp"
    """A warp does, a vertex at a time."""
    BLOCK = "block"
    """A block shares the edges of as many vertices as it has threads."""
    MERGE = "merge"
    """Each thread has as many edges as any other, found by search in a running sum of the degrees."""
    BINS = "bins"
    """Vertices are sorted by degree first: short lists a thread each, longer ones a warp, the longest a block."""
    EDGES = "edges"
    """All edges of the graph, one thread per edge; edges of other vertices are skipped."""
    AUTO = "auto"
    """As many threads as the degrees of neighbors in the frontier require; long lists are cut into chunks."""


class FrontierForm(Enum):
    """How an operator stores its result frontier."""

    QUEUE = "queue"
    BITMAP = "bitmap"
    AUTO = "auto"
    """A queue after a push, a bitmap after a pull."""


class Order(Enum):
    """The order of visits of a loop whose end does not depend on it."""

    AS_GIVEN = "as_given"
    NEAR_FAR = "near_far"
    AUTO = "auto"


class Layout(Enum):
    """How the vertices of a graph are numbered inside a backend, where no result tells."""

    AS_GIVEN = "as_given"
    BY_DEGREE = "by_degree"
    AUTO = "auto"


class Duplicates(Enum):
    """Whether a result queue of an operator may hold a vertex twice."""

    EXACT = "exact"
    NONE = "none"
    """It may: nothing is done against it while there is room."""
    AUTO = "auto"
    """As `exact`."""


class Grade(Enum):
    """How a result may differ from run to run; each later grade promises less."""

    EXACT = "exact"
    """Nothing."""
    TRIED = "tried"
    """Nothing, if an `operator` of the program is commutative and associative: that is tried on samples, not proved."""
    ROUNDING = "rounding"
    """The order in which floats are added, and what is computed from such a sum without a decision. Mostly the last
    digits; more where values cancel or overflow, or where a small difference is amplified, as by `exp`."""
    CONVERGED = "converged"
    """As rounding, and a loop whose end depends on a float sum may run one pass more or fewer."""
    NOT_UNIQUE = "not unique"
    """Everything that the program leaves open."""

    @property
    def rank(self) -> int:
        """0 for the best grade, ascending."""
        return _RANKS[self]


_RANKS = {grade: place for place, grade in enumerate(Grade)}


class StoreRule(Enum):
    """Why a plain store is allowed (the rules of *Writes* in the language reference)."""

    SINGLE_WRITER = 1
    SAME_VALUE = 2
    UNDER_CAS = 3
    ANY_WINNER = 4
    """Written `any=`: one of the writers wins."""
