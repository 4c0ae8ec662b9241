"""Bad input: each gets one clear message with its place and, where known, the fix; no traceback, no hang."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.clock import wait_until_computing

REFERENCE = ("--backend", "reference")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("edge functor", "egde functor", ("hops.gdsl:9:1", "error[E01", "edge")),
        ("distance[dst] ==", "distnace[dst] ==", ("hops.gdsl:10:10", "did you mean", "distance")),
        ("== -1;", "== 1.5 + true;", ("hops.gdsl:10", "error[E02")),
        ("distance[dst] = iteration + 1;", "distance[dst] = distance[src] + 1;", ("hops.gdsl:11", "error[E03", "fix")),
        ("distance[dst] = iteration + 1;", "distance[dst] = src;", ("hops.gdsl:11", "error[E0")),
    ],
)
def test_mistakes_in_programs(gdslc, old, new, words):
    text = Path("hops.gdsl").read_text()
    assert old in text
    Path("hops.gdsl").write_text(text.replace(old, new, 1))
    gdslc("run", "hops.gdsl", "path.mtx", "-p", "source=0").fails(1, *words)
    gdslc("check", "hops.gdsl").fails(1, *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ("E0601", "hops.gdsl:5", "source", "-p source=0")),
        (("-p", "source=5"), ("E0604", "source", "5", "0 to 4")),
        (("-p", "source=-1"), ("E0604",)),
        (("-p", "source=x"), ("E0603", "'x'")),
        (("-p", "source=1.0"), ("E0603", "whole number")),
        (("-p", "source=0", "-p", "sauce=1"), ("E0602", "sauce", "did you mean `source`")),
        (("-p", "source=99999999999999999999"), ("E0604",)),
    ],
)
def test_params(gdslc, arguments, words):
    gdslc("run", "hops.gdsl", "path.mtx", *REFERENCE, *arguments).fails(1, *words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1", ("E0607", "takes an array, not one value", "-p is_site=@FILE")),
        ("true", ("E0607", "takes an array, not one value")),
        ("@numbers.txt", ("E0607", "int64", "in a text file write `true` and `false`")),
    ],
)
def test_inputs(gdslc, text, words):
    Path("numbers.txt").write_text("0\n1\n0\n1\n0\n")
    Path("nearest.gdsl").write_text("program nearest; problem { input vertex is_site : bool; } schedule { }")
    gdslc("run", "nearest.gdsl", "path.mtx", *REFERENCE, "-p", f"is_site={text}").fails(1, *words)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("rmat5", "rmat:5"), ("grid_300x20", "grid:300x20"), ("uniform-100:500", "uniform:100:500")],
)
def test_generated_graphs_without_their_colon(gdslc, name, meant):
    gdslc("run", "hops.gdsl", name, *REFERENCE, "-p", "source=0").fails(1, "E0701", f"a colon: {meant}")


def test_nvrtc_without_cupy(monkeypatch):
    from gdsl.backends.cuda import nvrtc
    from gdsl.diagnostics import GdslError

    for module in [name for name in sys.modules if name.startswith("cupy_backends")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    monkeypatch.setattr(sys, "meta_path", [finder for finder in sys.meta_path if isinstance(finder, type)])
    monkeypatch.setattr(nvrtc, "_load_wheel_library", lambda: None)
    with pytest.raises(GdslError, match="CuPy, which brings it, is not installed") as caught:
        nvrtc.bindings.__wrapped__()
    assert caught.value.code == "E0903"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.mtx", b""),
        ("truncated.mtx", b"%%MatrixMarket matrix coordinate pattern general\n5 5 3\n2 1\n"),
        ("lying.mtx", b"%%MatrixMarket matrix coordinate pattern general\n900000000 900000000 2000000000\n2 1\n"),
        ("range.mtx", b"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n4 1\n"),
        ("binary.mtx", bytes(range(256)) * 4),
        ("binary.csv", bytes(range(256)) * 4),
        ("binary.npz", b"PK\x03\x04" + bytes(100)),
        ("words.csv", b"0,one\n"),
        ("cut.mtx.gz", b"\x1f\x8b\x08\x00\x00"),
        ("complex.mtx", b"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1.0 2.0\n"),
        ("dense.mtx", b"%%MatrixMarket matrix array real general\n1 1\n1.0\n"),
        ("rectangular.mtx", b"%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n"),
        ("unknown.xyz", b"0 1\n"),
    ],
)
def test_graph_files(gdslc, name, content):
    Path(name).write_bytes(content)
    gdslc("run", "hops.gdsl", name, "-p", "source=0", *REFERENCE).fails(1, name, "error[E07")
    gdslc("graph", "info", name).fails(1, name, "error[E07")


def test_graph_files_that_are_packed_in_other_ways(gdslc):
    Path("a.csv.zst").write_bytes(b"(\xb5/\xfd")
    gdslc("graph", "info", "a.csv.zst").fails(1, "a.csv.zst: error[E0702]", "unpack it first")


def test_graph_file_that_is_not_there(gdslc):
    gdslc("run", "hops.gdsl", "no.mtx", "-p", "source=0", *REFERENCE).fails(1, "no.mtx", "error[E07")


@pytest.mark.parametrize("weight", ["-2", "nan"])
def test_weights_that_where_refuses(gdslc, weight):
    Path("bad.mtx").write_text(f"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n2 3 {weight}\n")
    answer = gdslc("run", "paths.gdsl", "bad.mtx", "-p", "source=0", *REFERENCE)
    if "error[E07" in answer.err:
        answer.fails(1, "bad.mtx:4")
    else:
        answer.fails(1, "E0608", "weight >= 0", "edge 1 (1 -> 2)", weight)


def test_missing_weight_names_the_option(gdslc):
    gdslc("run", "paths.gdsl", "path.mtx", "-p", "source=0", *REFERENCE).fails(1, "E0605", "weight", "--weights")


def test_missing_input_array(gdslc):
    gdslc("run", "sites.gdsl", "path.mtx", *REFERENCE).fails(1, "E0605", "is_site", "-p is_site=@")


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros(4, dtype=bool), ("E0606", "4 values", "5 vertices")),
        (np.zeros((5, 1), dtype=bool), ("E0606", "shape (5, 1)")),
        (np.zeros(5, dtype=np.float64), ("E0607", "bool", "float64")),
        (np.array(["a"] * 5), ("E0607",)),
    ],
)
def test_arrays_of_the_wrong_length_or_dtype(gdslc, array, words):
    np.save("sites.npy", array)
    gdslc("run", "sites.gdsl", "path.mtx", "-p", "is_site=@sites.npy", *REFERENCE).fails(1, "sites.gdsl:5", *words)


@pytest.mark.parametrize("content", [None, b"", b"\x93NUMPY\x01", b"PK\x03\x04", b"\xff\xfe\x00", b"a b c"])
def test_array_files_that_cannot_be_used(gdslc, content):
    if content is not None:
        Path("sites.npy").write_bytes(content)
    answer = gdslc("run", "sites.gdsl", "path.mtx", "-p", "is_site=@sites.npy", *REFERENCE)
    answer.fails(1, "error[E06")


def test_no_gpu(gdslc, monkeypatch):
    from gdsl.backends import registry
    from gdsl.backends.interface import Availability

    if registry.availability("cuda").ok:
        monkeypatch.setattr(registry, "availability", lambda name: Availability(False, "no device", "buy one"))
    answer = gdslc("run", "hops.gdsl", "path.mtx", "-p", "source=0", "--backend", "cuda")
    answer.fails(1, "E0901", "cuda", "fix")


def test_no_compiler(process):
    environment = {**os.environ, "PATH": "", "CXX": ""}
    answer = process("run", "hops.gdsl", "path.mtx", "-p", "source=0", "--backend", "cpu", env=environment)
    if answer.returncode == 0:
        pytest.skip("a compiler is installed as a Python package")
    assert answer.returncode == 1
    assert "E0902" in answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "hops.gdsl"),
        ("run", "hops.gdsl", "path.mtx", "-p", "source"),
        ("run", "hops.gdsl", "path.mtx", "-p", "source=0", "-p", "source=1"),
        ("run", "hops.gdsl", "path.mtx", "-p", "source=0", "-o", "result.txt"),
        ("run", "hops.gdsl", "path.mtx", "--backend", "gpu"),
        ("run", "hops.gdsl", "path.mtx", "--timeout", "0"),
        ("run", "hops.gdsl", "path.mtx", "--max-iterations", "-1"),
        ("run", "hops.gdsl", "path.mtx", "--weights", "heavy"),
        ("run", "hops.gdsl", "path.mtx", "--tune", "direction"),
        ("compile", "hops.gdsl", "--emit", "wasm"),
        ("compile", "hops.gdsl", "--emit", "ir", "--arch", "sm_90"),
        ("graph", "generate", "rmat:4"),
        ("graph", "generate", "clique:4", "-o", "x.mtx"),
        ("explain", "E9999"),
        ("samples", "no_such_sample"),
        ("explan", "E0601"),
        (),
    ],
)
def test_usage_errors(gdslc, arguments):
    gdslc(*arguments).fails(2)


@pytest.mark.parametrize("knob", ["visit.direction=sideways", "nothing.direction=pull", "visit.speed=fast"])
def test_unknown_knobs(gdslc, knob):
    gdslc("run", "hops.gdsl", "path.mtx", "-p", "source=0", "--tune", knob).fails(
        1, "error[E", knob.split("=")[0].split(".")[0]
    )


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe\x00\x01", b"\x00" * 10, b"a" * (1 << 21)])
def test_program_files_that_are_none(gdslc, content):
    if content is not None:
        Path("odd.gdsl").write_bytes(content)
    gdslc("run", "odd.gdsl", "path.mtx").fails(1, "odd.gdsl", "error[E01")


@pytest.mark.parametrize("verb", ["check", "fmt"])
def test_pipes_in_a_directory_are_passed_over(gdslc, verb):
    Path("folder").mkdir()
    os.mkfifo("folder/pipe.gdsl")
    gdslc(verb, "folder").fails(1, "folder: error[E0113]", "no file in it ends in .gdsl")
    Path("folder/hops.gdsl").write_text(Path("hops.gdsl").read_text())
    os.symlink("nowhere", "folder/link.gdsl")
    gdslc(verb, "folder").fails(1, "folder/link.gdsl: error[E0113]", "No such file")


def test_program_that_is_a_directory(gdslc):
    Path("folder.gdsl").mkdir()
    gdslc("check", "folder.gdsl").fails(1, "folder.gdsl", "directory")


def backends():
    return ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("backend", backends())
def test_timeout_and_max_iterations(gdslc, backend):
    arguments = ("run", "endless.gdsl", "path.mtx", "--backend", backend)
    gdslc(*arguments, "--timeout", "0.3").fails(1, "E0802")
    gdslc(*arguments, "--max-iterations", "10").fails(1, "E0803")
    assert gdslc("run", "hops.gdsl", "path.mtx", "-p", "source=0", "--backend", backend).status == 0


@pytest.mark.parametrize("backend", backends())
@pytest.mark.slow
def test_interrupt(work, backend):
    command = [sys.executable, "-m", "gdsl", "run", "endless.gdsl", "path.mtx", "--backend", backend]
    subprocess.run([*command, "--max-iterations", "1"], capture_output=True, check=False)  # so that it is compiled
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_until_computing(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 130, (out, err)
    assert err.strip().endswith("interrupted")
    assert "Traceback" not in err


def test_interrupt_while_gdslc_is_loading(tmp_path, monkeypatch):
    """Its first imports take longer than many a verb; `click` is the first that is not gdsl's own."""
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    answer = subprocess.run([sys.executable, "-m", "gdsl", "--version"], capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout, answer.stderr) == (130, "", "interrupted\n")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_full_disk(process, work):
    answer = process("run", "hops.gdsl", "path.mtx", "-p", "source=0", *REFERENCE, "-o", "/dev/full")
    assert answer.returncode == 2  # no suffix
    Path("full.npz").symlink_to("/dev/full")
    answer = process("run", "hops.gdsl", "path.mtx", "-p", "source=0", *REFERENCE, "-o", "full.npz")
    assert answer.returncode == 1
    assert "E0911" in answer.stderr
    assert "No space left" in answer.stderr
    with open("/dev/full", "w") as full:
        answer = process("explain", "E0601", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert answer.returncode == 1
    assert "No space left" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_outputs_that_cannot_be_written(gdslc):
    Path("folder.npz").mkdir()
    for name in ("no/such/place.npz", "folder.npz", "/proc/gdsl.npz"):
        gdslc("run", "hops.gdsl", "path.mtx", "-p", "source=0", *REFERENCE, "-o", name).fails(1, "E0911", name)
    for words in (("compile", "hops.gdsl"), ("export", "hops.gdsl"), ("tune", "hops.gdsl", "path.mtx")):
        gdslc(*words, "-o", "-").fails(2, "/dev/stdout")
    assert not Path("-").exists()


def test_reader_that_leaves(work):
    command = f"{sys.executable} -m gdsl explain | head -1; echo ${{PIPESTATUS[0]}}"
    answer = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert answer.stderr == ""
    assert answer.stdout.splitlines()[-1] == "0"


def test_read_only_cache(process, work, monkeypatch):
    (work / "cache").write_text("a file where the directory should be")
    monkeypatch.setenv("GDSL_CACHE_DIR", str(work / "cache"))
    answer = process("run", "hops.gdsl", "path.mtx", "-p", "source=0", *REFERENCE)
    assert answer.returncode == 0
    assert answer.stderr.count("warning: the cache") == 1
    assert len(answer.stderr.splitlines()) == 1


def test_defect_of_gdsl_is_one_message(gdslc, monkeypatch):
    import gdsl.doctor

    def broken() -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(gdsl.doctor, "examine", broken)
    answer = gdslc("doctor")
    assert answer.status == 1
    assert "internal error" in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize(
    "words", [("-P", "source=0"), ("-p=source=0",), ("-x", "source=0"), ("--source", "0"), ("source=0",)]
)
def test_params_under_other_options(gdslc, words):
    """What is shown can be typed in."""
    gdslc("run", "hops.gdsl", "path.mtx", *words).fails(2, "-p source=0")


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("matrixmarket", "mtx"),
        ("MTX", "mtx"),
        (".csv", "csv"),
        ("edge_list", "edges"),
        ("el", "edges"),
        ("dimacs", "gr"),
    ],
)
def test_other_names_of_formats(gdslc, word, near):
    gdslc("graph", "info", "karate", "--format", word).fails(2, f"unknown format `{word}`; did you mean {near}?")


def test_formats_that_are_none(gdslc):
    gdslc("graph", "info", "karate", "--format", "").fails(2, "unknown format ``; one of mtx, gr, npz")


def test_names_that_cannot_be_written(gdslc, tmp_path):
    (tmp_path / "file.txt").write_text("")
    run = ("run", "bfs", "karate", "-p", "source=0", "-o")
    gdslc(*run, "").fails(1, "cannot write '': its name is empty")
    gdslc(*run, "file.txt/x.npz").fails(1, "file.txt is not a directory")
    gdslc(*run, "nothing/x.npz").fails(1, "there is no directory")


@pytest.mark.parametrize(
    ("word", "fix"),
    [
        ("visit=pull", "write `visit.direction = pull`"),
        ("visit=warp", "write `visit.balance = warp`"),
        ("visit=3", "name one of its knobs: `visit.direction = …`"),
        ("speed=3", "there are `schedule.order`"),
    ],
)
def test_functors_as_knobs(gdslc, word, fix):
    gdslc("check", "bfs", "--tune", word).fails(1, "E0412", fix)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("bfs", "karate"), "No such command 'bfs'. Programs are run by 'gdslc run bfs GRAPH'."),
        (("mine.gdsl",), "Programs are run by 'gdslc run mine.gdsl GRAPH'."),
        (("help",), "Write 'gdslc --help'."),
        (("help", "run"), "Write 'gdslc run --help'."),
        (("version",), "Write 'gdslc --version'."),
        (("nothing",), "'gdslc --help' lists all."),
        (("graph", "show", "karate"), "Did you mean 'gdslc graph info'?"),
        (("graph", "karate"), "Did you mean 'gdslc graph info karate'?"),
        (("graph", "a.mtx"), "Did you mean 'gdslc graph info a.mtx'?"),
        (("graph", "nothing"), "There are generate, info, convert."),
        (("cache", "delete"), "Did you mean 'gdslc cache clear'?"),
        (("run", "bfs", "karate", "--backend", "gpu"), "Did you mean 'cuda'?"),
        (("run", "bfs", "karate", "--backend", "CPU"), "Did you mean 'cpu'?"),
        (("compile", "bfs", "--emit", "c++"), "Did you mean 'cpp'?"),
        (("compile", "bfs", "--backend", "openmp"), "Did you mean 'cpu'?"),
    ],
)
def test_what_other_tools_call_it(gdslc, words, answer):
    gdslc(*words).fails(2, answer)


def test_names_that_show_no_format_to_write(gdslc):
    gdslc("graph", "convert", "karate", "a.xyz").fails(1, "E0702", "end it in one of .mtx, .mm, .npz")
    # before the graph is read or generated
    gdslc("graph", "convert", "nothing.mtx", "a.xyz").fails(1, "a.xyz: error[E0702]")
    gdslc("graph", "convert", "nothing.mtx", "a.gexf").fails(1, "files of this format (gexf) are read, not written")
    gdslc("graph", "generate", "rmat:31", "-o", "a.npz.gz").fails(1, "this format (npz) compresses its own data")
