"""Whether many values of a program's params run together, in words."""

from __future__ import annotations

from gdsl.ir.nodes import Program
from gdsl.plan.bit_parallel import find
from gdsl.plan.build import build
from gdsl.plan.facts import Facts
from gdsl.plan.instance_nodes import BitParallel
from gdsl.plan.target import CPU_INSTANCES, CUDA_FUSED, INSTANCES, MOST_WORDS, Target, in_instances
from gdsl.uniqueness.order import Obstacle


def explain(program: Program) -> str:
    """A line for a program that the passes of the IR have changed."""
    found = _found(program, CPU_INSTANCES)
    if isinstance(found, Obstacle):
        return f"map: one value at a time: {found.why} ({found.span.words})"
    shared = " and ".join(f"`{name}`" for name in found.shared_params)
    where = f", if {shared} {'is' if len(found.shared_params) == 1 else 'are'} the same for all" if shared else ""
    on_a_gpu = _found(program, in_instances(CUDA_FUSED, MOST_WORDS)) if program.tuning.fuse else None
    if isinstance(on_a_gpu, BitParallel):
        return f"map: {INSTANCES} values at once on a CPU, {INSTANCES * MOST_WORDS} on a GPU{where}"
    why = "its steps are kernels of their own" if on_a_gpu is None else f"{on_a_gpu.why} ({on_a_gpu.span.words})"
    return f"map: {INSTANCES} values at once on a CPU{where}; one in each team of blocks on a GPU: {why}"


def _found(program: Program, target: Target) -> BitParallel | Obstacle:
    found = find(build(program, target, after="direction"), Facts(program, target))
    return found if isinstance(found, Obstacle) else found[0]
