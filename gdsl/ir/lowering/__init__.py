"""From the typed syntax tree to the IR: nothing is decided here that could be wrong, everything is spelled out."""

from gdsl.ir.lowering.program import lower

__all__ = ["lower"]
