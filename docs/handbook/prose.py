"""Text of classes and tables as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CODE = re.compile(r"``(.+?)``|`([^`]+)`")
_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\*_[]|"} | {"<": "&lt;", ">": "&gt;"})


def prose(text: str) -> str:
    """Return a line of a docstring as Markdown: what is no code is shown as it stands.

    Examples
    --------
    >>> prose("at most k_i * 2 of `drain`, |x| <= 1")
    'at most k\\\\_i \\\\* 2 of `drain`, \\\\|x\\\\| &lt;= 1'
    """
    parts, end = [], 0
    for match in _CODE.finditer(text):
        parts += [text[end : match.start()].translate(_MARKS), f"`{match[1] or match[2]}`"]
        end = match.end()
    return "".join([*parts, text[end:].translate(_MARKS)])


def paragraphs(doc: str) -> str:
    """Return a docstring as Markdown; indented lines and tables are shown as they stand."""
    blocks = []
    for block in re.split(r"\n\s*\n", doc):
        lines = block.splitlines()
        drawn = all(line.startswith(" ") for line in lines) or any(re.match(r"\s*==+( +==+)*$", line) for line in lines)
        if drawn:
            blocks.append("\n".join(f"    {line}" for line in lines))
        elif len(lines) > 1 and any(re.match(r"- |\d+\. ", line) for line in lines):
            blocks.append("\n".join(lines))
        else:
            blocks.append("\n".join(prose(line) for line in lines))
    return "\n\n".join(blocks)


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown; the cells are Markdown already."""
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join("| " + " | ".join(" ".join(str(cell).split()) for cell in line) + " |" for line in lines) + "\n"


def code(text: str) -> str:
    """Return a text as code in a line, whatever it holds."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}" if text else ""
