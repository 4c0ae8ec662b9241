"""What the language itself provides, as editors show it: signatures, keywords, values and knobs."""

from __future__ import annotations

from collections.abc import Iterator

from gdsl import knobs
from gdsl.frontend.signatures import REDUCTIONS, SIGNATURES, Group, Kind, Parameter, Signature
from gdsl.frontend.vocabulary import TYPES
from gdsl.knob_help import explained
from gdsl.types import Type

KEYWORDS = {
    "accept": "`accept condition;`: whether the operator's frontier has the member, or the far end of the edge",
    "any": "`x any= y;`: several calls may write the element, and one of them wins",
    "apply": "the statements of a functor, which may write data",
    "buckets": "`buckets b(distance, delta) = { source };`: vertices by the level of their element",
    "cas": "`cas(x, old, new)`: stores `new` where `old` is, and is true for the one call that did",
    "changed": "`changed(x min= y)`: whether the update changed the element",
    "common": "`common functor f(u, w, x) { … }`: runs for the common neighbors of the ends of edges",
    "cond": "the condition of a functor: where it is false, `apply` and `value` do not run",
    "edge": "an id of an edge; data with a value for each edge; functors that run for edges",
    "fetch": "`fetch(x += y)`: the value before the update",
    "frontier": "`frontier f = { source };`: a set of vertices",
    "functor": "what an operator runs for each vertex or edge",
    "function": "`function half(x: float32) -> float32 { return x / 2; }`: sees its parameters alone",
    "graph": "`graph h = contract(label);`: a graph that the schedule makes",
    "history": "`history h;`: the frontiers of a loop, for `for f in backward(h)`",
    "identity": "the value of an operator that changes nothing",
    "import": '`import f, g from "common.gdsl";`: definitions of another file',
    "inf": "infinity; of an integer type its largest value",
    "input": "data from the caller or the graph",
    "let": "a name for a value",
    "local": "data that is no part of the result",
    "none": "no vertex, no edge",
    "now": "`now a[v]`: the value at this moment, while other calls may write it",
    "on": "`on h { … }`: the statements run on this graph",
    "operator": "`operator gcd(a : uint32, b : uint32) -> uint32 identity 0 { … }`: a reduction of the program's own",
    "param": "a value from the caller, which the program only reads",
    "problem": "the data of the program",
    "procedure": "statements of the schedule with a name",
    "program": "the name of the program",
    "repeat": "`repeat (n) { … }`: n passes",
    "requires": "what the graph must be: `symmetric`, `simple`",
    "scalar": "data with one value",
    "schedule": "what runs, in order",
    "tune": "knobs, which change the speed and no result",
    "type": "`type t : number = float32;`: a type that the caller chooses",
    "value": "what a functor gives for an edge",
    "var": "a variable of a functor",
    "vertex": "an id of a vertex; data with a value for each vertex; functors that run for vertices",
    "vote": "`vote functor score(v, key, total) -> T { value …; }`: the score of a key in `neighbor_vote`",
    "where": "a condition on a param or an input, checked before the run",
    "while": "`while (f) { … }`: passes until the condition is false; a frontier is true while it has members",
}
VALUES = {
    "iteration": "int32: the number of finished passes of the innermost loop",
    "place": "int32: the place of the edge in the list that is walked, from 0",
    "near": "vertex: the end of the edge from which it is walked",
    "far": "vertex: the other end of the edge",
    "id": "in an initial value: the vertex or the edge",
    "num_vertices": "int64: the number of vertices",
    "num_edges": "int64: the number of edges",
    "vertices": "the set of all vertices",
    "edges": "the set of all edges",
}
CLASSES = ("number", "integer", "real")
REQUIREMENTS = ("symmetric", "simple")


def signature(name: str, in_schedule: bool) -> Signature | None:
    """The signature of something built in; in the schedule `sum`, `min` and others are reductions of arrays."""
    if in_schedule and name in REDUCTIONS:
        return REDUCTIONS[name]
    return SIGNATURES.get(name) or REDUCTIONS.get(name)


def is_of_schedule(known: Signature) -> bool:
    """Whether it is called in the schedule, or in functors."""
    return known.group in (Group.SCHEDULE, Group.FORM, Group.METHOD, Group.REDUCTION)


def parameter_label(parameter: Parameter, *, keyword: bool) -> str:
    """A parameter as a signature shows it."""
    words = f"{parameter.name}={'|'.join(parameter.words)}" if parameter.words and keyword else parameter.name
    if keyword and not parameter.words:
        words = f"{parameter.name}=…"
    return f"{words}…" if parameter.repeated else f"[{words}]" if parameter.optional else words


def parameter_help(parameter: Parameter) -> str:
    """What a parameter takes, in words."""
    if parameter.kind is Kind.WORD:
        return f"one of {', '.join(f'`{word}`' for word in parameter.words)}" if parameter.words else "a reduction"
    return str(parameter.kind.value)


def gives(known: Signature) -> str:
    """What a call gives."""
    return str(known.gives.name) if isinstance(known.gives, Type) else known.gives


def described(name: str, in_schedule: bool) -> str:
    """Markdown about a word of the language; empty if it is none."""
    known = signature(name, in_schedule)
    if known is not None:
        head = known.form.replace("{owner}", "b").replace("`", "")
        keywords = ", ".join(parameter_label(each, keyword=True) for each in known.keywords)
        more = f"\n\nKeywords: `{keywords}`" if keywords else ""
        return f"```gdsl\n{head}\n```\n{known.help}. Gives {gives(known)}.{more}"
    if name in VALUES:
        return f"```gdsl\n{name}\n```\n{VALUES[name]}"
    if name in TYPES:
        return f"```gdsl\n{name}\n```\na type"
    if name in KEYWORDS:
        return f"```gdsl\n{name}\n```\n{KEYWORDS[name]}"
    return ""


def knob_help(name: str) -> str:
    """Markdown about a knob; empty if it is none."""
    knob, _ = knobs.named(name)
    return f"```text\n{explained(knob).strip()}\n```" if knob is not None and knob.name == name else ""


def functions() -> Iterator[Signature]:
    """Everything built in that is called."""
    yield from SIGNATURES.values()
    yield from (each for name, each in REDUCTIONS.items() if name not in SIGNATURES)
