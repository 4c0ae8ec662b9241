"""What the operations of the language do to values: the one place that says so for Python and NumPy."""
