"""Calls of the Python interface with odd values: each gives a right result, the same on every backend, or one of gdsl's
own errors."""

from __future__ import annotations

import contextlib
import copy
import linecache
import pickle
import random
import tempfile
import traceback
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from support.odd import GOOD, TEXT

import gdsl
from fuzz.campaign import Finding
from fuzz.odd_values import odd, odd_array, odd_scalar
from gdsl.backends import registry
from gdsl.diagnostics import shown
from gdsl.graph import memory

_SCALARS = ("source", "factor", "count", "really")
_MEMORY = 1 << 26
_PACKAGE = str(Path(gdsl.__file__).parent)
_FOREIGN = ("numpy.", "ufunc", "Exceeds the limit", "Python int too large", "truth value", "codec can't")


def case(random: random.Random) -> str:
    """One call, or a few that belong together."""
    kinds = (_run, _run, _run, _options, _edges, _edges, _csr, _compile, _read, _copies, _access, _tools)
    kind = random.choice(kinds)
    with _little_memory(), np.errstate(all="ignore"):
        return f"{kind.__name__.strip('_')} {kind(random)}"


@contextlib.contextmanager
def _little_memory() -> Iterator[None]:
    """What is too large for this machine is refused, and so soon that a campaign comes to something else."""
    before = memory.available_memory
    memory.available_memory = lambda: _MEMORY
    try:
        yield
    finally:
        memory.available_memory = before


@cache
def _program() -> gdsl.Program:
    return gdsl.compile(TEXT)


@cache
def _graph() -> gdsl.Graph:
    return gdsl.Graph.from_edges([0, 1], [1, 2])


@cache
def _backends() -> tuple[str, ...]:
    return tuple(name for name in ("reference", "cpu") if registry.availability(name).ok)


def _answer(call: Callable[[], Any], what: str) -> tuple[str, Any]:
    """("ok", result), or the name of gdsl's own error and its message; anything else is a finding."""
    try:
        return "ok", call()
    except (gdsl.GdslError, TypeError, ValueError) as error:
        message = str(error)
        last = traceback.extract_tb(error.__traceback__)[-1]
        is_ours = last.filename.startswith(_PACKAGE) and "raise" in linecache.getline(last.filename, last.lineno or 0)
        if not is_ours or any(foreign in message for foreign in _FOREIGN) or max(map(len, message.split("\n"))) > 6000:
            raise Finding(f"{what}: {_described(error)}") from error
        return type(error).__name__, message
    except Exception as error:
        raise Finding(f"{what}: {_described(error)}") from error


def _described(error: BaseException) -> str:
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {place.filename}:{place.lineno}: {error}"


def _listed(keywords: dict[str, Any]) -> str:
    return ", ".join(f"{name}={shown(value)}" for name, value in keywords.items())


def _run(random: random.Random) -> str:
    """The program with one or two odd values."""
    values = dict(GOOD)
    for name in random.sample([*GOOD, *_SCALARS], random.choice((1, 1, 2))):
        values[name] = odd_array(random, 3) if name in GOOD else odd_scalar(random)
    changed = {name: value for name, value in values.items() if value is not GOOD.get(name)}
    what = f"run with {_listed(changed)}"
    answers = {}
    for backend in _backends():
        fresh = dict(values)
        run = partial(_program().run, _graph(), fresh, backend=backend)
        status, found = _answer(run, f"{what} on {backend}")
        answers[backend] = (status, _plain(found) if status == "ok" else found)
    if len({repr(answer) for answer in answers.values()}) > 1:
        raise Finding(f"{what}: backends differ: {answers}")
    status, found = next(iter(answers.values()))
    if status == "ok" and repr(found) != repr(_expected(values)):
        raise Finding(f"{what}: {found}, expected {_expected(values)}")
    return status


def _plain(result: gdsl.Result) -> dict[str, Any]:
    return {"made": result.made.tolist(), "followed": result.followed.tolist(), "total": result.total}


def _expected(values: dict[str, Any]) -> dict[str, Any]:
    """What the program says, in Python."""
    amount, share, mark, following = ([_number(v) for v in list(values[name])] for name in GOOD)
    factor = float(np.float32(_number(values.get("factor", 1.0))))
    count, really = int(_number(values.get("count", 1))), _number(values.get("really", True))
    made = [
        float(s) * factor + float(_wrapped(int(a) * count)) if m and really else 0.0
        for a, s, m in zip(amount, share, mark, strict=True)
    ]
    followed = [int(amount[int(place)]) if int(place) >= 0 else 0 for place in following]
    return {"made": made, "followed": followed, "total": int(_number(values.get("source", 0)))}


def _number(value: Any) -> Any:
    if isinstance(value, np.bool_):
        return bool(np.frombuffer(value.tobytes(), np.uint8)[0])  # of memory that is neither 0 nor 1
    return value.item() if hasattr(value, "item") and not isinstance(value, np.longdouble) else value


def _wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def _options(random: random.Random) -> str:
    """Odd backends and limits, and odd arguments of the program's other methods."""
    program = _program()
    name = random.choice(("timeout", "max_iterations", "backend", "values", "graph", "prepare", "ids", "language"))
    value = odd(random)
    calls: dict[str, Callable[[str], Any]] = {
        "timeout": lambda backend: program.run(_graph(), GOOD, backend=backend, timeout=value),
        "max_iterations": lambda backend: program.run(_graph(), GOOD, backend=backend, max_iterations=value),
        "backend": lambda backend: program.run(_graph(), GOOD, backend=value),
        "values": lambda backend: program.run(_graph(), value, backend=backend),
        "graph": lambda backend: program.run(value, GOOD, backend=backend),
        "prepare": lambda backend: program.prepare(value),
        "ids": lambda backend: program.prepare(backend, ids=value),
        "language": lambda backend: program.source(value),
    }
    # The smallest positive timeout stops any run, which is right too.
    answers = {_answer(partial(calls[name], backend), f"{name}={shown(value)}")[0] for backend in _backends()}
    if len(answers) > 1 and name != "timeout":
        raise Finding(f"{name}={shown(value)}: backends differ: {answers}")
    return f"{name} {min(answers)}"


def _edges(random: random.Random) -> str:
    """Graphs from lists of edges; what is accepted is sorted by hand."""
    length = random.randrange(5)
    sources, destinations = (
        odd_array(random, length) if random.random() < 0.5 else [random.randrange(4) for _ in range(length)]
        for _ in range(2)
    )
    keywords: dict[str, Any] = {}
    for name, chance in (("weights", 0.5), ("directed", 0.3), ("num_vertices", 0.3), ("attributes", 0.1)):
        if random.random() < chance:
            keywords[name] = odd_array(random, length) if name == "weights" else odd(random)
    if random.random() < 0.3:
        keywords["directed"] = random.random() < 0.5
    what = f"from_edges({shown(sources)}, {shown(destinations)}, {_listed(keywords)})"
    status, graph = _answer(lambda: gdsl.Graph.from_edges(sources, destinations, **keywords), what)
    if status != "ok":
        return status
    rows = list(zip(map(_number, sources), map(_number, destinations), strict=True))
    weights = [_number(weight) for weight in keywords["weights"]] if keywords.get("weights") is not None else None
    directed = keywords.get("directed")
    expected = _sorted_edges(rows, weights, directed is None or bool(directed))
    found = list(zip(graph.edge_sources.tolist(), graph.columns.tolist(), strict=True))
    if found != [row[:2] for row in expected]:
        raise Finding(f"{what}: edges {found}, expected {expected}")
    if weights is not None:
        kept = graph.attributes["weight"].tolist()
        if not np.array_equal(np.array(kept, float), np.array([float(row[2]) for row in expected]), equal_nan=True):
            raise Finding(f"{what}: weights {kept}, expected {expected}")
    _check_frozen(graph, what)
    return status


def _sorted_edges(rows: list[Any], weights: list[Any] | None, directed: bool) -> list[Any]:
    given = [(int(a), int(b), weights[place] if weights is not None else 0) for place, (a, b) in enumerate(rows)]
    if not directed:
        given = [edge for a, b, w in given for edge in ([(a, b, w), (b, a, w)] if a != b else [(a, b, w)])]
    return sorted(given, key=lambda edge: edge[:2])


def _csr(random: random.Random) -> str:
    """Graphs from a CSR, right or not; native code must survive what is accepted."""
    offsets = sorted(random.randrange(6) for _ in range(random.randrange(1, 5)))
    columns: Any = [random.randrange(4) for _ in range(offsets[-1])]
    offsets[0] = 0
    chosen: Any = odd_array(random, len(offsets)) if random.random() < 0.2 else offsets
    columns = odd_array(random, len(columns)) if random.random() < 0.2 else columns
    what = f"Graph({shown(chosen)}, {shown(columns)})"
    directed = odd(random) if random.random() < 0.1 else random.random() < 0.7
    status, graph = _answer(lambda: gdsl.Graph(chosen, columns, directed=directed), what)
    if status == "ok":
        _check_frozen(graph, what)
        reached = gdsl.compile(_REACHED)
        if graph.num_vertices:
            runs = [reached(graph, backend=backend).seen.tolist() for backend in _backends()]
            if any(run != runs[0] for run in runs):
                raise Finding(f"{what}: backends differ: {runs}")
    return status


_REACHED = """program reached; problem { vertex seen : int32; }
edge functor f(src, dst, e) { apply { seen[dst] += 1; } }
schedule { frontier all = vertices; advance(all, f, to=none); }
"""


def _check_frozen(graph: gdsl.Graph, what: str) -> None:
    for values in (graph.offsets, graph.columns, graph.in_sources, *graph.attributes.values()):
        owner: Any = values
        while isinstance(owner, np.ndarray):
            try:
                owner.setflags(write=True)
            except ValueError:
                owner = owner.base
                continue
            raise Finding(f"{what}: an array of the graph can be written")


def _compile(random: random.Random) -> str:
    """Odd paths, texts and tuning."""
    name = random.choice(("path_or_text", "tune", "fuse", "words", "tune_file"))
    value = odd(random)
    calls: dict[str, Callable[[], Any]] = {
        "path_or_text": lambda: gdsl.compile(value),
        "tune": lambda: gdsl.compile(TEXT, tune=value),
        "fuse": lambda: gdsl.compile(TEXT, fuse=value),
        "tune_file": lambda: gdsl.compile(TEXT, tune_file=value),
        "words": lambda: gdsl.compile(TEXT, tune={"schedule.ids": value}),
    }
    return f"{name} {_answer(calls[name], f'compile {name}={shown(value)}')[0]}"


def _read(random: random.Random) -> str:
    """Odd paths and options of `Graph.read`."""
    name = random.choice(("path", "format", "one_based", "num_vertices", "undirected", "weights", "dedup"))
    value = odd(random)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "edges.txt")
        file.write_text("0 1\n1 2\n", encoding="utf-8")
        what = f"read {name}={shown(value)}"
        if name == "path":
            return _answer(lambda: gdsl.Graph.read(value), what)[0]
        return f"{name} {_answer(lambda: gdsl.Graph.read(file, **{name: value}), what)[0]}"


def _copies(random: random.Random) -> str:
    """Copies and pickles of programs, graphs and results do as the first."""
    backend = random.choice(_backends())
    result = _program().run(_graph(), GOOD, backend=backend)
    ways: tuple[Callable[[Any], Any], ...] = (
        copy.copy,
        copy.deepcopy,
        *(lambda v, p=p: pickle.loads(pickle.dumps(v, p)) for p in range(2, pickle.HIGHEST_PROTOCOL + 1)),
    )
    way = random.choice(ways)
    _, (program, graph, again) = _answer(lambda: (way(_program()), way(_graph()), way(result)), "a copy")
    _check_frozen(graph, "a copied graph")
    other = program.run(graph, GOOD, backend=backend)
    if not repr(_plain(result)) == repr(_plain(again)) == repr(_plain(other)) == repr(_expected(GOOD)):
        raise Finding("a copy gives something else")
    return "ok"


def _access(random: random.Random) -> str:
    """Items and attributes of results by odd names."""
    result = _program().run(_graph(), GOOD, backend="reference")
    name = odd(random)
    try:
        result[name]
    except (KeyError, TypeError):
        pass
    else:
        raise Finding(f"a result has {shown(name)}")
    if isinstance(name, str):
        try:
            getattr(result, name)
        except AttributeError:
            return "no attribute"
        raise Finding(f"a result has {shown(name)}")
    return "no item"


def _tools(random: random.Random) -> str:
    """Generators and conversions."""
    from gdsl import graph as graphs

    value, other = odd(random), odd(random)
    calls: dict[str, Callable[[], Any]] = {
        "rmat": lambda: graphs.rmat(random.choice((3, value)), random.choice((2, value)), seed=other),
        "grid": lambda: graphs.grid(random.choice((3, value)), random.choice((2, value)), keep=other),
        "uniform": lambda: graphs.uniform(random.choice((9, value)), random.choice((2, value)), seed=other),
        "generate": lambda: graphs.generate(value),
        "from_scipy": lambda: gdsl.Graph.from_scipy(value),
        "from_networkx": lambda: gdsl.Graph.from_networkx(value),
        "from_table": lambda: gdsl.Graph.from_table({"a": value, "b": other}, weight=random.choice((None, "a"))),
        "from_table_of": lambda: gdsl.Graph.from_table(value, compact=other),
        "from_igraph": lambda: gdsl.Graph.from_igraph(value),
        "from_torch": lambda: gdsl.Graph.from_torch(value),
        "write": lambda: graphs.write(value, "nothing.mtx"),
        "to": lambda: graphs.write(_graph(), other if not isinstance(other, str | Path) else None),  # type: ignore[arg-type]
    }
    name = random.choice(list(calls))
    return f"{name} {_answer(calls[name], f'{name} with {shown(value)}, {shown(other)}')[0]}"
