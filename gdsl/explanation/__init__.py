"""One page on what the compiler understood of a program: `gdslc explain PROGRAM`.

Nothing is analyzed here a second time. `data` puts the effects, the rules and the grades into words, `operators` and
`traffic` the kernel plan, and `faster` the warnings and what stopped the compiler's passes. `facts` is the part that
editors show at the cursor; `page` prints the parts of `model`.
"""

from __future__ import annotations

from gdsl.annotate import judged_operators, loop_orders
from gdsl.api.description import sections
from gdsl.backends.cuda import plan_of
from gdsl.binding import declared_params
from gdsl.diagnostics import printable
from gdsl.explanation.data import DataFacts
from gdsl.explanation.facts import facts_of
from gdsl.explanation.faster import advice
from gdsl.explanation.model import Explanation
from gdsl.explanation.operators import operator_facts
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps
from gdsl.pipeline import warnings
from gdsl.source import Source
from gdsl.types import Widths


def explain(program: ir.Program, source: Source, word: str) -> Explanation:
    """The explanation of an annotated program, which the command line calls `word`."""
    widths = Widths.both(program.tuning.ids or 32)
    plan = plan_of(program, verify=False)
    effects, findings = judged_operators(program, source)
    orders = loop_orders(program, source)
    near_far = (loop for loop, obstacle in orders if obstacle is None)
    sites = (step.site for loop in near_far for step in all_steps(loop.body) if isinstance(step, ir.Operator))
    operators = operator_facts(program, plan, widths, frozenset(sites))
    missing = (param.name for param in declared_params(program) if getattr(param, "default", None) is None)
    types = tuple((each.name, each.type) for each in program.types)
    return Explanation(
        program=program.name,
        call=f"gdslc run {printable(word)} GRAPH{''.join(f' -p {name}=…' for name in missing)}",
        doc=program.doc.strip(),
        header=tuple((kind, tuple(sentences)) for kind, sentences in sections(program, source)),
        data=DataFacts(facts_of(program), effects, findings).all(),
        operators=operators,
        faster=advice(program, plan, operators, warnings(source, types=types), orders),
        ids=widths.vertex,
    )


__all__ = ["Explanation", "explain"]
