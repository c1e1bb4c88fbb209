"""Plays the golden transcripts anew, and keeps the text at the top of each file: ``python tests/goldens``."""

import sys

from golden_files import regenerate

if __name__ == "__main__":
    sys.exit(regenerate())
