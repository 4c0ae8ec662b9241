"""Fixes are typed in before they are shown: a suggestion that does not remove its message, or leads to another, is not.

Stages that find mistakes suggest what to write instead; this package applies it to the text, has the program
analyzed again, and keeps the first suggestion that helps.
"""

from gdsl.suggestions.verification import Outcome, verified

__all__ = ["Outcome", "verified"]
