"""`python -m gdsl.tools.prepare`: make anew what is prepared of the grammar and the templates, where these changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from gdsl import prepared
from gdsl.codegen import templates
from gdsl.frontend import tables


class Prepared(NamedTuple):
    """What is prepared in one file: its name, the state of what it is made of, and what makes it."""

    name: str
    state: str
    make: Callable[[], Any]

    @property
    def is_current(self) -> bool:
        """Whether it is there and of that state, which is all that says so: Lark numbers its states anew each time."""
        return prepared.read(self.name, self.state) is not None


def everything() -> Iterator[Prepared]:
    """All that is prepared."""
    for start in tables.STARTS:
        yield Prepared(tables.name_of(start), tables.state(), partial(_tables, start))
    for backend in templates.BACKENDS:
        make = partial(templates.as_python, backend)
        yield Prepared(templates.name_of(backend), templates.state(backend), make)


def main() -> None:
    """Write what is not current, and say so."""
    for each in everything():
        if not each.is_current:
            prepared.write(each.name, each.state, each.make())
            print(f"prepared {each.name}")


def _tables(start: str) -> Any:
    return tables.tables(tables.make(start))


if __name__ == "__main__":
    main()
