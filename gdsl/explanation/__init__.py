"""One page on what the compiler understood of a program: `gdslc explain PROGRAM`.

Nothing is analyzed here a second time. `data` puts the effects, the rules and the grades into words, `operators` and
`traffic` the kernel plan, and `faster` the warnings and what stopped the compiler's passes. `facts` is the part that
editors show at the cursor; `page` prints the parts of `model`.
"""

from __future__ import annotations

from gdsl.explanation.explaining import explain
from gdsl.explanation.model import Explanation

__all__ = ["Explanation", "explain"]
