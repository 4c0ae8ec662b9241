"""The one table of tuning knobs: what they are called, what they take, and what they may stand on."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.operations import Balance, Direction


@dataclass(frozen=True, slots=True)
class Knob:
    """One knob. `operators` are the operators that it tunes, by functor or label; of none it is the whole schedule's.
    `later`: values that are described and not built yet; without any `values` the knob itself is not. `text` is what
    the language's page says of it."""

    name: str
    values: tuple[str, ...]
    text: str
    operators: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    alone: bool = False
    """Whether it is written without `schedule.` too."""


_SWITCH = ("on", "off")
KNOBS = (
    Knob(
        "direction",
        tuple(direction.value for direction in Direction),
        "`push pull auto`, `auto(alpha=…, beta=…)`; without it `auto` where the functor closes, else `push`",
        ("advance",),
        arguments=("alpha", "beta"),
    ),
    Knob(
        "balance",
        tuple(balance.value for balance in Balance),
        "`thread block auto`; *later* `warp merge bins edges`",
        ("advance", "neighbor_reduce"),
        ("warp", "merge", "bins", "edges"),
    ),
    Knob("frontier", (), "*later*", ("advance",)),
    Knob("dedup", (), "*later*", ("advance",)),
    Knob("fuse", _SWITCH, "`on off`"),
    Knob("block", ("32", "64", "128", "256", "512", "1024"), "32, 64, 128, 256, 512 or 1024 threads a block"),
    Knob("ids", ("32", "64"), "`32` or `64` bits an id"),
    Knob("bounds", _SWITCH, "`on off`", alone=True),
)
BY_NAME = {knob.name: knob for knob in KNOBS}
OPERATOR_KNOBS = tuple(knob.name for knob in KNOBS if knob.operators and knob.values)
LATER_KNOBS = tuple(knob.name for knob in KNOBS if not knob.values)
SCHEDULE_KNOBS = tuple(knob.name for knob in KNOBS if not knob.operators)


def written(knob: Knob) -> str:
    """How a knob of the whole program is called, and one of operators behind the functor's name."""
    return knob.name if knob.operators or knob.alone else f"schedule.{knob.name}"


def documented() -> list[str]:
    """The rows of the table in `docs/language.md`."""
    later = ", ".join(f"`{name}`" for name in LATER_KNOBS)
    rows = ["| knob | values |", "| --- | --- |"]
    for knob in KNOBS:
        operators = f" (of {', '.join(f'`{operator}`' for operator in knob.operators)})" if knob.operators else ""
        if knob.values:
            rows.append(f"| `{written(knob)}`{operators} | {knob.text} |")
        elif knob.name == LATER_KNOBS[0]:
            rows.append(f"| {later} | {knob.text} |")
    return rows
