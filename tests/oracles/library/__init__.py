"""What the samples beyond the first four must answer."""

from ..case import Case
from .centrality import CENTRALITY
from .choosing import CHOOSING
from .components import COMPONENTS
from .counting import COUNTING
from .paths import PATHS

LIBRARY: tuple[Case, ...] = (*CENTRALITY, *CHOOSING, *COMPONENTS, *COUNTING, *PATHS)

__all__ = ["LIBRARY"]
