"""`gdslc run` and scripts on workers of Ray and on ranks of MPI, as processes."""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import gdsl
from tests.support import mpi

pytest.importorskip("ray")
pytest.importorskip("mpi4py")
pytestmark = pytest.mark.long

RAY = ("--workers", "3")
LONG = ("run", "pagerank", "rmat:14", "-p", "max_iterations=100000", "-p", "tolerance=0")
LIMIT = 120.0
"""Seconds after which something hangs, also on a machine with much else to do."""


def _run(*words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """`gdslc` with Ray, or on three ranks if --mpi is among the words."""
    if "--mpi" in words:
        done = mpi.run(3, "-m", "gdsl", *words)
    else:
        done = subprocess.run([sys.executable, "-m", "gdsl", *words], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done


_HEAD = """
import ray, sys
ray.init(address="local", num_cpus=8, include_dashboard=False, log_to_driver=False)
print(ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster of one host, as another process has started it; a user of a cluster with tokens has its token."""
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    found = {**os.environ, **token, "RAY_USAGE_STATS_ENABLED": "0"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", _HEAD], text=True, env=found, **pipes) as process:  # type: ignore[call-overload]
        with pytest.MonkeyPatch.context() as patch:
            for name, value in token.items():
                patch.setenv(name, value)
            yield process.stdout.readline().strip()
        process.stdin.close()


@pytest.fixture(params=["ray", "mpi"])
def on(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The options for workers of that cluster, or for ranks of MPI."""
    return ("--mpi",) if request.param == "mpi" else (*RAY, "--cluster", request.getfixturevalue("address"))


def test_the_report_is_that_of_one_process(on: Sequence[str]) -> None:
    words = ("run", "sssp", "lesmis", "--weights", "random:1", "-p", "source=0")
    alone, together = _run(*words, "--backend", "cpu"), _run(*words, *on)
    assert together.stdout.splitlines()[:-1] == alone.stdout.splitlines()[:-1]  # the last line has the times
    lines = together.stderr.splitlines()
    assert [bool(re.fullmatch(rf"worker {rank} on .*, process \d+: started", lines[rank])) for rank in range(3)]
    assert re.search(r"worker 0 on .*: loaded \d+ of 77 vertices and \d+ of 508 edges", together.stderr)


def test_names_files_and_documents(on: Sequence[str], tmp_path: Path) -> None:
    (tmp_path / "roads.csv").write_text("source,target,weight\nBonn,Köln,30\nKöln,Aachen,70\nAachen,Lüttich,55\n")
    graph, output = str(tmp_path / "roads.csv"), str(tmp_path / "out.csv")
    words = ("run", "sssp", graph, "--undirected", "-p", "source=Köln", "--names", "--json", "-o", output)
    document = json.loads(_run(*words, *on).stdout)
    assert document["graph"] == {"name": graph, "vertices": 4, "edges": 6, "directed": False}
    assert document["results"]["distance"]["maximum"] == 125 and document["backend"] == "cpu"
    lines = Path(output).read_text().splitlines()
    assert lines[0].startswith("vertex,distance") and lines[1].startswith("Bonn,30")
    assert sorted(line.split(",")[0] for line in lines[1:]) == ["Aachen", "Bonn", "Köln", "Lüttich"]


def test_results_over_edges_and_input_files(on: Sequence[str], tmp_path: Path) -> None:
    program = tmp_path / "twice.gdsl"
    program.write_text(
        "program twice;\nproblem { param factor : float32; input edge toll : float32; edge cost : float32 = 0; }\n"
        "edge functor price(src, dst, e) { apply { cost[e] = factor * toll[e]; } }\n"
        "schedule { advance(vertices, price, to=none); }\n"
    )
    np.save(tmp_path / "toll.npy", np.arange(156, dtype=np.float32))
    output = str(tmp_path / "out.npz")
    words = ("-p", "factor=2", "-p", f"toll=@{tmp_path / 'toll.npy'}", "-o", output)
    _run("run", str(program), "karate", *words, *on)
    assert np.load(output)["cost"].tolist() == [2.0 * place for place in range(156)]


def test_results_in_parts(on: Sequence[str], tmp_path: Path) -> None:
    name = "out" if "--mpi" in on else "out.parquet"
    graph, folder = tmp_path / "roads.csv", tmp_path / name
    graph.write_text("source,target,weight\nBonn,Köln,30\nKöln,Aachen,70\nAachen,Lüttich,55\n")
    words = ("run", "sssp", str(graph), "--undirected", "-p", "source=Köln")
    done = _run(*words, "--parts", str(folder), *on)
    alone = _run(*words, "--backend", "cpu").stdout.splitlines()
    assert set(done.stdout.splitlines()[1:4]) <= set(alone)
    assert f"each worker has written its part of the results to {folder}" in done.stdout
    if name == "out":
        names = [name for rank in range(3) for name in json.loads((folder / f"names-{rank}.json").read_text())]
        distances = np.concatenate([np.load(folder / f"distance-{rank}.npy") for rank in range(3)]).tolist()
    else:
        table = pytest.importorskip("pyarrow.parquet").read_table(folder / "vertices")
        names, distances = table.column("name").to_pylist(), table.column("distance").to_pylist()
    assert dict(zip(names, distances, strict=True)) == {"Bonn": 30, "Köln": 0, "Aachen": 70, "Lüttich": 125}
    again = _run(*words, "--parts", str(folder), *on, status=1).stderr
    assert "E0911" in again and "it is there already" in again and "loaded" not in again
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "roads.csv"])


MISTAKES: list[tuple[str, str, int]] = [
    ("bfs karate -p source=99", "E0604", 1),
    ("bfs no.mtx -p source=0", "E0701", 1),
    ("bfs karate", "E0601", 1),
    ("pagerank karate --max-iterations 3", "E0803", 1),
    ("bfs karate -p source=0 --names", "have no names", 2),
    ("bfs karate --nosuch", "there is no option '--nosuch'", 2),
]


@pytest.mark.parametrize(("words", "code", "status"), MISTAKES)
@pytest.mark.sampled(3)
def test_mistakes_are_told_once(on: Sequence[str], words: str, code: str, status: int) -> None:
    done = _run("run", *words.split(), *on, status=status)
    assert done.stderr.count(code) == 1 and done.stdout == "", done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("count", ["1000000", "9223372036854775807"])
def test_more_workers_than_fit(count: str) -> None:
    done = _run("run", "bfs", "karate", "-p", "source=0", "--workers", count, status=1)
    assert "E0810" in done.stderr and "before they read a graph" in done.stderr


_running: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """Also after a test that fails: its processes would compute for hours."""
    yield
    for process in _running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    _running.clear()


def _started(words: Sequence[str]) -> tuple[subprocess.Popen[str], list[int]]:
    """A process, and those of its workers, once they have started."""
    process = (
        mpi.start(3, "-m", "gdsl", *words, start_new_session=True)
        if "--mpi" in words
        else subprocess.Popen(
            [sys.executable, "-m", "gdsl", *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )
    )  # fmt: skip
    _running.append(process)
    found: list[int] = []
    assert process.stderr is not None
    while len(found) < 3 and (line := process.stderr.readline()):
        found += map(int, re.findall(r"process (\d+): started", line))
    return process, found


def _wait_for_a_pass(process: subprocess.Popen[str]) -> None:
    """Wait until a run has begun."""
    assert process.stderr is not None
    while (line := process.stderr.readline()) and not re.search(r": pass \d", line):
        pass


def _gone(processes: Sequence[int]) -> bool:
    """Whether all of these end in time; those that nobody waits for count as ended."""
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        states = []
        for process in processes:
            try:
                states.append(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0])
            except OSError:
                states.append("Z")
        if set(states) <= {"Z"}:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("words", [RAY, ("--mpi",)], ids=["ray", "mpi"])
@pytest.mark.parametrize("delay", [0.0, 1.5])
def test_ctrl_c_ends_everything(words: Sequence[str], delay: float) -> None:
    process, workers = _started([*LONG, *words])
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    errors = process.communicate(timeout=LIMIT)[1]
    assert process.returncode == 130 and "interrupted" in errors and "Traceback" not in errors, errors
    assert _gone(workers)


def test_ctrl_c_ends_ranks_that_never_meet(tmp_path: Path) -> None:
    """In a loop without exchanges no rank hears of another."""
    path = tmp_path / "alone.gdsl"
    path.write_text("""program alone;
problem { vertex d : int32; scalar s : int64; }
schedule { while (s >= 0) { s = 1; compute(vertices, v => { d[v] = 1; }) @set; } }
""")
    process, workers = _started(["run", str(path), "karate", "--mpi"])
    os.killpg(process.pid, signal.SIGINT)
    errors = process.communicate(timeout=LIMIT)[1]
    assert process.returncode == 130 and "interrupted" in errors and "Traceback" not in errors, errors
    assert _gone(workers)


@pytest.mark.parametrize("delay", [0.2, 0.6, 1.0, 1.4])
def test_ctrl_c_while_ranks_start(delay: float) -> None:
    """Also where some ranks wait in MPI for others, which have ended."""
    process = mpi.start(2, "-m", "gdsl", *LONG, "--mpi", start_new_session=True)
    _running.append(process)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    try:
        errors = process.communicate(timeout=LIMIT / 4)[1]  # of mpiexec itself, where MPI was just starting
    except subprocess.TimeoutExpired:  # mpiexec waits on, though its ranks have ended
        os.killpg(process.pid, signal.SIGINT)
        errors = process.communicate(timeout=LIMIT)[1]
    assert process.returncode, errors


_ENDINGS = {"an error": "raise SystemExit(3)", "an interrupt": "os.kill(os.getpid(), signal.SIGINT); time.sleep(9)"}


@pytest.mark.parametrize("ending", _ENDINGS.values(), ids=list(_ENDINGS))
@pytest.mark.parametrize(
    "block", ["with gdsl.cluster(mpi=True) as workers:", "workers = gdsl.cluster(mpi=True)\nif True:"]
)
def test_a_script_on_ranks_that_fails(tmp_path: Path, block: str, ending: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"import gdsl, os, signal, time\n{block}\n    workers.load('karate')\n    {ending}\n")
    assert mpi.run(2, str(script), timeout=LIMIT).returncode


def test_a_rank_without_a_compiler_is_named(tmp_path: Path) -> None:
    words = ("-m", "gdsl", "run", "bfs", "karate", "-p", "source=0", "--mpi")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CXX", "/no/compiler")
        patch.setenv("GDSL_CACHE_DIR", str(tmp_path))
        done = mpi.run(2, *words)
    assert done.returncode == 1 and done.stderr.count("E0902") == 1, done.stderr
    assert "note: on worker 0 (process" in done.stderr


def test_the_system_ends_everything() -> None:
    """Also where the driver waits in Ray, which replaces the exit of a handler by one of its own."""
    process, workers = _started([*LONG, *RAY])
    _wait_for_a_pass(process)
    process.send_signal(signal.SIGTERM)
    errors = process.communicate(timeout=LIMIT)[1]
    assert process.returncode == 128 + signal.SIGTERM and not re.search("error|Traceback", errors), errors
    assert _gone(workers)


def test_workers_end_with_a_driver_that_is_killed() -> None:
    process, workers = _started([*LONG, *RAY])
    process.kill()
    process.communicate(timeout=LIMIT)
    assert _gone(workers)


def test_a_killed_worker_of_a_command(address: str) -> None:
    process, workers = _started([*LONG, *RAY, "--cluster", address])
    _wait_for_a_pass(process)
    os.kill(workers[1], signal.SIGKILL)
    output, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 1 and output == ""
    assert errors.count("error[") == 1 and f"E0807]: worker 1 (process {workers[1]} on " in errors
    assert _gone(workers)


def test_a_timeout_ends_everything(on: Sequence[str]) -> None:
    done = _run(*LONG, "--timeout", "8", *on, status=1)
    assert done.stderr.count("E0802") == 1 and done.stdout == "", done.stderr
    assert _gone([int(process) for process in re.findall(r"process (\d+): started", done.stderr)])


def test_a_checkpoint_of_a_command(on: Sequence[str], tmp_path: Path) -> None:
    words = ("run", "pagerank", "lesmis", "-p", "tolerance=0", "-p", "max_iterations=30")
    saved = ("--checkpoint", str(tmp_path / "run"), "--every", "4")
    assert "E0803" in _run(*words, "--max-iterations", "10", *saved, *on, status=1).stderr
    assert [path.name for path in (tmp_path / "run").glob("pass-*")] == ["pass-8"]
    if "--mpi" in on:  # a checkpoint is looked at by the same code on workers of Ray
        again = _run(*words, *saved, *on, status=1).stderr
        assert "E0809" in again and "loaded" not in again
        other = _run("run", "pagerank", "karate", *words[3:], *saved, "--resume", *on, status=1)
        assert "E0809" in other.stderr and "is of another graph" in other.stderr
    resumed = _run(*words, *saved, "--resume", *on)
    assert "note: the run continues after pass 8" in resumed.stderr
    whole = _run(*words, "--trace", str(tmp_path / "lanes.json"), *on)
    events = json.loads((tmp_path / "lanes.json").read_text())["traceEvents"]
    assert {each["cat"] for each in events if each["ph"] == "X"} == {"compute", "wait", "exchange"}
    assert whole.stderr.count(" bytes sent") == len({each["tid"] for each in events if "tid" in each}) > 1
    assert resumed.stdout.splitlines()[:-1] == whole.stdout.splitlines()[:-1]
    assert "30 iterations" in resumed.stdout.splitlines()[-1]


def test_a_script_on_ranks_of_mpi(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import gdsl\n"
        "with gdsl.cluster(mpi=True) as workers:\n"
        "    graph = workers.load('lesmis')\n"
        "    print(workers.size, graph.num_vertices)\n"
        "    print(gdsl.samples.bfs(graph, workers=workers, source=0).distance.max())\n"
        "    try:\n"
        "        gdsl.samples.bfs(graph, workers=workers, source=100)\n"
        "    except gdsl.GdslError as error:\n"
        "        print(error.code)\n"
        "    print(gdsl.samples.bfs('karate', workers=workers, source=0).distance.max())\n"
    )
    done = mpi.run(3, str(script))
    distance = gdsl.samples.bfs(gdsl.Graph.read("lesmis"), source=0).distance.max()
    assert done.stdout.splitlines() == ["3 77", str(distance), "E0604", "3"], done.stdout + done.stderr
