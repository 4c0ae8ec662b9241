"""Pieces of a page for notebooks: plain HTML with styles of its own, no script, nothing from the net, all text escaped.

What a notebook's sanitising takes away (styles, drawings) leaves text in its order, which still can be read.
"""

from __future__ import annotations

import functools
import html
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gdsl.diagnostics import printable

_MONOSPACED = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"
"""Not every notebook gives `pre` such a font, and columns and carets of messages need one."""
_PRE = (
    f"margin:0;padding:.5em;max-height:30em;overflow:auto;{_MONOSPACED};font-size:90%;line-height:1.25;text-align:left"
)
_CELL = "text-align:{};padding:.15em .8em;vertical-align:top"


def page(maker: Callable[[Any], str]) -> Callable[[Any], str | None]:
    """What makes the page of an object, for its `_repr_html_`, which must not fail: None instead, and the notebook
    shows the `repr`."""

    @functools.wraps(maker)
    def made(shown: Any) -> str | None:
        try:
            return maker(shown)
        except Exception:
            return None

    return made


def escaped(text: object) -> str:
    """`text` on one line as it is, whatever signs it has."""
    return html.escape(printable(str(text)))


def heading(text: str, more: str = "") -> str:
    """A line that says what is shown; `more` stands behind it, less loudly."""
    behind = f' <span style="opacity:.7">{escaped(more)}</span>' if more else ""
    return f'<div style="margin:.2em 0"><b>{escaped(text)}</b>{behind}</div>'


def folded(title: str, text: str, is_open: bool) -> str:
    """Text of several lines that can be folded away."""
    lines = "\n".join(html.escape(_visible(line)) for line in text.expandtabs(4).split("\n"))
    opened = " open" if is_open else ""
    summary = f'<summary style="cursor:pointer">{escaped(title)}</summary>'
    return f'<details{opened} style="min-width:0">{summary}<pre style="{_PRE}">{lines}</pre></details>'


def columns(parts: Iterable[str]) -> str:
    """Parts side by side as far as there is room, else below each other."""
    wrapped = "".join(f'<div style="flex:1 1 24em;min-width:0;max-width:100%">{part}</div>' for part in parts)
    return f'<div style="display:flex;flex-wrap:wrap;gap:.5em 1.5em;align-items:flex-start">{wrapped}</div>'


def table(head: Sequence[str], rows: Iterable[Sequence[object]], left: Sequence[int] = (0,)) -> str:
    """A table; the columns whose numbers are in `left` are of words, the others of figures."""
    aligned = ["left" if place in left else "right" for place in range(len(head) or 100)]

    def row(cells: Sequence[object], kind: str) -> str:
        made = (
            f'<{kind} style="{_CELL.format(side)}">{escaped(cell)}</{kind}>'
            for cell, side in zip(cells, aligned, strict=False)
        )
        return f"<tr>{''.join(made)}</tr>"

    above = f"<thead>{row(head, 'th')}</thead>" if head else ""
    body = "".join(row(cells, "td") for cells in rows)
    made = f'<table style="border-collapse:collapse">{above}<tbody>{body}</tbody></table>'
    return f'<div style="overflow-x:auto">{made}</div>'


def bars(values: Sequence[float], names: Sequence[str], told: Sequence[str]) -> str:
    """Bars with a name below each, and what is told of one where somebody points at it."""
    width, height, below, most = 26, 80, 14, max(values, default=0) or 1
    drawn = []
    for place, (value, name, text) in enumerate(zip(values, names, told, strict=True)):
        tall = max(height * value / most, 1 if value else 0)
        left = place * width
        drawn.append(
            f'<rect x="{left + 2}" y="{height - tall:.1f}" width="{width - 4}" height="{tall:.1f}" fill="currentColor" '
            f'fill-opacity=".55"><title>{escaped(text)}</title></rect>'
            f'<text x="{left + width / 2:.0f}" y="{height + below - 3}" text-anchor="middle" font-size="9" '
            f'fill="currentColor">{escaped(name)}</text>'
        )
    size = f'width="{len(values) * width}" height="{height + below}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">{"".join(drawn)}</svg>'


def _visible(line: str) -> str:
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in line)
