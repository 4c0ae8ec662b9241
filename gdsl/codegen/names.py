"""How a program's own names are printed: as they are, wherever that is safe, and safe whatever the names are.

While text is made a name is a *mark*, a number between two control characters that no other text contains. When the
text is whole, `Names.settle` gives every mark its form. So what is ours and what is the program's are distinguished by
construction, and no list says what our own text contains: it is read off the text.

Where a form is used:

- *members* of the problem data and of totals: after `d.` or `totals.`, and in the definitions of those structs;
- *locals* (with parameters): in the functions that are printed for functors and functions, and nowhere else. Operators
  call those functions by position and have names of their own for a vertex and an edge;
- *variables*: the frontiers, in the function or the kernels that run the schedule;
- *globals*: functions, in a namespace that holds all that is generated.

Why no form can be taken for something else:

- Our own words. A name is printed as it is only if our own text has no such word where that name can be seen: in the
  structs for a member, in the functions for a local, around the schedule for a variable, anywhere for a global. (An
  inner declaration hides an outer one, so no other text is touched.) Otherwise it gets a form that occurs nowhere in
  our text and that nothing else in the program is called.
- Each other. The language keeps apart what is declared in one scope. What we derive (`visit_apply`, `advance_visit`)
  and every form that is not the name itself differs from all names of the program and from all other forms.
- Libraries. Headers and compilers declare things in the global namespace; the functions of a program are in one of
  ours and hide them there, and no argument brings another namespace in.
- Names of data that the compiler adds late are no words, so that no program has them, and never printed as they are.
- Macros. Names that begin with an underscore or contain two are the compiler's and never printed as they are. Every
  other form that is no word of our own text is undefined (`#undef`) once, after all headers and before its first use;
  it is harmless where there is no such macro. Words of our own text that are macros have no lower-case letters, and no
  form is one of those.
- Keywords are a closed list, that of the standard.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache

_KEYWORDS = """
    alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch
    char char8_t char16_t char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr
    constinit continue contract_assert decltype default defined delete do double dynamic_cast else enum explicit export
    extern false final float for friend goto if import inline int long module mutable namespace new noexcept not not_eq
    nullptr operator or or_eq override private protected public reflexpr register reinterpret_cast requires restrict
    return short signed sizeof static static_assert static_cast struct switch synchronized template this thread_local
    throw transaction_safe true try typedef typeid typename typeof union unsigned using virtual void volatile wchar_t
    while xor xor_eq
    """
KEYWORDS = frozenset(_KEYWORDS.split())
"""C++ keywords of every standard, those with a meaning in some places, the alternative tokens, `defined` (which no
`#undef` may name), and `restrict` and `typeof`, which compilers borrow from C."""
UNDEFINED = "\x01undefined\x02"
"""Marks the place of the directives against macros."""

_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
"""Whichever begins first: neither means anything inside the other."""
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_MARK = re.compile("\x01(\\d+)\x02")
_NOT_A_WORD = re.compile(r"\W")


@lru_cache(maxsize=16)  # a program's texts are looked up several times, and then never again
def identifiers_of(text: str) -> frozenset[str]:
    """Every identifier in C++ text, outside comments and strings; marks are not identifiers."""
    return frozenset(_IDENTIFIER.findall(_COMMENT_OR_STRING.sub(" ", text.replace(UNDEFINED, ""))))


library_identifiers_of = cache(identifiers_of.__wrapped__)
"""The same for texts of the runtime, which all programs share."""


class Scope(Enum):
    """Where a name is used in the generated text."""

    MEMBER = "member"
    LOCAL = "local"
    VARIABLE = "variable"
    GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class _Name:
    scope: Scope
    text: str
    owner: str = ""
    """What a derived name is for, where two may read the same; empty for the names of the program."""


class Names:
    """The names of one program. Everything but `settle` and `spell` gives marks."""

    def __init__(self) -> None:
        self._names: dict[_Name, int] = {}
        self._forms: dict[int, str] = {}
        self._own: frozenset[str] = frozenset()

    def member(self, name: str) -> str:
        """A param, array or scalar, as a member of the problem data (without the `d.`) or of totals."""
        return self._mark(_Name(Scope.MEMBER, name))

    def local(self, name: str) -> str:
        """The name in generated code of a local, or of a parameter of a functor or function."""
        return self._mark(_Name(Scope.LOCAL, name))

    def function(self, name: str) -> str:
        """One of the program's own functions."""
        return self._mark(_Name(Scope.GLOBAL, name))

    def frontier(self, name: str) -> str:
        """A frontier variable of the schedule."""
        return self._mark(_Name(Scope.VARIABLE, name))

    def functor(self, name: str, part: str) -> str:
        """The function that is a `part` (`condition`, `apply`, …) of a functor, or a type that belongs to it."""
        return self._mark(_Name(Scope.GLOBAL, f"{name}_{part}", f"functor {name}"))

    def derived(self, scope: Scope, text: str, owner: str) -> str:
        """Something else that is called after names of the program: `owner` tells apart what may read the same."""
        return self._mark(_Name(scope, _NOT_A_WORD.sub("_", text), owner))

    def settle(self, words: frozenset[str], functions: str = "", schedule: str = "", structs: str = "") -> None:
        """Give every mark its form, now that `words` are the identifiers of everything that is generated.

        The other three are parts of its text: the functions of functors and functions, what runs the schedule, and the
        definitions of the structs that have members of the program.
        """
        self._own = words
        seen = {
            Scope.GLOBAL: self._own,
            Scope.LOCAL: identifiers_of(functions) | {name.text for name in self._declared(Scope.GLOBAL)},
            Scope.VARIABLE: identifiers_of(schedule) | {name.text for name in self._declared(Scope.GLOBAL)},
            Scope.MEMBER: identifiers_of(structs),
        }
        never = KEYWORDS | {word for word in self._own if word == word.upper()}
        self._forms = {
            mark: name.text
            for name, mark in self._names.items()
            if not name.owner and not _is_reserved(name.text) and name.text not in seen[name.scope] | never
        }
        taken = {*self._own, *KEYWORDS, *(name.text for name in self._names if not name.owner)}
        numbers: dict[str, Iterator[int]] = {}
        for name, mark in self._names.items():
            if mark not in self._forms:
                self._forms[mark] = _free(name.text, bool(name.owner), taken, numbers)
                taken.add(self._forms[mark])

    def spell(self, text: str) -> str:
        """`text` with forms in the place of marks."""
        forms = {self._forms[int(mark)] for mark in _MARK.findall(text)} - self._own
        directives = "\n".join(f"#undef {form}" for form in sorted(forms))
        return _MARK.sub(lambda mark: self._forms[int(mark[1])], text).replace(UNDEFINED, directives)

    def _declared(self, scope: Scope) -> list[_Name]:
        return [name for name in self._names if name.scope is scope and not name.owner]

    def _mark(self, name: _Name) -> str:
        return f"\x01{self._names.setdefault(name, len(self._names))}\x02"


def _is_reserved(name: str) -> bool:
    """Whether the name is no word, or one of those that the standard leaves to compilers."""
    return name.startswith("_") or "__" in name or _NOT_A_WORD.search(name) is not None


def _free(name: str, plain: bool, taken: set[str], numbers: dict[str, Iterator[int]]) -> str:
    """A form after `name` that is not in `taken`, the name itself only where that is `plain`ly allowed. `numbers` are
    by form those that were not tried yet: what is taken stays so."""
    if plain and not _is_reserved(name) and name not in taken:
        return name
    base = re.sub("_+", "_", _NOT_A_WORD.sub("_", name)).strip("_")
    if not base or base[0].isdigit():
        base = f"name_{base}".rstrip("_")
    form = f"{base}_"
    while form in taken:
        form = f"{base}_{next(numbers.setdefault(base, itertools.count(2)))}"
    return form
