"""The backends: what turns the IR of a program into something to call.

`interface` says what a backend is, `registry` has them by name, and chooses for `auto`. `reference` is the meaning of a
program, `cpu` and `cuda` compile it; `workers` is what several workers of either have in common. Here is what all of
them share: what a run allocates (`needs`, `placement`), how it fails (`failures`), runs that are awaited later
(`pending`), and runs with many values (`batch`).
"""
