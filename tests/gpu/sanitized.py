"""Runs one sample on small graphs on the GPU and checks it; for compute-sanitizer. Arguments: sample, tuning words."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

import gdsl
from gdsl.graph import GraphOptions, generate
from tests.oracles import BY_NAME


def main(name: str, words: list[str]) -> None:
    case = BY_NAME[name]
    program = gdsl.compile(case.path, tune=words)
    for spec in ("rmat:10", "grid:24:keep=0.9"):
        graph = GraphOptions(weights="random:1").apply(generate(spec))
        values = case.values(graph, 1)
        result = program.run(graph, values, backend="cuda")
        case.check(graph, values, {**result.scalars, **result.host_arrays()})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
