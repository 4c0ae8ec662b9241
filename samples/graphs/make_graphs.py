"""Writes karate.mtx and lesmis.mtx, two small real graphs, from the data that NetworkX carries.

python samples/graphs/make_graphs.py
"""

from pathlib import Path

import networkx

from gdsl.graph import Graph, write

KARATE = (
    "Zachary's karate club (W. W. Zachary, 1977): 34 members, weight = number of contexts in which two met.",
    "From networkx.karate_club_graph().",
)
LES_MISERABLES = (
    "Co-appearances in Les Misérables (D. E. Knuth, 1993): 77 characters, weight = number of common chapters.",
    "From networkx.les_miserables_graph(). The characters, by id from 1:",
)


def main() -> None:
    """Write both files beside this script."""
    directory = Path(__file__).parent
    characters = networkx.les_miserables_graph()
    names = [f"{number} {name}" for number, name in enumerate(characters.nodes, start=1)]
    write_with_comments(networkx.karate_club_graph(), directory / "karate.mtx", list(KARATE))
    write_with_comments(characters, directory / "lesmis.mtx", [*LES_MISERABLES, *names])


def write_with_comments(graph: networkx.Graph, path: Path, comments: list[str]) -> None:
    """Write `graph` as Matrix Market with `comments` behind the first line."""
    write(Graph.from_networkx(graph), path)
    first, rest = path.read_text(encoding="utf-8").split("\n", 1)
    sizes = rest.removeprefix("%\n")
    path.write_text("\n".join([first, *(f"% {comment}" for comment in comments), sizes]), encoding="utf-8")


if __name__ == "__main__":
    main()
