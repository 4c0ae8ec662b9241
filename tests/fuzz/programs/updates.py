"""The writes that reduce, by the type of what is written."""

from fuzz.programs.scopes import FLOATS, IDS, INTEGERS, TYPES

REDUCTIONS = {
    "bool": ("|=", "&=", "^="),
    **dict.fromkeys(INTEGERS, ("min=", "max=", "+=", "-=", "*=", "&=", "|=", "^=")),
    **dict.fromkeys(FLOATS, ("min=", "max=", "+=", "-=")),
    **dict.fromkeys(IDS, ("min=", "max=")),
}

assert set(REDUCTIONS) == set(TYPES)
