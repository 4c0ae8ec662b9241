"""A cache that cannot be written, mapped, or even named: one message, and the run goes on."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

import gdsl
from gdsl import cache
from gdsl.cache import location

TEXT = """program p;
problem { vertex a : int32 = 7; }
vertex functor f(v) { apply { a[v] = 8; } }
schedule { compute(vertices, f); }
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", False)


def gdslc(tmp_path, *options, backend="cpu", python=(), **environment):
    """`gdslc run` of a small program in a process of its own."""
    (tmp_path / "p.gdsl").write_text(TEXT)
    return subprocess.run(
        [sys.executable, *python, "-m", "gdsl", "run", "p.gdsl", "grid:3", "--backend", backend, *options],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=tmp_path,
        env={**os.environ, **environment},
    )


def clean(answer):
    said = answer.stdout + answer.stderr
    assert "Traceback" not in said
    assert "internal error" not in said
    assert "cannot write the output" not in said
    return answer


def test_cache_that_cannot_be_written_warns_once_and_works():
    cache.directory().write_text("a file where the directory should be")
    with pytest.warns(RuntimeWarning, match=r"cannot be written.*GDSL_CACHE_DIR"):
        cache.put("front", ("a",), b"data")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = cache.put_file("cpu", ("a",), b"library")
    assert path.read_bytes() == b"library"
    assert cache.get("front", ("a",)) is None
    assert cache.problem() is not None


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO])
@pytest.mark.parametrize("call", ["fdopen", "replace"])
def test_any_refusal_of_the_system_is_one_warning(monkeypatch, number, call):
    real = getattr(os, call)

    def refusing(*arguments, **options):
        if str(arguments[0]).startswith(str(cache.directory())) or isinstance(arguments[0], int):
            raise OSError(number, os.strerror(number))
        return real(*arguments, **options)

    with monkeypatch.context() as patch, pytest.warns(RuntimeWarning, match=os.strerror(number)) as caught:
        patch.setattr(os, call, refusing)
        cache.put("front", ("a",), b"data")
        cache.put("front", ("b",), b"data")
    assert len(caught) == 1
    assert cache.get("front", ("a",)) is None
    assert cache.usage() == (0, 0)


@pytest.mark.parametrize(
    "value",
    ["~nobody-of-this-name/x", "{file}", "{file}/below", "/dev/null", "{dir}/" + "x" * 5000, "{dir}/" + "y/" * 2500],
)
@pytest.mark.sampled(6)
@pytest.mark.slow
def test_any_cache_directory_is_at_most_a_warning(tmp_path, value):
    (tmp_path / "file").write_text("")
    value = value.format(file=tmp_path / "file", dir=tmp_path)
    answer = clean(gdslc(tmp_path, GDSL_CACHE_DIR=value))
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr.count("warning") == 1
    assert len(answer.stderr) < 600
    assert "GDSL_CACHE_DIR" in answer.stderr


@pytest.mark.slow
@pytest.mark.parametrize("value", ["{dir}/a\nb", "{dir}/a b", "{dir}/é\u202e", "relative", "{dir}/a/../b"])
@pytest.mark.sampled(6)
def test_odd_names_of_directories_are_names(tmp_path, value):
    value = value.format(dir=tmp_path)
    answer = clean(gdslc(tmp_path, GDSL_CACHE_DIR=value))
    assert (answer.returncode, answer.stderr) == (0, "")
    assert list(Path(tmp_path, value).glob("front/*"))


def test_nul_in_the_name_is_a_warning(monkeypatch):
    monkeypatch.setattr(os, "environ", {**os.environ, "GDSL_CACHE_DIR": "/a\0b"})
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        cache.put("front", ("a",), b"data")
    assert cache.get("front", ("a",)) is None
    assert cache.problem() is not None


@pytest.mark.parametrize("how", [{"python": ("-W", "error")}, {"PYTHONWARNINGS": "error"}])
@pytest.mark.sampled(2)
@pytest.mark.slow
def test_warnings_as_errors_end_no_run(tmp_path, how):
    (tmp_path / "file").write_text("")
    answer = clean(gdslc(tmp_path, GDSL_CACHE_DIR=str(tmp_path / "file"), **how))
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr.startswith("warning: the cache")


def test_warnings_as_errors_end_no_compilation(capsys):
    cache.directory().write_text("a file where the directory should be")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gdsl.compile(TEXT)
    assert "warning: the cache" in capsys.readouterr().err


@pytest.mark.slow
def test_full_directory_for_temporary_files_is_one_message(tmp_path, monkeypatch, mounted):
    full = mounted("size=16k")
    answer = clean(gdslc(tmp_path, TMPDIR=str(full)))
    assert answer.returncode == 1
    assert "error[E0906]" in answer.stderr
    assert "TMPDIR" in answer.stderr
    assert clean(gdslc(tmp_path, TMPDIR=str(full), backend="auto")).returncode == 0


@pytest.mark.slow
def test_limit_on_the_size_of_files_is_one_message(tmp_path):
    resource = pytest.importorskip("resource")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    (tmp_path / "p.gdsl").write_text(TEXT)
    for backend, status in (("cpu", 1), ("auto", 0)):
        answer = subprocess.run(
            [sys.executable, "-m", "gdsl", "run", "p.gdsl", "grid:3", "--backend", backend],
            capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path, preexec_fn=limit,
        )  # fmt: skip
        assert clean(answer).returncode == status, answer.stderr


@pytest.fixture
def mounted(tmp_path):
    """Mounts a small file system with options; only root can."""
    places = []

    def mount(options):
        place = tmp_path / f"mounted{len(places)}"
        place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"mode=700,{options}", "none", str(place)]
        try:
            done = subprocess.run(command, capture_output=True, check=False)
        except OSError:
            pytest.skip("there is no mount")
        if done.returncode != 0:
            pytest.skip("no file systems can be mounted here")
        places.append(place)
        return place

    yield mount
    for place in places:
        subprocess.run(["umount", "-l", str(place)], check=False)


@pytest.mark.parametrize("options", ["ro", "size=16k", "noexec"])
@pytest.mark.slow
@pytest.mark.rare(3)
def test_file_systems_that_refuse(tmp_path, mounted, options):
    place = str(mounted(options))
    for _ in range(2):
        answer = clean(gdslc(tmp_path, GDSL_CACHE_DIR=place))
        assert answer.returncode == 0, answer.stderr
        assert answer.stderr.count("warning") == (options != "noexec")
    told = subprocess.run(
        [sys.executable, "-m", "gdsl", "doctor"],
        capture_output=True, text=True, check=False, env={**os.environ, "GDSL_CACHE_DIR": place},
    )  # fmt: skip
    assert clean(told).returncode == 1
    assert "!!  cache" in told.stdout
    assert "GDSL_CACHE_DIR" in told.stdout


@pytest.mark.slow
def test_entry_on_noexec_is_loaded_from_a_copy_and_not_compiled_again(tmp_path, mounted):
    place = str(mounted("noexec"))
    assert gdslc(tmp_path, GDSL_CACHE_DIR=place).returncode == 0
    answer = gdslc(tmp_path, GDSL_CACHE_DIR=place, GDSL_COMPILER_TIMEOUT="0.001")
    assert answer.returncode == 0, answer.stderr


@pytest.mark.slow
def test_nowhere_to_load_from(tmp_path, mounted):
    places = {"GDSL_CACHE_DIR": str(mounted("noexec")), "TMPDIR": str(mounted("noexec"))}
    answer = clean(gdslc(tmp_path, **places))
    assert answer.returncode == 1
    assert "error[E0906]" in answer.stderr
    assert "noexec" in answer.stderr
    assert "GDSL_CACHE_DIR" in answer.stderr
    answer = clean(gdslc(tmp_path, backend="auto", **places))
    assert answer.returncode == 0
    assert "backend: reference" in answer.stderr
    assert "noexec" in answer.stderr


def test_directory_that_has_gone(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.setenv("GDSL_CACHE_DIR", "relative")
    gone.rmdir()
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        cache.put("front", ("a",), b"data")
    assert cache.get("front", ("a",)) is None
    assert cache.usage() == (0, 0)
    assert not cache.contains(Path(tempfile.gettempdir(), "x"))


def test_directory_that_another_process_creates_meanwhile(tmp_path, monkeypatch):
    place, is_dir, looks = tmp_path / "cache", Path.is_dir, []

    def created_behind(path, **options):
        found = is_dir(path, **options)
        if path == place and not looks:
            looks.append(found)
            place.mkdir(mode=0o700)
        return found

    monkeypatch.setenv("GDSL_CACHE_DIR", str(place))
    monkeypatch.setattr(Path, "is_dir", created_behind)
    assert location.create(place) is None
    assert looks == [False]
