"""CUDA is in templates: no string in gdsl's Python has declarations, qualifiers in front of them, or statements."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "gdsl"
DECLARATIONS = re.compile(
    r"__(?:device|global|host|shared|constant)__\s+(?!__forceinline__$|__noinline__$)"
    r"|__launch_bounds__|__sync\w+|\b(?:thread|block)(?:Idx|Dim)\b|^\s*#\s*(?:pragma|define|include)\b"
    r"|\bconst auto\b|\[&\]\s*\(|\bstatic_assert\(|\btypedef\b.*;|\benactor& |\bdata_slice& ",
    re.MULTILINE,
)
MENTIONS = re.compile(
    r"__(?:device|global|host|shared|constant)__|__launch_|__sync|(?:thread|block)(?:Idx|Dim)"
    r"|#\s*(?:pragma|define|include)\b|const auto|\[&\]|static_assert|typedef|enactor& |data_slice& "
)
"""What a file has that may have declarations; those that have none of it, and no semicolon, are not parsed."""
STATEMENTS = re.compile(r"[\w)\]}]\s*;\s*(?://.*)?$", re.MULTILINE)
GENERATING = ("codegen", "backends", "plan", "binding", "export")
"""The rooms that may print neither."""
PROGRAMS = ("codegen/expressions.py", "codegen/functions.py", "codegen/lane_loops.py", "codegen/statements.py")
"""These print the statements of the program itself, in the C++ of both backends."""
ABOUT_CUDA = ("suggestions", "frontend", "cli/completion.py")
"""Here such words are those of users who wrote CUDA, or a shell's."""
FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def strings(text: str) -> Iterator[tuple[int, str]]:
    """The line and the text of every string but docstrings; what is filled into one is ``x``."""
    tree = ast.parse(text)
    left_out = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            left_out.update(map(id, node.values))
            parts = (part.value if isinstance(part, ast.Constant) else "x" for part in node.values)
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.lineno, node.value


def cuda_in(name: str, text: str) -> list[tuple[int, str]]:
    generates = name.startswith(GENERATING) and name not in PROGRAMS
    if not MENTIONS.search(text) and not (generates and ";" in text):
        return []
    found = list(strings(text))
    cuda = [each for each in found if not name.startswith(ABOUT_CUDA) and DECLARATIONS.search(each[1])]
    if generates:
        cuda += [each for each in found if STATEMENTS.search(each[1])]
    return cuda


def test_no_cuda_in_python() -> None:
    found = {name: cuda_in(name, (PACKAGE / name).read_text(encoding="utf-8")) for name in FILES}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "line",
    [
        "lines = ['synchronize(run);']",
        "line = f'exchange({first}, {second});'",
        "text = '''\n    const long long there = s;\n    k = there;\n'''",
        "head = '__device__ __forceinline__ void visit('",
        "head = f'__shared__ graph_slice {name}'",
        "call = f'[&](vertex v) {{ {body} }}'",
    ],
)
def test_what_is_cuda(line: str) -> None:
    assert cuda_in("codegen/cuda/steps.py", line) != []
