"""A profile as text: a line for each operator, with a bar for its time."""

from __future__ import annotations

from typing import Any

from gdsl.diagnostics import printable

_BAR = "█"
_PARTS = " ▏▎▍▌▋▊▉"
_LEAST = 10
"""Characters that a bar has room for where there is little."""

Row = tuple[str, ...]


def table(document: dict[str, Any], width: int) -> str:
    """Each operator with its share of the run."""
    whole = document["time_ms"]["run"] or 1.0
    rows: list[Row] = []
    shares: list[float] = []
    operators = [each for each in document["operators"] if each["runs"]]
    names = {each["site"]: each["operator"] for each in document["operators"]}
    for each in operators:
        inside = each["inside"]
        spent = 0.0 if inside is not None else each["time_ms"] or 0.0
        took = f"in {names.get(inside, '')}" if inside is not None else shown_ms(each["time_ms"])
        rows.append(
            (each["operator"], _lines(each), f"{each['runs']:,}", f"{each['edges']:,}", took, _percent(spent, whole))
        )
        shares.append(spent / whole)
    before = sum(each["before_ms"] or 0.0 for each in operators)
    rows.append(("between operators", "", "", "", shown_ms(before), _percent(before, whole)))
    shares.append(before / whole)
    start = document["time_ms"]["start"] or 0.0
    rows.append(("before the first", "", "", "", shown_ms(start), _percent(start, whole)))
    shares.append(start / whole)
    head = ("operator", "where", "runs", "edges", "time", "")
    runs = document["time_ms"]["runs"]
    many = (
        f", the median of {len(runs)} runs from {shown_ms(min(runs))} to {shown_ms(max(runs))}" if len(runs) > 1 else ""
    )
    graph = document["graph"]
    title = (
        f"{document['program']['name']} on {printable(graph['name'] or 'a graph')} ({graph['vertices']:,} vertices, "
        f"{graph['edges']:,} edges): {shown_ms(document['time_ms']['run'])} on {document['backend']}{many}"
    )
    return "\n".join([title, "", *_aligned(head, rows, shares, width, left=(0, 1))])


def comparison_table(found: dict[str, Any], a: dict[str, Any], b: dict[str, Any], width: int) -> str:
    """Each operator in both runs, and what differs beside the times."""
    lines = [f"{each['what']}: {printable(each['a'])} → {printable(each['b'])}" for each in found["differences"]]
    rows: list[Row] = []
    changes: list[float] = []
    for each in found["operators"]:
        sides = [shown_ms(side["time_ms"]) if side is not None else "not there" for side in (each["a"], each["b"])]
        rows.append(
            (each["operator"], *sides, *_change(each["ms"], each["percent"]), "another plan" if each["rule"] else "")
        )
        changes.append(abs(each["ms"] or 0.0))
    whole = b["time_ms"]["run"] - a["time_ms"]["run"]
    share = 100 * whole / a["time_ms"]["run"] if a["time_ms"]["run"] else None
    times = [shown_ms(each["time_ms"]["run"]) for each in (a, b)]
    rows.append(("the run", *times, *_change(whole, share), ""))
    head = ("operator", "a", "b", "difference", "", "")
    return "\n".join([*lines, *([""] if lines else []), *_aligned(head, rows, [], width, left=(0, 5))])


def shown_ms(value: float | None) -> str:
    """A time in a unit that suits it."""
    if value is None:
        return "-"
    size = abs(value)
    if size >= 1000:
        return f"{value / 1000:.2f} s"
    if size >= 1:
        return f"{value:.2f} ms"
    return f"{value * 1000:.2f} µs" if size >= 0.001 else f"{value * 1e6:.0f} ns"


def _change(ms: float | None, percent: float | None) -> tuple[str, str]:
    if ms is None:
        return "-", ""
    return f"{'+' if ms > 0 else ''}{shown_ms(ms)}", "" if percent is None else f"{percent:+.1f} %"


def _lines(operator: dict[str, Any]) -> str:
    behind = f" of {printable(operator['file'])}" if operator["file"] else ""
    return f"line {operator['lines'][0]}{behind}"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if part else ""


def _aligned(head: Row, rows: list[Row], shares: list[float], width: int, left: tuple[int, ...]) -> list[str]:
    """Columns of one width each, and behind them a bar for each share in what is left of the line."""
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    room = max(_LEAST, min(40, width - sum(widths) - 2 * len(widths)))
    lines = []
    for number, row in enumerate((head, *rows)):
        cells = [cell.ljust(widths[at]) if at in left else cell.rjust(widths[at]) for at, cell in enumerate(row)]
        bar = _bar(shares[number - 1], room) if number and shares else ""
        lines.append("  ".join([*cells, bar]).rstrip())
    return lines


def _bar(share: float, room: int) -> str:
    eighths = round(max(0.0, min(1.0, share)) * room * 8)
    return _BAR * (eighths // 8) + (_PARTS[eighths % 8] if eighths % 8 else "")
