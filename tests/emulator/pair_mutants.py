"""Deliberate mistakes where pairs are compared, kept and updated; see `mutants`."""

from __future__ import annotations

from .mutants import Mutant

_COMMON, _CUDA = "../common/runtime/pairs.hpp", "runtime/pairs.cuh"

OFFERS = """program offers;
problem {
    param source : vertex;
    vertex low   : (float32, vertex) = (-0.0, none);
    vertex high  : (int32, vertex)   = (-1, 0);
    vertex wide  : (int64, vertex)   = (inf, none);
    scalar least : (float32, edge)   = (inf, none);
}
edge functor offer(src, dst, e) {
    apply {
        let quarter = float32((int32(e) + 1) % 4);
        let key = quarter == 1.0 ? inf - inf : quarter;
        low[dst] min= (key, src);
        high[dst] max= (int32(src) % 3, src);
        wide[dst] min= (int64(src) % 3 - 2, src);
        least min= (key + 1.0, e);
    }
}
schedule { low[source] = (3.0, 0); advance(vertices, offer, to=none); }
"""

PAIR_MUTANTS = (
    Mutant(
        "the first part decides alone",
        _COMMON,
        "a.first < b.first || (a.first == b.first && a.second < b.second)",
        "a.first < b.first",
        OFFERS,
        "result",
    ),
    Mutant(
        "NaN wins",
        _COMMON,
        "return (value < former || has_nan(former)) && !has_nan(value);",
        "return !(former < value);",
        OFFERS,
        "result",
    ),
    Mutant(
        "words of -0.0 are ordered",
        _CUDA,
        "if (!is_ordered(seen)) { return lower_wins(reduce_lower(x, value), value); }",
        "",
        OFFERS,
        "result",
    ),
    Mutant(
        "signs in the way of the order",
        _COMMON,
        "return uint32(x) ^ 0x80000000u;",
        "return uint32(x);",
        OFFERS,
        "result",
    ),
    Mutant(
        "halves of wide pairs are read one by one",
        _CUDA,
        "load_wide(&x->first, loaded.first, loaded.second);",
        "loaded.second = load_relaxed(&x->second);\n    loaded.first = load_relaxed(&x->first);",
        OFFERS,
        "result",
    ),
    Mutant(
        "wide pairs are stored without asking",
        _CUDA,
        "exchange_wide(&x->first, former.first, former.second, value.first, value.second);",
        "store_wide(&x->first, value.first, value.second);",
        OFFERS,
        "result race",
    ),
    Mutant(
        "warps keep their second parts to themselves",
        _CUDA,
        "            unrank(shared.partial_seconds[threadIdx.x], value.second);\n",
        "",
        OFFERS,
        "result",
    ),
)
