"""The words of the language: what cannot be declared, and what messages call the tokens of the grammar."""

from __future__ import annotations

import difflib
from collections.abc import Container, Iterable
from itertools import count

from gdsl.frontend.signatures import SIGNATURES, Group, names_of
from gdsl.types import Type

# fmt: off
KEYWORDS = frozenset((
    "program", "problem", "requires", "param", "input", "local", "scalar", "where", "functor", "function", "cond",
    "apply", "value", "schedule", "tune", "let", "var", "if", "else", "for", "in", "while", "repeat", "break",
    "return", "accept", "frontier", "now", "any", "changed", "fetch", "cas", "true", "false", "inf", "none",
    "operator", "identity", "graph", "history", "buckets", "on", "off",
))
# fmt: on
CONTEXTUAL_KEYWORDS = frozenset(("procedure", "import", "from", "set", "common", "vote", "type"))
"""Words that have a meaning where no name is allowed; a program may declare them."""
TYPES = {type_.name: type_ for type_ in Type.all()}
VALUES = frozenset(("iteration", "place", "near", "far", "id", "num_vertices", "num_edges", "vertices", "edges"))
FUNCTIONS = names_of(Group.FUNCTION, Group.DEGREE)
CONTEXTUAL_FORMS = {name: SIGNATURES[name].form for name in sorted(names_of(Group.FORM))}
"""Words of one form of the schedule, each with the form; a program may declare them."""
GRAPH_FUNCTIONS = names_of(Group.GRAPH)
"""What a functor reads of the graph; `out_edge`, which does so too, is contextual."""
LABEL_WORDS = names_of(Group.LABELS)
"""What functors do with sets that are forests of labels."""
CONTEXTUAL_FUNCTIONS = names_of(Group.ADDITIONAL, Group.ADDITIONAL_GRAPH, Group.LABELS)
"""Functions whose names a program may declare; the program's own then win."""
ARRAY_REDUCTIONS = names_of(Group.REDUCTION)
"""The same of the schedule; two of them are functions of numbers, too."""
SCHEDULE_FUNCTIONS = names_of(Group.SCHEDULE)
RESERVED = KEYWORDS | VALUES | FUNCTIONS | GRAPH_FUNCTIONS | SCHEDULE_FUNCTIONS | TYPES.keys()
ALLOWED_AS_PARAMETERS = frozenset(("src", "dst"))
"""Built-in functions whose names a functor's parameters may have."""
_FOREIGN_TYPES_OF = {
    "int32": "int i32 short char int8 int16",
    "int64": "long i64",
    "uint32": "unsigned u32 uint8 uint16 uint",
    "float32": "float f32 half float16",
    "float64": "double f64",
    "bool": "boolean",
    "vertex": "node",
    "uint64": "u64 size_t",
}
FOREIGN_TYPES = {word: kind for kind, words in _FOREIGN_TYPES_OF.items() for word in words.split()}
_FOREIGN_NAMES_OF = {
    "true": "True",
    "false": "False",
    "none": "None null nullptr NULL",
    "inf": "infinity INFINITY",
    "abs": "fabs",
    "out_degree": "degree",
    "num_vertices": "num_nodes",
    "min=": "atomicMin",
    "max=": "atomicMax",
    "+=": "atomicAdd",
}
FOREIGN_NAMES = {word: name for name, words in _FOREIGN_NAMES_OF.items() for word in words.split()}
"""What people write from habit, and what it is called here."""
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
"""Atomic functions, and the updates that they are here."""
_MANY = 200
"""Candidates that are all compared; of more of them only those that are near at first sight, and not all of these."""


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `word` is most likely a misspelling of; None if none is close."""
    words = sorted(set(candidates))
    folded = {name.lower(): name for name in words}
    if word.lower() in folded:
        return folded[word.lower()]
    if len(words) > _MANY:
        words = [name for name in words if name[:1].lower() == word[:1].lower() and abs(len(name) - len(word)) <= 2]
        words = words[:_MANY]
    matches = difflib.get_close_matches(word, words, n=5, cutoff=0.55)
    return next((name for name in matches if _misspelled(word.lower(), name.lower())), None)


def _misspelled(word: str, name: str) -> bool:
    """Whether `word` may well be `name`, cut short or with a few letters wrong: one of short words, two of longer."""
    short = min(len(word), len(name))
    if short >= 4 and (name.startswith(word) or word.startswith(name)):
        return True
    allowed = 1 if short <= 4 else 2 if short <= 8 else 3
    return abs(len(word) - len(name)) <= allowed and _distance(word, name) <= allowed


def _distance(one: str, other: str) -> int:
    """Letters that are to be put in, left out, replaced or changed with the next one."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        further, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, further[j - 2] + 1)
            row.append(cost)
    return row[-1]


def unused_name(name: str, taken: Container[str]) -> str:
    """`name`, followed by a number if that is taken."""
    forms = (f"{name}_{number}" for number in count(2))
    return name if name not in taken else next(form for form in forms if form not in taken)
