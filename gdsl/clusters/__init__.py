"""Runs on several machines: workers on Ray or MPI, each with its part of the graph."""
