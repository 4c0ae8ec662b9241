"""The lines of what is done with an edge or an element: tests, what is run, what is collected."""

from __future__ import annotations

from gdsl.codegen.functors import Calls


def visit_lines(calls: Calls, collected: str, new: str) -> tuple[str, ...]:
    """The body of a visit that appends `collected` (if any) where it is accepted and `new`."""
    chain = [*calls.tests, *([calls.apply] if calls.says and collected else [])]
    inner = [] if not calls.apply or (calls.says and collected) else [f"{calls.apply};"]
    append = f"out.append({collected});"
    if collected and new and inner:
        inner.append(f"if ({new}) {{ {append} }}")
    elif collected:
        chain += [new] if new else []
        inner.append(append)
    if not chain:
        return tuple(inner)
    return (f"if ({' && '.join(chain)}) {{", *(f"    {line}" for line in inner), "}")


def masked_lines(calls: Calls, collected: str, new: str) -> tuple[str, ...]:
    """The same where the body is run in any case and is told whether the tests hold."""
    holds = f"const bool holds = {' && '.join(calls.tests)};"
    if not collected:
        return (holds, f"{calls.apply};")
    applied = () if calls.says else (f"{calls.apply};",)
    chain = [f"bool({calls.apply} & holds)" if calls.says else "holds", *([new] if new else [])]
    return (holds, *applied, f"if ({' && '.join(chain)}) {{ out.append({collected}); }}")


def keyed_lines(calls: Calls, kind: str) -> tuple[str, ...]:
    """Of a visit that hands what it accepts on with the value, of that type, which it has now."""
    accepted = " && ".join([*calls.tests, calls.apply])
    return f"{kind} key = 0;", f"if ({accepted}) {{ out.append(far, key); }}"


def collected_lines(calls: Calls, collected: str) -> tuple[str, ...]:
    """Of a visit that only tests, all at once, and appends what is new, without a branch."""
    return (f"out.append_new_if({collected}, {' && '.join(calls.tests)});",)


def element_lines(calls: Calls, collected: str) -> tuple[str, ...]:
    """The same for an element of a set. Whether a filter keeps it nobody can foretell, so that asks no branch."""
    chain = [*calls.tests, *([calls.apply] if calls.says else [])]
    if collected and chain and (calls.says or not calls.apply):
        return (f"out.append_if({collected}, {' && '.join(chain)});",)
    return visit_lines(calls, collected, "")


def answer_lines(calls: Calls) -> tuple[str, ...]:
    """The body of a visit that answers whether it accepts."""
    if calls.says or not calls.apply:
        chain = [*calls.tests, *([calls.apply] if calls.apply else [])]
        return (f"return {' && '.join(chain) or 'true'};",)
    guard = [f"if (!({' && '.join(calls.tests)})) {{ return false; }}"] if calls.tests else []
    return (*guard, f"{calls.apply};", "return true;")
