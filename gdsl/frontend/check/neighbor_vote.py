"""`neighbor_vote`: ballots give keys and weights, a vote functor may score what the weights of each key sum up to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.check.operator_parts import Operators
from gdsl.frontend.check.several import refuse_several
from gdsl.frontend.syntax import FunctorForm, OperatorKind, Symbol, SymbolKind
from gdsl.operations import Domain
from gdsl.types import Type

_NAME = OperatorKind.NEIGHBOR_VOTE.value


def is_ballot(functor: syntax.Functor) -> bool:
    """Whether a functor gives pairs, as ballots do; one whose result is no type has been told so."""
    declared = functor.declared_result
    return functor.result is not None and functor.result.is_pair if declared is None else bool(declared.parts)


def vote_types(program: syntax.Program, environment: Environment) -> dict[str, tuple[Type, Type]]:
    """By vote functor the types of its `key` and `total`: those of the ballots with which the schedule calls it."""
    found: dict[str, tuple[Type, Type]] = {}
    first: dict[str, syntax.Functor] = {}
    for score, ballot in _scored(program, environment):
        if ballot.result is None:
            continue
        key, weight = ballot.result.parts
        types = (key, weight)
        if found.setdefault(score.name, types) != types:
            message = f"`{score.name}` scores votes of two kinds, those of `{first[score.name].name}` and these"
            labels = (Label(first[score.name].name_span, "the first"), Label(ballot.name_span, "of other types"))
            fix = "declare a vote functor for each"
            environment.report("E0205", message, score.span, labels=labels, fix=fix)
        first.setdefault(score.name, ballot)
    return found


def _scored(program: syntax.Program, environment: Environment) -> Iterator[tuple[syntax.Name, syntax.Functor]]:
    """The vote functors that the schedule and procedures name, each with the ballot beside it."""
    for part in (*program.schedule, *program.procedures):
        for node in syntax.walk(part):
            if not isinstance(node, syntax.Call) or node.function != _NAME:
                continue
            plain = [argument.value for argument in node.arguments if argument.keyword is None]
            if len(plain) == 3 and isinstance(plain[1], syntax.Name) and isinstance(plain[2], syntax.Name):
                ballot, score = environment.functors.get(plain[1].name), plain[2]
                if ballot is not None and is_ballot(ballot) and score.name in environment.functors:
                    yield score, ballot


class VoteChecker:
    """Makes `OperatorCall`s of calls of `neighbor_vote`; None in an answer means that a mistake was reported."""

    def __init__(self, operators: Operators) -> None:
        self.operators = operators
        self.environment = operators.environment

    def call(self, call: syntax.Call, array: Symbol) -> syntax.OperatorCall | None:
        """`array = neighbor_vote(f, ballot [, score])`."""
        kind = OperatorKind.NEIGHBOR_VOTE
        positional, keywords = self.operators.arguments(call, kind)
        if positional is None:
            return None
        source = self.operators.members(positional[0], Domain.VERTEX, f"the input of `{call.function}`")
        ballot = self.operators.functor(call, positional[1], FunctorForm.BALLOT, call.function, array.type)
        key = self._key(ballot) if ballot is not None else None
        scores = len(positional) == 3
        score = self._score(call, ballot, positional[2]) if scores and key is not None else None
        over = self.operators.over(keywords)
        self.operators.label(call)
        if source is None or ballot is None or over is None or key is None or (scores and score is None):
            return None
        result = self._declared(score).result if score is not None else None
        if not self._keyed(call, key, array, "the result goes into") or not self._scores(score, result):
            return None
        keep = self._kept(keywords["keep"], key) if "keep" in keywords else None
        if "keep" in keywords and keep is None:
            return None
        return syntax.OperatorCall(call.span, kind, source, ballot, over, label=call.label, score=score, keep=keep)

    def _declared(self, functor: syntax.Name) -> syntax.Functor:
        made = {each.name: each for each in self.environment.made.functors}
        return self.environment.functors.get(functor.name) or made[functor.name]

    def _score(self, call: syntax.Call, ballot: syntax.Name | None, value: syntax.Expression) -> syntax.Name | None:
        """The vote functor, whose key and total have the types of the ballot."""
        types = self._declared(ballot).result if ballot is not None else None
        score = self.operators.functor(call, value, FunctorForm.VOTE, call.function, types)
        if score is None or types is None or ballot is None or not self._declared(ballot).nameless:
            return score
        if self.environment.votes.get(score.name) == types.parts:
            return score
        message = f"`{score.name}` cannot know the types of its key and total: this ballot has no name"
        fix = "give the ballot a name, or write the score here: `(v, key, total) => …`"
        self.environment.report("E0205", message, score.span, labels=(Label(ballot.span, "this ballot"),), fix=fix)
        return None

    def _key(self, ballot: syntax.Name) -> Type | None:
        """The type of the keys of a ballot; None where it or that of the weights cannot be it."""
        declared = self._declared(ballot)
        if declared.result is None:
            return None
        fix = (
            "write a key and a weight, `(src, dst, e) => (key, weight)`" if declared.nameless else "declare `-> (K, W)`"
        )
        if not declared.result.is_pair:
            single = f"a ballot is a key and a weight, and this one is {declared.result.name}"
            self.environment.report("E0401", single, ballot.span, fix=fix)
            return None
        key, weight = declared.result.parts
        of = "a ballot" if declared.nameless else f"`{ballot.name}`"
        message = None
        if not (key.is_integer or key.is_id):
            message = f"the keys of {of} are {key.name}; those of votes are integers or ids"
        elif not weight.is_numeric:
            message = f"the weights of {of} are {weight.name}; those of votes are numbers"
        if message is not None:
            labels = (Label(declared.declared_result.span, "declared here"),) if declared.declared_result else ()
            fix += " with such a key and such a weight" if declared.nameless else " with such a K and such a W"
            self.environment.report("E0205", message, ballot.span, labels=labels, fix=fix)
            return None
        return key

    def _keyed(self, node: syntax.Node, key: Type, array: Symbol, what: str) -> bool:
        """Whether an array has a key for each vertex."""
        if array.domain is not Domain.VERTEX:
            self.environment.report("E0406", f"`{array.name}` is not over vertices", node.span)
            return False
        if array.type is not key:
            given = array.type.name if array.type is not None else "of no known type"
            message = f"{what} an array of the keys, which are {key.name}, and `{array.name}` is {given}"
            fix = "make the ballot's keys the type of the array, or the other way round"
            self.environment.report("E0205", message, node.span, fix=fix)
            return False
        return True

    def _scores(self, score: syntax.Name | None, result: Type | None) -> bool:
        if score is None or result is None:
            return score is None
        if not result.is_numeric:
            nameless = self._declared(score).nameless
            message = f"a score is a number, and {'this' if nameless else f'`{score.name}`'} gives {result.name}"
            fix = f"declare `vote functor {score.name}(v, key, total) -> T` with such a T"
            fix = "write `(v, key, total) => score` with a number" if nameless else fix
            self.environment.report("E0205", message, score.span, fix=fix)
        return result.is_numeric

    def _kept(self, argument: syntax.Argument, key: Type) -> syntax.Name | None:
        """The array of `keep=`."""
        value = argument.value
        symbol = self.environment.find(value.name) if isinstance(value, syntax.Name) else None
        if symbol is not None and symbol.kind is SymbolKind.MISTAKEN:
            return None
        if not isinstance(value, syntax.Name) or symbol is None or symbol.kind is not SymbolKind.ARRAY:
            message = "`keep=` takes the name of an array over vertices"
            self.environment.report(
                "E0402", message, argument.span, fix="it has the key of each vertex that wins a tie"
            )
            return None
        if refuse_several(symbol, "`keep=`", self.environment, argument.span):
            return None
        if not self._keyed(argument, key, symbol, "`keep=` takes"):
            return None
        return dataclasses.replace(value, name=symbol.name, symbol=symbol, type=symbol.type)
