"""The backends: what turns the IR of a program into something to call."""
