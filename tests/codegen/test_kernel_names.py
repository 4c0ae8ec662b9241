"""What the host asks for is what the text defines, whatever the program calls its own things."""

from __future__ import annotations

import re

import pytest

from gdsl.backends.cuda import plan_of
from gdsl.codegen.cuda.generate import generate
from gdsl.pipeline import load
from gdsl.plan import target
from gdsl.types import Widths

PROGRAM = """program p;
    problem { scalar printf : int64; scalar gdsl_p_enactor : int64; }
    schedule {
        graph main = subgraph(filter(edges, (src, dst, e) => src < dst) @memcpy);
        on main { printf = num_edges; }
        gdsl_p_enactor = printf;
    }"""


@pytest.mark.parametrize("fuse", ["on", "off"])
def test_kernels_have_the_programs_name(fuse: str) -> None:
    generated = generate(
        plan_of(load(PROGRAM, tune=[f"schedule.fuse={fuse}"]), target.CUDA_FUSED.sizes), Widths.both(32)
    )
    defined = re.findall(r'extern "C" __global__ void __launch_bounds__\([^)]*\) (\w+)\(', generated.text)
    assert tuple(defined) == tuple(generated.kernels) and all(name.startswith("gdsl_p_") for name in defined)
