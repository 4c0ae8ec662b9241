"""What every campaign has in common: a seed for each case, a limit, a count, and findings that can be repeated."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

Case = Callable[[random.Random], "str | Counter[str]"]
"""One case, made from nothing but the generator: returns how it went, in a word or two that are counted
(``"accepted"``, ``"E0201"``), or the counts of a case of many parts; raises `Finding` for what must not happen."""


class Finding(Exception):  # noqa: N818 (what a campaign looks for is no error of the campaign)
    """Something that must not happen, with all that a person needs to see it again."""

    def __init__(self, text: str, answers: Counter[str] | None = None) -> None:
        """`answers`: how the other parts of the case went."""
        super().__init__(text)
        self.answers: Counter[str] = Counter() if answers is None else answers


@dataclass
class Campaign:
    """The outcome of many cases: how often each answer was seen, and every finding with the seed of its case."""

    name: str
    seed: int
    cases: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    findings: list[tuple[int, str]] = field(default_factory=list)

    def line(self) -> str:
        """The outcome in one line."""
        seen = ", ".join(f"{answer} {count:,}" for answer, count in self.answers.most_common(12))
        return f"{self.name}: {self.cases:,} cases from seed {self.seed}, {len(self.findings)} findings ({seen})"


def run(
    name: str,
    case: Case,
    *,
    seed: int,
    count: int | None = None,
    seconds: float | None = None,
    progress: Callable[[Campaign], None] | None = None,
) -> Campaign:
    """Run `case` with the seeds `seed`, `seed + 1`, … until `count` cases or `seconds` are over.

    An exception other than `Finding` is a finding too: a case must say itself which errors are right answers.
    """
    campaign = Campaign(name, seed)
    ends = None if seconds is None else time.monotonic() + seconds
    while (count is None or campaign.cases < count) and (ends is None or time.monotonic() < ends):
        own = seed + campaign.cases
        campaign.cases += 1
        try:
            answer = case(random.Random(own))
            campaign.answers.update([answer] if isinstance(answer, str) else answer)
        except Finding as finding:
            campaign.answers.update(finding.answers)
            campaign.findings.append((own, str(finding)))
        except Exception as error:  # whatever escapes is what the campaign looks for
            campaign.findings.append((own, f"{type(error).__name__}: {error}"))
        if progress is not None:
            progress(campaign)
    return campaign
