"""`gdslc` in this process (`gdslc`) and as one of its own (`process`), with small programs and graphs beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from gdsl.cli.main import main

HOPS = '''"""Hop distance from `source`."""
program hops;

problem {
    param  source   : vertex;
    vertex distance : int32 = -1;
}

edge functor visit(src, dst, e) {
    cond distance[dst] == -1;
    apply { distance[dst] = iteration + 1; }
}

schedule {
    distance[source] = 0;
    frontier f = { source };
    while (f) { f = advance(f, visit); }
}
'''

PATHS = '''"""Shortest distances."""
program paths;

problem {
    param  source : vertex;
    input  edge weight : float32 where weight >= 0;
    vertex distance : float32 = inf;
}

edge functor relax(src, dst, e) {
    apply { accept changed(distance[dst] min= distance[src] + weight[e]); }
}

schedule {
    distance[source] = 0;
    frontier f = { source };
    while (f) { f = advance(f, relax); }
}
'''

SITES = '''"""Hops from the nearest site."""
program sites;

problem {
    input  vertex is_site : bool;
    vertex hops : int32 = -1;
    scalar reached : int64 = 0;
}

vertex functor site(v) { cond is_site[v]; apply { hops[v] = 0; } }
edge functor visit(src, dst, e) {
    cond hops[dst] == -1;
    apply { hops[dst] = iteration + 1; }
}
vertex functor count(v) { cond hops[v] >= 0; apply { reached += 1; } }

schedule {
    frontier f = where(site);
    while (f) { f = advance(f, visit); }
    compute(vertices, count);
}
'''

ENDLESS = '''"""Never ends."""
program endless;

problem { scalar x : int32 = 0; }

vertex functor touch(v) { apply { x += 1; } }

schedule {
    while (x >= 0 || x < 0) { compute(vertices, touch); }
}
'''

PATH_GRAPH = "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 3\n2 1\n3 2\n4 3\n"
WEIGHTED_GRAPH = "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 1.5\n2 3 2.5\n1 3 9\n"


@dataclass
class Answer:
    """What a call of `gdslc` gave."""

    status: int
    out: str
    err: str

    def fails(self, status: int, *words: str) -> None:
        """Assert a clear failure: this status, all of `words` in the message, no traceback."""
        assert self.status == status, (self.status, self.out, self.err)
        assert "Traceback" not in self.err + self.out
        assert "internal error" not in self.err, self.err
        for word in words:
            assert word in self.err, (word, self.err)


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One cache for all tests here: the C++ compiler takes longer than most of them."""
    return os.environ.get("GDSL_CACHE_DIR") or str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared_cache: str) -> Path:
    """The current directory of a test, with programs and graphs in it."""
    files = {
        "hops.gdsl": HOPS,
        "paths.gdsl": PATHS,
        "sites.gdsl": SITES,
        "endless.gdsl": ENDLESS,
        "path.mtx": PATH_GRAPH,
        "weighted.mtx": WEIGHTED_GRAPH,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GDSL_CACHE_DIR", shared_cache)
    return tmp_path


@pytest.fixture
def gdslc(work: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Call `gdslc` in this process."""

    def call(*arguments: str) -> Answer:
        capfd.readouterr()
        status = main(list(arguments))
        captured = capfd.readouterr()
        return Answer(status, captured.out, captured.err)

    return call


@pytest.fixture
def process(work: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Call `gdslc` as a process."""

    def call(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        defaults: dict[str, object] = {"capture_output": True, "text": True, "timeout": 120, "env": dict(os.environ)}
        return subprocess.run([sys.executable, "-m", "gdsl", *arguments], check=False, **{**defaults, **options})  # type: ignore[call-overload,no-any-return]

    return call
