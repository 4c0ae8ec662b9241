"""Runs the samples on small graphs on the GPU and checks them; for compute-sanitizer. Arguments: tuning words.

The graphs: one of mixed degrees, and one with a list that is cut into chunks.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

import gdsl
from gdsl.graph import generate
from tests.oracles import SAMPLES
from tests.support.graphs import make_graph, star


def main(words: list[str]) -> None:
    others = [(place * 7 % 700 + 1, place * place % 700 + 1) for place in range(2000)]
    hub = make_graph([*star(700), *others], 701, directed=False)
    for case in SAMPLES:
        known = [word for word in words if word.startswith("schedule.") or case.name == "bfs"]
        program = gdsl.compile(case.path, tune=known)
        for graph in (generate("rmat:8"), hub):
            values = case.values(graph, 1)
            result = program.run(graph, values, backend="cuda")
            case.check(graph, values, {**result.scalars, **result.host_arrays()})
        print(case.name, "is right", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
