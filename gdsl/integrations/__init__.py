"""Other programs that use gdsl: NetworkX, as one of its backends, and notebooks."""
