"""From a plan to CUDA C++."""

from __future__ import annotations

import dataclasses
from pathlib import PurePath

from gdsl.codegen.cuda import runtime
from gdsl.codegen.cuda.layout import batch_struct, graph_slice, layout_of, run_slice, value_struct
from gdsl.codegen.cuda.template_helpers import CudaHelpers
from gdsl.codegen.generated import CudaText
from gdsl.codegen.library import alias_text, struct_text
from gdsl.codegen.lines import comment_lines, number_lines, title_line
from gdsl.codegen.names import UNDEFINED, identifiers_of
from gdsl.codegen.structs import struct_dtype
from gdsl.codegen.templates import render
from gdsl.plan import structs
from gdsl.plan.buffer_nodes import Struct
from gdsl.plan.buffers import control_block, small_frontier_member
from gdsl.plan.nodes import Plan
from gdsl.plan.solo_rounds import solo_loops
from gdsl.plan.target import INSTANCES
from gdsl.plan.walking import leaves_edges_out
from gdsl.plan.work_order import key_type
from gdsl.types import Type, Widths
from gdsl.version import __version__

_STORED = frozenset(
    {
        "collector",
        "edge_collector",
        "end_queue",
        "local_worklist",
        "block_reduce",
        "push_blocks",
        "intersect_tables",
        "sort_ids",
        "vote_room",
        "block_best",
        "instance_set",
    }
)
"""What has members in `block_storage`, as far as these need pieces of the runtime."""


def generate(plan: Plan, widths: Widths) -> CudaText:
    """CUDA C++ of `plan` for ids of these widths."""
    return _generation(plan, widths).run()


def generate_for_both_sides(plan: Plan, widths: Widths) -> tuple[CudaText, dict[str, str]]:
    """CUDA C++ of `plan` for a file that has the host's code too, and by the name of each field of `Layout.problem`
    what it is called in the text."""
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
        self.cuda = CudaHelpers(plan)
        self.names = self.cuda.names
        layout = layout_of(plan, widths)
        size = layout.dtype(widths).itemsize
        self.data_slice = struct_text(
            "cuda", self._named(layout.problem), parts=("graph_slice", "run_slice"), size=size
        )

    def run(self) -> CudaText:
        kernels = self.cuda.kernel_names()
        body = self._render("body.cu.j2" if self.plan.bits is None else "instances.cu.j2", kernel_names=kernels)
        return CudaText(self._text(body), kernels, self.cuda.checks)

    def _render(self, name: str, **context: object) -> str:
        return render("cuda", name, cuda=self.cuda, **context)

    def _text(self, body: str) -> str:
        """The whole file around `body`."""
        platform, pieces, uses = self._link(body)
        text = self._render(
            "program.cu.j2",
            head=self._head(),
            platform=platform,
            widths=self.widths,
            uses=uses,
            undefined=UNDEFINED,
            runtime=pieces,
            body=body,
        )
        totals = self._render("structs.cu.j2")
        self.names.settle(
            identifiers_of(text),
            functions="\n".join([totals, self._render("functions.cu.j2")]),
            schedule=body.rpartition("// ---- enactor ----")[2],
            structs="\n".join([self.data_slice, totals, *self._of_teams().values()]),
        )
        return number_lines(self.names.spell(text), f"{self.program.name}.cu")

    def _of_teams(self) -> dict[str, str]:
        """The structs of a batch, where there is one."""
        if self.plan.teams is None:
            return {}
        params = value_struct(self.plan, self.widths)
        size = struct_dtype(params, self.widths).itemsize
        return {
            "value_params": struct_text("cuda", self._named(params), size=size),
            "batch_slice": struct_text("cuda", batch_struct(self.plan), self.widths),
        }

    def _named(self, struct: Struct) -> Struct:
        """`struct` with its fields under the names that they have in the text."""
        fields = tuple(dataclasses.replace(field, name=self.names.member(field.name)) for field in struct.fields)
        return dataclasses.replace(struct, fields=fields)

    def _shared_structs(self) -> dict[str, str]:
        """The structs whose size the host must know, and their parts."""
        plan, control = self.plan, control_block(self.plan)
        (counters,) = (field.type for field in control.fields if isinstance(field.type, Struct))
        checked = [control, structs.TRACE_RECORD, structs.LANE_RECORD, structs.HUB_CHUNK, small_frontier_member(plan)]
        checked += [plan.saved] if plan.saved is not None else []
        checked += [structs.HOISTED_GRAPH]
        parts = (counters, structs.FRONTIER, structs.EDGE_FRONTIER, structs.DIRECTION_STATE)
        texts = {struct.name: struct_text("cuda", struct, self.widths) for struct in checked}
        return texts | {struct.name: struct_text("cuda", struct) for struct in parts}

    # The runtime around the program's own text

    def _link(self, body: str) -> tuple[list[str], list[str], frozenset[str]]:
        """The runtime's pieces that `body` needs, around the structs of this program."""
        generated = {
            "graph_slice": struct_text("cuda", graph_slice(self.plan)),
            "run_slice": struct_text("cuda", run_slice(self.plan)),
            "data_slice": self.data_slice,
            **self._shared_structs(),
            "key_word": alias_text("cuda", "key_word", key_type(self.plan) or Type.UINT32),
            "block_storage": self._block_storage(_STORED),
        }
        made = runtime.GRAPH_BUILDING_LIBRARY if leaves_edges_out(self.plan) else runtime.CONTRACTED_LIBRARY
        library = made if self.plan.graphs else runtime.LIBRARY
        if self.plan.teams is not None:
            generated |= self._of_teams()
            library = runtime.TEAMS_LIBRARY
        if self.plan.target.several_gpus:
            library = runtime.on_several_gpus(library)
        if any(solo_loops(self.plan)):
            library = runtime.with_solo_rounds(library)
        if self.plan.target.lanes:
            library = runtime.with_lanes(library)
        if self.both_sides:
            library = runtime.on_both_sides(library)
        _, pieces = runtime.link(body, generated, library)
        generated["block_storage"] = self._block_storage(identifiers_of(body) | _called(pieces))
        platform, pieces = runtime.link(body, generated, library)
        uses = identifiers_of("\n".join([body, *pieces]))
        return platform, pieces, uses

    def _block_storage(self, uses: frozenset[str]) -> str:
        return self._render("block_storage.cu.j2", uses=uses).strip()

    def _head(self) -> list[str]:
        program, tuning = self.program, self.program.tuning
        options = [
            str(self.widths),
            "one persistent kernel" if self.plan.target.fused else "a kernel for each step",
            *self._words_of_teams(),
            *(["on several GPUs"] if self.plan.target.several_gpus else []),
            *(["a lane of the trace for each"] if self.plan.target.lanes else []),
            *(["several workers"] if self.plan.target.workers else []),
            f"{self.plan.sizes.block_threads} threads per block",
            "computed indices checked" if tuning.bounds else "computed indices not checked",
        ]
        doc = ["", *comment_lines(program.doc)] if program.doc.strip() else []
        title = title_line(f"{program.name}: generated by gdsl {__version__} from {program.source_name}")
        return [title, f"({', '.join(options)})", *doc]

    def _words_of_teams(self) -> list[str]:
        if self.plan.teams is None:
            return []
        together = f"up to {INSTANCES * self.plan.sizes.instance_words} values together"
        return [f"teams of blocks, each with {'one value' if self.plan.bits is None else together} after the other"]


def _called(pieces: list[str]) -> frozenset[str]:
    return identifiers_of("\n".join(piece for piece in pieces if not piece.startswith("struct block_storage")))
