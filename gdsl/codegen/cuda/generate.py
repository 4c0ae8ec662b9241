"""From a plan to CUDA C++."""

from __future__ import annotations

import dataclasses
from pathlib import PurePath

from gdsl.codegen.comments import comment_lines, title_line
from gdsl.codegen.cuda import runtime, teams
from gdsl.codegen.cuda.filters import Filters
from gdsl.codegen.cuda.generated import Generated
from gdsl.codegen.cuda.layout import graph_slice, layout_of, run_slice, shared_structs
from gdsl.codegen.cuda.operators import OperatorPrinter
from gdsl.codegen.cuda.schedule import KernelPrinter
from gdsl.codegen.cuda.steps import StepPrinter
from gdsl.codegen.cuda.texts import Assignment, Constant, InitialLoop
from gdsl.codegen.functors import TotalsText
from gdsl.codegen.lines import number_lines
from gdsl.codegen.names import UNDEFINED, identifiers_of
from gdsl.codegen.several import initial_groups
from gdsl.codegen.structs import struct_text
from gdsl.codegen.templates import render
from gdsl.ir.calls import function_order, inlined_sizes
from gdsl.ir.nodes import Expression, Literal, NoneId, OwnId, OwnPart
from gdsl.ir.traversal import walk
from gdsl.plan import turns
from gdsl.plan.lengths import is_long
from gdsl.plan.nodes import Initial, Initialise, Plan
from gdsl.plan.waiting_thread import waiting_thread
from gdsl.plan.walking import leaves_edges_out, own_sweeps, steps_in
from gdsl.types import Type, Widths
from gdsl.version import __version__

_INLINE = "__device__ __forceinline__"
_MOST_INLINED = 10_000
"""Nodes that a function may have with all that it calls in place; where each calls the next twice there is no end."""


def generate(plan: Plan, widths: Widths) -> Generated:
    """CUDA C++ of `plan` for ids of these widths."""
    return _generation(plan, widths).run()


def generate_for_both_sides(plan: Plan, widths: Widths) -> tuple[Generated, dict[str, str]]:
    """The same for a file that has the host's code too, and by the name of each field of `Layout.problem` what it is
    called in the text."""
    generation = _generation(plan, widths, both_sides=True)
    made, names = generation.run(), generation.names
    fields = layout_of(plan, widths).problem.fields
    return made, {field.name: names.spell(names.member(field.name)) for field in fields}


def _generation(plan: Plan, widths: Widths, both_sides: bool = False) -> _Generation:
    named = dataclasses.replace(plan.program, source_name=PurePath(plan.program.source_name).name)
    return _Generation(dataclasses.replace(plan, program=named), widths, both_sides)


class _Generation:
    def __init__(self, plan: Plan, widths: Widths, both_sides: bool) -> None:
        self.plan, self.program, self.widths, self.both_sides = plan, plan.program, widths, both_sides
        self.cuda = Filters(plan)
        self.names, self.checks = self.cuda.names, self.cuda.checks
        self.printer, self.texts = self.cuda.printer, self.cuda.functors
        self.scalars = {scalar.name: scalar.type for scalar in self.program.scalars}
        self.data_slice = layout_of(plan, widths).text(self.names, widths)

    def run(self) -> Generated:
        printer = OperatorPrinter(self.plan, self.names, self.texts)
        kernels = KernelPrinter(self.plan, StepPrinter(self.plan, self.printer.expressions(), self.texts, self.cuda))
        (initial,) = (step for step in steps_in(self.plan.schedule) if isinstance(step, Initialise))
        functions: list[str] = []

        def printed_functions() -> list[str]:
            functions.extend(self._functions())
            return functions

        body = render(
            "cuda",
            "body.cu.j2",
            cuda=self.cuda,
            operations=own_sweeps(self.plan),
            text=printer.print,
            print_functions=printed_functions,
            print_initial_loops=lambda: self._initial_loops(initial),
            print_initial_scalars=lambda: [
                *(self._initial_scalar(each) for each in initial.scalars),
                *(self._initial_turn(each) for each in self.plan.turning),
            ],
            print_kernels=kernels.kernels,
        )
        return Generated(self._text(body, functions), kernels.names(), self.checks)

    def _text(self, body: str, functions: list[str]) -> str:
        """The whole file around `body`."""
        platform, pieces, uses = self._link(body)
        text = render(
            "cuda",
            "program.cu.j2",
            head=self._head(),
            platform=platform,
            vertex_type=f"uint{self.widths.vertex}",
            edge_type=f"uint{self.widths.edge}",
            constants=self._constants(uses),
            undefined=UNDEFINED,
            listed=bool(self.plan.graphs),
            outlined="__noinline__" if is_long(self.plan) else "__forceinline__",
            runtime=pieces,
            body=body,
        )
        totals = self._structs()
        self.names.settle(
            identifiers_of(text),
            functions="\n".join(functions),
            schedule=body.rpartition("// ---- enactor ----")[2],
            structs="\n".join([self.data_slice, *totals, *self._of_teams()]),
        )
        return number_lines(self.names.spell(text), f"{self.program.name}.cu")

    def _functions(self) -> list[str]:
        totals = self._structs()
        sizes = inlined_sizes(self.program)
        own = [
            text.definition(_INLINE if sizes[function.name] <= _MOST_INLINED else "__device__ __noinline__")
            for function, text in zip(function_order(self.program), self.printer.functions(), strict=True)
        ]
        made = [text.definition(_INLINE) for text in self.texts.functions()]
        return [*totals, *own, *made]

    def _of_teams(self) -> list[str]:
        """The structs of a batch, where there is one."""
        return [] if self.plan.teams is None else list(teams.struct_texts(self.plan, self.names, self.widths).values())

    def _structs(self) -> list[str]:
        """What functors sum up, and what is read ahead for them."""
        totals = [_totals_text(totals) for totals in self.texts.totals.values()]
        return [*totals, *(early.definition for early in self.texts.early.values())]

    # Initial values

    def _initial_loops(self, initial: Initialise) -> list[InitialLoop]:
        loops = []
        for group in initial_groups(initial, self.program, self.names):
            values = tuple(
                Assignment(f"d.{self.names.member(array.name)}[i]", self._initial(array)) for array in group.arrays
            )
            used = {type(node) for array in group.arrays for node in walk(array.value)}
            loops.append(InitialLoop(group.length, group.kind, OwnId in used, values, group.count, OwnPart in used))
        return loops

    def _initial_scalar(self, initial: Initial) -> Assignment:
        return Assignment(self.printer.expressions().scalar(initial.name), self._initial(initial))

    def _initial_turn(self, initial: Initial) -> Assignment:
        """What stands in the next place of a scalar that turns."""
        following = turns.apart(self.scalars[initial.name])
        return Assignment(f"d.{self.names.member(initial.name)}[{following}]", self._initial(initial))

    def _initial(self, initial: Initial) -> str:
        return self.printer.expressions().print(initial.value if initial.value is not None else self._zero(initial))

    def _zero(self, initial: Initial) -> Expression:
        kind = self.scalars[initial.name]
        span = self.program.span
        if kind.is_id:
            return NoneId(span, kind)
        return Literal(span, kind, False if kind is Type.BOOL else 0.0 if kind.is_float else 0)

    # What stands around the program's own text

    def _link(self, body: str) -> tuple[list[str], list[str], frozenset[str]]:
        """The runtime's pieces that `body` needs, around the structs of this program."""
        structs = {
            "graph_slice": struct_text(graph_slice(self.plan)),
            "run_slice": struct_text(run_slice(self.plan)),
            "data_slice": self.data_slice,
            **shared_structs(self.plan, self.widths),
            "block_storage": _block_storage(
                frozenset(
                    {
                        "collector",
                        "edge_collector",
                        "end_queue",
                        "block_reduce",
                        "push_blocks",
                        "intersect_tables",
                        "sort_ids",
                        "vote_room",
                        "block_best",
                    }
                )
            ),
        }
        made = runtime.LISTED_LIBRARY if leaves_edges_out(self.plan) else runtime.CONTRACTED_LIBRARY
        library = made if self.plan.graphs else runtime.LIBRARY
        if self.plan.teams is not None:
            structs |= teams.struct_texts(self.plan, self.names, self.widths)
            library = runtime.TEAMS_LIBRARY
        if self.both_sides:
            library = runtime.on_both_sides(library)
        _, pieces = runtime.link(body, structs, library)
        structs["block_storage"] = _block_storage(identifiers_of(body) | _called(pieces))
        platform, pieces = runtime.link(body, structs, library)
        uses = identifiers_of("\n".join([body, *pieces]))
        return platform, pieces, uses

    def _constants(self, uses: frozenset[str]) -> list[Constant]:
        sizes = self.plan.sizes
        constants = [
            Constant("uint32", "BLOCK_THREADS", sizes.block_threads, "threads a block"),
            Constant("uint32", "WAITING_THREAD", waiting_thread(self.plan), "of a block, that waits for all others"),
            Constant("uint32", "HUB_DEGREE", sizes.hub_degree, "lists this long are cut into chunks"),
            Constant("uint32", "HUB_CHUNK", sizes.hub_chunk, "edges a chunk"),
            Constant("uint32", "PULL_PREFIX", sizes.pull_prefix, "edges of a long list that are tried first"),
            Constant("uint32", "ROUND_EDGES", sizes.round_edges, "edges a warp that a round takes beside its own"),
            Constant("uint32", "WIDE_ROUND", sizes.wide_round, "edges a warp from which on fewer are less work"),
            Constant("uint32", "THIN_ROUND", sizes.thin_round, "of which part a round is few enough to look for more"),
            Constant(
                "uint32", "PARTED_MEMBERS", sizes.parted_members, "of which the nearest ones' long lists come first"
            ),
            Constant("uint32", "LISTED_PLACES", sizes.listed_places, "edges that members of a list of few may have"),
            Constant("uint32", "LISTED_EDGES", sizes.listed_edges, "edges a thread up to which members are few"),
            Constant("uint32", "BOUND_BITS", sizes.bound_bits, "last bits of an id, which are the place of a bound"),
            Constant("uint32", "STAGED", self._staged(), "accepted elements that a warp appends at once"),
            Constant("uint32", "SHORT_LIST", sizes.short_list, "lists up to this long are reduced by a thread each"),
            Constant("uint32", "PULLED_AT_ONCE", sizes.pulled_at_once, "edges that a thread looks at side by side"),
            Constant("uint32", "WORDS_AT_ONCE", sizes.words_at_once, "vertices that a thread looks at side by side"),
            Constant("uint32", "GROUPED_LIST", sizes.grouped_list, "lists up to this long by eight threads each"),
            Constant("uint32", "REDUCED_HUB", sizes.reduced_hub, "lists this long are reduced in chunks"),
            Constant("uint32", "REDUCED_CHUNK", sizes.reduced_chunk, "edges of such a chunk"),
            Constant("uint32", "LONG_WALK", sizes.long_walk, "walks this long of an intersection are cut into chunks"),
            Constant("uint32", "TABLE_LEAST", sizes.table_least, "neighbours that become a table, or more"),
            Constant("uint32", "TABLE_SLOTS", sizes.table_slots * 32 // self.widths.vertex, "places of a table"),
            Constant("uint32", "VOTED_ALONE", sizes.voted_alone, "edges up to which a thread counts votes by itself"),
            Constant("uint32", "VOTED_BY_LANES", sizes.voted_by_lanes, "edges up to which lanes do so in registers"),
            Constant(
                "uint32", "VOTE_WORDS", sizes.vote_words, "words in which a block counts the votes of longer lists"
            ),
            Constant("uint32", "VOTE_PART", sizes.vote_part, "edges of a part of a list that several blocks count"),
            Constant("uint32", "VOTE_PART_OF_FEW", sizes.vote_part_of_few, "the same of few lists"),
            Constant(
                "uint32",
                "UNROLLED",
                1 if is_long(self.plan) else 5,
                "steps of a reduction by lanes that are written out",
            ),
            Constant("uint32", "RADIX_BITS", sizes.radix_bits, "bits by which ids are sorted at a time"),
        ]
        return [constant for constant in constants if constant.name in uses or constant.name == "BLOCK_THREADS"]

    def _staged(self) -> int:
        """Wider ids would take more of what a block has of its own than there is."""
        staged = self.plan.sizes.staged
        return max(staged // 2, 32) if self.widths.edge == 64 else staged

    def _head(self) -> list[str]:
        program, tuning = self.program, self.program.tuning
        options = [
            str(self.widths),
            "one persistent kernel" if tuning.fuse else "a kernel a step",
            *(["teams of blocks, each with one value after the other"] if self.plan.teams is not None else []),
            f"{self.plan.sizes.block_threads} threads a block",
            "computed indices checked" if tuning.bounds else "computed indices not checked",
        ]
        doc = ["", *comment_lines(program.doc)] if program.doc.strip() else []
        title = title_line(f"{program.name}: generated by gdsl {__version__} from {program.source_name}")
        return [title, f"({', '.join(options)})", *doc]


def _called(pieces: list[str]) -> frozenset[str]:
    return identifiers_of("\n".join(piece for piece in pieces if not piece.startswith("struct block_storage")))


def _block_storage(uses: frozenset[str]) -> str:
    lines = [
        "struct block_storage {",
        "    uint64 passes;        // finished passes of the outermost loops; known to the first thread alone",
        "    uint64 barriers;      // passed so far; known to who waits alone, as all down to `stop_requested`",
        "    uint64 traced;        // records written; the leader's block only, as what follows",
        "    uint64 polled_at;     // when the host's flag was last read",
        "    uint64 started, started_at;  // cycles and nanoseconds when the kernel began",
        "    uint64 began, noted;  // cycles when the operator began, and when the last record was written",
        "    uint64 waited;        // at barriers since then",
        "    bool stop_requested;  // seen by the leader, who decides at which barrier the run stops",
        "    bool stopped;",
    ]
    lines.append(f"    {'owed_edges' if 'end_walk' in uses else 'nothing_owed'} owed;")
    lines.append("    uint64 found, found_second;  // what was counted, as one thread has read it for all")
    if "find_nearest" in uses:
        lines.append("    uint32 nearest;  // the least rank of members whose long lists come first")
    if "synchronize_and_tally" in uses:
        lines.append("    uint32 members;  // that the threads of the block have found")
    if "next_value" in uses:
        lines.append("    uint64 next_value;  // that the team runs for")
    gathered = []  # an operator gathers members of one kind, and has none left when it comes to its last barrier
    if not uses.isdisjoint({"collector", "late_collector", "entry_collector"}):
        gathered.append("vertex staged[BLOCK_THREADS / 32][STAGED + 32];  // a warp's accepted vertices")
    if "edge_collector" in uses:
        gathered.append("edge staged_edges[BLOCK_THREADS / 32][STAGED + 32];  // a warp's accepted edges")
    lines += _one_of(gathered)
    if "hold_edges" in uses:
        lines.append("    uint64 held_edges[BLOCK_THREADS / 32];  // of a result, that a warp has not told yet")
    if "entry_collector" in uses:
        lines.append("    near_far_state near_far;")
    if not uses.isdisjoint({"block_reduce", "block_running_sum", "block_sum"}):
        lines.append("    uint64 partials[32];  // a value a warp")
    if "partial_seconds" in uses:
        lines.append("    uint64 partial_seconds[32];  // of pairs")
    if "block_best" in uses:
        lines.append("    block_winners winners;")
    return "\n".join([*lines, *_one_of(_used_at_once(uses)), "};"])


def _used_at_once(uses: frozenset[str]) -> list[str]:
    """What no two operators need at a time, and nothing lasts in."""
    once = []
    if "push_blocks" in uses:
        once.append("block_tile tile;")
    if "intersect_tables" in uses:
        once.append("neighbor_table table;")
    if "sort_ids" in uses:
        once.append("digit_counts digits;")
    if "vote_room" in uses:
        once.append("uint64 votes[VOTE_WORDS];")
    if "entry_collector" in uses:
        once.append("key_word staged_keys[BLOCK_THREADS / 32][STAGED + 32];  // the ranks of a warp's vertices")
    return once


def _one_of(members: list[str]) -> list[str]:
    """Members of a struct of which one is used at a time."""
    several = len(members) > 1
    inner = [f"{'        ' if several else '    '}{member}" for member in members]
    return ["    union {", *inner, "    };"] if several else inner


def _totals_text(totals: TotalsText) -> str:
    members = [f"    {m.type} {m.name} = {m.identity};" for m in totals.members]
    return "\n".join([f"struct {totals.type} {{", *members, "};"])
