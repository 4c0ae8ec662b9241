"""The colors of programs, and of C++ and CUDA in which `…` stands for what is left out."""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import inherit
from pygments.lexers.c_cpp import CLexer, CppLexer
from pygments.lexers.c_like import CudaLexer
from pygments.token import Comment

from gdsl.highlighting import GdslLexer

_SHORTENED = {"statements": [("…", Comment), inherit], "root": [("…", Comment), inherit]}


class ShortenedCpp(CppLexer):
    """C++ with `…`."""

    tokens: ClassVar[dict[str, Any]] = _SHORTENED


class ShortenedCuda(CudaLexer):
    """CUDA with `…`."""

    tokens: ClassVar[dict[str, Any]] = _SHORTENED


LEXERS = {"gdsl": GdslLexer, "refused": GdslLexer, "cpp": ShortenedCpp, "c-header": CLexer, "cuda": ShortenedCuda}
