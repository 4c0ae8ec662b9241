"""Uses the gdsl that is installed for this Python as somebody would who has nothing else, in an empty directory.

    VENV/bin/python .ci/use_wheel.py WHEEL

The commands of the command line, the first part of the tutorial, BFS on the cpu backend from Python; the size of the
wheel and the time of `import gdsl` are told.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UNTIL = "## Is it right?"
"""Where the tutorial goes on to what takes longer."""
COMMANDS = ("--version", "samples", "compile bfs", "compile bfs --emit cpp", "run bfs karate -p source=0 --backend cpu")
PROGRAM = """
import gdsl
result = gdsl.samples.bfs(gdsl.Graph.read("karate"), source=0, backend="cpu")
assert result.distance.max() == 3 and result.backend == "cpu"
assert "site-packages" in gdsl.__file__, gdsl.__file__
"""


def seconds_of(*code: str) -> float:
    """The least of five times that Python takes for `code`."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", *code], check=True)
        times.append(time.perf_counter() - started)
    return min(times)


def main(wheel: Path) -> None:
    """All of it; raises where something is not as it should be."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as empty:
        os.chdir(empty)
        for command in COMMANDS:
            subprocess.run(["gdslc", *command.split()], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([sys.executable, "-c", PROGRAM], check=True)
        sys.path.append(str(ROOT))  # behind what is installed: only the tests come from there
        from tests.support import pages

        pages.run_page(ROOT / "docs" / "tutorial.md", UNTIL, in_process=False)
        milliseconds = 1000 * (seconds_of("import gdsl") - seconds_of("pass"))
        os.chdir(ROOT)
    size = f"{wheel.name}, {wheel.stat().st_size / 1e3:.0f} kB"
    print(f"Python {sys.version.split()[0]}: {size}; import gdsl {milliseconds:.0f} ms")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
