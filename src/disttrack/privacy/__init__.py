"""Private data, monitors, queries, prediction, answers to statistical queries, sketches, and audits of privacy.

A plug-in of the simulator: it registers by the entry points of pyproject.toml, as a package of anybody's does, and
nothing outside of this folder knows it.
"""

from __future__ import annotations

from typing import Final

COMMANDS: Final = {
    "audit": (
        "disttrack.privacy.audit_command:audit",
        "Measure the privacy of a mechanism or of the robust tracker.",
        "",
        "Check",
    ),
}
"""Its command, what it does, the extra that it needs, and its heading in ``disttrack --help``."""
