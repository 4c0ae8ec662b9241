"""The version of gdsl, which every cache key and the head of generated text carry."""

from __future__ import annotations

__version__ = "0.1.0"
