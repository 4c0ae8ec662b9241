"""A program with something of everything that the host prepares, checks or hands back, and a graph for it."""

from __future__ import annotations

RICH = """\"\"\"Something of everything that the host prepares, checks or hands back.\"\"\"
program rich;

problem {
    param  first  : vertex where out_degree(first) > 0;
    param  scale  : float64 = 2.0 where scale > 0.0;
    param  offset : int64 = 3;
    param  sites  : vertex set where out_degree(id) > 0;
    param  rank   : int32 = 2;
    param  double : bool = true;
    param  where_to : int64 = 1;
    input  edge   weight : int32 where fine(weight);
    input  vertex mark   : uint32 where mark < uint32(100);
    input  vertex friend : vertex;
    input  vertex grid[rank + 1] : float32 where grid >= 0.0 && part < rank + 1;
    vertex least  : (float64, vertex) = (inf, none);
    vertex linked : bool;
    vertex point[rank + 1] : float32 = grid[id][part];
    vertex near_site : bool;
    vertex known  : vertex = friend[id];
    edge   back   : edge;
    edge   cost   : int64;
    scalar best   : (float64, vertex) = (inf, none);
    scalar total  : int64;
    vertex in_sum : int64;
    vertex odd    : uint32 = mark[id];
    local vertex other : uint32 = 7;
}

function fine(x : int32) -> bool { return x >= 0 && x != 77; }

edge functor offer(src, dst, e) {
    apply {
        least[dst] min= (float64(weight[e]) * scale, src);
        cost[e] = int64(weight[e]) + offset;
        back[e] = reverse(e);
        total += int64(weight[e]);
    }
}
edge functor load(src, dst, e) -> int64 { value int64(weight[e]); }
vertex functor choose(v) { apply { best min= least[v]; } }
vertex functor site(v) { apply { near_site[v] = true; } }

schedule {
    advance(vertices, offer);
    compute(vertices, choose);
    compute(sites, site);
    linked[first] = double;
    linked[vertex(where_to)] = double;
    in_sum = neighbor_reduce(vertices, load, sum, over=in_edges);
    swap(odd, other);
}
"""
EDGES = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (1, 0), (1, 0), (5, 5)]
WEIGHTED = [3, 1, 4, 1, 5, 9, 2, 6, 5]


def graph_text(symmetry: str = "general", field: str = "integer", vertices: int = 7) -> str:
    lines = [f"%%MatrixMarket matrix coordinate {field} {symmetry}", "%", f"{vertices} {vertices} {len(EDGES)}"]
    lines += [f"{u + 1} {v + 1} {w}" for (u, v), w in zip(EDGES, WEIGHTED, strict=True)]
    return "\n".join(lines) + "\n"
