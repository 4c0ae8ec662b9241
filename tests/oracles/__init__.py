"""What every sample and test program must answer, made without gdsl."""

from .buckets import BUCKETS
from .case import Case
from .corners import CORNERS
from .draws import DRAWS
from .edges import EDGES
from .histories import HISTORIES
from .intersections import INTERSECTIONS
from .library import LIBRARY
from .lists import LISTS
from .pairs import PAIRS
from .reductions import REDUCTIONS
from .samples import SAMPLES
from .schedules import SCHEDULES
from .sets import SETS
from .several import SEVERAL
from .short import SHORT
from .traversals import TRAVERSALS
from .values import VALUES
from .votes import VOTES

CASES: tuple[Case, ...] = (
    *SAMPLES,
    *LIBRARY,
    *TRAVERSALS,
    *VALUES,
    *SCHEDULES,
    *SETS,
    *EDGES,
    *INTERSECTIONS,
    *LISTS,
    *REDUCTIONS,
    *SHORT,
    *DRAWS,
    *PAIRS,
    *SEVERAL,
    *VOTES,
    *CORNERS,
    *HISTORIES,
    *BUCKETS,
)
BY_NAME = {case.name: case for case in CASES}

__all__ = ["BY_NAME", "CASES", "LIBRARY", "SAMPLES", "Case"]
