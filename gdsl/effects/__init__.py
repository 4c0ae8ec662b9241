"""What the parts of a program read and write, worked out on the IR."""
