"""Programs as folders of plain C++ or CUDA that need no gdsl any more: `gdslc export`."""

from __future__ import annotations

from gdsl.export.exporting import BACKENDS, export

__all__ = ["BACKENDS", "export"]
