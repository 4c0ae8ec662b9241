"""The tuning knobs in words: for `--help`, `gdslc explain`, messages and the pages of `docs/`."""

from __future__ import annotations

from collections.abc import Iterable

from gdsl.knobs import BY_NAME, KNOBS, OPERATOR_KNOBS, SCHEDULE_KNOBS, Knob, written


def summary(mark: str = "") -> str:
    """All knobs in one sentence, each between two `mark`s: for `--help` and `docs/cli.md`."""
    of_program = ", ".join(f"{mark}{written(BY_NAME[name])}{mark}" for name in SCHEDULE_KNOBS)
    of_operators = ", ".join(f"{mark}{name}{mark}" for name in OPERATOR_KNOBS)
    return f"Of a functor or @label: {of_operators}; of the program: {of_program}."


def standing() -> str:
    """The operators on which each knob of operators has an effect, in words."""
    clauses = [f"`{name}` is for {_and(BY_NAME[name].operators)}" for name in OPERATOR_KNOBS]
    return ", ".join(clauses)


def explained(knob: Knob, subject: str = "") -> str:
    """What `gdslc explain` prints for a knob; `subject` is the functor or label in the question."""
    name = (f"{subject or 'visit'}." if knob.operators else "") + written(knob)
    operators = " and ".join(knob.operators)
    rows = [("of", f"{operators}, by its functor or its @label, which wins" if knob.operators else "the whole program")]
    rows += [("values", ", ".join(knob.values)), ("without it", knob.without.replace("`", ""))]
    rows += [(f"    {word}", text.replace("`", "")) for word, text in knob.each.items()]
    arguments = ", ".join(f"{argument.name}={argument.default}" for argument in knob.arguments)
    if arguments:
        rows.append((f"auto({arguments})", "the values that auto uses by default:"))
        rows += [(f"    {argument.name}", argument.text) for argument in knob.arguments]
    width = max(len(word) for word, _ in rows)
    lines = [f"{name}: {knob.text}", "", *(f"    {word:{width}}  {text}" for word, text in rows)]
    entry = f"{name} = {knob.example}"
    lines += ["", "Example:", "", f"    tune {{ {entry}; }}", f"    gdslc run … --tune {entry.replace(' = ', '=')}"]
    return "\n".join(lines) + "\n"


def listing() -> list[str]:
    """A line for each knob."""
    names = {written(knob): knob for knob in KNOBS}
    width = max(map(len, names))
    return [f"{name:{width}}  {', '.join(knob.values)}: {knob.text}".replace("`", "") for name, knob in names.items()]


def _and(words: Iterable[str]) -> str:
    return " and ".join(f"`{word}`" for word in words)
