"""A run's frontiers as a picture: a bar for each operator that ran, as high as its frontier was large, in SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol

MOST = 160
"""Bars of one picture; a run of more has its first ones shown."""
WIDTH, HEIGHT, LEFT, TOP = 720, 180, 44, 8
COLORS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e", "#9498a0")
"""Of the operators, in the order in which they first ran."""


class Record(Protocol):
    """What is drawn of a record of a trace."""

    label: str
    iteration: int
    frontier_size: int
    edges: int


def frontier_svg(records: Sequence[Record]) -> str:
    """The picture of `records`, with a legend; it takes its ink from the page, and loads nothing."""
    shown = records[:MOST]
    labels = list(dict.fromkeys(record.label for record in shown))
    highest = max((record.frontier_size for record in shown), default=0) or 1
    step = (WIDTH - LEFT) / max(len(shown), 1)
    lines = [
        f'<svg class="frontiers" viewBox="0 0 {WIDTH} {TOP + HEIGHT + 20 + 18 * _rows(labels)}" role="img"'
        ' xmlns="http://www.w3.org/2000/svg" fill="currentColor" font-size="11">',
        "<title>Size of the frontier of each operator, in the order in which they ran</title>",
        f'<text x="{LEFT - 6}" y="{TOP + 9}" text-anchor="end">{highest}</text>',
        f'<text x="{LEFT - 6}" y="{TOP + HEIGHT}" text-anchor="end">0</text>',
    ]
    for place, record in enumerate(shown):
        lines.append(_bar(record, COLORS[labels.index(record.label) % len(COLORS)], place, step, highest))
    lines.append(
        f'<path d="M{LEFT} {TOP + HEIGHT + 0.5}H{WIDTH}" stroke="currentColor" fill="none" opacity=".5"/>'
        f'<text x="{LEFT}" y="{TOP + HEIGHT + 14}">{_words(len(records))}</text>'
    )
    for place, label in enumerate(labels):
        lines.append(_legend(label, COLORS[place % len(COLORS)], place))
    return "\n".join([*lines, "</svg>"])


def _bar(record: Record, color: str, place: int, step: float, highest: int) -> str:
    """One record; what it is stands in its title."""
    height = max(HEIGHT * record.frontier_size / highest, 1)
    about = f"{record.label}, iteration {record.iteration}: frontier of {record.frontier_size}, {record.edges} edges"
    return (
        f'<rect x="{LEFT + place * step:.1f}" y="{TOP + HEIGHT - height:.1f}" width="{max(step * 0.85, 0.8):.1f}"'
        f' height="{height:.1f}" fill="{color}"><title>{escape(about)}</title></rect>'
    )


def _legend(label: str, color: str, place: int) -> str:
    x, y = LEFT + 170 * (place % 4), TOP + HEIGHT + 34 + 18 * (place // 4)
    box = f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{color}"/>'
    return f'{box}<text x="{x + 15}" y="{y}">{escape(label)}</text>'


def _rows(labels: Sequence[str]) -> int:
    return (len(labels) + 3) // 4


def _words(count: int) -> str:
    if count > MOST:
        return f"the first {MOST} of {count:,} runs of operators, from left to right"
    return f"{count} runs of operators, from left to right" if count != 1 else "one run of an operator"
