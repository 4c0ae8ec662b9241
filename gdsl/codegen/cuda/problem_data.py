"""Where a kernel has the problem data, and what a function that is called, not copied, is handed of it and of the run.

What such a function is handed lies in memory, and so does whatever it points to. Where one kernel runs a whole
schedule it gets copies, so that the kernel's own variables stay in registers, and finds the data in the block's memory.
An address of the parameters would do as well, but that is computed once for all threads of a warp, and NVIDIA's
assembler (CUDA 13) was seen to put that where the warp has diverged, so that it was done twice, the second time from
what the first had left.
"""

from __future__ import annotations

from gdsl.plan.nodes import Plan

_LENT = "lent"
"""The block's copy of the problem data, for functions that are called."""


def shares_data(plan: Plan) -> bool:
    """Whether all threads of a block have one copy of the data, `d`: nothing in it changes but the graph."""
    return plan.target.fused and bool(plan.graphs) and not _changes(plan)


def data_lines(plan: Plan, calls: bool) -> list[str]:
    """How the one kernel for a whole schedule has the problem data as `d`, a copy where that changes; with `calls`
    there are functions that are handed something."""
    if shares_data(plan):
        return ["share(d, problem);"]
    changes = _changes(plan) or plan.graphs
    own = "data_slice d = problem;" if changes else "const data_slice& d = problem;"
    if not calls or lent_data(plan) != _LENT:
        return [own]
    return [own, f"__shared__ data_slice {_LENT};", f"share({_LENT}, problem);"]


def lent_data(plan: Plan) -> str:
    """Where functions that are called find the problem data; empty where they are handed the kernel's own variables: a
    kernel for each step has registers left, a team's data are in memory, and graphs with arrays that change places are
    each thread's own."""
    if not plan.target.fused or plan.teams is not None or (plan.graphs and not shares_data(plan)):
        return ""
    return "d" if plan.graphs else _LENT


def called_lines(plan: Plan, call: str, *variables: str) -> list[str]:
    """The statement `call` of a function that is handed the run and `variables`, of which some may be one and some
    none."""
    data, names = lent_data(plan), tuple(dict.fromkeys(("run", *filter(None, variables))))
    if not data:
        return [call]
    parameters = ", ".join(f"auto& {name}" for name in names)
    return [f"lend({data}.run, [&]({parameters}) {{", f"    {call}", f"}}, {', '.join(names)});"]


def _changes(plan: Plan) -> bool:
    return bool(plan.swapped or plan.turning or plan.kept)
