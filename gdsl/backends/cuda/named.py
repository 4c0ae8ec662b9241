"""That a GPU answers, and what it is called."""

from __future__ import annotations

from gdsl.backends.interface import Availability


class Named(Availability):
    """There is one. What it is called takes a millisecond to find out, and is asked for where somebody reads it."""

    _number: int
    _name = ""

    def __init__(self, number: int) -> None:
        super().__init__(True, "")
        object.__setattr__(self, "_number", number)

    @property
    def detail(self) -> str:
        """The name of the device."""
        import cupy

        if not self._name:
            name = cupy.cuda.runtime.getDeviceProperties(self._number)["name"]
            object.__setattr__(self, "_name", name.decode() if isinstance(name, bytes) else str(name))
        return self._name
