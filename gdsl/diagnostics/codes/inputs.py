"""E06xx: what the caller gives to a run."""

from __future__ import annotations

from gdsl.diagnostics.registry import Code

CODES: tuple[Code, ...] = (
    Code(
        "E0601",
        "missing param",
        "The param has no default, so a value must be given: `-p name=value` or a keyword argument.",
        "gdslc run bfs.gdsl karate.mtx            # -p source=0",
    ),
    Code(
        "E0602",
        "unknown param or input",
        "The program declares no param or input of this name.",
        "gdslc run bfs.gdsl karate.mtx -p sorce=0",
    ),
    Code(
        "E0603",
        "value of a param not usable",
        "The value is no number or bool of the param's type, or the type does not have it; `--round NAME` (in Python "
        "`round=NAME`) takes the nearest value.",
        "gdslc run bfs.gdsl karate.mtx -p source=x",
    ),
    Code(
        "E0604",
        "vertex out of range",
        "A vertex param is not one of the graph's vertices, which count from 0, or the graph has no vertex of this "
        "name.",
        "gdslc run bfs.gdsl karate.mtx -p source=34",
    ),
    Code(
        "E0605",
        "missing input",
        "Neither the graph nor the caller has an array of this name.",
        "gdslc run sssp.gdsl pattern.mtx          # --weights random:1",
    ),
    Code(
        "E0606",
        "input of the wrong length",
        "An input over vertices has one value a vertex, one over edges one value a stored edge; one of several values "
        "an element has the shape (vertices, values) or (edges, values).",
    ),
    Code(
        "E0607",
        "input of the wrong type",
        "The array's dtype does not become the declared type without loss, or the declared type does not have one of "
        "its values; the first one is named. `--round NAME` (in Python `round=NAME`) takes the nearest values.",
    ),
    Code(
        "E0608",
        "value refused by `where`",
        "A param, a member of a set, or a value of an input does not fulfil its `where`; the first one is named. NaN "
        "never does.",
        "input edge weight : float32 where weight >= 0;",
    ),
    Code(
        "E0609",
        "graph not as required",
        "`requires symmetric` or `requires simple` does not hold of the graph; the first offender is named. "
        "`--undirected` makes a graph symmetric, `--no-loops --dedup first` makes it simple.",
        "requires symmetric;",
    ),
    Code(
        "E0610",
        "ids too narrow",
        "`schedule.ids=32` was asked for, and the graph has more vertices or edges than such ids can name.",
        "gdslc run bfs.gdsl huge.npz --tune schedule.ids=32",
    ),
    Code(
        "E0611",
        "array file not usable",
        "`-p name=@FILE` reads an array from a .npy file, a .npz file with an array of that name (or of the name "
        "behind a colon: `-p name=@FILE.npz:array`), or a text file of one number a line; this file is none of these.",
        "gdslc run hops.gdsl karate.mtx -p is_site=@sites.npy",
    ),
    Code(
        "E0612",
        "literal that is no vertex of the graph",
        "An integer literal in the place of a vertex (or an edge) must be one of the graph's, which count from 0. "
        "Comparisons and indices take any number, and a cast such as `vertex(34)` gives `none` where there is no such "
        "vertex.",
        "frontier f = { 34 };                      # of a graph with 34 vertices",
    ),
    Code(
        "E0613",
        "array too narrow for the graph",
        "`number(f)` counts up to the graph's number of vertices (or edges), which the type of its array must hold.",
        "vertex place : int32; … place = number(f);  # of a graph with more than 2^31 vertices",
    ),
    Code(
        "E0614",
        "number of values an element that cannot be",
        "In `vertex a[n] : T` the params of the run make n less than 1, or 2^31 and more.",
        "gdslc run factors.gdsl karate.mtx -p rank=0",
    ),
    Code(
        "E0615",
        "tune file not usable",
        "The file that `gdslc tune` is to have written cannot be read, is damaged, or is something else. One that is "
        "whole and belongs to another text of the program, or another version of gdsl, is warned of and not used.",
        "gdslc run bfs.gdsl karate.mtx --tune-file notes.txt",
    ),
    Code(
        "E0616",
        "profile not usable",
        "The file that `gdslc profile --json` or `--html` is to have written cannot be read, is damaged, is something "
        "else or is of another version of gdsl.",
        "gdslc profile --compare notes.txt bfs karate -p source=0",
    ),
    Code(
        "E0617",
        "nothing to compare",
        "Two profiles are of programs that have no operator of the same label in common.",
        "gdslc profile --compare bfs.json pagerank.json",
    ),
    Code(
        "E0620",
        "no type for what was given",
        "A type parameter takes its type from the arrays and values that are given for it, and none of the types that "
        "the program admits represents all of these exactly. Choose a type: `-t weight_type=float64`, from Python "
        '`types={"weight_type": "float64"}`.',
        "gdslc run scaled.gdsl karate.mtx -p factors=@int64.npy -p offsets=@float64.npy",
    ),
    Code(
        "E0621",
        "choice of a type that cannot be",
        "`-t NAME=TYPE`, from Python `types={NAME: TYPE}`, names a type parameter of the program and one of the types "
        "that this admits.",
        "gdslc run sssp karate -p source=0 -t weight=int16",
    ),
)
