"""The language server, `gdslc lsp`: what editors ask about programs, whatever state their texts are in.

`lexing` and `outline` understand any text, also half a program; `documents` adds what the compiler finds out, as far as
it gets. Each of the other modules answers one kind of question; `server` is the protocol.
"""
