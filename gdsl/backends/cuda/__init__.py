"""The cuda backend: the host's side of programs on GPUs.

- From a program to machine code: `planning`, `backend` (with the cache), `nvrtc`, `packaged`.
- One form of a program is a `compiled_form`; which of them runs on a graph: `executable_forms`, `executable`,
  `form_tries`; what each keeps for a graph is a `graph_record`, with what earlier runs have shown: `observed_order`,
  `observed_blocks`, `observed_gpus` and `observed_forms`.
- One run: `enactor` launches the kernel, or (`host_walk`) a kernel for each step. Its memory is in `run_memory`,
  `run_results` and `run_transfers`, what kernels get in `argument_record`, the trace in `trace`.
- The graph on the device: `memory`, `graph_cache`, `building`; vertices by degree: `degree_order`, `numbering`,
  `renumbered_graph`; edge lists in the host's memory: `graph_placement`, `host_graph`, `renumbered_host_graph`,
  `host_memory`; graphs made of it that stay: `hoisted_graphs`.
- The device: `protocol` is its interface, `device` one GPU (with `device_memory`, `launching`, `pinned_copies`,
  `clocks`), `several_gpus` those of one host (with `spread_memory`, `flat_ranges`, `owned_chunks`, `own_arguments`,
  `whole_gpus`). Tests put an emulator in their place.
- Many runs: `stream_queue` for `submit`; `batch_runs`, `teams` and `team_memory` for `map`.
- Workers with a GPU each: `share_run`, `share_on_device`, `worker_enactor`; from GPU to GPU: `choosing_links`, `links`,
  `direct_exchanges`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gdsl.backends.cuda.planning import class_on, neighbors_of, plan_of, require_fused, source_text

if TYPE_CHECKING:
    from gdsl.backends.cuda.backend import CudaBackend

__all__ = ["class_on", "create_backend", "neighbors_of", "plan_of", "require_fused", "source_text"]


@cache
def create_backend() -> CudaBackend:
    """The only cuda backend of the process."""
    from gdsl.backends.cuda.backend import CudaBackend

    return CudaBackend()
