"""`run --profile`: a table everywhere, and bars where somebody looks at a terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

from gdsl.backends.interface import TraceRecord
from gdsl.cli.report import by_operator

ON_PATH = ("run", "hops.gdsl", "path.mtx", "-p", "source=0", "--backend", "reference", "--profile")


def on_a_terminal(*words):
    reader, writer = pty.openpty()
    try:
        subprocess.run(
            [sys.executable, "-m", "gdsl", *words],
            stdout=writer,
            stderr=subprocess.DEVNULL,
            check=True,
            timeout=60,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        )
    finally:
        os.close(writer)
    found = b""
    while True:
        try:
            piece = os.read(reader, 65536)
        except OSError:
            break
        if not piece:
            break
        found += piece
    os.close(reader)
    return re.sub(r"\x1b\[[0-9;]*m", "", found.decode()).replace("\r\n", "\n")


def test_bars_on_a_terminal_alone(gdslc):
    text = gdslc(*ON_PATH).out
    assert "iteration  operator" in text
    assert "█" not in text
    shown = on_a_terminal(*ON_PATH)
    assert shown.startswith(text[: text.index("iterations on")])
    assert re.search(r"visit +4 +[0-9.,]+ +100% +█{40}", shown)


def test_operators_are_summed_up():
    trace = [TraceRecord(0, "a", 0, 3, 10), TraceRecord(1, "b", 0, 3, 0), TraceRecord(0, "a", 1, 3, 5)]
    assert by_operator(trace) == {"a": (2, 15), "b": (1, 0)}
    assert by_operator([]) == {}
