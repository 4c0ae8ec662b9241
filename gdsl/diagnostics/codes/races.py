"""E03xx: what calls of one operator may write and read."""

from __future__ import annotations

from gdsl.diagnostics.registry import Code

CODES: tuple[Code, ...] = ()
