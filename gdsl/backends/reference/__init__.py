"""The reference backend: what a program means, interpreted in plain Python."""

from __future__ import annotations

from gdsl.backends.interface import Backend


def create_backend() -> Backend:
    """The reference backend, with the order that seed 0 gives."""
    from gdsl.backends.reference.backend import ReferenceBackend

    return ReferenceBackend()
