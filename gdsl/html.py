"""Building blocks of HTML for notebooks: inline styles, no scripts, nothing from the network, all text escaped.

Without styles and drawings, which notebooks may remove, the text is still readable.
"""

from __future__ import annotations

import functools
import html
from collections.abc import Callable, Iterable, Sequence
from typing import ParamSpec

from gdsl.diagnostics import printable

Arguments = ParamSpec("Arguments")

_MONOSPACED = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"
"""Not every notebook has a monospaced font for `pre`, which columns and carets of messages need."""
_PRE = (
    f"margin:0;padding:.5em;max-height:30em;overflow:auto;{_MONOSPACED};font-size:90%;line-height:1.25;text-align:left"
)
_CELL = "text-align:{};padding:.15em .8em;vertical-align:top"


def page(create: Callable[Arguments, str]) -> Callable[Arguments, str | None]:
    """A decorator for what `_repr_html_` returns, which must not fail: None instead of an exception, so that the
    notebook shows the `repr`."""

    @functools.wraps(create)
    def create_safely(*arguments: Arguments.args, **named: Arguments.kwargs) -> str | None:
        try:
            return create(*arguments, **named)
        except Exception:
            return None

    return create_safely


def escaped(text: object) -> str:
    """`text` on one line, escaped."""
    return html.escape(printable(str(text)))


def heading(text: str, more: str = "") -> str:
    """A heading; `more` follows it, less prominently."""
    suffix = f' <span style="opacity:.7">{escaped(more)}</span>' if more else ""
    return f'<div style="margin:.2em 0"><b>{escaped(text)}</b>{suffix}</div>'


def folded(title: str, text: str, is_open: bool, render: Callable[[str], str] = html.escape) -> str:
    """Text of several lines that can be folded; `render` makes HTML of it."""
    lines = render("\n".join(_visible(line) for line in text.expandtabs(4).split("\n")))
    opened = " open" if is_open else ""
    summary = f'<summary style="cursor:pointer">{escaped(title)}</summary>'
    return f'<details{opened} style="min-width:0">{summary}<pre style="{_PRE}">{lines}</pre></details>'


def columns(parts: Iterable[str]) -> str:
    """Parts side by side if there is room, otherwise below each other."""
    wrapped = "".join(f'<div style="flex:1 1 24em;min-width:0;max-width:100%">{part}</div>' for part in parts)
    return f'<div style="display:flex;flex-wrap:wrap;gap:.5em 1.5em;align-items:flex-start">{wrapped}</div>'


def table(head: Sequence[str], rows: Iterable[Sequence[object]], left: Sequence[int] = (0,)) -> str:
    """A table; the columns in `left` are text, the others numbers."""
    aligned = ["left" if place in left else "right" for place in range(len(head) or 100)]

    def row(cells: Sequence[object], kind: str) -> str:
        rendered = (
            f'<{kind} style="{_CELL.format(side)}">{escaped(cell)}</{kind}>'
            for cell, side in zip(cells, aligned, strict=False)
        )
        return f"<tr>{''.join(rendered)}</tr>"

    above = f"<thead>{row(head, 'th')}</thead>" if head else ""
    body = "".join(row(cells, "td") for cells in rows)
    rendered = f'<table style="border-collapse:collapse">{above}<tbody>{body}</tbody></table>'
    return f'<div style="overflow-x:auto">{rendered}</div>'


def bars(values: Sequence[float], names: Sequence[str], tooltips: Sequence[str]) -> str:
    """Bars with a label below each, and a tooltip."""
    width, height, below, most = 26, 80, 14, max(values, default=0) or 1
    drawn = []
    for place, (value, name, text) in enumerate(zip(values, names, tooltips, strict=True)):
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
