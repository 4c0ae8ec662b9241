"""The table of tuning knobs: their names, values and meanings, and the operators they apply to.

The checker and the tuning in the IR are derived from it, and what is said about knobs (`knob_help.py`).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gdsl.operations import Balance, Direction, Duplicates, FrontierForm, Layout, Order, Over

Setting = bool | int | Direction | Balance | FrontierForm | Duplicates | Order | Layout
"""The value of a knob in the IR."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A whole number from 1 to LARGEST_ARGUMENT in the parentheses of a value: `auto(alpha=3)`. `default`: its value
    otherwise."""

    name: str
    default: int
    text: str


LARGEST_ARGUMENT = 1_000_000


@dataclass(frozen=True, slots=True)
class Chosen:
    """The value that an entry gives a knob, and the arguments of that value by name; `of_text`: it is an entry of the
    program's text, not a word of the caller's."""

    value: Setting
    arguments: Mapping[str, int] = field(default_factory=dict)
    of_text: bool = True


@dataclass(frozen=True, slots=True)
class Knob:
    """One knob. `values` are its words and what they stand for.

    text: what it decides. example: a value of it. without: what holds where it is not set, for people. operators: those
    that it tunes, by functor or label; of none it is the whole schedule's. default: what it is set to where nobody sets
    it; None: that is found out later. arguments: what the value `auto` takes. alone: whether it is written without
    `schedule.` too. each: what each value does, where that asks for a word. quiet: shown only where somebody set it.
    """

    name: str
    values: Mapping[str, Setting]
    text: str
    example: str = ""
    without: str = ""
    operators: tuple[str, ...] = ()
    default: Setting | None = None
    arguments: tuple[Argument, ...] = ()
    alone: bool = False
    each: Mapping[str, str] = field(default_factory=dict)
    quiet: bool = False


_SWITCH: dict[str, Setting] = {"on": True, "off": False}


def _numbers(*numbers: int) -> dict[str, Setting]:
    return {str(number): number for number in numbers}


KNOBS = (
    Knob(
        "direction",
        {direction.value: direction for direction in Direction},
        "walk edges from the frontier (push), search from the vertices to reach (pull), or choose in each pass",
        "pull",
        "`auto` where the functor closes, or only combines and the frontier may be all vertices, else `push`",
        ("advance",),
        arguments=(
            Argument(
                "alpha",
                3,
                "pull once the frontier has more edges than the graph has vertices, and alpha times as many exceed the"
                " vertices and edges that a pull is likely to look at",
            ),
            Argument("beta", 20, "push again once beta times the frontier's size is below the number of vertices"),
        ),
    ),
    Knob(
        "balance",
        {balance.value: balance for balance in Balance},
        "how the edges of the frontier are shared among threads",
        "merge",
        "`auto`",
        ("advance", "neighbor_reduce"),
        Balance.AUTO,
        each={
            "thread": "one thread per vertex",
            "warp": "one warp per vertex",
            "block": "a block shares the edges of as many vertices as it has threads",
            "merge": "the same number of edges for each thread, found by search in a running sum of the degrees",
            "bins": "vertices sorted by degree: a thread for each short list, a warp for each longer one, a block for"
            " the longest",
            "edges": "one thread per edge of the whole graph, for frontiers that hold most of it",
            "auto": "a warp shares the edges of 32 vertices; long lists are cut into chunks for all",
        },
    ),
    Knob(
        "frontier",
        {form.value: form for form in FrontierForm},
        "how the new frontier is stored",
        "bitmap",
        "`auto`",
        ("advance",),
        FrontierForm.AUTO,
        each={
            "queue": "a list of its members, at a cost proportional to their number",
            "bitmap": "one bit per vertex, at the cost of a pass over the vertices; never holds a vertex twice",
            "auto": "a queue from a push, a bitmap from a pull",
        },
        quiet=True,
    ),
    Knob(
        "dedup",
        {duplicates.value: duplicates for duplicates in Duplicates},
        "whether a queue may hold a vertex more than once, if that changes no result",
        "none",
        "`auto`",
        ("advance",),
        Duplicates.AUTO,
        each={
            "exact": "each vertex once, by a mark or a claim",
            "none": "as often as it is reached, while there is room; refused if a result could depend on it",
            "auto": "`exact`",
        },
        quiet=True,
    ),
    Knob(
        "order",
        {order.value: order for order in Order},
        "the order in which a loop processes its worklist, if its result does not depend on it",
        "near_far",
        "`auto`",
        default=Order.AUTO,
        each={
            "as_given": "everything that the last pass reached",
            "near_far": "the smallest values first (for `max=`, the largest), as many at a time as keep the device"
            " busy; refused if a result could depend on the order",
            "auto": "`near_far` where it is allowed and pays off",
        },
        quiet=True,
    ),
    Knob(
        "layout",
        {layout.value: layout for layout in Layout},
        "how a GPU numbers the vertices internally, if no result depends on their ids",
        "by_degree",
        "`auto`",
        default=Layout.AUTO,
        each={
            "as_given": "by the ids of the graph",
            "by_degree": "by decreasing degree, so that the values that many edges read are stored together; refused if"
            " a result could depend on the ids; only on a GPU",
            "auto": "`by_degree` where it is allowed, on a GPU, for large graphs on which the cache gains from it",
        },
        quiet=True,
    ),
    Knob("fuse", _SWITCH, "one kernel for the whole schedule, or one for each operator", "off", "`on`", default=True),
    Knob("block", _numbers(32, 64, 128, 256, 512, 1024), "threads per block", "256", "backend's choice"),
    Knob(
        "ids",
        _numbers(32, 64),
        "bits of a vertex or edge id; 32 suffice for fewer than 2^31 - 1 vertices and edges",
        "64",
        "as needed",
    ),
    Knob("bounds", _SWITCH, "whether computed indices are checked", "off", "`on`", default=True, alone=True),
)
ALL_PASSES = (
    "lower",
    "narrow_arrays",
    "initial_values",
    "hoist_graphs",
    "direction",
    "work_order",
    "list_bounds",
    "deduplication",
    "needless_tests",
    "load_balance",
    "frontier_form",
    "write_modes",
    "cpu_threads",
    "lane_loops",
    "in_place",
    "fusion",
    "complement_tests",
    "storage",
    "launches",
    "distribution",
    "synchronization",
    "prefetch",
    "block_cache",
    "local_rounds",
    "small_frontiers",
    "mirrors",
    "merges",
    "proposals",
    "label_copies",
    "replicas",
    "own_queues",
    "solo_rounds",
    "late_chunks",
    "occupancy",
    "allocate",
    "vertex_order",
    "bit_parallel",
    "batch",
)
"""Every pass over a plan, in the order in which they run (`gdsl.plan.passes`)."""
_NEEDED_PASSES = ("lower", "launches", "distribution", "allocate", "batch")
OPTIONAL_PASSES = (
    *("hoist_scalars", "read_elements", "followers", "far_values"),
    *(name for name in ALL_PASSES if name not in _NEEDED_PASSES),
)
"""The passes that can be left out, which changes no result; the first four run before there is a plan."""
WITHOUT = "without="
"""The beginning of a caller's word that names such a pass."""
BY_NAME = {knob.name: knob for knob in KNOBS}
OPERATOR_KNOBS = tuple(knob.name for knob in KNOBS if knob.operators)
SCHEDULE_KNOBS = tuple(knob.name for knob in KNOBS if not knob.operators)


def written(knob: Knob) -> str:
    """The full name of a knob: `schedule.NAME` for the whole program, the name after that of a functor for
    operators."""
    return knob.name if knob.operators or knob.alone else f"schedule.{knob.name}"


def named(words: str) -> tuple[Knob | None, list[str]]:
    """The knob that `words` (`direction`, `visit.direction`, `schedule.fuse`) mean, or None and similar names."""
    name = words.strip().rpartition(".")[2].lower()
    return BY_NAME.get(name), [written(BY_NAME[near]) for near in difflib.get_close_matches(name, BY_NAME, n=3)]


@dataclass(frozen=True, slots=True)
class Clash:
    """A setting of `knob` that has no effect if another knob, `beside`, is set to `value`."""

    knob: str
    settings: tuple[Setting, ...]
    beside: str
    value: Setting
    why: str
    fix: str


_BALANCES = tuple(balance for balance in Balance if balance is not Balance.AUTO)
_CLASHES = (
    Clash(
        "balance",
        _BALANCES,
        "direction",
        Direction.PULL,
        "a pull shares out the vertices to reach, not the edges of the frontier",
        "choose `direction = push` or `auto`, leave it out, or tune another call by its `@label`",
    ),
    Clash(
        "dedup",
        (Duplicates.NONE,),
        "direction",
        Direction.PULL,
        "a pull finds every vertex once",
        "choose `exact`, or tune another call by its `@label`",
    ),
    Clash(
        "dedup",
        (Duplicates.NONE,),
        "frontier",
        FrontierForm.BITMAP,
        "a bitmap holds nothing twice",
        "choose `exact`, or `frontier = queue`",
    ),
)


def clashes(settings: Mapping[str, Setting | None], over: Over) -> list[Clash]:
    """The settings of a call by knob, as far as they are known, that another one makes ineffective. `over`: what the
    call walks; nothing pulls along both lists of a vertex."""
    known = {name: value for name, value in settings.items() if name != "direction" or over is not Over.ALL_EDGES}
    return [
        clash
        for clash in _CLASHES
        if known.get(clash.beside) is clash.value and any(known.get(clash.knob) is each for each in clash.settings)
    ]


# ---------------------------------------------------------------- settled knobs


def settled(operator: str | None, chosen: Mapping[str, Chosen]) -> dict[str, Setting | None]:
    """Every knob of operators, or without `operator` of the program, and every argument by name: the value in `chosen`
    if `operator` has it, otherwise the default."""
    values: dict[str, Setting | None] = {}
    for knob in _settled_knobs(operator is not None):
        entry = chosen.get(knob.name) if operator is None or operator in knob.operators else None
        values[knob.name] = knob.default if entry is None else entry.value
        chosen_values = {} if entry is None else entry.arguments
        values.update(
            (argument.name, chosen_values.get(argument.name, argument.default)) for argument in knob.arguments
        )
    return values


def misfit(holder: object, operator: str | None) -> str | None:
    """The first knob that `holder`, with a field for each, sets to an invalid value, or that is set although `operator`
    does not have it; None if all is well. Without `operator`, of the program's knobs."""
    for knob in _settled_knobs(operator is not None):
        applies = operator is None or operator in knob.operators
        values = (knob.default, *knob.values.values()) if applies else (knob.default,)
        if not any(_same(getattr(holder, knob.name), value) for value in values):
            return knob.name
        for argument in knob.arguments:
            number = getattr(holder, argument.name)
            in_range = type(number) is int and 0 < number <= LARGEST_ARGUMENT
            if not (in_range if applies else number == argument.default):
                return argument.name
    return None


def shown(holder: object, operator: str | None) -> list[str]:
    """The knobs of `operator` (or of the program) in `holder`, in words: `direction push`, `balance auto`."""
    return [
        f"{knob.name} {_word(knob, holder)}"
        for knob in _settled_knobs(operator is not None)
        if (operator is None or operator in knob.operators) and not (knob.quiet and _is_default(knob, holder))
    ]


def _is_default(knob: Knob, holder: object) -> bool:
    return _same(getattr(holder, knob.name), knob.default)


def _word(knob: Knob, holder: object) -> str:
    value = getattr(holder, knob.name)
    word = next((word for word, known in knob.values.items() if _same(known, value)), knob.without)
    others = [each for each in knob.arguments if getattr(holder, each.name) != each.default]
    return word + (f"({', '.join(f'{each.name}={getattr(holder, each.name)}' for each in others)})" if others else "")


def _settled_knobs(of_operators: bool) -> Iterator[Knob]:
    return (knob for knob in KNOBS if bool(knob.operators) is of_operators)


def _same(value: object, known: object) -> bool:
    return type(value) is type(known) and value == known
