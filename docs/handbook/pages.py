"""Pages of ``docs/`` as the site needs them: links to its pages, blocks named, tables of claims and columns put in."""

from __future__ import annotations

import re
from typing import Final

from disttrack.mechanisms.docstrings import described
from disttrack.simulator.game import columns
from disttrack.simulator.game.columns import ENDED_COLUMNS, NETWORK_COLUMNS, TRIAL_COLUMNS
from handbook.corpus import shipped
from handbook.gallery import claims_table
from handbook.links import rewritten
from handbook.prose import code, prose, table

NAMED: Final = re.compile(r"^( *`{3,})(\w+) ([\w./-]+)$", re.MULTILINE)
CLAIMS: Final = re.compile(r"^<!-- claims of: ([\w-]+) -->$", re.MULTILINE)
COLUMNS: Final = "<!-- columns of trials.csv -->"


def prepared(markdown: str, file: str) -> str:
    """Return the Markdown of a page as the site needs it; GitHub shows it as it is. Links are those of its file."""
    text = CLAIMS.sub(lambda match: claims_table(shipped()[match[1]].claims), markdown)
    text = text.replace(COLUMNS, columns_table())
    return rewritten(NAMED.sub(r'\1\2 title="\3"', text), file)


def columns_table() -> str:
    """Return the columns of trials.csv with what each is, and what knows it: run, point or game."""
    all_columns, says = (*TRIAL_COLUMNS, *NETWORK_COLUMNS, *ENDED_COLUMNS), described(columns.__doc__ or "")
    rows = [[code(column.name), prose(says[column.name]), column.origin] for column in all_columns]
    return table(["column", "what it is", "known by"], rows)
