"""From a plan to C++ and CUDA text: templates lay it out, and this package prints what they put in.

Both languages share the printers of expressions, statements and functions (`expressions`, `statements`, `functions`,
`functors`); `cuda` and `cpu` have a `generate` and the helpers that templates call. `library` finds the pieces of the
runtime that a program needs. `names` and `precedence` keep the text correct whatever a program's own names are.
"""
