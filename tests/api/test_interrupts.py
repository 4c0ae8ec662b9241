"""Ctrl-C and SIGTERM inside `gdsl.interrupts.ending`: they win over what they cause."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gdsl import interrupts
from gdsl.diagnostics import GdslError
from gdsl.files import whole_file

SIGNALS = [signal.SIGINT, signal.SIGTERM]


@pytest.fixture(autouse=True)
def _usual() -> Iterator[None]:
    """The handlers of a process of its own."""
    formers = [signal.signal(signal.SIGINT, signal.default_int_handler), signal.signal(signal.SIGTERM, signal.SIG_DFL)]
    yield
    assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    for number, former in zip(SIGNALS, formers, strict=True):
        signal.signal(number, former)


def _ended(number: signal.Signals, work: Callable[[], object]) -> None:
    """Do this in a block, which must end as the signal asks."""
    with pytest.raises((KeyboardInterrupt, SystemExit)) as raised, interrupts.ending():
        work()
    assert type(raised.value) is (KeyboardInterrupt if number == signal.SIGINT else SystemExit)
    assert getattr(raised.value, "code", 143) == 143


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_raises_what_ray_lets_pass(number: signal.Signals) -> None:
    def work() -> None:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        raise KeyboardInterrupt

    _ended(number, work)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("error", [GdslError.single("E0807", "worker 1 ended"), SystemExit(1), RuntimeError(), None])
def test_a_signal_wins_over_what_follows_it(number: signal.Signals, error: BaseException | None) -> None:
    def work() -> None:
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt:
            if error is not None:
                raise error from None

    _ended(number, work)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_whose_exception_is_lost(number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    class Deaf:
        def __del__(self) -> None:
            signal.raise_signal(number)

    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)

    def work() -> None:
        Deaf()
        interrupts.check()
        raise AssertionError

    _ended(number, work)
    interrupts.check()  # it is over


def test_the_first_signal_counts_and_only_ctrl_c_cuts_the_ending_short() -> None:
    def work() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGTERM)
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)

    _ended(signal.SIGTERM, work)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("call", range(4))
def test_ctrl_c_while_handlers_change_leaves_none_behind(
    call: int, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, change = [], signal.signal

    def changing(number: int, handler: object) -> object:
        calls.append(number)
        if len(calls) == call + 1 and not after:
            signal.raise_signal(signal.SIGINT)
        former = change(number, handler)  # type: ignore[arg-type]
        if len(calls) == call + 1 and after:
            signal.raise_signal(signal.SIGINT)
        return former

    monkeypatch.setattr(signal, "signal", changing)
    with pytest.raises(KeyboardInterrupt), interrupts.ending():
        pass
    monkeypatch.undo()
    interrupts.check()


def test_a_block_inside_another_leaves_signals_to_it() -> None:
    def work() -> None:
        with interrupts.ending():
            signal.raise_signal(signal.SIGTERM)

    _ended(signal.SIGTERM, work)


def test_ignored_signals_stay_ignored_and_results_pass() -> None:
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as nohup does
    try:
        with interrupts.ending():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, former)
    with pytest.raises(ValueError, match="own"), interrupts.ending():
        raise ValueError("own")


def test_the_first_ctrl_c_comes_after_what_defers_it() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), interrupts.deferred(600):
        signal.raise_signal(signal.SIGINT)
        done.append("whole")
        raise ValueError("it is what the interrupt has caused")
    assert done == ["whole"]

    def work() -> None:
        with interrupts.deferred(600):
            signal.raise_signal(signal.SIGINT)
            done.append("whole")

    _ended(signal.SIGINT, work)
    assert done == ["whole"] * 2


def test_a_second_ctrl_c_and_the_end_of_patience_come_at_once() -> None:
    for seconds in (600.0, 0.01):
        with pytest.raises(KeyboardInterrupt), interrupts.deferred(seconds):
            signal.raise_signal(signal.SIGINT)
            if seconds == 600:
                signal.raise_signal(signal.SIGINT)
            while True:
                time.sleep(0.01)


def test_an_exit_by_a_library_is_sigterm() -> None:
    def work() -> None:
        with interrupts.deferred(600):
            sys.exit(15)

    _ended(signal.SIGTERM, work)
    with pytest.raises(SystemExit) as raised, interrupts.deferred(600):
        sys.exit(3)
    assert raised.value.code == 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_file_that_is_being_written_vanishes_before_the_process(number: signal.Signals, tmp_path: Path) -> None:
    """The process still ends by the signal, and an older file stays."""
    (tmp_path / "file").write_text("older")
    code = f"""
import os, signal
from gdsl.files import whole_file
signal.signal({number:d}, signal.SIG_DFL)
with whole_file({str(tmp_path / "file")!r}) as file:
    file.write(b"half")
    os.kill(os.getpid(), {number:d})
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -number
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "older"


def test_other_handlers_stay_while_a_file_is_written(tmp_path: Path) -> None:
    received: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: received.append(number))
    with whole_file(tmp_path / "file") as file:
        signal.raise_signal(signal.SIGTERM)
        file.write(b"whole")
    assert received == [signal.SIGTERM] and (tmp_path / "file").read_bytes() == b"whole"
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
