"""Room for programs that are nested deeply: the compiler follows the tree of a program by recursion."""

from __future__ import annotations

import sys

DEEPEST_NESTING = 200
"""How many levels of a program's syntax tree may lie inside each other; what is deeper is refused by the parser."""

_FRAMES_A_LEVEL = 15
"""More than any stage takes for one level of a program."""


def make_room() -> None:
    """Raise Python's own limit to what the deepest program needs. It is never lowered again: other threads may be deep
    in a program at any moment."""
    wanted = 1000 + DEEPEST_NESTING * _FRAMES_A_LEVEL
    if sys.getrecursionlimit() < wanted:
        sys.setrecursionlimit(wanted)
