"""E05xx: forms that the language has and this version does not."""

from __future__ import annotations

from gdsl.diagnostics.registry import Code

CODES: tuple[Code, ...] = (
    Code(
        "E0501",
        "not built yet",
        "The language reference marks this form as later: it parses, and nothing is made of it yet.",
        "buckets b(distance, width=auto) = { source };",
    ),
)
