"""C++ compiled for this machine: its compiler, what that makes, tried before it is trusted, and kept."""
