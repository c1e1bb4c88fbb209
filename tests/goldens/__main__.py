"""Makes the goldens anew: ``python tests/goldens``.

Of the golden transcripts the text at the top is kept; what the terminal and pages show
and what figures describe is written as it is now.
"""

import sys
import tempfile
from pathlib import Path

sys.path += [str(Path(__file__).parents[1] / room) for room in ("simulator", "conformance")]  # results, faulty classes

from golden_edited import regenerate_edited
from golden_figures import regenerate_figures
from golden_files import regenerate
from golden_messages import regenerate_messages
from golden_pages import regenerate_pages
from golden_terminal import regenerate_terminal
from refusals import regenerate_refusals
from user_files import regenerate_commands

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        regenerate_messages()
        regenerate_refusals()
        regenerate_commands(place)
        synthetic = regenerate_edited(place) + regenerate_figures(place) + regenerate_pages(place)
        sys.exit(regenerate() + regenerate_terminal() + synthetic)
