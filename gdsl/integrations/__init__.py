"""Other programs that use gdsl: NetworkX, as one of its backends, PyTorch Geometric, and notebooks."""
