"""Variables of the generated text that are declared in one place and used in another."""

from __future__ import annotations

from collections.abc import Iterable

from gdsl.codegen.names import Names, Scope
from gdsl.plan.nodes import Vote


def direction_of(site: int) -> str:
    """The variable that an operation remembers its choice in."""
    return f"direction_{site}"


def tables_type(vote: Vote) -> str:
    """The type of the tables in which threads count the votes of an operation."""
    return f"vote_tables<{vote.key.name}, {vote.total.name}>"


def tables_of(site: int) -> str:
    """The variable that has them from one time to the next."""
    return f"votes_{site}"


def own_data(scalars: Iterable[str], names: Names) -> tuple[str, ...]:
    """A thread's own copy ``d`` of the data, which are ``given`` outside, and of these scalars."""
    lines = ["data_slice d = given;"]
    for name in scalars:
        member, copy = names.member(name), names.derived(Scope.LOCAL, f"own_{name}", "copy")
        lines += [f"auto {copy} = *given.{member};", f"d.{member} = &{copy};"]
    return tuple(lines)
