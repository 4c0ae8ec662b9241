"""Kernels that a device has loaded."""

from __future__ import annotations

from typing import Any


class Loaded:
    """The kernels of a loaded cubin; each is looked up once."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._found: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        """The kernel called `name`."""
        if name not in self._found:
            self._found[name] = self._module.get_function(name)
        return self._found[name]
