"""What all tests share: the repository on the path, and `--update-golden` with the fixture that it renews."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("gdsl", deadline=None, max_examples=40)  # no test asserts a time
settings.load_profile("gdsl")

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:  # `pytest` alone does not put it there, `python -m pytest` does
    sys.path.append(str(ROOT))  # behind what is installed: where that is a wheel, the wheel is tested


def _keep_bytecode() -> None:
    """Where Python may not keep what it compiled, have it do so in a folder of this user's in the system's temporary
    one: the tests start thousands of processes, each of which would read the text of gdsl anew, for a second."""
    if not sys.dont_write_bytecode:
        return
    folder = Path(tempfile.gettempdir(), f"gdsl-bytecode-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid == os.getuid():  # what lies there would be run by this process
        sys.dont_write_bytecode = False
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(folder)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


_keep_bytecode()

_OPTIONS: dict[str, tuple[str, ...]] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Most tests ask what a program answers, on small graphs: g++ takes twice as long with -O3 and all headers to read.
    Those that are marked `optimized`, and all processes that tests start, have C++ compiled as users have it."""
    from gdsl.native import compiler  # not before its place is known, see above
    from tests.support.headers import included
    from tests.support.openmp import cautious

    compiler.caution = cautious
    options = _OPTIONS.setdefault("users", compiler.OPTIONS)
    quick = tuple("-O0" if option == "-O3" else option for option in options)
    compiler.OPTIONS = options if item.get_closest_marker("optimized") else (*quick, *included(quick))


def pytest_configure(config: pytest.Config) -> None:
    """A shell's background job ignores Ctrl-C, and so would everything that it starts; tests send it. Tests that need a
    GPU or hours run only if `-m` names them."""
    from tests.support.markers import selection

    config.option.markexpr = selection(config.option.markexpr)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(hookwrapper=True)
def pytest_collection() -> Iterator[None]:
    """Thousands of tests are gathered, none of which goes before the end: Python's search for garbage rests meanwhile,
    and passes over them from then on."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


def _is_everything(config: pytest.Config) -> bool:
    return config.args == [str(config.rootpath / "tests")] or config.args == ["tests"]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where all tests but those for a GPU are wanted, the files that have only these are not read: each worker gathers
    every test."""
    unwanted = _is_everything(config) and "not gpu" in config.option.markexpr
    return True if unwanted and collection_path == ROOT / "tests" / "gpu" else None


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A worker for each core where all tests run; one process for a few of them, and for those on a GPU."""
    from tests.support.markers import selection

    on_gpu = config.option.markexpr in ("gpu", selection("gpu"))
    return (os.cpu_count() or 1) if _is_everything(config) and not on_gpu else 0


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the cases of a test that is marked `sampled(n)` every n-th is quick; the others are `slow`. Of the slow ones
    every 24th stays slow, or, where the test is marked `rare(n)`, every n-th; the others are `thorough`. The longest
    tests begin first."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for item in items:
        sampled, rare = item.get_closest_marker("sampled"), item.get_closest_marker("rare")
        name = (str(item.path), getattr(item, "originalname", item.name))
        if sampled is not None:
            if seen[("sampled", *name)] % sampled.args[0]:
                item.add_marker("slow")
            seen[("sampled", *name)] += 1
        if (sampled is not None or rare is not None) and item.get_closest_marker("slow") is not None:
            if seen[("rare", *name)] % (rare.args[0] if rare is not None else 24):
                item.add_marker("thorough")
            seen[("rare", *name)] += 1
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what tests find into their golden files")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden("cuda/bfs.cu", text)`: the text must be what the file of that name under tests/golden holds."""

    def compare(name: str, text: str) -> None:
        path = ROOT / "tests" / "golden" / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.exists(), f"{name} is missing in tests/golden: run pytest --update-golden and look at the change"
        assert text == path.read_text(encoding="utf-8"), f"{name} changed: run pytest --update-golden and look at it"

    return compare
