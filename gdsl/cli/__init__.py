"""`gdslc`, the command line: one file a verb."""
