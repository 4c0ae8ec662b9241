"""`neighbor_reduce` and `neighbor_vote`: what they run on, what they combine, and the array of their results."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.arguments import Arguments
from gdsl.frontend.check.environment import Environment, refuse_fixed_size
from gdsl.frontend.check.operands import OperandChecker
from gdsl.frontend.syntax import FunctorForm, OperatorKind, Symbol, SymbolKind
from gdsl.operations import Domain, NeighborOperation
from gdsl.types import Type

_NUMBERS = (NeighborOperation.SUM, NeighborOperation.PRODUCT)
_ORDERINGS = (NeighborOperation.MIN, NeighborOperation.MAX)
_FLAGS = (NeighborOperation.SOME, NeighborOperation.EVERY, NeighborOperation.COUNT)
_REDUCTIONS = tuple(operation.value for operation in NeighborOperation)


class NeighborReduceChecker:
    """Makes `OperatorCall`s of calls of `neighbor_reduce`; None in an answer means that a mistake was reported."""

    def __init__(self, operators: OperandChecker) -> None:
        self.operators = operators
        self.environment, self.expressions = operators.environment, operators.expressions

    def call(self, call: syntax.Call, array: Symbol) -> syntax.OperatorCall | None:
        """`array = neighbor_reduce(f, functor, op)`."""
        kind, operators = OperatorKind.NEIGHBOR_REDUCE, self.operators
        arguments = operators.arguments(call)
        if arguments is None:
            return None
        runs_on = operators.sets.domain_of(arguments["f"], Domain.VERTEX)
        source = operators.members(arguments["f"], runs_on, f"the input of `{call.function}`")
        if self._is_swapped(call, arguments):
            return None
        own = self._own_operation(arguments["op"])
        operation = self._operation(arguments["op"]) if own is None else None
        reduced = self._value_type(own, operation, array)
        functor = operators.functor(call, arguments["functor"], FunctorForm.VALUE, call.function, reduced)
        over, by = operators.over(arguments), operators.choice(arguments, "by")
        fits = self._keywords_fit(arguments, runs_on)
        operators.label(call)
        combined = operation is not None or (own is not None and own.symbol is not None)
        if source is None or functor is None or not combined or over is None or by is None or not fits:
            return None
        declaration = self.environment.functors.get(functor.name)
        result = declaration.result if declaration is not None else reduced
        if result is None or not self._over_vertices(call, array):
            return None
        if not (
            self._reduces(call, operation, result, array)
            if operation
            else self._operator_fits(call, own, result, array)
        ):
            return None
        typed = syntax.OperatorCall(call.span, kind, source, functor, over, runs_on, label=call.label)
        typed = dataclasses.replace(typed, operation=operation, own_operation=own, by_far_ends=by == "far")
        if "empty" not in arguments or array.type is None:
            return typed
        empty = self.expressions.value(arguments["empty"], array.type, "`empty=`")
        return None if empty.type is None else dataclasses.replace(typed, empty=empty)

    def _is_swapped(self, call: syntax.Call, arguments: Arguments) -> bool:
        """Whether the operation comes before the functor; reports it."""
        words, operation = (self.environment.words(arguments[name].span) for name in ("op", "functor"))
        first, last = arguments["functor"], arguments["op"]
        if not isinstance(first, syntax.Name) or first.name not in _REDUCTIONS or self.environment.find(first.name):
            return False
        symbol = self.environment.symbol_of(last)
        if not isinstance(last, syntax.Lambda) and (symbol is None or symbol.kind is not SymbolKind.FUNCTOR):
            return False
        code = f"{call.function}({self.environment.words(arguments['f'].span)}, {words}, {operation})"
        fix = f"the functor comes before the operation: `{code}`"
        self.environment.report("E0402", f"`{first.name}` is no functor", first.span, fix=fix)
        return True

    def _value_type(self, own: syntax.Name | None, operation: NeighborOperation | None, array: Symbol) -> Type | None:
        """The type of the values of a functor that does not declare it."""
        function = self.environment.functions.get(own.name) if own is not None else None
        taken = function.result if function is not None else None
        return taken or (Type.BOOL if operation in _FLAGS else array.type)

    def _keywords_fit(self, arguments: Arguments, runs_on: Domain) -> bool:
        """Whether the keywords fit the set: `over=` is for vertices, `by=` for edges."""
        wrong = arguments.by_name.get("over" if runs_on is Domain.EDGE else "by")
        if wrong is None:
            return True
        if runs_on is Domain.EDGE:
            message = "a set of edges is reduced as it is, and is not walked `over=` others"
            fix = "write `by=far` or `by=near` for the ends that receive the results"
        else:
            message = "`by=` selects the ends of a set of edges that receive the results, and this is a set of vertices"
            fix = "each vertex of the set receives one; write `over=in_edges` for the edges that lead to it"
        self.environment.report("E0402", message, wrong.span, fix=fix)
        return False

    def _own_operation(self, value: syntax.Expression) -> syntax.Name | None:
        """The program's own declaration of this name; without a symbol where it is not an operator."""
        symbol = self.environment.symbol_of(value)
        if symbol is None or not isinstance(value, syntax.Name):
            return None
        function = self.environment.functions.get(value.name)
        if function is not None and function.identity is not None:
            return dataclasses.replace(value, symbol=symbol)
        if value.name in _REDUCTIONS:
            return None
        if symbol.kind is not SymbolKind.MISTAKEN:
            labels = (Label(symbol.span, "declared here"),)
            message = f"`neighbor_reduce` combines by an operator, and `{value.name}` is {symbol.kind.with_article}"
            fix = f"declare `operator {value.name}(a : T, b : T) -> T identity x {{ … }}`, or choose one of the words"
            self.environment.report("E0402", message, value.span, labels=labels, fix=fix)
        return value

    def _operator_fits(self, call: syntax.Call, own: syntax.Name | None, result: Type, array: Symbol) -> bool:
        """Whether an operator of the program takes what the functor gives, and the array what the operator does."""
        function = self.environment.functions[own.name] if own is not None else None
        if function is None or function.result is None or own is None:
            return False
        if function.result is not result:
            message = f"`{own.name}` combines {function.result.name}, and the functor's value is {result.name}"
            fix = "make the functor's result the type of the operator, or the reverse"
            self.environment.report("E0205", message, call.span, fix=fix)
            return False
        return self._fits(call, array.type is result, result.name, array)

    def _over_vertices(self, call: syntax.Call, array: Symbol) -> bool:
        if array.domain is not Domain.VERTEX:
            self.environment.report("E0406", f"`{array.name}` is not over vertices", call.span)
        return array.domain is Domain.VERTEX

    def _operation(self, value: syntax.Expression) -> NeighborOperation | None:
        word = self.operators.word(value, _REDUCTIONS, "this reduction", ", or an `operator` of the program")
        return NeighborOperation(word) if word is not None else None

    def _reduces(self, call: syntax.Call, operation: NeighborOperation, result: Type, array: Symbol) -> bool:
        environment, word = self.environment, operation.value
        fits = result.is_numeric
        if operation in _ORDERINGS:
            fits = result.is_numeric or result.is_id or result.is_pair
        elif operation in _FLAGS:
            fits = result is Type.BOOL
        elif operation not in _NUMBERS:
            fits = result.is_integer or result is Type.BOOL
        if not fits:
            fix = "use `count`, `some` or `every`" if result is Type.BOOL else None
            fix = "compare in the functor, so that it gives a bool" if operation in _FLAGS else fix
            fix = "pairs have `min` and `max`; give a part, `.0` or `.1`" if result.is_pair and fix is None else fix
            environment.report("E0407", f"`{word}` is not defined on {result.name}", call.span, fix=fix)
            return False
        assert array.type is not None
        wanted = array.type.is_integer if operation is NeighborOperation.COUNT else array.type is result
        type_name = "an integer" if operation is NeighborOperation.COUNT else result.name
        return self._fits(call, wanted, type_name, array)

    def _fits(self, call: syntax.Call, fits: bool, type_name: str, array: Symbol) -> bool:
        """Say where the array is not of the type that is given."""
        if not fits and array.type is not None:
            message = f"this reduction gives {type_name}, and `{array.name}` is {array.type.name}"
            fix = "make the functor's result the type of the array, or the reverse"
            self.environment.report("E0205", message, call.span, fix=fix)
        return fits


_VOTE = OperatorKind.NEIGHBOR_VOTE.value


def vote_types(program: syntax.Program, environment: Environment) -> dict[str, tuple[Type, Type]]:
    """By vote functor the types of its `key` and `total`: those of the ballots with which the schedule calls it."""
    result_types: dict[str, tuple[Type, Type]] = {}
    first: dict[str, syntax.Functor] = {}
    for score, ballot in _scores_with_ballots(program, environment):
        if ballot.result is None:
            continue
        key, weight = ballot.result.parts
        types = (key, weight)
        if result_types.setdefault(score.name, types) != types:
            message = f"`{score.name}` scores votes of two kinds, those of `{first[score.name].name}` and these"
            labels = (Label(first[score.name].name_span, "the first"), Label(ballot.name_span, "of other types"))
            fix = "declare a vote functor for each"
            environment.report("E0205", message, score.span, labels=labels, fix=fix)
        first.setdefault(score.name, ballot)
    return result_types


def _scores_with_ballots(
    program: syntax.Program, environment: Environment
) -> Iterator[tuple[syntax.Name, syntax.Functor]]:
    """The vote functors that the schedule and procedures name, each with its ballot."""
    for part in (*program.schedule, *program.procedures):
        for node in syntax.walk(part):
            if not isinstance(node, syntax.Call) or node.function != _VOTE:
                continue
            plain = [argument.value for argument in node.arguments if argument.keyword is None]
            if len(plain) == 3 and isinstance(plain[1], syntax.Name) and isinstance(plain[2], syntax.Name):
                ballot, score = environment.functors.get(plain[1].name), plain[2]
                if ballot is not None and ballot.is_ballot and score.name in environment.functors:
                    yield score, ballot


class VoteChecker:
    """Makes `OperatorCall`s of calls of `neighbor_vote`; None in an answer means that a mistake was reported."""

    def __init__(self, operators: OperandChecker) -> None:
        self.operators = operators
        self.environment = operators.environment

    def call(self, call: syntax.Call, array: Symbol) -> syntax.OperatorCall | None:
        """`array = neighbor_vote(f, ballot [, score])`."""
        kind = OperatorKind.NEIGHBOR_VOTE
        arguments = self.operators.arguments(call)
        if arguments is None:
            return None
        source = self.operators.members(arguments["f"], Domain.VERTEX, f"the input of `{call.function}`")
        ballot = self.operators.functor(call, arguments["ballot"], FunctorForm.BALLOT, call.function, array.type)
        key = self._key(ballot) if ballot is not None else None
        scores = "score" in arguments
        score = self._score(call, ballot, arguments["score"]) if scores and key is not None else None
        over = self.operators.over(arguments)
        self.operators.label(call)
        if source is None or ballot is None or over is None or key is None or (scores and score is None):
            return None
        result = self.environment.functor(score.name).result if score is not None else None
        if not self._has_key_type(call, key, array, "the result is stored in") or not self._scores(score, result):
            return None
        keep = self._keep_array(arguments.by_name["keep"], key) if "keep" in arguments else None
        if "keep" in arguments and keep is None:
            return None
        return syntax.OperatorCall(call.span, kind, source, ballot, over, label=call.label, score=score, keep=keep)

    def _score(self, call: syntax.Call, ballot: syntax.Name | None, value: syntax.Expression) -> syntax.Name | None:
        """The vote functor, whose key and total have the types of the ballot."""
        types = self.environment.functor(ballot.name).result if ballot is not None else None
        score = self.operators.functor(call, value, FunctorForm.VOTE, call.function, types)
        if score is None or types is None or ballot is None or not self.environment.functor(ballot.name).is_lambda:
            return score
        if self.environment.votes.get(score.name) == types.parts:
            return score
        message = f"`{score.name}` cannot know the types of its key and total: this ballot has no name"
        fix = "give the ballot a name, or write the score here: `(v, key, total) => …`"
        self.environment.report("E0205", message, score.span, labels=(Label(ballot.span, "this ballot"),), fix=fix)
        return None

    def _key(self, ballot: syntax.Name) -> Type | None:
        """The type of the keys of a ballot; None where it or that of the weights cannot be it."""
        declared = self.environment.functor(ballot.name)
        if declared.result is None:
            return None
        fix = (
            "write a key and a weight, `(src, dst, e) => (key, weight)`"
            if declared.is_lambda
            else "declare `-> (K, W)`"
        )
        if not declared.result.is_pair:
            single = f"a ballot is a key and a weight, and this one is {declared.result.name}"
            self.environment.report("E0401", single, ballot.span, fix=fix)
            return None
        key, weight = declared.result.parts
        of = "a ballot" if declared.is_lambda else f"`{ballot.name}`"
        message = None
        if not (key.is_integer or key.is_id):
            message = f"the keys of {of} are {key.name}; those of votes are integers or ids"
        elif not weight.is_numeric:
            message = f"the weights of {of} are {weight.name}; those of votes are numbers"
        if message is not None:
            labels = (Label(declared.declared_result.span, "declared here"),) if declared.declared_result else ()
            fix += " with such a key and such a weight" if declared.is_lambda else " with such a K and such a W"
            self.environment.report("E0205", message, ballot.span, labels=labels, fix=fix)
            return None
        return key

    def _has_key_type(self, node: syntax.Node, key: Type, array: Symbol, what: str) -> bool:
        """Whether an array has a key for each vertex."""
        if array.domain is not Domain.VERTEX:
            self.environment.report("E0406", f"`{array.name}` is not over vertices", node.span)
            return False
        if array.type is not key:
            type_name = array.type.name if array.type is not None else "of no known type"
            message = f"{what} an array of the keys, which are {key.name}, and `{array.name}` is {type_name}"
            fix = "make the ballot's keys the type of the array, or the reverse"
            self.environment.report("E0205", message, node.span, fix=fix)
            return False
        return True

    def _scores(self, score: syntax.Name | None, result: Type | None) -> bool:
        if score is None or result is None:
            return score is None
        if not result.is_numeric:
            is_lambda = self.environment.functor(score.name).is_lambda
            message = f"a score is a number, and {'this' if is_lambda else f'`{score.name}`'} gives {result.name}"
            fix = f"declare `vote functor {score.name}(v, key, total) -> T` with such a T"
            fix = "write `(v, key, total) => score` with a number" if is_lambda else fix
            self.environment.report("E0205", message, score.span, fix=fix)
        return result.is_numeric

    def _keep_array(self, argument: syntax.Argument, key: Type) -> syntax.Name | None:
        """The array of `keep=`."""
        value = argument.value
        symbol = self.environment.symbol_of(value)
        if symbol is not None and symbol.kind is SymbolKind.MISTAKEN:
            return None
        if not isinstance(value, syntax.Name) or symbol is None or symbol.kind is not SymbolKind.ARRAY:
            message = "`keep=` takes the name of an array over vertices"
            self.environment.report(
                "E0402", message, argument.span, fix="it has the key of each vertex that wins a tie"
            )
            return None
        if refuse_fixed_size(symbol, "`keep=`", self.environment, argument.span):
            return None
        if not self._has_key_type(argument, key, symbol, "`keep=` takes"):
            return None
        return dataclasses.replace(value, name=symbol.name, symbol=symbol, type=symbol.type)
