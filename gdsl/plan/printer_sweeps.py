"""Operations of a plan as text."""

from __future__ import annotations

from gdsl.ir.nodes import EdgeFunctor, OwnOperation, Program, VertexFunctor
from gdsl.ir.printer import print_expression
from gdsl.operations import Balance, Domain, Over
from gdsl.plan import hints
from gdsl.plan.nodes import (
    Barrier,
    Choice,
    Claim,
    Collect,
    Compare,
    Dedup,
    Directions,
    EdgeCount,
    HoldMarks,
    Mode,
    Operation,
    Phase,
    Plan,
    Segment,
    Selection,
    Sweep,
    Variant,
    Vote,
    Walk,
    When,
)
from gdsl.plan.printer_exchanges import print_turns

_LISTS = {Over.OUT_EDGES: "out-edges", Over.IN_EDGES: "in-edges", Over.ALL_EDGES: "all edges"}


def print_operation(operation: Operation, plan: Plan) -> list[str]:
    """An operation of `plan` and all that it may do, after those that are fused into its sweep."""
    fused = [line for each in operation.fused for line in _operation(each, plan, f", fused into {operation.name}")]
    lines = fused + _operation(operation, plan, "" if operation.waits else ", no barrier after it")
    return lines + (_indent(print_turns(operation.turns)) if operation.turns is not None else [])


def _barriers(body: tuple[Phase, ...]) -> list[str]:
    """The barriers among the phases of an operation, in order, and how its marks are treated."""
    lines = [print_barrier(each) for each in body if isinstance(each, Barrier)]
    return [*lines, *(["marks: those that it would have used are the next operator's"] if HoldMarks() in body else [])]


def print_barrier(barrier: Barrier) -> str:
    """The line of a barrier, with its reason."""
    return f"barrier{_WHEN[barrier.when]}: {barrier.reason}"


_WHEN = {
    When.ALWAYS: "",
    When.LONG_LISTS: " where there are long lists",
    When.FIRST_PASS: " in the first pass of the loop",
    When.MANY_EDGES: " where there are many edges",
}


def _operation(operation: Operation, plan: Plan, note: str) -> list[str]:
    step, does = operation.step, operation.does
    lines = [f"{operation.name}: {operation.call}{note}  # site {step.site} @{step.label}, {step.span.words}"]
    first = operation.body[0] if operation.body else None
    if isinstance(does, Choice):
        pull, push = (first.pull, first.push) if isinstance(first, Directions) else ((), ())
        enter, stay = (" and ".join(print_compare(each) for each in part) for part in (does.test.enter, does.test.stay))
        lines += [f"    switch on where {enter}, off unless {stay}; where it is on:"]
        lines += _indent(_indent(_sweep(does.yes, plan) + _indent(_barriers(pull))))
        lines += ["    where it is off:"]
        return lines + _indent(_indent(_sweep(does.no, plan) + _indent(_barriers(push))))
    return lines + _indent(_sweep(does, plan) + _indent(_barriers(operation.body)))


def print_compare(node: Compare) -> str:
    """A test of a switch."""
    factor = f"{node.factor} * " if node.factor != 1 else ""
    return f"{factor}{node.left.value} {'>' if node.strict else '>='} {node.right.value}"


def _sweep(sweep: Sweep, plan: Plan) -> list[str]:
    program, blind = plan.program, sweep.hint(hints.BlindClaim) is not None
    head = "pull from" if sweep.selection is not None else "push from" if sweep.walks else "run on"
    head = "intersect on" if sweep.intersection is not None else head
    lines = [f"{head} {_members(sweep)}"]
    lines += _on_gpus(sweep)
    if sweep.own is not None:
        lines += _indent(_variant(sweep.own, program, blind) + _read_ahead(sweep, None, sweep.own))
        lines += _indent(_by_one(sweep, None, sweep.own, sweep.own_by_one, program))
        lines += _indent(_shared_loops(sweep))
    if sweep.selection is not None:
        lines += _indent(_selection(sweep.selection, program))
    if sweep.intersection is not None:
        one, other = _LISTS[sweep.intersection.source], _LISTS[sweep.intersection.destination]
        if sweep.intersection.partners is not None:
            lines.append(f"    destination: {sweep.intersection.partners}[source], none where it is none")
        lines.append(f"    walk {one} of the source and {other} of the destination: the vertices in both, each once")
        if sweep.hint(hints.SourceTables) is not None:
            lines.append("    by blocks: those of a source of many neighbors, which become a table")
        if sweep.intersection.run is not None:
            lines += _indent(_indent(_variant(sweep.intersection.run, program)))
    if sweep.skips is not None:
        lines.append(f"    pass over those that were visited with the {sweep.skips.array} that they have")
        lines.append(f"    of {plan.sizes.parted_members} members and more: long lists of the nearest first")
        if sweep.skips.most_visits is not None:
            most = f"{sweep.skips.most_visits} visits of each edge"
            lines.append(
                f"    beyond {most} in all passes, if any is left: the run stops, to begin again from near to far"
            )
    for walk in sweep.walks:
        lines += _indent(_walk(walk, sweep, program))
    lines += _indent(_fetched_before(sweep))
    lines += _by_threads(sweep)
    rows = sweep.hint(hints.PrefetchRows)
    if rows is not None:
        lines.append(f"    fetch of the vertex that comes next: {_rows(rows)}")
    lines += _few(sweep)
    lines += _indent(_left(sweep))
    return lines


def _shared_loops(sweep: Sweep) -> list[str]:
    """How members with long lists are run."""
    if not sweep.lanes:
        return []
    carried = [name for each in sweep.lanes for name in each.carried]
    order = f"; in the order of the list: {', '.join(dict.fromkeys(carried))}" if carried else ""
    rows = " or ".join(dict.fromkeys(f"{each.rows * 32} edges" for each in sweep.lanes))
    return [f"long lists: a warp each, {rows} at a time{order}"]


def _on_gpus(sweep: Sweep) -> list[str]:
    """What each of several GPUs has copies of."""
    lines: list[str] = []
    if sweep.mirrors is not None:
        names = (*sweep.mirrors.arrays, *(["the bitmap"] if sweep.mirrors.members else []))
        lines.append(f"    each GPU copies {', '.join(names)} first")
    if sweep.merge is not None:
        array, combine = sweep.merge.array, sweep.merge.reduction.combine.value
        lines.append(f"    each GPU changes a copy of {array}, and merges by {combine} what is marked on others")
    if sweep.labels is not None:
        where = "goes to all copies" if sweep.labels.stays else "is stored"
        lines.append(f"    each GPU lowers a copy of {sweep.labels.array}, and the smallest of all {where}")
        lines += ["    and packs it for the others"] if sweep.labels.packed is not None else []
    if sweep.published:
        lines.append(f"    each call stores its element of {', '.join(sweep.published)} in all copies")
    together = sweep.hint(hints.LabelsTogether)
    if together is not None:
        lines.append(f"    {together.array} of {together.elements} members and the labels of these are read together")
    if sweep.proposals is not None:
        many = " and ".join(print_compare(each) for each in sweep.proposals.many)
        lines.append(f"    where {many}: each GPU proposes one edge for each far end, whose own GPU visits one of them")
        lines += ["    and stores the bitmap of the result, too"] if sweep.proposals.maps else []
    return lines


def _by_threads(sweep: Sweep) -> list[str]:
    """What threads of a CPU have of the work, and what they look at first."""
    lines = []
    if sweep.hint(hints.Contended) is not None:
        lines.append("    by one thread rather than by two: they would change the same elements")
    if sweep.hint(hints.ObservedThreads) is not None:
        lines.append("    by one thread or by several, as was quicker in former runs")
    if sweep.hint(hints.OwnEnds) is not None:
        lines.append("    long lists by several threads: each its part of the far ends, as one thread does")
    if sweep.hint(hints.EqualShares) is not None:
        lines.append("    by several threads: the same part of the vertices each, as in other such sweeps")
    return lines


def _few(sweep: Sweep) -> list[str]:
    """What is done otherwise where members are few."""
    lines, share = [], sweep.hint(hints.WarpShare)
    if sweep.hint(hints.FewAsList) is not None:
        lines.append("    few members lie in a list, with theirs: a place for each edge, taken before it is accepted")
    if sweep.rounds is not None:
        names = ", ".join(each.own.functor for each in sweep.rounds.runs if each.own is not None)
        after = f", which run {names} first" if names else ""
        lines.append(
            f"    few members: each block goes on with those that it accepts{after}, and leaves what is too much"
        )
    if share is not None:
        lines.append(f"    few members: {share.warps.value} of the warps, as another operator is under way")
    return lines


def _left(sweep: Sweep) -> list[str]:
    """What is left in memory, and what is counted."""
    lines = [_collect(sweep.collect)] if sweep.collect is not None else []
    lines += [_segment(sweep, sweep.segment)] if sweep.segment is not None else []
    lines += _vote(sweep.vote) if sweep.vote is not None else []
    for total in sweep.totals:
        reduction = total.reduction
        begins = f"begins with {total.identity.value} of {reduction.type.name}"
        lines.append(f"total {total.scalar} {reduction.combine.value} a block's, {begins}")
    if sweep.edges is not EdgeCount.NONE:
        lines.append(f"edges: {sweep.edges.value}")
    return lines


def _members(sweep: Sweep) -> str:
    members = sweep.members
    everything = "all vertices" if members.domain is Domain.VERTEX else "all edges"
    by_number = ", by number where it has all vertices" if sweep.hint(hints.WholeSet) is not None else ""
    return f"{members.frontier} as a {members.form.value}{by_number}" if members.form is not None else everything


def _selection(selection: Selection, program: Program) -> list[str]:
    functor = program.functor(selection.test.functor)
    tests = " && ".join(print_expression(functor.condition[i]) for i in selection.test.tests) or "everything"
    stops = ", and stop once that no longer holds" if selection.closes else ""
    return [f"vertices to reach: {tests}{stops}"]


def _walk(walk: Walk, sweep: Sweep, program: Program) -> list[str]:
    blind = sweep.hint(hints.BlindClaim) is not None
    limit = f", those of the first {print_expression(walk.first_places)} places" if walk.first_places else ""
    ids = ", with their ids" if walk.edge_ids and walk.lists is Over.IN_EDGES else ""
    lists = f"all edges for the {_LISTS[walk.lists]}" if sweep.balance is Balance.EDGES else _LISTS[walk.lists]
    unless = ", unless they are the out-edges" if walk.repeats else ""
    lines = [
        f"walk {lists}{limit}{ids}{_BALANCES[sweep.balance]}{unless}:",
        *_indent(_variant(walk.variant, program, blind)),
    ]
    lines += _indent(_read_ahead(sweep, walk.over, walk.variant))
    if walk.shared == walk.variant:
        lines.append("    long lists: the same, in chunks")
    elif walk.shared is not None:
        lines += ["    long lists, in chunks:", *_indent(_indent(_variant(walk.shared, program, blind)))]
    return lines + _indent(_by_one(sweep, walk.over, walk.variant, walk.by_one, program))


def _fetched_before(sweep: Sweep) -> list[str]:
    """What is fetched of members that come later."""
    fetch = sweep.hint(hints.PrefetchLists)
    if fetch is None:
        return []
    (walk,) = sweep.walks
    return [f"fetch of the eighth member from each: {', '.join((f'its first {_LISTS[walk.lists]}', *fetch.arrays))}"]


def _by_one(sweep: Sweep, over: Over | None, together: Variant, by_one: Variant | None, program: Program) -> list[str]:
    """What one thread does where there is little to do, as far as it is something else."""
    unbranched = sweep.hint(hints.UnbranchedTests, over) is not None
    if sweep.hint(hints.UnbranchedClaims, over) is not None and together.claim is not None:
        claim = print_expression(program.functor(together.functor).condition[together.claim.conjunct])
        return ["by one thread:", *_indent([f"claim without a branch: {claim}", "run the rest for many at a time"])]
    if by_one is None or (by_one == together and not unbranched):
        return []
    return ["by one thread:", *_indent(_variant(by_one, program, at_once=unbranched))]


def _variant(variant: Variant, program: Program, blind: bool = False, at_once: bool = False) -> list[str]:
    functor = program.functor(variant.functor)
    tests = [print_expression(functor.condition[i]) for i in variant.tests]
    lines = [f"test {' && '.join(tests)}{' at once' if at_once else ''}"] if tests else []
    if variant.claim is not None:
        lines.append(_claim(variant.claim, functor, blind))
    if isinstance(functor, EdgeFunctor) and functor.value is not None:
        key = f"{print_expression(functor.key)} weighs " if functor.key is not None else ""
        return [*lines, f"value {key}{print_expression(functor.value)}"]
    words = [f"{write.name} {_MODES[write.mode]}" for write in variant.writes]
    does = f"run {variant.functor}" + (" without the claim" if variant.claim is not None else "")
    says = ["says what is accepted"] if variant.accepts else []
    return [*lines, ", ".join([does, *words, *says])] if variant.body else [*lines, "accept"]


def _read_ahead(sweep: Sweep, over: Over | None, variant: Variant) -> list[str]:
    """What is read for several elements before one of them is worked on."""
    hint = sweep.hint(hints.ReadAhead, over)
    if hint is None:
        return []
    steps = [_reads(level) for level in hint.before]
    steps += ["test"] if variant.tests and hint.after else []
    steps += [_reads(level) for level in hint.after]
    if hint.seen is not None:
        bounds = sweep.hint(hints.HubBounds, over)
        bounded = ", of a hub at a bound in the block's own memory first" if bounds is not None else ""
        steps.append(f"look at {print_expression(hint.seen)}{bounded}")
    return [f"{hint.elements} side by side: {'; then '.join(steps)}"]


def _reads(level: tuple[hints.EarlyRead, ...]) -> str:
    return f"read {', '.join(print_expression(read.value) for read in level)}"


_MODES = {
    Mode.PLAIN: "plainly",
    Mode.SHARED: "atomically",
    Mode.OWN: "from a register",
    Mode.TOTAL: "into a total",
    Mode.EVERYWHERE: "in all copies",
}


_DEDUPS = {
    Dedup.NONE: "",
    Dedup.CLAIM: ", each once by its claim",
    Dedup.TICKET: ", each once by its ticket",
    Dedup.MARK: ", each once by a mark",
    Dedup.RANK: ", each change with its value; what is far is put off",
    Dedup.LATE: ", each as often as it comes while there is room, then once by a mark",
}
_BALANCES = {
    Balance.THREAD: ", a thread a member",
    Balance.WARP: ", a warp a member",
    Balance.BLOCK: ", a block as many members as it has threads",
    Balance.MERGE: ", equal numbers of edges a thread",
    Balance.BINS: ", members sorted by degree into those of a thread, of a warp and of a block",
    Balance.EDGES: ", a thread an edge",
    Balance.AUTO: "",
}


def _claim(claim: Claim, functor: VertexFunctor | EdgeFunctor, blind: bool) -> str:
    look = ", while there are few members without a look first" if blind else ""
    return f"claim by compare-and-swap{look}: {print_expression(functor.condition[claim.conjunct])}"


def _collect(collect: Collect) -> str:
    return f"collect {collect.domain.plural} into {collect.frontier} as a {collect.form.value}{_DEDUPS[collect.dedup]}"


def _rows(rows: hints.PrefetchRows) -> str:
    lists = [
        *(f"its {_LISTS[each]}" for each in rows.lists),
        *(f"where its {_LISTS[each]} begin" for each in rows.begins),
    ]
    return ", ".join((*lists, *rows.arrays))


def _segment(sweep: Sweep, segment: Segment) -> str:
    reduction = segment.reduction
    edges, cache, level = sweep.hint(hints.EdgesSideBySide), sweep.hint(hints.BlockCache), sweep.hint(hints.NextLevel)
    aside = f", {edges.count} edges side by side" if edges is not None else ""
    tiles = sweep.hint(hints.ListTiles)
    aside += f", in tiles from all parts of the lists, {tiles.rows} rows of 32 edges at a time" if tiles else ""
    aside += ", which of two values before tests" if sweep.hint(hints.SelectFirst) is not None else ""
    aside += ", its values in vectors" if sweep.hint(hints.InVectors) is not None else ""
    aside += ", its values in lanes" if sweep.hint(hints.InLanes) is not None else ""
    aside += f", the first of {cache.array} in each block's own memory" if cache is not None else ""
    aside += f", aside in {segment.staging} until all are computed" if segment.staging is not None else ""
    aside += f", while all wait the next level of {level.history.name} is looked at" if level is not None else ""
    if isinstance(reduction, OwnOperation):
        begins = f"begins with {print_expression(reduction.identity)}"
        return f"{reduction.function} a member into {segment.array}, {begins}{aside}"
    begins = f"begins with {reduction.identity.value} of {reduction.type.name}"
    word = segment.operation.value if segment.operation is not None else reduction.combine.value
    stops = f", stops at {str(segment.stops_at).lower()}" if segment.stops_at is not None else ""
    return f"{word} a member by {reduction.combine.value} into {segment.array}, {begins}{stops}{aside}"


def _vote(vote: Vote) -> list[str]:
    by = f"score of {vote.score}, a {vote.score_type.name}" if vote.score is not None else f"{vote.total.name} total"
    stands = " and needs no votes" if vote.stands else ""
    keep = f", {vote.keep} wins a tie{stands}" if vote.keep is not None else ""
    aside = f", aside in {vote.staging} until all are computed" if vote.staging is not None else ""
    lines = [f"the {vote.key.name} with the largest {by}, of a member into {vote.array}{keep}{aside}"]
    if vote.tables is None:
        return [*lines, "votes: counted in a table of each thread"]
    return [*lines, f"votes of long lists: counted in {vote.tables.keys} and {vote.tables.totals}"]


def _indent(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]
