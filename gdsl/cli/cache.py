"""`gdslc cache`."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from gdsl.cli.subcommands import Subcommands
from gdsl.diagnostics import GdslError, shown
from gdsl.numerals import readable_bytes

if TYPE_CHECKING:
    from gdsl.cache.entries import Entry

_HOLDS = {
    "front": "checked programs",
    "checked": "programs that were checked for every type that they admit",
    "warnings": "warnings about programs",
    "grammar": "tables of the parser",
    "templates": "templates as Python",
    "cpu": "programs for the cpu backend: code and libraries",
    "cuda": "programs for GPUs: code and binaries",
    "renumbering": "kernels that number vertices by degree",
    "hand_over": "a kernel that hands results to the host",
    "native": "the library that reads and sorts large graphs",
    "times": "times of the last profiles, which editors show",
}
"""Descriptions of the kinds of entries."""
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_AGE = re.compile(r"([0-9]{1,9})([smhdw])")


_OTHER_NAMES = {
    **dict.fromkeys(("show", "list", "ls", "size", "dir", "path", "stats"), "info"),
    **dict.fromkeys(("delete", "remove", "rm", "clean", "purge", "empty", "prune", "flush"), "clear"),
}


@click.group(name="cache", cls=Subcommands, others=_OTHER_NAMES, short_help="Show what the cache holds, or empty it.")
def command() -> None:
    """Show what the cache of compiled programs holds, or empty it.

    It automatically stays below GDSL_CACHE_SIZE (default 1GB; 0 means no limit): entries that were not used for the
    longest time are removed first. It never has to be emptied, but may be at any time.

    \b
    Examples:
      gdslc cache info
      gdslc cache clear --older-than 30d
    """


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def info(as_json: bool) -> None:
    """Show where the cache is, and the number, kinds, size and age of its entries.

    \b
    Example:
      gdslc cache info
    """
    from gdsl import cache
    from gdsl.cache.limit import limit
    from gdsl.cache.location import show

    entries, now = cache.list_entries(), time.time()
    kinds = {name: [entry for entry in entries if entry.kind == name] for name in sorted({e.kind for e in entries})}
    place, most = show(cache.directory()), limit()
    if as_json:
        by_kind = {name: _figures(several, now) for name, several in kinds.items()}
        click.echo(
            json.dumps({"directory": place, "limit": most, **_figures(entries, now), "kinds": by_kind}, indent=2)
        )
        return
    click.echo(f"directory:     {place}")
    click.echo(f"limit:         {'none' if most is None else readable_bytes(most)} (GDSL_CACHE_SIZE)")
    click.echo(f"entries:       {_line(entries, now)}")
    for name, several in kinds.items():
        click.echo(f"  {name + ':':<13}{_line(several, now)}  ({_HOLDS.get(name, 'from another version')})")
    trouble = cache.problem() if entries else None
    if trouble is not None:
        click.echo(f"note: {trouble}")


def _figures(entries: list[Entry], now: float) -> dict[str, Any]:
    oldest = max((now - entry.used for entry in entries), default=None)
    size = sum(entry.size for entry in entries)
    return {"entries": len(entries), "bytes": size, "oldest_s": None if oldest is None else max(0, round(oldest))}


def _line(entries: list[Entry], now: float) -> str:
    if not entries:
        return "none"
    figures = _figures(entries, now)
    return f"{figures['entries']:,}, {readable_bytes(figures['bytes'])}, the oldest used {_ago(figures['oldest_s'])}"


def _ago(seconds: int) -> str:
    """To the hour, like the times of entries."""
    for unit, name in (("d", "day"), ("h", "hour")):
        count = seconds // _SECONDS[unit]
        if count:
            return f"{count:,} {name}{'' if count == 1 else 's'} ago"
    return "within the hour"


def _checked_age(context: click.Context, option: click.Parameter, word: str | None) -> int | None:
    """A callback: seconds."""
    if word is None:
        return None
    match = _AGE.fullmatch(word.strip())
    if match is None:
        raise click.BadParameter(f"{shown(word)} is not an age, such as 30d, 12h or 2w")
    return int(match[1]) * _SECONDS[match[2]]


@command.command()
@click.option(
    "--older-than",
    metavar="AGE",
    callback=_checked_age,
    help="Only entries that were not used for this long: 30d, 12h.",
)
def clear(older_than: int | None) -> None:
    """Remove entries of the cache: all, or those that were not used for a while.

    Running programs continue; what is needed again is compiled again.

    \b
    Examples:
      gdslc cache clear
      gdslc cache clear --older-than 30d
    """
    from gdsl import cache
    from gdsl.cache.entries import remove

    _check_own()
    newest = time.time() - (older_than or 0)
    chosen = [entry for entry in cache.list_entries() if older_than is None or entry.used < newest]
    removed = remove(chosen)
    click.echo(
        f"removed {len(removed):,} {'entry' if len(removed) == 1 else 'entries'}, {readable_bytes(_size(removed))}"
    )
    if len(removed) < len(chosen):
        raise GdslError.single("E0913", f"{len(chosen) - len(removed):,} entries could not be removed")


def _check_own() -> None:
    """Raise E0913 if others can write to the cache."""
    from gdsl.cache.location import REMEDY, directory, refusal

    try:
        reason = refusal(directory())
    except (OSError, ValueError) as error:
        reason = str(error)
    if reason is not None:
        raise GdslError.single("E0913", f"nothing is removed: {reason}", fix=REMEDY)


def _size(entries: Iterable[Entry]) -> int:
    return sum(entry.size for entry in entries)
