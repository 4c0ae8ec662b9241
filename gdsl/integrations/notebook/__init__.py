"""gdsl in notebooks: ``%load_ext gdsl`` adds the magics ``%%gdsl`` and ``%gdsl``."""

from __future__ import annotations

from typing import Any


def load_ipython_extension(ipython: Any) -> None:
    """Called by IPython for ``%load_ext gdsl``."""
    from gdsl.integrations.notebook.magics import GdslMagics, complete

    ipython.register_magics(GdslMagics)
    for command in ("%%gdsl", "%gdsl"):
        ipython.set_hook("complete_command", complete, str_key=command)
    if getattr(ipython, "pt_app", None) is not None:
        from gdsl.integrations.notebook.terminal import color_cells

        color_cells()


def unload_ipython_extension(ipython: Any) -> None:
    """Called by IPython for ``%unload_ext gdsl``."""
    for kind in ("cell", "line"):
        ipython.magics_manager.magics[kind].pop("gdsl", None)
