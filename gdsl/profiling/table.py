"""Profiles and comparisons as text: tables with a line for each operator and a bar for its time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gdsl.diagnostics import printable

_BAR = "█"
_PARTS = " ▏▎▍▌▋▊▉"
_LEAST, _MOST = 10, 40
"""Characters of a full bar in a narrow and in a wide table."""

Row = tuple[str, ...]


def table(document: dict[str, Any], width: int) -> str:
    """Each operator with its share of the run."""
    whole = document["time_ms"]["run"] or 1.0
    operators = [each for each in document["operators"] if each["runs"]]
    names = {each["site"]: printable(each["operator"]) for each in document["operators"]}
    rows: list[Row] = []
    shares: list[float] = []
    for each in operators:
        inside = each["inside"]
        spent = 0.0 if inside is not None else each["time_ms"] or 0.0
        took = f"in {names[inside]}" if inside is not None else shown_ms(each["time_ms"])
        counts = f"{each['runs']:,}", f"{each['edges']:,}"
        rows.append((names[each["site"]], _lines(each), *counts, took, _percent(spent, whole)))
        shares.append(spent / whole)
    before = sum(each["before_ms"] or 0.0 for each in operators)
    start = document["time_ms"]["start"] or 0.0
    rest = whole - sum(each["time_ms"] or 0.0 for each in operators) - before - start
    others = [("between operators", before), ("before the first", start)]
    for what, spent in [*others, ("after the last", rest)] if rest > 0 else others:
        rows.append((what, "", "", "", shown_ms(spent), _percent(spent, whole)))
        shares.append(spent / whole)
    head = ("operator", "where", "runs", "edges", "time", "")
    facts = _lanes(document)
    facts += [f"{name}: {printable(text)}" for name, text in document["facts"] if name in ("memory", "order")]
    return "\n".join([_title(document), *facts, "", *aligned(head, rows, shares, width, left=(0, 1))])


def _lanes(document: dict[str, Any]) -> list[str]:
    """A line for each of several GPUs."""
    lines = []
    for each in document.get("lanes") or ():
        members = "" if each["members"] is None else f", {each['members']:,} members"
        waited = f"{shown_ms(each['waiting_ms'])} at barriers"
        lines.append(f"{printable(each['name'])}: {shown_ms(each['compute_ms'])} at work, {waited}{members}")
    return lines


def _title(document: dict[str, Any]) -> str:
    times, graph = document["time_ms"], document["graph"]
    name, on, backend = (printable(w) for w in (document["program"]["name"], graph["name"], document["backend"]))
    title = f"{name} on {on or 'a graph'} ({graph['vertices']:,} vertices, {graph['edges']:,} edges)"
    title += f": {shown_ms(times['run'])} on {backend}"
    if len(times["runs"]) > 1:
        ends = f"{shown_ms(min(times['runs']))} to {shown_ms(max(times['runs']))}"
        title += f", the median of {len(times['runs'])} runs from {ends}"
    return title


def comparison_table(comparison: dict[str, Any], a: dict[str, Any], b: dict[str, Any], width: int) -> str:
    """Each operator in both runs, after what differs besides the times."""
    differences = [{name: printable(value) for name, value in each.items()} for each in comparison["differences"]]
    lines = [f"{each['what']}: {each['a']} → {each['b']}" for each in differences]
    rows: list[Row] = []
    for each in comparison["operators"]:
        sides = [shown_ms(side["time_ms"]) if side is not None else "not there" for side in (each["a"], each["b"])]
        change = _change(each["ms"], each["percent"])
        rows.append((printable(each["operator"]), *sides, *change, "another plan" if each["rule"] else ""))
    whole = b["time_ms"]["run"] - a["time_ms"]["run"]
    share = 100 * whole / a["time_ms"]["run"] if a["time_ms"]["run"] else None
    times = [shown_ms(each["time_ms"]["run"]) for each in (a, b)]
    rows.append(("the run", *times, *_change(whole, share), ""))
    head = ("operator", "a", "b", "difference", "", "")
    return "\n".join([*lines, *([""] if lines else []), *aligned(head, rows, [], width, left=(0, 5))])


def shown_ms(value: float | None) -> str:
    """A time in a suitable unit."""
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
    file = f" of {printable(operator['file'])}" if operator["file"] else ""
    return f"line {operator['lines'][0]}{file}"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if part else ""


def aligned(head: Row, rows: Sequence[Row], shares: Sequence[float], width: int, left: tuple[int, ...]) -> list[str]:
    """The lines of a table of at most `width` characters if possible: columns as wide as their widest cell, aligned to
    the left if their index is in `left`, and after each row a bar for its share, from 0 to 1, if there are `shares`."""
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    room = max(_LEAST, min(_MOST, width - sum(widths) - 2 * len(widths)))
    lines = []
    for number, row in enumerate((head, *rows)):
        cells = [cell.ljust(widths[at]) if at in left else cell.rjust(widths[at]) for at, cell in enumerate(row)]
        bar = _bar(shares[number - 1], room) if number and shares else ""
        lines.append("  ".join([*cells, bar]).rstrip())
    return lines


def _bar(share: float, room: int) -> str:
    eighths = round(max(0.0, min(1.0, share)) * room * 8)
    return _BAR * (eighths // 8) + (_PARTS[eighths % 8] if eighths % 8 else "")
