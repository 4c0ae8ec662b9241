"""`gdslc samples`."""

from __future__ import annotations

import re
from pathlib import Path

import click

from gdsl.cli import completing


@click.command(name="samples", short_help="List the programs that come with gdsl.")
@click.argument("name", metavar="[NAME]", required=False, shell_complete=completing.sample_names)
def command(name: str | None) -> None:
    """List the programs and graphs that come with gdsl, with their paths, and the programs of installed packages
    (gdslc export --wheel); with NAME, or PACKAGE:PROGRAM, print that program.

    \b
    Examples:
      gdslc samples
      gdslc samples bfs > my_bfs.gdsl
    """
    from gdsl.packages import is_word, path_of
    from gdsl.program_files import missing_sample, read_file
    from gdsl.resources import resource_directory

    folder = resource_directory("samples")
    programs = sorted(folder.glob("*.gdsl"))
    if name is None:
        _list(folder, programs)
        return
    if is_word(name):
        click.echo(read_file(path_of(name) or name).text, nl=False)
        return
    for program in programs:
        if program.stem == name.removesuffix(".gdsl"):
            click.echo(read_file(str(program)).text, nl=False)
            return
    raise click.UsageError(missing_sample(name))


def _list(folder: Path, programs: list[Path]) -> None:
    graphs = sorted(path for path in folder.glob("graphs/*") if path.suffix in (".mtx", ".gr", ".csv", ".txt", ".npz"))
    width = max([len(path.stem) for path in programs], default=0)
    for path in programs:
        click.echo(f"{path.stem.ljust(width)}  {_doc(path)}")
    click.echo("\nEach runs by its name, and so do the graphs: gdslc run bfs karate -p source=0\n\nPrograms:")
    for path in programs:
        click.echo(f"  {_shown(path)}")
    click.echo("Graphs:")
    for path in graphs:
        click.echo(f"  {_shown(path)}")
    packaged = _packaged_programs()
    if packaged:
        click.echo("Installed packages:")
        width = max(map(len, packaged))
        for word, doc in packaged.items():
            click.echo(f"  {word.ljust(width)}  {doc}")


def _packaged_programs() -> dict[str, str]:
    """The programs of installed packages, by PACKAGE:PROGRAM, each with its first sentence."""
    from gdsl.packages import find, installed

    packages = [package for name in installed() if (package := find(name)) is not None]
    paths = {f"{package.name}:{name}": Path(package.path(name)) for package in packages for name in package.programs}
    return {word: _doc(path) for word, path in sorted(paths.items()) if path.is_file()}


def _doc(path: Path) -> str:
    """The first sentence of a program's doc comment."""
    match = re.match(r'\s*"""(.*?)"""', path.read_text(encoding="utf-8", errors="replace"), re.DOTALL)
    text = " ".join(match[1].split()) if match else ""
    return re.split(r"(?<=\.) ", text, maxsplit=1)[0]


def _shown(path: Path) -> str:
    """Relative to the current directory if that is shorter."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
