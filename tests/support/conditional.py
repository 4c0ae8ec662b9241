"""Programs whose reductions leave edges out, and whose loops stand within branches."""

from __future__ import annotations

OPERATIONS = {
    "sum": "int32",
    "min": "int32",
    "max": "int32",
    "product": "int32",
    "some": "bool",
    "every": "bool",
    "and": "uint32",
    "or": "uint32",
    "xor": "uint32",
    "count": "bool",
}
"""Every reduction over edges, and a type that its functor may have."""


def reductions(over: str) -> str:
    """Every operation over those edges whose far end has an even number, from arrays that hold no identity."""
    arrays, functors, steps = [], [], []
    for name, kind in OPERATIONS.items():
        result = "int64" if name == "count" else kind
        start = "true" if result == "bool" else 7
        value = "int32(far) > 3" if kind == "bool" else f"{kind}(int32(far)) + {kind}(2)"
        arrays.append(f"vertex r_{name} : {result} = {start};")
        functors.append(f"edge functor f_{name}(src, dst, e) -> {kind} {{ cond int32(far) % 2 == 0; value {value}; }}")
        steps.append(f"r_{name} = neighbor_reduce(vertices, f_{name}, {name}, over={over});")
    return f"program p; problem {{ {' '.join(arrays)} }} {' '.join(functors)} schedule {{ {' '.join(steps)} }}\n"


BRANCHED = """program p; problem { scalar n : int64; scalar m : int64; }
vertex functor f(v) { apply { n += 1; } }
schedule {
    if (m == 0) { repeat (3) { compute(vertices, f); repeat (2) { m += 1; } } } else { repeat (5) { m += 1; } }
    while (m < 9) { m += 1; if (m > 7) { repeat (2) { n += 1; } } }
}
"""
"""Loops that are outermost though a branch stands around them, and loops that are not."""
