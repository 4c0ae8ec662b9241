"""The Python interface: `gdsl.compile`, programs that are called like functions, and their results."""
