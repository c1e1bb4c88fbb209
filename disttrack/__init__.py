"""One import for users: everything that scripts and notebooks need.

>>> import disttrack
>>> disttrack.play(disttrack.Deterministic(alpha=0.1), disttrack.RoundRobin(), sites=4, items=100).ok
True
"""

# of two classes of one name, the hard instance that plays comes after the one that is computed
from mechanisms import *  # noqa: F403, I001
from adversaries import *  # type: ignore[assignment]  # noqa: F403
from protocols import *  # noqa: F403
from simulator import *  # noqa: F403
