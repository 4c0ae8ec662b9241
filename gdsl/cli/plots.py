"""Pictures that the command line writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from gdsl.cli import completing
from gdsl.cli.output import check_writable, file_name, write_output

Command = TypeVar("Command", bound=Callable[..., Any])

_SUFFIXES = (".png", ".svg", ".pdf")


def plot_option(help_text: str) -> Callable[[Command], Command]:
    """Add --plot; the command gets it as `plot`, a Path or None."""
    return click.option(
        "--plot", metavar="FILE", callback=_checked, shell_complete=completing.files(*_SUFFIXES), help=help_text
    )


def _checked(context: click.Context, option: click.Parameter, name: str | None) -> Path | None:
    path = file_name(context, option, name)
    if path is not None and path.suffix.lower() not in _SUFFIXES:
        raise click.BadParameter(f"'{path.name}' must end in {', '.join(_SUFFIXES)}, which names the format")
    return path


def check_plot(path: Path) -> None:
    """Raise E0907 or E0911 now for a picture that could not be drawn or written later, before the work is done."""
    from gdsl.pictures.plots import require_matplotlib

    require_matplotlib()
    check_writable(path)


def write_plot(path: Path, draws: Sequence[Callable[[Any], object]]) -> None:
    """Write a picture with a panel for each of `draws`. Raises E0911."""
    from gdsl.pictures.plots import panels, write_figure
    from gdsl.progress import working

    with working(f"drawing {path}"):
        figure = panels(draws)
        write_output(path, lambda file: write_figure(figure, path, file))
