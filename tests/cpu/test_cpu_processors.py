"""Which processors the threads of a run may use: of two, one keeps off the other's while it lasts, and nothing of that
is left behind it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.support.openmp import openmp_works

# On how many processors each thread of the process may run: the least seen while a run lasts, and of all behind it.
_WATCHED = """
import json, os, threading
import gdsl
from gdsl.graph import generate

def allowed():
    found = []
    for thread in os.listdir("/proc/self/task"):
        try:
            found.append(len(os.sched_getaffinity(int(thread))))
        except OSError:  # it has ended
            pass
    return found

graph = generate("rmat:14")
done, least = threading.Event(), []

def watch():
    while not done.is_set():
        least.append(min(allowed()))
        done.wait(0.001)

watcher = threading.Thread(target=watch)
watcher.start()
gdsl.compile("pagerank").run(graph, {"max_iterations": 2000, "tolerance": 0.0}, backend="cpu")
done.set()
watcher.join()
print(json.dumps({"before": len(os.sched_getaffinity(0)), "least": min(least), "after": allowed()}))
"""


@pytest.mark.sampled(2)
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says which processors a thread may use")
@pytest.mark.skipif(not openmp_works(), reason="needs a C++ compiler with OpenMP")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.slow
def test_two_threads_keep_off_each_other(threads: int) -> None:
    command = [sys.executable, "-c", _WATCHED]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    before = found["before"]
    assert found["least"] == (before - 1 if threads == 2 and before > 1 else before)
    assert set(found["after"]) == {before}
