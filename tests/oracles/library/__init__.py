"""What the samples beyond the first four must answer."""

from ..case import Case
from .centrality import CENTRALITY
from .choosing import CHOOSING
from .communities import COMMUNITIES
from .components import COMPONENTS
from .counting import COUNTING
from .flows import FLOWS
from .following import FOLLOWING
from .paths import PATHS
from .searches import SEARCHES
from .structure import STRUCTURE
from .walks import WALKS

LIBRARY: tuple[Case, ...] = (
    *CENTRALITY,
    *CHOOSING,
    *COMMUNITIES,
    *COMPONENTS,
    *COUNTING,
    *PATHS,
    *SEARCHES,
    *STRUCTURE,
    *FLOWS,
    *FOLLOWING,
    *WALKS,
)

__all__ = ["LIBRARY"]
