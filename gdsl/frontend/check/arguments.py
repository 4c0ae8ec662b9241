"""Binds the arguments of a call to the parameters of its signature."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gdsl.diagnostics import enumerate_words
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.signatures import Signature
from gdsl.frontend.vocabulary import closest
from gdsl.knobs import OPERATOR_KNOBS
from gdsl.source import Span


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call by the names of its parameters; those of a repeated parameter are in `others`, too."""

    signature: Signature
    by_name: dict[str, syntax.Argument] = field(default_factory=dict)
    others: tuple[syntax.Argument, ...] = ()

    def __contains__(self, name: str) -> bool:
        return name in self.by_name

    def get(self, name: str) -> syntax.Expression | None:
        """An argument that may not be there."""
        return self.by_name[name].value if name in self.by_name else None

    def __getitem__(self, name: str) -> syntax.Expression:
        return self.by_name[name].value


def bind(
    arguments: Iterable[syntax.Argument],
    signature: Signature,
    environment: Environment,
    span: Span,
    form: str = "",
    *,
    missing: int = 0,
) -> Arguments | None:
    """The arguments at `span`, bound; None after a mistake. `form` is how the call is written, where the signature
    does not say it; `missing` is how many of the first parameters keywords replace."""
    form, name, code = form or signature.form, signature.name, signature.code
    example = "for example " if signature.counts[1] is None else ""
    fix = f"write {example}`{form}`" if signature.shape or code == "E0402" else None
    bound = Arguments(signature)
    positional = [argument for argument in arguments if argument.keyword is None]
    named = [argument for argument in arguments if argument.keyword is not None]
    parameters = signature.parameters[missing:]
    keywords = [each.name for each in (*signature.keywords, *(each for each in parameters if each.named))]
    fits = True
    for argument in named:
        keyword = argument.keyword or ""
        if keyword in bound:
            message = f"`{keyword}=` is given twice"
            environment.report(code, message, argument.span, fix="leave one of them out")
            fits = False
        elif keyword not in keywords:
            near = closest(keyword, keywords)
            advice = f"did you mean `{near}=`?" if near else fix
            if keyword in OPERATOR_KNOBS:
                advice = _as_knob(argument, keyword, positional, environment)
            environment.report(code, f"`{name}` takes no argument `{keyword}=`", argument.span, fix=advice)
            fits = False
        bound.by_name[keyword] = argument
    open_parameters = [each for each in parameters if each.name not in bound]
    least, most = signature.counts
    by_name = len(parameters) - len(open_parameters)
    count = len(positional) + missing + by_name
    too_few, too_many = count < least, most is not None and count > most
    if too_many or (too_few and fits):
        more = signature.for_more if fix and too_many else ""
        environment.report(code, _wrong_count(signature, count - missing), span, fix=fix and fix + more)
    bound.by_name.update((each.name, argument) for each, argument in zip(open_parameters, positional, strict=False))
    fits = fits and not too_many and not too_few
    return Arguments(signature, bound.by_name, tuple(positional)) if fits else None


def _as_knob(
    argument: syntax.Argument, keyword: str, positional: list[syntax.Argument], environment: Environment
) -> str:
    """What to write for an argument that says how an operator runs."""
    value = environment.words(argument.value.span)
    functor = environment.words(positional[1].span) if len(positional) > 1 else "functor"
    knob = f"{functor}.{keyword} = {value};"
    return f"leave it out: how an operator runs is said after the schedule, `tune {{ {knob} }}`"


def _wrong_count(signature: Signature, count: int) -> str:
    least, most = signature.counts
    takes = signature.takes
    if takes:
        return f"`{signature.name}` takes {takes}, not {count} argument{'' if count == 1 else 's'}"
    counts = range(least, (most or least) + 1)
    takes = f"{enumerate_words(map(str, counts))} argument{'s' if counts[-1] != 1 else ''}"
    return f"`{signature.name}` takes {takes}, not {count}"
