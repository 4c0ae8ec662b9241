"""Names, calls, methods and members of other languages that nothing declares here: what to write instead."""

from __future__ import annotations

from gdsl.diagnostics import Edit, Suggestion
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment, Place
from gdsl.frontend.syntax import SymbolKind
from gdsl.frontend.vocabulary import ATOMICS, FOREIGN_NAMES, FOREIGN_TYPES, TYPES
from gdsl.operations import Domain
from gdsl.source import Span

STATEMENT_WORDS = {
    "continue": "put the rest of the loop body under `if (…) { … }`",
    "pass": "leave it out: a block may be empty, `{ }`",
}
"""Words that other languages have as statements of their own."""
FUNCTIONS = {
    "print": "leave it out: `gdslc run` shows what `problem` declares, but for `local` data",
    "range": "a range belongs in a loop of a functor, `for i in 0..n { … }`; the schedule has `repeat (n) { … }`",
    "append": "the schedule builds sets: `f = f | { … };`; a functor uses `accept` to add to the next one",
    "assert": "leave it out; what must hold of an input is its `where`",
    "sqr": "write `pow(x, 2)`, or `x * x`",
    "push": "the schedule builds sets: `f = f | { … };`; a functor uses `accept` to add to the next one",
    "randint": "write `random_below(n, v, iteration)` for one of 0 to n - 1",
    "seed": "a random number is a function of its keys, `random(v, iteration, seed)`, with `param seed : int32`",
    "round": "write `floor(x + 0.5)`",
    "out_edges": "`for u, e in neighbors(v) { … }` gives each neighbor of v and the edge to it",
    "sort": "buckets bring an order: `buckets b(a, 1) = f;` pops the members of f with the least `a` first, "
    "and `number(f)` numbers those that are popped together",
    "sync": "leave it out: an operator ends before the next one begins",
    "argwhere": "write `where(v => …)`, with the condition for one vertex",
    "in_edges": "lists hold out-edges: edges into a vertex are walked by an operator with `over=in_edges`",
}
FUNCTIONS.update(
    dict.fromkeys(
        ("printf", "println", "echo", "puts", "log_info", "cout", "display", "output", "emit"), FUNCTIONS["print"]
    )
)
FUNCTIONS.update(dict.fromkeys(("srand", "set_seed", "manual_seed"), FUNCTIONS["seed"]))
FUNCTIONS.update(dict.fromkeys(("rand_int", "randrange", "uniform_int_distribution"), FUNCTIONS["randint"]))
FUNCTIONS.update(
    dict.fromkeys(("rand", "drand48", "rand01", "uniform"), "write `random(v, iteration)`, a float32 below 1")
)
FUNCTIONS.update(dict.fromkeys(("insert", "enqueue", "push_back"), FUNCTIONS["append"]))
FUNCTIONS.update(
    dict.fromkeys(("edges", "incident_edges", "edges_of", "outgoing_edges", "adj"), FUNCTIONS["out_edges"])
)
FUNCTIONS.update(dict.fromkeys(("argsort", "sorted", "sort_by", "order_by", "rank", "ranks"), FUNCTIONS["sort"]))
FUNCTIONS.update(
    dict.fromkeys(
        ("in_neighbors", "predecessors", "incoming_edges", "parents_of", "inNeighbors"), FUNCTIONS["in_edges"]
    )
)
FUNCTIONS.update(
    dict.fromkeys(
        ("barrier", "synchronize", "wait", "__syncthreads", "syncthreads", "cudaDeviceSynchronize"), FUNCTIONS["sync"]
    )
)
FUNCTIONS.update(dict.fromkeys(("nonzero", "flatnonzero", "findall", "find_all", "select"), FUNCTIONS["argwhere"]))
"""Functions that there are not, and what to do instead."""
CONSTANTS = {
    **dict.fromkeys(("pi", "PI", "Pi", "M_PI"), "3.141592653589793"),
    **dict.fromkeys(("tau", "TAU", "M_2PI"), "6.283185307179586"),
    **dict.fromkeys(("M_E", "euler_number"), "2.718281828459045"),
}
"""Numbers that others have a name for."""
_COMBINATIONS = {
    **dict.fromkeys(("union", "set_union", "Union"), "|"),
    **dict.fromkeys(("intersection", "set_intersection", "Intersection"), "&"),
    **dict.fromkeys(("difference", "set_difference", "setdiff", "minus", "except"), "-"),
}
_OF_SETS = {
    **dict.fromkeys(
        ((3, name) for name in ("union", "unite", "union_set", "union_sets", "merge", "merge_sets")), "join"
    ),
    **dict.fromkeys(((2, name) for name in ("find", "find_root", "find_set", "findRoot", "get_root")), "root"),
}
"""What others call the words for sets of vertices, each with as many arguments."""
_PAIRS = frozenset(("pair", "make_pair", "tuple", "make_tuple", "Pair", "Tuple"))
_DEGREES = frozenset(("num_neighbors", "n_neighbors", "neighbor_count", "num_out_edges", "valency", "outDegree"))
_REDUCED_NEIGHBORS = {f"neighbor{mark}_{word}": word for word in ("sum", "min", "max", "count") for mark in ("", "s")}
LENGTHS = frozenset(("len", "length", "count_of", "sizeof", "num", "cardinality"))
"""What others call the size of a set or of an array."""
LARGEST = frozenset(
    ("INT_MAX", "INT32_MAX", "INT64_MAX", "LONG_MAX", "UINT_MAX", "FLT_MAX", "DBL_MAX", "MAX_INT", "INF", "maxint")
)
"""Names of the number for "nothing yet"."""
# fmt: off
_OPERATORS = {
    **dict.fromkeys((
        "foreach", "forEach", "ForEach", "for_each", "forall", "ForAll", "for_all", "parallel_for", "pfor",
        "map", "vertexMap", "vertex_map", "VertexMap", "vertex_apply", "apply", "launch", "run",
    ), "compute"),
    **dict.fromkeys((
        "edgeMap", "edge_map", "EdgeMap", "edgeset_apply", "applyModified", "expand", "traverse", "neighbors_expand",
    ), "advance"),
    **dict.fromkeys(("vertexFilter", "vertex_filter", "VertexFilter", "select"), "filter"),
}
# fmt: on
"""Calls that run a function at each element elsewhere, and the operator of the schedule that does so."""


def report_foreign_name(name: str, span: Span, environment: Environment) -> bool:
    """Whether an undeclared name is one of another language; reports what to write instead."""
    if name in STATEMENT_WORDS:
        environment.report("E0112", f"there is no `{name}`", span, fix=STATEMENT_WORDS[name])
    elif name in CONSTANTS:
        environment.report("E0112", f"`{name}` is not declared", span, fix=f"write `{CONSTANTS[name]}`")
    elif name == "reject" and environment.place is Place.APPLY:
        environment.report("E0112", f"there is no `{name}`", span, fix="write `accept false`")
    elif name in LARGEST:
        environment.report("E0112", f"`{name}` is not declared", span, fix="write `inf`")
    elif name.lower() == "nan":
        fix = "only NaN fulfills `x != x`, and `0.0 / 0.0` is NaN"
        environment.report("E0112", f"there is no word `{name}`", span, fix=fix)
    elif name in FOREIGN_TYPES or name in TYPES:
        kind = FOREIGN_TYPES.get(name, name)
        environment.report("E0204", f"`{name}` is a type, not a value", span, fix=f"a cast is written `{kind}(…)`")
    else:
        return False
    return True


def report_foreign_call(call: syntax.Call, environment: Environment) -> bool:
    """Whether the undeclared function of a call is one of another language; reports what to write instead."""
    name = call.function
    arguments = [environment.words(argument.span) for argument in call.arguments]
    joined = ", ".join(arguments)
    fix: str | None = FUNCTIONS.get(name)
    wider: tuple[Suggestion, ...] = ()
    if name in FOREIGN_TYPES:
        fix = f"write `{FOREIGN_TYPES[name]}({joined})`"
    elif name in ATOMICS and len(arguments) == 2:
        fix = f"write `{arguments[0]} {ATOMICS[name]} {arguments[1]};` as a statement; `fetch(…)` gives what was there"
    elif name in LENGTHS and len(arguments) == 1:
        fix = _length(call.arguments[0].value, arguments[0], environment)
    elif name in ("set", "list", "frozenset", "vector", "queue", "deque") and environment.place is Place.SCHEDULE:
        fix = f"a set is written `{{ {joined} }}`" if joined else "an empty set is written `{ }`"
    elif name == "range" and environment.place is Place.SCHEDULE and len(arguments) == 1:
        fix = f"write `repeat ({joined}) {{ … }}`"
    elif name in ("mean", "average", "avg") and len(arguments) == 1 and environment.place is Place.SCHEDULE:
        fix = _mean(call.arguments[0].value, arguments[0], environment)
    elif (len(arguments), name) in _OF_SETS and environment.place.in_functor:
        of_sets = f"{_OF_SETS[len(arguments), name]}({joined})"
        form = f"{of_sets};" if len(arguments) == 3 else f"let leader = {of_sets};"
        fix, wider = f"in an `apply` that is `{form}`", (Suggestion(f"write `{of_sets}`", (Edit(call.span, of_sets),)),)
    elif name in FOREIGN_NAMES and FOREIGN_NAMES[name].isalpha():
        fix = f"write `{FOREIGN_NAMES[name]}({joined})`"
    elif (code := _same_here(name, arguments, environment)) is not None:
        fix, wider = f"write `{code}`", (Suggestion(f"write `{code}`", (Edit(call.span, code),)),)
    elif name in _OPERATORS and environment.place is Place.SCHEDULE and len(arguments) == 2:
        code = _operator(_OPERATORS[name], call, arguments, environment)
        fix, wider = f"write `{code}`", (Suggestion(f"write `{code}`", (Edit(call.span, code),)),)
    if fix is None:
        return False
    if name == "float":
        # Python's float is a float64, that of C a float32: the first that fits its place.
        wider = (Suggestion(f"write `float64({joined})`"),)
    environment.report("E0112", f"there is no function `{name}`", call.function_span, fix=fix, suggestions=wider)
    return True


def _same_here(name: str, arguments: list[str], environment: Environment) -> str | None:
    """What a function of another language is called here, with the same arguments; None where that is unknown."""
    joined, in_schedule = ", ".join(arguments), environment.place is Place.SCHEDULE
    if len(arguments) == 2 and name in _PAIRS:
        return f"({joined})"
    if len(arguments) == 1 and not in_schedule and name in _DEGREES:
        return f"out_degree({joined})"
    if len(arguments) == 1 and environment.place.in_functor and name in ("id", "index", "index_of"):
        return f"int32({joined})"
    if len(arguments) == 2 and in_schedule and name in _COMBINATIONS:
        return f"{arguments[0]} {_COMBINATIONS[name]} {arguments[1]}"
    if len(arguments) == 2 and in_schedule and name in _REDUCED_NEIGHBORS:
        return f"neighbor_reduce({joined}, {_REDUCED_NEIGHBORS[name]})"
    if len(arguments) == 2 and in_schedule and name == "dot":
        return f"sum(v => {arguments[0]}[v] * {arguments[1]}[v])"
    return f"sqrt(sum(v => {joined}[v] * {joined}[v]))" if in_schedule and name == "norm" else None


def _mean(value: syntax.Expression, words: str, environment: Environment) -> str:
    symbol = environment.symbol_of(value)
    is_array = symbol is not None and symbol.kind is SymbolKind.ARRAY
    domain = (symbol.domain if symbol is not None and is_array else None) or Domain.VERTEX
    is_whole = symbol is not None and is_array and symbol.type is not None and symbol.type.is_integer
    total = f"float64(sum({words}))" if is_whole else f"sum({words})"
    return f"write `{total} / {domain.count_name}`"


def _operator(word: str, call: syntax.Call, arguments: list[str], environment: Environment) -> str:
    """The operator `word` on the set and the functor that `call` has, which others write in another order."""
    first = call.arguments[0].value
    symbol = environment.symbol_of(first)
    swapped = isinstance(first, syntax.Lambda) or (symbol is not None and symbol.kind is SymbolKind.FUNCTOR)
    over, functor = reversed(arguments) if swapped else arguments
    return f"{word}({over}, {functor})"


def _length(value: syntax.Expression, words: str, environment: Environment) -> str:
    symbol = environment.symbol_of(value)
    if symbol is not None and symbol.kind is SymbolKind.ARRAY and symbol.domain is not None:
        return f"write `{symbol.domain.count_name}`"
    if isinstance(value, syntax.Call) and value.function == "neighbors" and len(value.arguments) == 1:
        return f"write `out_degree({environment.words(value.arguments[0].span)})`"
    if environment.place is Place.SCHEDULE:
        return f"write `size({words})`"
    return "write `num_vertices`, `num_edges` or `out_degree(v)`; the schedule has `size(f)`"


def report_foreign_loop(statement: syntax.ForIn, environment: Environment) -> bool:
    """Whether a `for` iterates over `range(…)`; reports how such a loop is written."""
    value = statement.value
    if not isinstance(value, syntax.Call) or value.function not in ("range", "xrange", "prange"):
        return False
    words = [environment.words(argument.span) for argument in value.arguments]
    first, last = (words[0], words[1]) if len(words) >= 2 else ("0", words[0] if words else "n")
    name = statement.names[0].name
    if environment.place is Place.SCHEDULE:
        count = last if first == "0" else f"{last} - {first}"
        fix = f"write `repeat ({count}) {{ … }}`, in which `iteration` counts the rounds"
    else:
        fix = f"write `for {name} in {first}..{last} {{ … }}`"
    environment.report("E0112", f"there is no `{value.function}`", value.span, fix=fix)
    return True


def functor_for_loop(value: syntax.Expression, environment: Environment) -> str | None:
    """The operator to write instead of a loop of the schedule over a set; None where `value` is not a set."""
    if not isinstance(value, syntax.Name):
        return None
    symbol = environment.find(value.name)
    kinds = {"vertices": Domain.VERTEX, "edges": Domain.EDGE}
    kind = symbol.domain if symbol is not None and symbol.kind is SymbolKind.FRONTIER else kinds.get(value.name)
    if kind is None:
        return None
    functor = "vertex functor g(v)" if kind is Domain.VERTEX else "edge functor g(src, dst, e)"
    return f"put the body into `{functor} {{ apply {{ … }} }}` and write `compute({value.name}, g);`"
