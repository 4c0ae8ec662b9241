"""From text to the typed syntax tree.

- Parsing: `parser` has Lark read the text (`tables` keeps what Lark makes of the grammar), and `builder` and
  `builder_expressions` make nodes of it, those of `syntax`. `importing` adds what other files declare.
- A text that cannot be read: `failures` and `failure_messages` say what is wrong, by the table of `mistakes`, and
  `recovery` reads on after it, by what a text looks like without a parser (`program_outline`).
- What is read: `check`, by the tables of `signatures` and `vocabulary`. Both for an editor: `analysis`.
"""

from gdsl.frontend.analysis import Analysis, Reading, analyze, analyze_library, is_library
from gdsl.frontend.check import CheckedProgram, check, check_tune_words
from gdsl.frontend.check.type_parameters import Types
from gdsl.frontend.parser import parse, parse_tune_words

__all__ = [
    "Analysis",
    "CheckedProgram",
    "Reading",
    "Types",
    "analyze",
    "analyze_library",
    "check",
    "check_tune_words",
    "is_library",
    "parse",
    "parse_tune_words",
]
