"""`gdslc` where its standard streams are closed, full, or have lost their reader: never a traceback, never output in a
file of the user's, and output that could not be written is a failure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

GDSLC = f"{sys.executable} -m gdsl"
ENTRY = f"{sys.executable} -c 'import sys; from gdsl.cli.main import main; sys.exit(main())'"
RUN = "run hops.gdsl path.mtx -p source=0 --backend reference"
MUST_PRINT = {
    "compile": "compile hops.gdsl",
    "ast": "compile hops.gdsl --emit ast",
    "run": RUN,
    "run -o": f"{RUN} -o made.npz",
    "json": f"{RUN} --json --profile",
    "check": "check hops.gdsl paths.gdsl",
    "explain": "explain",
    "explain code": "explain E0601",
    "samples": "samples",
    "sample": "samples bfs",
    "doctor": "doctor",
    "graph info": "graph info path.mtx",
    "graph info json": "graph info path.mtx --json",
    "help": "--help",
    "verb help": "graph generate --help",
    "version": "--version",
}
PRINT_NOTHING = {
    "compile -o": "compile hops.gdsl -o made.cu",
    "generate": "graph generate grid:3 -o made.mtx",
    "convert": "graph convert path.mtx made.npz",
}
FAIL = {
    "mistake": ("check wrong.gdsl", 1),
    "no file": ("compile nothing.gdsl", 1),
    "usage": ("graph generate grid:3", 2),
    "option": ("run --nonsense", 2),
    "verb": ("rum", 2),
    "value": (f"{RUN} -p depth=1", 1),
}
needs_dev_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")


@pytest.fixture(autouse=True)
def files(work: Path) -> None:
    (work / "wrong.gdsl").write_text((work / "hops.gdsl").read_text().replace("distance[dst]", "nothing[dst]"))


def shell(command: str) -> subprocess.CompletedProcess[str]:
    answer = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in answer.stderr, answer.stderr
    assert "Exception ignored" not in answer.stderr, answer.stderr
    assert "internal error" not in answer.stderr, answer.stderr
    return answer


@pytest.mark.parametrize("arguments", MUST_PRINT.values(), ids=list(MUST_PRINT))
@pytest.mark.sampled(30)
def test_output_to_a_closed_stream(arguments: str) -> None:
    answer = shell(f"{GDSLC} {arguments} >&-")
    assert answer.returncode == 1
    assert "standard output is closed" in answer.stderr


@pytest.mark.slow
@pytest.mark.sampled(9)
@pytest.mark.parametrize("kind", ["compile", "run -o", "check", "doctor", "help"])
def test_output_where_nothing_can_be_said(kind: str) -> None:
    both = shell(f"{GDSLC} {MUST_PRINT[kind]} >&- 2>&-")
    assert (both.returncode, both.stderr) == (1, "")


@pytest.mark.parametrize(("redirection", "status"), [(">&- 2>&- <&-", 1), (">&- <&-", 1), ("2>&- <&-", 0), ("<&-", 0)])
@pytest.mark.sampled(3)
def test_all_closed(redirection: str, status: int) -> None:
    assert shell(f"{ENTRY} explain {redirection}").returncode == status


@pytest.mark.slow
@pytest.mark.sampled(4)
@needs_dev_full
@pytest.mark.parametrize("arguments", [RUN, "explain", "--version", "compile hops.gdsl"])
def test_output_to_a_full_device(arguments: str) -> None:
    answer = shell(f"{GDSLC} {arguments} >/dev/full")
    assert answer.returncode == 1
    assert "No space left" in answer.stderr
    assert shell(f"{GDSLC} {arguments} >/dev/full 2>/dev/full").returncode == 1
    assert shell(f"{GDSLC} {arguments} >/dev/full 2>&-").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "redirection"),
    [*((words, "2>&-") for words in MUST_PRINT.values()), pytest.param(RUN, "2>/dev/full", marks=needs_dev_full)],
)
@pytest.mark.sampled(21)
def test_output_without_messages(arguments: str, redirection: str) -> None:
    """What belongs on standard output is there, and nothing else."""
    answer = shell(f"{GDSLC} {arguments} {redirection}")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout


@pytest.mark.parametrize("redirection", [">&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize("arguments", PRINT_NOTHING.values(), ids=list(PRINT_NOTHING))
@pytest.mark.sampled(6)
@pytest.mark.slow
def test_files_are_written_whatever_the_streams(arguments: str, redirection: str, work: Path) -> None:
    """A file takes the number of no standard stream, so that nothing else gets into it."""
    shell(f"{GDSLC} {arguments}")
    made = next(work.glob("made.*"))
    expected = made.read_bytes()
    made.unlink()
    answer = shell(f"{GDSLC} {arguments} {redirection}")
    assert answer.returncode == 0
    assert made.read_bytes() == expected


@pytest.mark.slow
@pytest.mark.parametrize("redirection", [">&-", ">&- 2>&-", "2>&1 >&-"])
@pytest.mark.parametrize(("arguments", "status"), FAIL.values(), ids=list(FAIL))
@pytest.mark.sampled(20)
def test_failures_keep_their_status(arguments: str, status: int, redirection: str) -> None:
    answer = shell(f"{GDSLC} {arguments} {redirection}")
    assert answer.returncode == status
    assert answer.stdout + answer.stderr != "" or "2>" in redirection
    assert answer.stdout == "" or "2>&1" in redirection, "messages are never mixed with output"


@pytest.mark.slow
def test_nothing_of_the_users_gets_the_output(work: Path) -> None:
    """With descriptor 1 free, the first file that a command opens would be standard output."""
    before = {path: path.read_bytes() for path in work.iterdir() if path.is_file()}
    for arguments in (RUN, f"{RUN} --backend cpu"):
        for redirection in (">&-", "2>&-"):
            shell(f"{GDSLC} {arguments} {redirection}")
    for arguments in (RUN, f"{RUN} --backend cpu", "compile hops.gdsl", "check hops.gdsl", "graph info path.mtx"):
        shell(f"{GDSLC} {arguments} <&- >&- 2>&-")
    assert {path: path.read_bytes() for path in work.iterdir() if path.is_file()} == before
    assert shell(f"{GDSLC} {RUN}").returncode == 0, "the cache is as good as before"


@pytest.mark.parametrize("arguments", ["explain", "samples bfs", "compile hops.gdsl", RUN, "--help"])
@pytest.mark.sampled(6)
def test_reader_that_is_gone(arguments: str) -> None:
    answer = shell(f"{{ sleep 0.3; {GDSLC} {arguments}; echo status $? >&2; }} | true")
    assert answer.stderr.splitlines() == ["status 0"]
    answer = shell(f"{GDSLC} {arguments} | head -1; echo status ${{PIPESTATUS[0]}}")
    assert answer.stdout.splitlines()[-1] == "status 0"
    assert answer.stderr == ""


def test_a_reader_of_messages_that_is_gone() -> None:
    answer = shell(f"{{ {{ sleep 0.3; {GDSLC} check wrong.gdsl; echo status $? >&3; }} 2>&1 >/dev/null | true; }} 3>&1")
    assert answer.stdout.splitlines() == ["status 1"]


@pytest.mark.parametrize("redirection", [">&-", pytest.param("> /dev/full", marks=needs_dev_full)])
@pytest.mark.sampled(2)
@pytest.mark.slow
def test_outputs_named_after_streams(redirection: str) -> None:
    answer = shell(f"{GDSLC} compile hops.gdsl -o /dev/stdout {redirection}")
    assert answer.returncode == 1
    assert "E0911" in answer.stderr
    assert shell(f"{GDSLC} compile hops.gdsl -o /dev/stdout").stdout.startswith("/")
    assert shell(f"{GDSLC} compile hops.gdsl -o /dev/stdout | head -1").returncode == 0


@needs_dev_full
def test_a_message_to_a_full_device() -> None:
    assert shell(f"{GDSLC} check wrong.gdsl 2>/dev/full").returncode == 1
    assert shell(f"{GDSLC} rum >/dev/full 2>/dev/full").returncode == 2


def test_an_output_named_after_a_stream_goes_on_where_it_stands(work: Path) -> None:
    (work / "made.json").symlink_to("/dev/stdout")
    (work / "log").write_text("before\n")
    assert shell(f"{GDSLC} {RUN} -o made.json >> log; echo after >> log").returncode == 0
    lines = (work / "log").read_text().splitlines()
    assert lines[0] == "before"
    assert lines[-1] == "after"
    assert lines[1].startswith('{"distance": [')
    assert (work / "made.json").is_symlink()


def test_an_encoding_without_our_signs(work: Path) -> None:
    for encoding in ("ascii", "latin-1", "cp437"):
        answer = shell(f"PYTHONIOENCODING={encoding} {GDSLC} samples")
        assert (answer.returncode, answer.stderr) == (0, "")
