"""The IR as text (`gdslc compile --emit ir`): one line per step, with every conversion and every type."""

from __future__ import annotations

import math
from collections.abc import Iterable

from gdsl.arithmetic.constants import shortest_float32
from gdsl.diagnostics import printable
from gdsl.ir import nodes
from gdsl.knobs import shown
from gdsl.operations import Domain, Grade, StoreRule
from gdsl.types import Type

_RULES = {
    StoreRule.SINGLE_WRITER: "single writer",
    StoreRule.SAME_VALUE: "all writers store the same value",
    StoreRule.UNDER_CAS: "under cas",
    StoreRule.ANY_WINNER: "any writer wins",
}


def print_program(program: nodes.Program) -> str:
    """The whole program as text that ends with a line end; equal programs give equal text."""
    lines = [f"program {program.name}  # {printable(program.source_name)}"]
    words = [word for word in ("symmetric", "simple") if getattr(program.requires, word)]
    lines += [f"requires {', '.join(words)}"] if words else []
    for parameter in program.types:
        lines.append(f"type {parameter.name}: {parameter.class_name} = {parameter.type.name}")
    lines += ["", "data:"] + ["    " + line for line in _data(program)]
    for function in program.functions:
        lines += ["", *_function(function)]
    functors: tuple[nodes.Functor, ...] = (*program.vertex_functors, *program.edge_functors)
    for functor in functors:
        lines += ["", print_functor(functor)]
    for vote in program.vote_functors:
        parameters = f"{vote.vertex}, {vote.key}: {vote.key_type.name}, {vote.total}: {vote.total_type.name}"
        lines += ["", f"vote functor {vote.name}({parameters}):"]
        lines.append(f"    value {print_expression(vote.value)}: {vote.value.type.name}")
    lines += ["", "frontiers: " + (", ".join(map(_frontier, program.frontiers)) or "none"), "", "schedule:"]
    lines += _steps(program.schedule, program.tuning)
    lines += ["", f"tuning: {', '.join(shown(program.tuning, None))}"]
    return "\n".join(lines) + "\n"


def print_functor(functor: nodes.Functor | nodes.Function) -> str:
    """A functor, or a function, as `print_program` has it."""
    if isinstance(functor, nodes.VertexFunctor):
        head = f"vertex functor {functor.name}({functor.vertex}):"
        return "\n".join([head, *_functor(functor.condition, functor.body)])
    return "\n".join(_function(functor) if isinstance(functor, nodes.Function) else _edge_functor(functor))


def _function(function: nodes.Function) -> list[str]:
    parameters = ", ".join(f"{name}: {type_.name}" for name, type_ in function.parameters)
    return [f"function {function.name}({parameters}) -> {function.result.name}:", *_block(function.body)]


def _edge_functor(functor: nodes.EdgeFunctor) -> list[str]:
    value = [] if functor.value is None else [f"    {_value(functor)}"]
    return [_head(functor), *_functor(functor.condition, functor.body), *value]


def _head(functor: nodes.EdgeFunctor) -> str:
    common = functor.common
    if common is None:
        return f"edge functor {functor.name}({functor.source}, {functor.destination}, {functor.edge}):"
    names = (functor.source, functor.destination, common.vertex)
    edges = (functor.edge, common.source_edge, common.destination_edge) if common.has_edges else ()
    return f"common functor {functor.name}({', '.join((*names, *edges))}):"


def _value(functor: nodes.EdgeFunctor) -> str:
    value, key = functor.value, functor.key
    assert value is not None
    of_key = f"{print_expression(key)}: {key.type.name} weighs " if key is not None else ""
    return f"value {of_key}{print_expression(value)}: {value.type.name}"


def _data(program: nodes.Program) -> list[str]:
    lines = []
    for param in program.params:
        default = f" = {print_expression(param.default)}" if param.default is not None else ""
        lines.append(f"param {param.name}: {param.type.name}{default}{_where(param)}")
    for data in program.data:
        if isinstance(data, nodes.Array) and data.is_set:
            least = f", at least {data.least}" if data.least else ""
            lines.append(f"param {data.name}: vertex set{_where(data)}{least}")
            continue
        words = ["input"] * data.is_input + ["local"] * data.is_local
        words.append(data.domain.value if isinstance(data, nodes.Array) else "scalar")
        initial = f" = {print_expression(data.initial)}" if data.initial is not None else ""
        grade = "" if data.grade is Grade.EXACT else f"  # {data.grade.value}{_doubt(data)}"
        lines.append(f"{' '.join(words)} {data.name}{_several(data)}: {data.type.name}{initial}{_where(data)}{grade}")
    return lines


def _where(data: nodes.Param | nodes.Array | nodes.Scalar) -> str:
    return f" where {print_expression(data.where)}" if data.where is not None else ""


def _several(data: nodes.Array | nodes.Scalar) -> str:
    count = data.count if isinstance(data, nodes.Array) else None
    return f"[{print_expression(count)}]" if count is not None else ""


def _doubt(data: nodes.Array | nodes.Scalar) -> str:
    doubt = data.doubt if data.grade is Grade.NOT_UNIQUE else None
    return f" ({doubt.reason}, {doubt.span.words})" if doubt is not None else ""


def _functor(condition: tuple[nodes.Expression, ...], body: tuple[nodes.Statement, ...]) -> list[str]:
    return [f"    cond {print_expression(conjunct)}" for conjunct in condition] + _block(body)


def _indent(lines: Iterable[str]) -> list[str]:
    return ["    " + line for line in lines]


def _block(statements: tuple[nodes.Statement, ...]) -> list[str]:
    return _indent(line for statement in statements for line in _statement(statement))


def _statement(node: nodes.Statement) -> list[str]:
    show = print_expression
    match node:
        case nodes.Let():
            word = "var" if node.mutable else "let"
            return [f"{word} {node.name}: {node.type.name} = {show(node.value)}"]
        case nodes.Assign():
            return [f"{node.name} = {show(node.value)}"]
        case nodes.Store():
            return [f"{print_target(node.target)} = {show(node.value)}  # {_RULES[node.rule]}"]
        case nodes.Update():
            return [f"{print_target(node.target)} {node.operation.value} {show(node.value)}"]
        case nodes.Evaluate() | nodes.Accept() | nodes.Return():
            word = {nodes.Evaluate: "", nodes.Accept: "accept ", nodes.Return: "return "}[type(node)]
            return [f"{word}{show(node.value)}"]
        case nodes.Branch():
            otherwise = ["else:", *_block(node.otherwise)] if node.otherwise else []
            return [f"if {show(node.condition)}:", *_block(node.then), *otherwise]
        case nodes.ForRange():
            head = f"for {node.name}: {node.type.name} in {show(node.first)}..{show(node.last)}:"
            return [head, *_block(node.body)]
        case nodes.ForNeighbors():
            names = node.name if node.edge is None else f"{node.name}, {node.edge}"
            return [f"for {names} in neighbors({print_index(node.vertex, node.checked)}):", *_block(node.body)]
        case nodes.Loop():
            return [f"while {show(node.condition)}:", *_block(node.body)]
        case nodes.Break():
            return ["break"]
    raise AssertionError(f"printer: {type(node).__name__}")


# ---------------------------------------------------------------- schedule


def _steps(steps: tuple[nodes.Step, ...], tuning: nodes.Tuning) -> list[str]:
    return _indent(line for step in steps for line in _step(step, tuning))


def _step(node: nodes.Step, tuning: nodes.Tuning) -> list[str]:
    show = print_expression
    match node:
        case nodes.Operator():
            return [f"{_operator(node, tuning)}  # site {node.site} @{node.label}"]
        case nodes.DefineFrontier():
            members = f"{{{', '.join(show(member) for member in node.members)}}}"
            return [f"{node.name} = {node.domain.plural if node.everything else members}"]
        case nodes.SetStep():
            return [_set_step(node)]
        case nodes.PushBuckets() | nodes.PopBuckets():
            return [_buckets(node), *_steps(node.body, tuning)]
        case nodes.FarEnds() | nodes.CopyFrontier():
            ends = f"{node.end.value}s" if isinstance(node, nodes.FarEnds) else "copy"
            return [f"{node.name} = {ends} of {node.other}"]
        case nodes.CombineFrontiers():
            return [f"{node.name} = {node.first.words} {node.operation.value} {node.second.words}"]
        case nodes.SameGraph() | nodes.Subgraph() | nodes.Contract() | nodes.On():
            return _graph(node, tuning)
        case nodes.StoreElement() | nodes.StoreScalar():
            target = node.scalar if isinstance(node, nodes.StoreScalar) else print_target(node.target)
            return [f"{target} = {show(node.value)}"]
        case nodes.Fill():
            return [f"fill {node.array} with {show(node.value)}"]
        case nodes.Swap():
            return [f"swap {node.first}, {node.second}"]
        case nodes.While():
            order = ", monotone" if node.monotone else ""
            return [f"while {show(node.condition)}:  # loop {node.loop}{order}", *_steps(node.body, tuning)]
        case nodes.Repeat():
            return [f"repeat {show(node.count)}:  # loop {node.loop}", *_steps(node.body, tuning)]
        case nodes.If():
            otherwise = ["else:", *_steps(node.otherwise, tuning)] if node.otherwise else []
            return [f"if {show(node.condition)}:", *_steps(node.then, tuning), *otherwise]
    return [f"{type(node).__name__}"]


def _set_step(node: nodes.SetStep) -> str:
    match node:
        case nodes.PushLevel():
            return f"push {node.frontier} to {node.history.name}"
        case nodes.TakeLevel():
            return f"{node.name} = next level of {node.history.name}, from the {'last' if node.backward else 'first'}"
        case nodes.CheckWidth():
            return f"check that {node.width} is above 0"
        case nodes.ChooseBound():
            return f"{node.bound} = any number from {node.nearest} on, for {node.waiting} up to {node.farthest}"
        case nodes.CheckPairs():
            return f"check that {node.more} is 0"
        case nodes.NumberMembers():
            return f"{node.array} = number {node.members.words}"
    raise AssertionError(f"printer: {type(node).__name__}")


def _buckets(node: nodes.PushBuckets | nodes.PopBuckets) -> str:
    if isinstance(node, nodes.PushBuckets):
        return f"push {node.members.words} to {node.buckets.name}:"
    return f"{node.result} = pop of {node.buckets.name}:"


def _graph(node: nodes.GraphStep | nodes.On, tuning: nodes.Tuning) -> list[str]:
    if isinstance(node, nodes.On):
        return [f"on {node.graph}:", *_steps(node.body, tuning)]
    if isinstance(node, nodes.SameGraph):
        return [f"graph {node.name} = the graph around"]
    if isinstance(node, nodes.Subgraph):
        return [f"graph {node.name} = subgraph of {node.edges}"]
    weights = f", {node.weights.operation.value} of {node.weights.array}" if node.weights is not None else ""
    return [f"graph {node.name} = contraction by {node.label}{weights}"]


def _frontier(node: nodes.Frontier) -> str:
    return f"edges {node.name}" if node.domain is Domain.EDGE else node.name


def _operator(node: nodes.Operator, tuning: nodes.Tuning) -> str:
    knobs = shown(tuning.sites[node.site], node.word)
    match node:
        case nodes.Advance():
            words = [f"over {node.over.value}", *knobs, *_closing(node.closing)]
            prefix = "edges of " if node.to is Domain.EDGE else ""
            result = f"{node.result} = {prefix}" if node.result is not None else ""
            return f"{result}advance {node.frontier.words} by {node.functor}, {', '.join(words)}"
        case nodes.Filter():
            return f"{node.result} = filter {node.frontier.words} by {node.functor}"
        case nodes.Compute():
            return ", ".join([f"compute {node.frontier.words} by {node.functor}", *_closing(node.closing)])
        case nodes.NeighborReduce():
            reduction = f"{node.combines_by} of {node.functor}"
            words = [f"over {node.over.value}", *knobs]
            return f"{node.array} = neighbor_reduce {node.frontier.words} by {reduction}, {', '.join(words)}"
        case nodes.NeighborVote():
            score = f", scored by {node.score}" if node.score is not None else ""
            keep = f", {node.keep} wins a tie" if node.keep is not None else ""
            edges = f"over {node.over.value}{keep}"
            return f"{node.array} = neighbor_vote {node.frontier.words} by {node.functor}{score}, {edges}"
        case nodes.Intersect():
            result = f"{node.result} = " if node.result is not None else ""
            total = f", total added to {node.count}" if node.count is not None else ""
            functor = f" by {node.functor}" if node.functor is not None else ""
            partners = f" with {node.partners}" if node.partners is not None else ""
            return f"{result}intersect {node.frontier.words}{partners}{functor}{total}"
    raise AssertionError(f"printer: {type(node).__name__}")


def _closing(closing: nodes.Closing | None) -> list[str]:
    if closing is None:
        return []
    return [f"closes {closing.array}[{closing.end.value}] by conjunct {closing.conjunct}"]


def print_expression(node: nodes.Expression) -> str:
    """An expression as text, parenthesized below the top; literals carry their type but for int32, float32, bool."""
    text = _expression(node)
    outer = isinstance(node, nodes.Binary | nodes.Chain | nodes.Select)
    return text[1:-1] if outer else text


def print_target(node: nodes.Target) -> str:
    """The target of a write."""
    if isinstance(node, nodes.ScalarTarget):
        return node.scalar
    return f"{node.array}[{print_index(node.index, node.checked)}]"


def print_index(index: nodes.Expression, checked: bool) -> str:
    """An index, and whether it is checked; for several values per element, the contents of both brackets."""
    if isinstance(index, nodes.Slot):
        return f"{print_index(index.element, index.checked)}][{print_index(index.place, index.place_checked)}"
    return f"checked {print_expression(index)}" if checked else print_expression(index)


def _literal(node: nodes.Literal) -> str:
    value, type_ = node.value, node.type
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        text = "inf" if value == math.inf else "-inf" if value == -math.inf else repr(value)
        if type_ is not Type.FLOAT32:
            return f"{text}:{type_.name}"
        return shortest_float32(value) if math.isfinite(value) else text
    return str(value) if type_.name == "int32" else f"{value}:{type_.name}"


def _leaf(node: nodes.Expression) -> str | None:
    match node:
        case nodes.Literal():
            return _literal(node)
        case nodes.NoneId():
            return "none"
        case nodes.Parameter() | nodes.Local() | nodes.ListVariable() | nodes.ParamValue():
            return node.name
        case nodes.ScalarValue():
            return f"now {node.name}" if node.now else node.name
        case nodes.OwnId() | nodes.OwnPart():
            return "id" if isinstance(node, nodes.OwnId) else "part"
        case nodes.Iteration():
            return "iteration"
        case nodes.Place():
            return "place"
        case nodes.Count():
            return node.domain.count_name
        case nodes.LargestDegree():
            return "largest_degree"
        case nodes.FrontierSize():
            return f"size({node.frontier})"
        case nodes.FrontierNotEmpty():
            return f"not_empty({node.frontier})"
    return None


def _pair(node: nodes.MakePair | nodes.PairPart) -> str:
    if isinstance(node, nodes.PairPart):
        return f"{_expression(node.pair)}.{node.place}"
    return f"({print_expression(node.first)}, {print_expression(node.second)})"


def _expression(node: nodes.Expression) -> str:
    leaf = _leaf(node)
    if leaf is not None:
        return leaf
    show = print_expression
    match node:
        case nodes.Element():
            now = "now " if node.now else ""
            return f"{now}{node.array}[{print_index(node.index, node.checked)}]"
        case nodes.DegreeOf():
            return f"{node.degree.value}({print_index(node.vertex, node.checked)})"
        case nodes.GraphRead():
            first, *others = node.arguments
            arguments = [
                print_index(first, node.checked),
                *(print_index(other, node.query.in_list) for other in others),
            ]
            return f"{node.query.value}({', '.join(arguments)})"
        case nodes.Unary():
            return f"{node.operation.value}{_expression(node.operand)}"
        case nodes.Binary():
            return f"({_expression(node.left)} {node.operation.value} {_expression(node.right)})"
        case nodes.Chain():
            links = [f" {operation.value} {_expression(operand)}" for operation, operand in node.links]
            return f"({_expression(node.first)}{''.join(links)})"
        case nodes.MakePair() | nodes.PairPart():
            return _pair(node)
        case nodes.Select():
            return f"({_expression(node.condition)} ? {_expression(node.yes)} : {_expression(node.no)})"
        case nodes.Convert():
            return f"{node.type.name}({show(node.operand)})"
        case nodes.BuiltinCall():
            return f"{node.function.value}({', '.join(show(argument) for argument in node.arguments)})"
        case nodes.FunctionCall():
            return f"{node.function}({', '.join(show(argument) for argument in node.arguments)})"
        case nodes.UpdateValue():
            update = node.update
            return f"{node.outcome.value}({print_target(update.target)} {update.operation.value} {show(update.value)})"
        case nodes.CompareAndSwap():
            return f"cas({print_target(node.target)}, {show(node.old)}, {show(node.new)})"
    raise AssertionError(f"printer: {type(node).__name__}")
