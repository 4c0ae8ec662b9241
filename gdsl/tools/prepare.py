"""`python -m gdsl.tools.prepare`: update the data prepared from the grammar and the templates; see `gdsl.prepared`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from gdsl import prepared
from gdsl.codegen import templates
from gdsl.frontend import tables


class Prepared(NamedTuple):
    """One prepared file: its name, the state of its sources, and a function that creates its content."""

    name: str
    state: str
    create: Callable[[], Any]

    @property
    def is_current(self) -> bool:
        """Whether the file has that state; its content cannot be compared, as Lark's numbering differs each time."""
        return prepared.read(self.name, self.state) is not None


def everything() -> Iterator[Prepared]:
    """All prepared files."""
    for start in tables.STARTS:
        yield Prepared(tables.name_of(start), tables.state(), partial(_tables, start))
    for backend in templates.BACKENDS:
        make = partial(templates.as_python, backend)
        yield Prepared(templates.name_of(backend), templates.state(backend), make)


def main() -> None:
    """Write the files that are outdated."""
    for each in everything():
        if not each.is_current:
            prepared.write(each.name, each.state, each.create())
            print(f"prepared {each.name}")


def _tables(start: str) -> Any:
    return tables.tables(tables.make(start))


if __name__ == "__main__":
    main()
