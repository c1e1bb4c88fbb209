"""Pages of ``docs/`` as the site needs them: links led to its pages, blocks named, tables of claims put in."""

from __future__ import annotations

import re
from typing import Final

from handbook.claims_pages import shipped_pages
from handbook.corpus import shipped
from handbook.gallery import claims_table
from handbook.links import rewritten

NAMED: Final = re.compile(r"^( *`{3,})(\w+) ([\w./-]+)$", re.MULTILINE)
OVERVIEW: Final = "<!-- claims of the papers -->"
CLAIMS: Final = re.compile(r"^<!-- claims of: ([\w-]+) -->$", re.MULTILINE)


def prepared(markdown: str, path: str) -> str:
    """Return the Markdown of the page at a path as the site needs it; GitHub shows it as it is."""
    text = CLAIMS.sub(lambda match: claims_table(shipped()[match[1]].claims), markdown)
    if OVERVIEW in text:
        text = text.replace(OVERVIEW, shipped_pages()[""])
    return rewritten(NAMED.sub(r'\1\2 title="\3"', text), path)
