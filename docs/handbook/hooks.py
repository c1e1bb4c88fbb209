"""What is done to each page before mkdocs reads it: links led to the site, blocks named, tables of claims put in."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from handbook.corpus import shipped
from handbook.gallery import claims_table
from handbook.links import rewritten

NAMED: Final = re.compile(r"^( *`{3,})(\w+) ([\w./-]+)$", re.MULTILINE)
CLAIMS: Final = re.compile(r"^<!-- claims of: ([\w-]+) -->$", re.MULTILINE)


def on_page_markdown(markdown: str, /, *, page: Any, **_: Any) -> str:
    """Return the Markdown of a page as the site needs it; GitHub shows it as it is."""
    return prepared(markdown, page.file.src_uri)


def prepared(markdown: str, path: str) -> str:
    """Return the Markdown of the page at a path as the site needs it."""
    text = CLAIMS.sub(lambda match: claims_table(shipped()[match[1]].claims), markdown)
    return rewritten(NAMED.sub(r'\1\2 title="\3"', text), path)
