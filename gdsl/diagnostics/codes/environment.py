"""E09xx: what the machine lacks."""

from __future__ import annotations

from gdsl.diagnostics.registry import Code

CODES: tuple[Code, ...] = (
    Code(
        "E0901",
        "no GPU",
        "The cuda backend was asked for and no CUDA device answers. `gdslc doctor` says what is missing.",
        "gdslc run bfs.gdsl karate.mtx --backend cuda",
    ),
    Code(
        "E0902",
        "no compiler",
        "The cpu backend was asked for and no C++ compiler was found.",
        "gdslc run bfs.gdsl karate.mtx --backend cpu",
    ),
    Code(
        "E0903",
        "CUDA compiler not installed",
        "NVRTC, which compiles CUDA without a GPU and without the toolkit, comes with the extras `gdsl[cuda13]` or "
        "`gdsl[cuda12]`. `gdslc doctor` says what is missing.",
        "gdslc compile bfs.gdsl --emit cubin --arch sm_90 -o bfs.cubin",
    ),
    Code(
        "E0904",
        "GPU architecture not known",
        "The architecture is no name of one, or the NVRTC that is installed does not compile for it.",
        "gdslc compile bfs.gdsl --emit ptx --arch sm_1",
    ),
    Code(
        "E0905",
        "generated code does not compile",
        "The compiler refused text that gdsl generated from a program that it had accepted: a defect of gdsl. Please "
        "report it with the program.",
    ),
    Code(
        "E0906",
        "C++ compiler of no use",
        "The C++ compiler leaves a library that cannot be loaded, or none, never ends, prints without end, or there "
        "is no place that libraries can be written to and loaded from. Nothing of it is kept: the next run "
        "tries again. `gdslc doctor` says how the compiler, the cache and their file systems stand; with `--backend "
        "auto` another backend takes over.",
        "CXX=true gdslc run bfs.gdsl karate.mtx --backend cpu",
    ),
    Code(
        "E0907",
        "installation not whole",
        "A module of gdsl, or of a package that it needs, cannot be imported. `gdslc doctor` says which packages are "
        "there. What tables, igraph and pictures need comes with extras, such as `pip install 'gdsl[tables]'`.",
    ),
    Code(
        "E0908",
        "pairs too wide for the GPU",
        "Pairs with a part of 64 bits take 128 bits each, and several threads update them by a compare-and-swap of 128 "
        "bits, which GPUs below compute capability 9.0 do not have. Parts of 32 bits, ids of which the graph has "
        "fewer than 2^31 among them, make pairs of 64 bits, which every GPU updates.",
        "gdslc compile farthest.gdsl --emit cubin --arch sm_80 -o farthest.cubin",
    ),
    Code(
        "E0909",
        "a knob changes a result",
        "`gdslc tune` compares what each setting of the knobs gives with what the program gives as it is; the one that "
        "is named gave something else, where both must be the same: a defect of gdsl. Please report it with the "
        "program.",
    ),
    Code(
        "E0911",
        "output not writable",
        "The output could not be written: the directory is missing, the disk is full, or the system refuses. A file "
        "that was there before is left as it was.",
        "gdslc run bfs.gdsl karate.mtx -p source=0 -o /no/such/place/result.npz",
    ),
    Code(
        "E0912",
        "out of memory",
        "The machine has less free memory than the graph and the run need. `gdslc run --dry-run` tells what a run "
        "would allocate, by buffer.",
    ),
    Code(
        "E0913",
        "cache not to be emptied",
        "Nothing is removed from a cache that somebody else could have put something into, or that cannot be named. "
        "`gdslc cache info` says where it is and what is the matter with it.",
        "GDSL_CACHE_DIR=/tmp gdslc cache clear",
    ),
)
