"""Runs on several machines: workers on Ray or MPI, each with its part of the graph.

`session` is what the caller has (`gdsl.cluster`). It gives each worker `jobs`, by Ray (`ray_cluster`, `ray_worker`) or
among the ranks of MPI (`mpi`, `mpi_ranks`); `members` lets them introduce themselves, `fingerprints` compares their
graphs. Results may stay where they are (`result_parts`, `result_folder`), and runs go on from `checkpoints`
(`checkpoint_folder`). `model` says what time and memory to expect of a larger system.
"""
