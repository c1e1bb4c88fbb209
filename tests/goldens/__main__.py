"""Makes the goldens anew: ``python tests/goldens``.

Of the golden transcripts the text at the top is kept; what the terminal shows is written as it is now.
"""

import sys

from golden_files import regenerate
from golden_terminal import regenerate_terminal

if __name__ == "__main__":
    sys.exit(regenerate() + regenerate_terminal())
