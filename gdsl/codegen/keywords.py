"""The words that C++ and CUDA compilers never take for a name."""

from __future__ import annotations

_WORDS = """
    alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch
    char char8_t char16_t char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr
    constinit continue contract_assert decltype default defined delete do double dynamic_cast else enum explicit export
    extern false final float for friend goto if import inline int long module mutable namespace new noexcept not not_eq
    nullptr operator or or_eq override private protected public reflexpr register reinterpret_cast requires restrict
    return short signed sizeof static static_assert static_cast struct switch synchronized template this thread_local
    throw transaction_safe true try typedef typeid typename typeof union unsigned using virtual void volatile wchar_t
    while xor xor_eq
    """
KEYWORDS = frozenset(_WORDS.split())
"""C++ keywords of every standard, those with a meaning in some places, the alternative tokens, `defined` (which no
`#undef` may name), and `restrict` and `typeof`, which compilers borrow from C."""
