"""The reference backend: what a program means, interpreted in plain Python."""

from __future__ import annotations

from gdsl.backends.interface import Backend


def create_backend() -> Backend:
    """The reference backend, in the order of seed 0."""
    from gdsl.backends.reference.backend import ReferenceBackend

    return ReferenceBackend()
