"""Programs as folders of plain C++ or CUDA that do not need gdsl: `gdslc export`."""

from __future__ import annotations

from gdsl.export.exporting import BACKENDS, export

__all__ = ["BACKENDS", "export"]
