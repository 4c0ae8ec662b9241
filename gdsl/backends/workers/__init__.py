"""What workers of any backend have in common: their lists of a graph, exchanges, and what they return."""
