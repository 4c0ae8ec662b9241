"""The operations of the language on values, defined once for Python and NumPy."""
