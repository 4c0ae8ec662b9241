"""What people write from the habit of another language, and what is written here.

The tables are in the words of messages; `foreign_syntax` finds forms that do not parse, the checker looks names up.
"""

from __future__ import annotations

STATEMENT_WORDS = {
    "continue": "put what a round does behind it under `if (…) { … }`",
    "pass": "leave it out: a block may be empty, `{ }`",
}
"""Words that other languages have as statements of their own."""

FUNCTIONS = {
    "print": "leave it out: `gdslc run` shows what `problem` declares, but for `local` data",
    "range": "a range stands in a loop of a functor, `for i in 0..n { … }`; the schedule has `repeat (n) { … }`",
    "append": "the schedule makes sets: `f = f | { … };`; a functor says `accept` for what belongs to the next one",
    "assert": "leave it out; what must hold of an input is its `where`",
    "sqr": "write `pow(x, 2)`, or `x * x`",
    "push": "the schedule makes sets: `f = f | { … };`; a functor says `accept` for what belongs to the next one",
    "randint": "write `random_below(n, v, iteration)` for one of 0 to n - 1",
    "seed": "a random number is a function of its keys, `random(v, iteration, seed)`, with `param seed : int32`",
    "round": "write `floor(x + 0.5)`",
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
"""Functions that there are not, and what to do instead."""

LENGTHS = frozenset(("len", "length", "count_of", "sizeof", "num", "cardinality"))
"""What others call the size of a set or of an array."""

ATOMICS = {
    "atomicMin": "min=",
    "atomicMax": "max=",
    "atomicAdd": "+=",
    "atomicSub": "-=",
    "atomicAnd": "&=",
    "atomicOr": "|=",
    "atomicXor": "^=",
    "atomic_min": "min=",
    "atomic_max": "max=",
    "atomic_add": "+=",
}
LARGEST = frozenset(
    ("INT_MAX", "INT32_MAX", "INT64_MAX", "LONG_MAX", "UINT_MAX", "FLT_MAX", "DBL_MAX", "MAX_INT", "INF", "maxint")
)
"""Names of a number that stands for "nothing yet"."""

LOOPS = {
    "foreach": "in a functor write `for u in neighbors(v) { … }`; the schedule has an operator for each element: "
    "`compute(f, functor);`",
    "do": "test first: `while (…) { … }`",
    "loop": "write `while (…) { … }`; the schedule also has `repeat (n) { … }`",
    "until": "write `while (!(…)) { … }`",
    "unless": "write `if (!(…)) { … }`",
    "switch": "write `if (…) { … } else if (…) { … }`",
    "match": "write `if (…) { … } else if (…) { … }`",
    "case": "write `if (…) { … } else if (…) { … }`",
    "try": "leave it out: nothing in a program fails halfway",
    "elif": "write `else if (…) { … }`",
    "elseif": "write `else if (…) { … }`",
    "elsif": "write `else if (…) { … }`",
}
LOOPS.update(dict.fromkeys(("forall", "parallel", "for_each", "pfor"), LOOPS["foreach"]))
"""Words that begin a block elsewhere."""

_FUNCTION = "a function of numbers is `function {name}(x : int32) -> int32 { return x; }`; what runs at vertices or "
_FUNCTION += (
    "along edges is `vertex functor {name}(v) { … }` or `edge functor {name}(src, dst, e) { … }`; statements of "
)
_FUNCTION += "the schedule are `procedure {name}() { … }`"
_DATA = "data are declared in `problem { … }`: `param`, `vertex`, `edge` or `scalar`, then a name, `:` and a type"
_NONE = "leave it out: a program is one file, and all of the language is there"
PARTS = {
    **dict.fromkeys(
        ("def", "fn", "func", "fun", "proc", "void", "int", "float", "double", "bool", "long", "auto", "procedure"),
        _FUNCTION,
    ),
    **dict.fromkeys(("let", "var", "const", "struct", "class", "typedef", "type", "static", "global", "record"), _DATA),
    **dict.fromkeys(
        ("include", "using", "from", "namespace", "use", "package", "template", "public", "pub", "export", "module"),
        _NONE,
    ),
    "main": "what runs is `schedule { … }`",
    "kernel": _FUNCTION,
    "__global__": _FUNCTION,
    "__device__": _FUNCTION,
}
"""Words that begin a part of a program elsewhere. `{name}` is that of what is declared."""

DECLARATIONS = {
    "node": "vertex",
    "nodes": "vertex",
    "vertices": "vertex",
    "edges": "edge",
    "array": "vertex",
    "global": "scalar",
    "const": "param",
    "static": "scalar",
    "shared": "scalar",
    "parameter": "param",
    "output": "",
    "result": "",
    "out": "",
}
"""What begins a declaration elsewhere, and here; nothing where the word is left out."""
